package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"wiregauge/report/story"
	"wiregauge/result"
)

// writeMarkdown is the story as GitHub-flavoured Markdown: the sentence first, details folded.
func writeMarkdown(w io.Writer, files []*result.File, opt Options) error {
	return storyMD(w, story.Of(files, opt.story()))
}

func storyMD(w io.Writer, s *story.Story) error {
	out := bufio.NewWriter(w)
	headline := escapeMD(s.Headline)
	if s.Struck && len(s.Arms) > 1 {
		headline += " **No winner is named.**"
	}
	fmt.Fprintf(out, "## %s\n\n**%s**\n", escapeMD(s.Title), headline)
	for _, line := range s.Sub {
		fmt.Fprintf(out, "\n%s\n", escapeMD(line))
	}
	for _, sec := range s.Sections {
		if sec.Page {
			continue
		}
		sectionMD(out, sec)
	}
	var facts []string
	for _, f := range s.Meta {
		facts = append(facts, escapeMD(f.Name+" "+f.Text))
	}
	fmt.Fprintf(out, "\n%s\n", strings.Join(facts, " · "))
	return out.Flush()
}

func sectionMD(out *bufio.Writer, sec story.Section) {
	if sec.Detail {
		fmt.Fprintf(out, "\n<details><summary>%s</summary>\n", escapeMD(sec.Title))
	} else {
		fmt.Fprintf(out, "\n### %s\n", escapeMD(sec.Title))
	}
	for _, t := range sec.Tables {
		tableMD(out, t)
	}
	if len(sec.Facts) > 0 {
		out.WriteByte('\n')
	}
	for _, f := range sec.Facts {
		if f.Code {
			fmt.Fprintf(out, "\n%s:\n\n    %s\n", escapeMD(f.Name), f.Text) // indented code: one line, nothing to escape
			continue
		}
		line := "- " + escapeMD(f.Name)
		if f.Text != "" {
			line += ": " + escapeMD(f.Text)
		}
		if f.State != story.Plain {
			line += " (**" + f.State.String() + "**)"
		}
		if f.Advice != "" {
			line += ": " + escapeMD(f.Advice)
		}
		fmt.Fprintln(out, line)
	}
	for _, line := range sec.Lines {
		fmt.Fprintf(out, "\n%s\n", escapeMD(line))
	}
	if sec.Detail {
		out.WriteString("\n</details>\n")
	}
}

func tableMD(out *bufio.Writer, t story.Table) {
	if t.Caption != "" {
		fmt.Fprintf(out, "\n%s\n", escapeMD(t.Caption))
	}
	out.WriteString("\n|")
	for _, c := range t.Columns {
		fmt.Fprintf(out, " %s |", escapeMD(c.Name))
	}
	out.WriteString("\n|")
	for _, c := range t.Columns {
		rule := " ---: |"
		if c.Text {
			rule = " --- |"
		}
		out.WriteString(rule)
	}
	out.WriteByte('\n')
	for _, row := range t.Rows {
		out.WriteByte('|')
		for _, cell := range row {
			fmt.Fprintf(out, " %s |", escapeMD(marked(cell)))
		}
		out.WriteByte('\n')
	}
	for _, note := range t.Notes {
		fmt.Fprintf(out, "\n%s\n", escapeMD(note))
	}
}

// escapesMD takes their meaning from the characters that are Markdown or HTML.
var escapesMD = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;",
	"&", "&amp;", "|", `\|`, "~", `\~`, "#", `\#`, "@", "@\u200b", "\n", " ", "\r", " ")

// escapeMD makes s plain text in Markdown: no markup, no HTML, no mention of anybody.
func escapeMD(s string) string { return escapesMD.Replace(s) }
