package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"wiregauge/report/story"
	"wiregauge/result"
)

// writeText is the story for a terminal: the sentence first, then tables as wide as the terminal allows.
func writeText(w io.Writer, files []*result.File, opt Options) error {
	s := story.Of(files, opt.story())
	t := &text{out: bufio.NewWriter(w), opt: opt, width: opt.Width}
	if t.width <= 0 {
		t.width = 80
	}
	if !opt.UTF8 {
		s.Map(ascii)
	}
	t.story(s, files)
	return t.out.Flush()
}

// text lays a story out in lines. Errors stay in out until Flush.
type text struct {
	out   *bufio.Writer
	opt   Options
	width int
}

func (t *text) story(s *story.Story, files []*result.File) {
	t.wrap("", s.Headline, bold)
	if !t.opt.Brief {
		for _, line := range s.Sub {
			t.wrap("", line, none)
		}
	}
	if t.opt.Brief && s.Doubt != "" {
		t.wrap("", s.Doubt, none)
	}
	if s.Struck && len(s.Arms) > 1 {
		t.wrap("", "The numbers below must not be used to name a winner.", bad)
	}
	if t.opt.Brief {
		return
	}
	for _, sec := range s.Sections {
		if sec.Detail || sec.Page {
			continue
		}
		t.line("")
		t.section(sec)
		if sec.ID == "latency" && len(files) == 1 {
			t.bars(files[0])
		}
	}
}

func (t *text) section(sec story.Section) {
	if len(sec.Tables) == 0 || len(sec.Facts) > 0 {
		t.line(t.paint(bold, sec.Title))
	}
	for i, table := range sec.Tables {
		if i > 0 {
			t.line("")
		}
		t.table(table)
	}
	t.facts(sec.Facts)
	for _, line := range sec.Lines {
		t.wrap("  ", line, faint)
	}
}

// facts lists names and texts; facts that are ok are gathered in one line, so that the others stand out.
func (t *text) facts(facts []story.Fact) {
	var fine []string
	wide := 0
	for _, f := range facts {
		wide = max(wide, utf8.RuneCountInString(f.Name))
	}
	for _, f := range facts {
		if f.State == story.OK {
			fine = append(fine, strings.TrimSpace(f.Name+" "+f.Text))
			continue
		}
		t.fact(f, wide)
	}
	const many = 12
	switch {
	case len(fine) > many:
		t.wrap("  ", fmt.Sprintf("%s: %d of %d", story.OK, len(fine), len(facts)), good)
	case len(fine) > 0:
		t.wrap("  ", story.OK.String()+": "+strings.Join(fine, t.say(" · ")), good)
	}
}

func (t *text) fact(f story.Fact, wide int) {
	line := "  " + pad(f.Name, wide) + "  "
	indent := strings.Repeat(" ", wide+4)
	body := f.Text
	if f.State != story.Plain {
		body = f.State.String() + ": " + body
	}
	if f.Advice != "" {
		body += " (" + f.Advice + ")"
	}
	for i, part := range wrapped(body, t.width-wide-4) {
		if i > 0 {
			line = indent
		}
		t.line(line + t.paint(styleOf(f.State), part))
	}
}

func styleOf(s story.State) style {
	switch s {
	case story.OK:
		return good
	case story.Note, story.Unknown:
		return warn
	case story.Bad:
		return bad
	default:
		return none
	}
}

// line writes one line.
func (t *text) line(s string) {
	t.out.WriteString(strings.TrimRight(s, " "))
	t.out.WriteByte('\n')
}

// wrap writes words in lines of at most the width.
func (t *text) wrap(indent, s string, st style) {
	for _, part := range wrapped(s, t.width-len(indent)) {
		t.line(indent + t.paint(st, part))
	}
}

// wrapped breaks s at spaces; a word longer than the width stays whole.
func wrapped(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Split(keepUnits(s), " ") {
		word = strings.ReplaceAll(word, "\u00a0", " ")
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// keepUnits ties a number to the unit behind it, so that no line breaks between them.
func keepUnits(s string) string {
	b := []byte(s)
	var out strings.Builder
	for i, c := range b {
		if c == ' ' && i > 0 && b[i-1] >= '0' && b[i-1] <= '9' && unitAt(s[i+1:]) {
			out.WriteString("\u00a0")
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}

func unitAt(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	switch strings.TrimRight(word, ".,;:)") {
	case "ns", "µs", "ms", "s", "min", "h", "B", "kB", "MB", "GB", "%", "calls/s":
		return true
	}
	return false
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}
