// Package transcript reads the shell sessions and files that a page in Markdown shows, and compares what a command
// printed with what the page says it prints, so that pages can be run as tests.
//
// A session is a fenced block whose first line begins with "$ wiregauge": each "$ " line is a command, the lines
// below it are its output. A file is a fenced block with a name after its language: ```yaml inventory.yaml. In
// output a line "…" stands for any lines and "…" within a line for the rest of a sentence.
//
// It runs nothing. Start reading at Parse and Match.
package transcript

import (
	"fmt"
	"regexp"
	"strings"
)

// A Page is what one page shows, in its order.
type Page struct {
	lines []string
	Items []Item
	// Stray are the numbers of lines that show a "$ wiregauge" command where no session can be read: indented code,
	// a quotation, or a block that begins with something else.
	Stray []int
}

// An Item is one fenced block: a file when Name is set, a session otherwise.
type Item struct {
	Line  int // of the opening fence, from 1
	Name  string
	Text  string
	Steps []Step
}

// A Step is one command and what is shown below it.
type Step struct {
	Line       int    // of the command, from 1
	Command    string // continued lines joined
	Background bool   // it ended in &, which is taken off
	Output     string
	from, to   int // the lines of Output: from is the first, to the one behind the last, from 0
}

const prompt = "$ "

var (
	fence   = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})\\s*(\\S*)\\s*(\\S*)")
	mention = regexp.MustCompile(`^[\s>]*\$ wiregauge\b`)
)

// Parse reads a page. It fails on a fence that is not closed.
func Parse(text string) (*Page, error) {
	p := &Page{lines: strings.Split(text, "\n")}
	for i := 0; i < len(p.lines); i++ {
		open := fence.FindStringSubmatch(p.lines[i])
		if open == nil {
			p.stray(i, i+1)
			continue
		}
		end := p.closing(i+1, open[1])
		if end < 0 {
			return nil, fmt.Errorf("line %d: the block that begins here is not closed", i+1)
		}
		p.block(i, end, open[3])
		i = end
	}
	return p, nil
}

// closing finds the line that closes a fence.
func (p *Page) closing(from int, mark string) int {
	for i := from; i < len(p.lines); i++ {
		l := strings.TrimSpace(p.lines[i])
		if strings.HasPrefix(l, mark) && strings.Trim(l, mark[:1]) == "" {
			return i
		}
	}
	return -1
}

// block adds the block whose fences are the lines open and end.
func (p *Page) block(open, end int, name string) {
	body := p.lines[open+1 : end]
	switch {
	case name != "":
		p.Items = append(p.Items, Item{Line: open + 1, Name: name, Text: strings.Join(body, "\n") + "\n"})
	case len(body) > 0 && strings.HasPrefix(body[0], prompt+"wiregauge"):
		p.Items = append(p.Items, Item{Line: open + 1, Steps: p.steps(open+1, end)})
	default:
		p.stray(open+1, end)
	}
}

func (p *Page) stray(from, to int) {
	for i := from; i < to; i++ {
		if mention.MatchString(p.lines[i]) {
			p.Stray = append(p.Stray, i+1)
		}
	}
}

// steps reads the commands between two lines; the first line is a command.
func (p *Page) steps(from, to int) []Step {
	var steps []Step
	for i := from; i < to; {
		s := Step{Line: i + 1, Command: strings.TrimPrefix(p.lines[i], prompt)}
		for i++; strings.HasSuffix(s.Command, "\\") && i < to; i++ {
			s.Command = strings.TrimSuffix(s.Command, "\\") + strings.TrimSpace(p.lines[i])
		}
		s.from = i
		for i < to && !strings.HasPrefix(p.lines[i], prompt) {
			i++
		}
		s.to = i
		s.Output = strings.Join(p.lines[s.from:s.to], "\n")
		s.Command, s.Background = strings.CutSuffix(strings.TrimSpace(s.Command), " &")
		steps = append(steps, s)
	}
	return steps
}

// Block is the session that begins with the given command line, prompt included, whatever program it calls.
func (p *Page) Block(command string) (Step, bool) {
	for i, l := range p.lines {
		if l != prompt+command || i == 0 || !fence.MatchString(p.lines[i-1]) {
			continue
		}
		mark := fence.FindStringSubmatch(p.lines[i-1])[1]
		if end := p.closing(i, mark); end > 0 {
			return p.steps(i, end)[0], true
		}
	}
	return Step{}, false
}

// Rewrite gives the page with new output below steps: outputs[i] belongs to steps[i], which are steps of this page
// in its order.
func (p *Page) Rewrite(steps []Step, outputs []string) string {
	var out []string
	at := 0
	for i, s := range steps {
		out = append(out, p.lines[at:s.from]...)
		if o := strings.TrimRight(outputs[i], "\n"); o != "" {
			out = append(out, o)
		}
		at = s.to
	}
	return strings.Join(append(out, p.lines[at:]...), "\n")
}
