// Package visible shows text that others wrote: servers, certificates, files. What could steer a terminal or turn the
// direction of writing is shown as its escape, so that nothing is hidden and nothing is obeyed. It does not quote for
// any format: HTML and JSON have their own rules.
package visible

import (
	"strconv"
	"strings"
	"unicode"
)

// Text is s with its tabs and line ends. A carriage return before a line end is left out; bytes that are no UTF-8
// become U+FFFD.
func Text(s string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		if r == '\n' || r == '\t' {
			b.WriteRune(r)
			continue
		}
		b.WriteString(shown(r))
	}
	return b.String()
}

// Line is s on one line: white space becomes one space, and what is no character of text is named as well.
func Line(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		if r == unicode.ReplacementChar {
			b.WriteString(`\ufffd`)
			continue
		}
		b.WriteString(shown(r))
	}
	return b.String()
}

// JSON is valid JSON with the characters that a terminal may obey as escapes: it means what it meant.
func JSON(p []byte) []byte {
	var b strings.Builder
	for _, r := range string(p) {
		if r < 0x7f || hasSign(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteToASCII(string(r))
		switch {
		case r == 0x7f:
			b.WriteString(`\u007f`)
		case r > 0xffff: // JSON has them as a pair of halves, and Go does not
			b.WriteRune(r)
		default:
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return []byte(b.String())
}

// shown is one character, or its escape in Go's spelling: \x1b, \u202e.
func shown(r rune) string {
	if hasSign(r) {
		return string(r)
	}
	quoted := strconv.QuoteRune(r)
	return quoted[1 : len(quoted)-1]
}

// hasSign reports whether a terminal shows r and does nothing else.
func hasSign(r rune) bool {
	return unicode.IsPrint(r) || unicode.Is(unicode.Zs, r)
}
