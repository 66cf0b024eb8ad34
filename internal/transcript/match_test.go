package transcript

import (
	"strings"
	"testing"
)

func TestWhatMayDifferAndWhatMayNot(t *testing.T) {
	for name, c := range map[string]struct {
		page, printed string
		fault         string // "" where the two fit
	}{
		"the same":                         {"a b\nc", "a b\nc\n", ""},
		"another number":                   {"10,000 calls, p99 1.49 ms.", "8 calls, p99 21.8 ms.", ""},
		"another unit":                     {"p99 1.49 ms.", "p99 980 µs.", ""},
		"a unit closer":                    {"took 5s", "took 12 ms", ""},
		"few samples":                      {"p99 2.0 ms", "p99 ~2.0 ms", ""},
		"another port":                     {"to 127.0.0.1:18080", "to 127.0.0.1:21235", ""},
		"another date":                     {"Date: Mon, 30 Nov 2026 23:48:22 GMT.", "Date: Tue, 01 Dec 2026 00:00:01 GMT.", ""},
		"another time stamp":               {`"created": "2026-11-30T23:48:22.12Z"`, `"created": "2026-12-01T01:02:03Z"`, ""},
		"another id":                       {"PING 02041010090e0707", "PING aaaaaaaa00000000", ""},
		"an id without a digit":            {`"id":"16a6ca34"`, `"id":"deadbeef"`, ""},
		"other bars":                       {"1 ms |▁ █▂| 4 ms", "12 µs |▁▁▁▁█ ▁▂| 4 ms", ""},
		"lines broken elsewhere":           {"in 10,000\ncalls. Done", "in\n7 calls.\nDone", ""},
		"other widths of columns":          {"p50    p99\n1.0 ms  2 ms", "p50 p99\n17.1 ms 22.4 ms", ""},
		"another word":                     {"9 calls failed", "9 calls passed", `the page says "failed" in its line "9 calls failed", but what was printed has "passed"`},
		"another percentile":               {"p99.9 5 ms", "p99 5 ms", `says "p99.9"`},
		"another name with digits":         {"h2c", "h3c", `says "h2c"`},
		"a word more":                      {"a b", "a b c", `goes on with "c"`},
		"a word less":                      {"a b c", "a b", `has the end`},
		"a word for a number":              {"p99 5 ms", "p99 never", `says "5 ms"`},
		"a sign":                           {"p99 *5 ms", "p99 5 ms", `says "*5 ms"`},
		"the page shows nothing":           {"", "a", `goes on with "a"`},
		"any lines":                        {"a\n…\nz", "a\nb\nc d\nz", ""},
		"no lines where any may be":        {"a\n…\nz", "a\nz", ""},
		"any lines, the wrong last one":    {"a\n…\nz", "a\nb\ny", `says "z"`},
		"any lines at the end":             {"a\n…", "a\nb\nc", ""},
		"any lines at both ends":           {"…\nb\n…", "a\nb\nc", ""},
		"any lines in the middle of words": {"a b\n…\nd", "a b c\nc\nd", ""},
		"the rest of a line":               {"host …\ntrust", "host BAD: x y\ntrust", ""},
		"the rest of a wrapped line":       {"host …\ntrust", "host BAD: x y\n  and z\ntrust", ""},
		"more than the rest of a line":     {"host …\ntrust", "host BAD: x y\n and z\nmemory\ntrust", `says "trust" in its line "trust", but what was printed has "memory"`},
		"the middle of a line":             {"it is … than b", "it is 4.0x slower than b", ""},
		"two ways to read a gap":           {"…\na b", "a c\na b", ""},
		"nothing at all":                   {"…", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := Match(c.page, c.printed)
			switch {
			case c.fault == "" && err != nil:
				t.Error(err)
			case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
				t.Errorf("got %v, want %q", err, c.fault)
			}
		})
	}
}

func TestRefreshKeepsGapsAndTakesNumbers(t *testing.T) {
	for name, c := range map[string]struct{ page, printed, want string }{
		"numbers and columns": {"p50  p99\n1 ms  2 ms", "  p50     p99\n  12 ms  130 ms\n", "  p50     p99\n  12 ms  130 ms"},
		"any lines":           {"a 1\n…\n  z 2", "a 3\nb\nc\n  z 4\n", "a 3\n…\n  z 4"},
		"lines to the end":    {"a 1\n…", "a 3\nb\nc", "a 3\n…"},
		"lines to begin with": {"…\nz", "a\n  z", "…\n  z"},
		"the rest of a line":  {"  host …\n  trust 1", "  host   BAD: x\n          y\n  trust 2", "  host   …\n  trust 2"},
		"a gap at the end":    {"a …", "a   b c", "a   …"},
		"a gap in a line":     {"it is … than b 1", "it is 4x slower than b 2", "it is … than b 2"},
		"the rest of nothing": {"a …\nb", "a\nb", "a …\nb"},
		"a gap mid line":      {"a\n…\nd 1", "a b\nc d 2", "a\n…\nd 2"},
		"empty lines":         {"a\n\nb 1", "a\n\n\nb 2", "a\n\n\nb 2"},
		"nothing there yet":   {"", "b\nc\n", "b\nc"},
		"nothing any more":    {"a\nb", "", ""},
		"other words":         {"a b\nc 1\nd", "a b\nnew\nd\n", "a b\nnew\nd"},
		"other words by gaps": {"…\na 1\nold\n…\nz", "x\ny\na 2\nnew\nb\nc\nz\n", "…\na 2\nnew\n…\nz"},
		"other last words":    {"a 1\n…\nold", "a 2\nb\nc\nnew\n", "a 2\n…\nnew"},
		"too few lines":       {"a\nb\n…\nold", "new\n", "new"},
		"a line more":         {"a 1\nc", "a 2\nb\nc", "a 2\nb\nc"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Refresh(c.page, c.printed)
			if got != c.want {
				t.Errorf("got\n%q\nwant\n%q", got, c.want)
			}
			if err := Match(got, c.printed); err != nil {
				t.Errorf("what was refreshed does not match: %v", err)
			}
		})
	}
}
