package transcript

import "strings"

// Refresh is what the page should show for what was printed: the same words and gaps with the numbers and breaks of
// got, or with lines of got where its words have changed.
func Refresh(want, got string) string {
	m := newMatching(want, got)
	if !m.fits(0, 0) {
		return replace(want, got)
	}
	var out strings.Builder
	j, last := 0, -1 // the next word of got, and the last one written
	for i, w := range m.want {
		if !w.gap {
			out.WriteString(m.space(i, got, last, j))
			out.WriteString(got[m.got[j].start:m.got[j].end])
			last, j = j, j+1
			continue
		}
		from := j
		for !m.fits(i+1, j) {
			j++
		}
		out.WriteString(m.mark(w, out.Len() > 0, got, last, from))
	}
	return out.String()
}

// space is what stands before word j of got, which is word i of the page, when last was written before it.
func (m *matching) space(i int, got string, last, j int) string {
	w := m.got[j]
	indent := ""
	if first := j == 0 || m.got[j-1].line < w.line; first {
		indent = got[strings.LastIndexByte(got[:w.start], '\n')+1 : w.start]
	}
	switch {
	case i == 0:
		return indent
	case !m.want[i-1].gap:
		return got[m.got[last].end:w.start]
	case !m.want[i-1].whole && last >= 0 && m.got[last].line == w.line:
		return " "
	}
	return "\n" + indent
}

// mark is a gap as it is written: a line of its own, or a word.
func (m *matching) mark(w want, some bool, got string, last, from int) string {
	switch {
	case w.whole && some:
		return "\n" + gap
	case w.whole || !some:
		return gap
	case from < len(m.got) && last >= 0 && m.got[from].line == m.got[last].line:
		return got[m.got[last].end:m.got[from].start] + gap
	}
	return " " + gap
}
