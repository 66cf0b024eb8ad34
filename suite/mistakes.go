package suite

import (
	"fmt"
	"sort"
	"strings"
)

// A Mistake is one fault of a suite file.
type Mistake struct {
	File         string
	Line, Column int // from 1
	Text         string
	Snippet      string
}

// Error says what is wrong and where, with the line itself below.
func (m *Mistake) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s\n%s", m.File, m.Line, m.Column, m.Text, m.Snippet)
}

// Mistakes are all faults of a file, in the order of its lines.
type Mistakes []*Mistake

// Error lists all of them.
func (m Mistakes) Error() string {
	texts := make([]string, len(m))
	for i, one := range m {
		texts[i] = one.Error()
	}
	return strings.Join(texts, "\n")
}

// fault notes a mistake at a place of the file.
func (r *reader) fault(line, column int, format string, args ...any) {
	m := &Mistake{File: r.file.Name, Line: line, Column: column, Text: fmt.Sprintf(format, args...)}
	m.Snippet = snippet(r.text, line, column)
	at := sort.Search(len(r.mistakes), func(i int) bool {
		o := r.mistakes[i]
		return o.Line > line || o.Line == line && o.Column > column
	})
	r.mistakes = append(r.mistakes, nil)
	copy(r.mistakes[at+1:], r.mistakes[at:])
	r.mistakes[at] = m
}

// snippet is the line before, the line itself, and a caret below the column:
//
//	   2 | load:
//	>  3 |   concurency: 64
//	         ^
func snippet(text []byte, line, column int) string {
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	from := 0 // runes that a long line is cut off before its column
	if column > shown {
		from = column - shown/2
	}
	var b strings.Builder
	for n := max(line-1, 1); n <= line && n <= len(lines); n++ {
		mark := " "
		if n == line {
			mark = ">"
		}
		fmt.Fprintf(&b, "%s%3d | %s\n", mark, n, window(lines[n-1], from))
	}
	b.WriteString(strings.Repeat(" ", 6+max(column-from, 1)) + "^")
	return b.String()
}

// shown is how much of a line a snippet shows, in runes.
const shown = 120

func window(line string, from int) string {
	if len(line) > 4*(from+shown) {
		line = line[:4*(from+shown)] // enough for that many runes
	}
	runes := []rune(strings.ReplaceAll(line, "\t", " "))
	runes = runes[min(from, len(runes)):]
	return string(runes[:min(shown, len(runes))])
}
