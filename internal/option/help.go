package option

import (
	"fmt"
	"strings"
)

// Help is the flags of the set, one a line under the heading of their group, at most width columns wide.
func (s *Set) Help(width int) string {
	var b strings.Builder
	for _, group := range s.groups() {
		fmt.Fprintf(&b, "\n%s:\n", group)
		for _, o := range s.options {
			if o.Group == group {
				o.help(&b, width)
			}
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

func (s *Set) groups() []string {
	var names []string
	seen := map[string]bool{}
	for _, o := range s.options {
		if !seen[o.Group] {
			seen[o.Group] = true
			names = append(names, o.Group)
		}
	}
	return names
}

// column is where the help text starts.
const column = 30

func (o *Option) help(b *strings.Builder, width int) {
	left := "      --" + o.Name
	if o.Shorthand != "" {
		left = "  -" + o.Shorthand + ", --" + o.Name
	}
	if o.Value != "" {
		left += " " + o.Value
	}
	text := o.Help
	if names := o.aliasNames(); names != "" {
		text += " (also " + names + ")"
	}
	if o.Default != "" {
		text += " (default " + o.Default + ")"
	}
	if len(left) >= column-1 {
		b.WriteString(left + "\n")
		left = ""
	}
	for i, line := range wrap(text, max(width-column, 30)) {
		if i > 0 {
			left = ""
		}
		fmt.Fprintf(b, "%-*s%s\n", column, left, line)
	}
}

func (o *Option) aliasNames() string {
	var names []string
	for _, a := range o.Aliases {
		if a.Shorthand != "" {
			names = append(names, "-"+a.Shorthand)
			continue
		}
		names = append(names, "--"+a.Name)
	}
	return strings.Join(names, ", ")
}

// wrap breaks text at spaces into lines of at most width columns.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
