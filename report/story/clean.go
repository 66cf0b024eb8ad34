package story

import (
	"strconv"
	"strings"
	"unicode"
)

// Clean makes text of a server fit for one line of a terminal or page: white space becomes one space, and what
// could steer a terminal or turn the direction of writing is shown as its escape.
func Clean(text string) string {
	var b strings.Builder
	space := false
	for _, r := range text {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
