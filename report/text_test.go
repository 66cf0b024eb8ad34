package report

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"wiregauge/report/internal/golden"
	"wiregauge/report/internal/sample"
	"wiregauge/result"
)

// cases are results of every kind that a report must tell well.
var cases = []struct {
	name  string
	files func() []*result.File
}{
	{"open-loop-met", func() []*result.File { return []*result.File{sample.Met()} }},
	{"half-of-the-calls-fail", func() []*result.File { return []*result.File{sample.Half()} }},
	{"every-call-fails", func() []*result.File { return []*result.File{sample.Fail()} }},
	{"every-call-times-out", func() []*result.File { return []*result.File{sample.Hang()} }},
	{"calls-stuck-at-the-deadline", func() []*result.File { return []*result.File{sample.Stuck()} }},
	{"one-call-in-flight-at-a-time", func() []*result.File { return []*result.File{sample.Held()} }},
	{"all-callers-were-blocked", func() []*result.File { return []*result.File{sample.Frozen()} }},
	{"the-client-was-the-limit", func() []*result.File { return []*result.File{sample.Slow()} }},
	{"nothing-was-due", func() []*result.File { return []*result.File{sample.Empty()} }},
	{"ramp-of-concurrency", func() []*result.File { return []*result.File{sample.Ramp()} }},
	{"comparison", func() []*result.File { return []*result.File{sample.Comparison()} }},
	{"comparison-not-fair", func() []*result.File { return []*result.File{sample.NotFair()} }},
	{"comparison-of-one-launch", func() []*result.File { return []*result.File{sample.OneLaunch()} }},
	{"failures-in-a-burst", func() []*result.File { return []*result.File{sample.Burst()} }},
	{"not-trustworthy", func() []*result.File { return []*result.File{sample.NotTrusted()} }},
	{"comparison-whose-ratios-hold", func() []*result.File { return []*result.File{sample.AbsoluteVoid()} }},
	{"comparison-with-noise-floor", func() []*result.File { return []*result.File{sample.Demanding()} }},
	{"sweep-of-concurrency", func() []*result.File { return []*result.File{sample.Sweep()} }},
	{"sweep-of-rates", func() []*result.File { return []*result.File{sample.RateSweep()} }},
	{"sweep-of-one-target", func() []*result.File { return []*result.File{sample.RunSweep()} }},
	{"capacity", func() []*result.File { return []*result.File{sample.Capacity()} }},
	{"two-saved-results", func() []*result.File { return []*result.File{sample.Met(), sample.Half()} }},
}

func TestTextTellsEveryKindOfResult(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			golden.Check(t, c.name+".txt", render(t, "text", c.files(), Options{Width: 100, UTF8: true}))
		})
	}
}

func TestTextFitsEveryWidthAndStaysASCII(t *testing.T) {
	for _, c := range cases {
		for _, width := range []int{60, 80, 120} {
			out := render(t, "text", c.files(), Options{Width: width})
			for line := range strings.Lines(string(out)) {
				line = strings.TrimRight(line, "\n")
				if n := utf8.RuneCountInString(line); n > max(width, 80) {
					t.Errorf("%s at width %d: a line of %d columns: %s", c.name, width, n, line)
				}
				for _, r := range line {
					if r > 126 || r < 32 {
						t.Errorf("%s: character %q in plain text: %s", c.name, r, line)
					}
				}
			}
		}
	}
}

func TestColourOnlyWhenAskedFor(t *testing.T) {
	files := []*result.File{sample.Slow()}
	if out := render(t, "text", files, Options{UTF8: true}); bytes.ContainsRune(out, '\x1b') {
		t.Errorf("escape sequences without Color:\n%q", out)
	}
	if out := render(t, "text", files, Options{Color: true}); !bytes.Contains(out, []byte("\x1b[1;31m")) {
		t.Error("no colour for a bad check with Color")
	}
}

func render(t *testing.T, format string, files []*result.File, opt Options) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Write(format, &out, files, opt); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
