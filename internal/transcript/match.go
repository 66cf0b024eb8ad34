package transcript

import (
	"fmt"
	"strings"
)

const gap = "…"

// A want is one word of what a page says, or a gap.
type want struct {
	word
	gap   bool
	whole bool // the gap is a line of its own and stands for any lines
}

// A matching is one attempt to find the words of a page in what was printed.
type matching struct {
	want []want
	got  []word
	next [][]int8 // 0 unknown, 1 fits, -1 does not: want from i on against got from j on
	far  int      // the most words of want that were found, and
	at   int      // where in got that was
}

// Match compares what a command printed with what the page says. Words must be the same and in the same order;
// numbers, times, dates, ids and drawn bars may differ, and so may the breaks of lines, which depend on them. A line
// "…" stands for any lines, "…" within a line for the rest of that line and at most one more. The error names the
// first word that is not there.
func Match(want, got string) error {
	m := newMatching(want, got)
	if m.fits(0, 0) {
		return nil
	}
	return m.fault(want, got)
}

func newMatching(text, got string) *matching {
	m := &matching{got: words(got)}
	for n, l := range lines(text) {
		if strings.TrimSpace(l.text) == gap {
			m.want = append(m.want, want{word: word{line: n}, gap: true, whole: true})
			continue
		}
		for _, w := range words(l.text) {
			w.line, w.start, w.end = n, w.start+l.start, w.end+l.start
			m.want = append(m.want, want{word: w, gap: w.text == gap})
		}
	}
	m.next = make([][]int8, len(m.want)+1)
	for i := range m.next {
		m.next[i] = make([]int8, len(m.got)+1)
	}
	return m
}

// fits says whether want from i on is got from j on.
func (m *matching) fits(i, j int) bool {
	if i > m.far || i == m.far && j > m.at {
		m.far, m.at = i, j
	}
	if i == len(m.want) {
		return j == len(m.got)
	}
	if m.next[i][j] == 0 {
		m.next[i][j] = -1
		if m.step(i, j) {
			m.next[i][j] = 1
		}
	}
	return m.next[i][j] > 0
}

func (m *matching) step(i, j int) bool {
	if !m.want[i].gap {
		return j < len(m.got) && m.want[i].text == m.got[j].text && m.fits(i+1, j+1)
	}
	for k := j; k <= len(m.got); k++ {
		if m.fits(i+1, k) {
			return true
		}
		if k < len(m.got) && !m.want[i].whole && m.got[k].line > m.got[max(j-1, 0)].line+1 {
			return false
		}
	}
	return false
}

// fault tells the first word of the page that was not printed, or the first printed one that the page does not have.
func (m *matching) fault(text, printed string) error {
	where := "the end"
	if m.at < len(m.got) {
		w := m.got[m.at]
		where = fmt.Sprintf("%q in its line %q", printed[w.start:w.end], strings.TrimSpace(lines(printed)[w.line].text))
	}
	if m.far == len(m.want) {
		return fmt.Errorf("the page ends here, but what was printed goes on with %s", where)
	}
	w := m.want[m.far]
	line := strings.TrimSpace(lines(text)[w.line].text)
	return fmt.Errorf("the page says %q in its line %q, but what was printed has %s", text[w.start:w.end], line, where)
}
