package transcript

import (
	"regexp"
	"strings"
)

// A word is a run of characters without space, and a unit that follows a number.
type word struct {
	text       string // numbers, times, dates and ids replaced
	line       int    // from 0
	start, end int    // in the raw text
}

var (
	// pieces finds words; drawn bars and dates hold spaces.
	pieces = regexp.MustCompile(`\|[ ▁▂▃▄▅▆▇█]+\||(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} [\d:]+ GMT|\S+`)
	bars   = regexp.MustCompile(`^\|[ ▁▂▃▄▅▆▇█]+\|$`)
	dates  = regexp.MustCompile(`^\w{3}, .* GMT$|\d{4}-\d\d-\d\dT[\d:.]+Z?`)
	// ids are eight hexadecimal digits or more; no word of English is.
	ids = regexp.MustCompile(`\b[0-9a-f]{8,}\b`)
	// parts are names, whose digits are kept (p99.9, h2c), and numbers with what stands close behind them.
	parts = regexp.MustCompile(`\p{L}[\p{L}\p{N}_]*(?:\.\d+)?|[~<+-]?(\d+(?:[,.]\d+)*)(\p{L}*%?)`)
)

// units are what may stand behind a number; a change from µs to ms is a changed number.
var units = map[string]bool{
	"ns": true, "µs": true, "us": true, "ms": true, "s": true, "min": true, "m": true, "h": true, "x": true, "%": true,
	"B": true, "kB": true, "MB": true, "GB": true,
}

// number stands for every number with its unit.
const number = "#"

// words splits text.
func words(text string) []word {
	var list []word
	for n, l := range lines(text) {
		for _, at := range pieces.FindAllStringIndex(l.text, -1) {
			w := word{text: settled(l.text[at[0]:at[1]]), line: n, start: l.start + at[0], end: l.start + at[1]}
			if k := len(list) - 1; k >= 0 && strings.HasSuffix(list[k].text, number) && list[k].line >= n-1 {
				if unit := strings.TrimRight(w.text, ".,;:)"); units[unit] {
					list[k].text += w.text[len(unit):]
					list[k].end = w.end
					continue
				}
			}
			list = append(list, w)
		}
	}
	return list
}

type line struct {
	text  string
	start int
}

func lines(text string) []line {
	var list []line
	at := 0
	for _, l := range strings.Split(text, "\n") {
		list = append(list, line{l, at})
		at += len(l) + 1
	}
	return list
}

// settled replaces what differs from run to run.
func settled(s string) string {
	if bars.MatchString(s) {
		return "|bars|"
	}
	s = dates.ReplaceAllString(s, "DATE")
	s = ids.ReplaceAllString(s, "0")
	return parts.ReplaceAllStringFunc(s, func(p string) string {
		m := parts.FindStringSubmatch(p)
		switch {
		case m[1] == "": // a name
			return p
		case units[m[2]]:
			return number
		}
		return number + m[2]
	})
}
