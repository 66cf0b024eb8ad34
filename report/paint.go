package report

import "strings"

// A style is how words are painted where colour was asked for.
type style string

const (
	none  style = ""
	bold  style = "1"
	faint style = "2"
	good  style = "32"
	warn  style = "33"
	bad   style = "1;31"
)

// paint wraps s in an ANSI style when colour is on.
func (t *text) paint(st style, s string) string {
	if !t.opt.Color || st == none || s == "" {
		return s
	}
	return "\x1b[" + string(st) + "m" + s + "\x1b[0m"
}

// toASCII spells the few signs that our own words use beyond ASCII.
var toASCII = strings.NewReplacer("µ", "u", "—", "-", "–", "-", "…", "...", "≥", ">=", "≤", "<=", "±", "+/-", "·", "|", "×", "x", "→", "->", "−", "-")

// say spells s for the terminal.
func (t *text) say(s string) string {
	if t.opt.UTF8 {
		return s
	}
	return ascii(s)
}

// ascii replaces what a terminal without UTF-8 cannot show.
func ascii(s string) string {
	s = toASCII.Replace(s)
	return strings.Map(func(r rune) rune {
		if r > 126 {
			return '?'
		}
		return r
	}, s)
}
