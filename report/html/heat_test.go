package html

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"wiregauge/report/story"
	"wiregauge/result"
)

func TestShadesGrowWithTheCount(t *testing.T) {
	h := heat{most: 50_000}
	last := 0
	for _, n := range []int64{0, 1, 2, 10, 500, 20_000, 50_000} {
		level := h.level(n)
		if level < last || level > heatLevels || (level == 0) != (n == 0) {
			t.Errorf("%d calls have shade %d after %d", n, level, last)
		}
		last = level
	}
	if last != heatLevels {
		t.Errorf("the largest count has shade %d, want the darkest", last)
	}
}

// one is an arm whose seconds hold n calls each at one level.
func one(seconds int, level int, n int64) *result.Arm {
	a := &result.Arm{Name: "a"}
	for i := range seconds {
		s := result.Strip{At: time.Duration(i) * time.Second, OK: n, First: level, Counts: []int64{n},
			P50: new(time.Millisecond), P99: new(time.Millisecond), Max: new(time.Millisecond)}
		if i == 1 {
			s.Failed = 2
			s.Fail("reset", 2)
		}
		a.Strips = append(a.Strips, s)
	}
	return a
}

// Seconds that are alike are one box, whatever their number: a page of a long run is no larger.
func TestHeatMapOfALongSteadyRunIsSmall(t *testing.T) {
	size := func(seconds int) int {
		s := &story.Story{Arms: []*result.Arm{one(seconds, 80, 100)}, Names: []string{"a"}}
		fig := overTime(s, nil)
		if fig == nil {
			t.Fatalf("no drawing of %d seconds", seconds)
		}
		if boxes := strings.Count(string(fig.SVG), "z"); strings.Count(string(fig.SVG), `class="hit"`) > 100 || boxes == 0 {
			t.Errorf("%d seconds: more than 100 columns", seconds)
		}
		return len(fig.SVG)
	}
	if few, many := size(100), size(3600); many > 2*few {
		t.Errorf("100 seconds take %d bytes, 3,600 take %d", few, many)
	}
}

func TestHeatMapNeedsStripsWithLevels(t *testing.T) {
	for name, a := range map[string]*result.Arm{"no strips": {}, "two strips": one(2, 80, 1), "no calls": {Strips: make([]result.Strip, 9)}} {
		if overTime(&story.Story{Arms: []*result.Arm{a}, Names: []string{"a"}}, nil) != nil {
			t.Errorf("%s: something was drawn", name)
		}
	}
}

func TestFailuresAreMarked(t *testing.T) {
	s := &story.Story{Arms: []*result.Arm{one(5, 80, 10)}, Names: []string{"a"}}
	if n := strings.Count(string(overTime(s, nil).SVG), "✕"); n != 1 {
		t.Errorf("%d marks, want one for the second that had failures", n)
	}
	svg := string(errorsOverTime(s).SVG)
	if !strings.Contains(svg, "1 s: 2 reset") {
		t.Errorf("the errors are not told: %s", svg)
	}
}

func TestLaunchesBeginWhereTheirTurnsDo(t *testing.T) {
	f := &result.File{}
	for l := range 3 {
		for r := range 2 {
			for _, arm := range []string{"a", "b"} {
				row := result.Row{Arm: arm, Launch: l, Round: r, Window: int64(time.Second)}
				if l == 1 && r == 0 {
					row.Invalid = "stolen"
				}
				f.Turns = append(f.Turns, row)
			}
		}
	}
	want := "[{0 1} {2000000000 2} {3000000000 3}]"
	if got := fmt.Sprint(launchEdges(f, "b")); got != want {
		t.Errorf("launches at %s, want %s: turns that do not count take no time", got, want)
	}
}

func TestClassesOfErrorsAreFewAndTheRestIsOther(t *testing.T) {
	a := &result.Arm{Strips: []result.Strip{{}, {}, {}}}
	for i := range 8 {
		a.Strips[0].Fail(string(rune('a'+i)), int64(i+1))
	}
	kinds := commonErrors([]*result.Arm{a})
	if len(kinds) != mostClasses || kinds[0] != "h" || kinds[len(kinds)-1] != "other" {
		t.Errorf("classes %q", kinds)
	}
}

func TestGoalsAreThoseOnPercentiles(t *testing.T) {
	for _, c := range []struct{ name, expr, want string }{
		{"a percentile and a share", "p99<50ms, errors<0.1%", "[{5e+07 p99<50ms}]"},
		{"two percentiles", "p50<1ms,p99.9<1s", "[{1e+06 p50<1ms} {1e+09 p99.9<1s}]"},
		{"no gate at all", "as fast as possible", "[]"},
	} {
		if got := fmt.Sprint(goals(c.expr)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Each row of the forest says how much faster or slower, never a bare ratio.
func TestRatiosAreSaidInWords(t *testing.T) {
	for _, c := range []struct {
		name       string
		v          result.Verdict
		text, look string
	}{
		{"faster", result.Verdict{Metric: "p99", Outcome: result.Faster, Ratio: new(1.8)}, "1.8x faster", "value"},
		{"the client was the limit", result.Verdict{Metric: "rate", Outcome: result.ProbablyFaster, Ratio: new(1.2), AtLeast: true}, "probably ≥ 20.0 % faster", "value"},
		{"no practical difference", result.Verdict{Metric: "p99", Outcome: result.Same, Ratio: new(1.0)}, "no practical difference", "value"},
		{"bytes are counted", result.Verdict{Metric: "bytes", Ratio: new(2.0)}, "50.0 % fewer", "value"},
		{"not judged", result.Verdict{Metric: "p50", Ratio: new(0.5)}, "2.0x slower", "value muted"},
	} {
		if text, look := ratioVerdict(c.v); text != c.text || look != c.look {
			t.Errorf("%s: %q as %q, want %q as %q", c.name, text, look, c.text, c.look)
		}
	}
}
