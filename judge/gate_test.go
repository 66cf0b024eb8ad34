package judge

import (
	"math"
	"strings"
	"testing"

	"wiregauge/result"
)

// between is a verdict with the given interval of the ratio on ten launches.
func between(low, high float64) result.Verdict {
	middle := math.Sqrt(low * high)
	return result.Verdict{Metric: "p99", Outcome: result.Faster, Unit: "launch", Units: 10, Look: 10, Ratio: &middle, Low: &low, High: &high}
}

func TestGatesOnARatio(t *testing.T) {
	latency, rate := Bound{Change: .10}, Bound{Change: -.05, Larger: true}
	adjust := func(v result.Verdict, change func(*result.Verdict)) result.Verdict {
		change(&v)
		return v
	}
	for _, c := range []struct {
		name string
		b    Bound
		v    result.Verdict
		want Answer
		why  string
	}{
		{"p99<+10%: 2 to 6 % more", latency, between(1/1.06, 1/1.02), Pass, ""},
		{"p99<+10%: 5 % less", latency, between(1/.97, 1/.93), Pass, ""},
		{"p99<+10%: 12 to 20 % more", latency, between(1/1.20, 1/1.12), Fail, ""},
		{"p99<+10%: 5 to 15 % more", latency, between(1/1.15, 1/1.05), Unknown, "+5 % to +15 %, reaches over the bound of +10 %"},
		{"p99<-10%: an improvement is asked for and there", Bound{Change: -.1}, between(1/.85, 1/.8), Pass, ""},
		{"p99<-10%: an improvement is asked for and not there", Bound{Change: -.1}, between(1/1.01, 1/.95), Fail, ""},
		{"rate>-5%: 1 to 3 % less", rate, between(.97, .99), Pass, ""},
		{"rate>-5%: 7 to 9 % less", rate, between(.91, .93), Fail, ""},
		{"rate>-5%: 3 to 7 % less", rate, between(.93, .97), Unknown, "-7 % to -3 %"},
		{"five launches", latency, adjust(between(1, 1), func(v *result.Verdict) { v.Units = 5 }), Unknown, "6 or more"},
		{"one launch with enough calls", latency, adjust(between(1, 1), func(v *result.Verdict) { v.Units = 1 }), Unknown, "1 launch with enough calls for p99"},
		{"one launch", latency, adjust(between(1, 1), func(v *result.Verdict) { v.Unit, v.Units = "round", 120 }), Unknown, "one launch only"},
		{"not fair", latency, adjust(between(1, 1), func(v *result.Verdict) { v.Outcome, v.Reasons = result.NotFair, []string{"replies differ"} }), Unknown, "replies differ"},
		{"before the first look", latency, adjust(between(1, 1), func(v *result.Verdict) { v.Look = 0 }), Unknown, "planned look"},
		{"no interval", latency, adjust(between(1, 1), func(v *result.Verdict) { v.Low = nil }), Unknown, "no interval"},
	} {
		answer, why := c.b.Judge(c.v)
		if answer != c.want || !strings.Contains(why, c.why) || (why == "") != (answer != Unknown) {
			t.Errorf("%s: %d %q", c.name, answer, why)
		}
	}
	if change, ok := latency.Value(between(.8, .8)); !ok || math.Abs(change-.25) > 1e-12 {
		t.Errorf("a ratio of 0.8 is %+g", change)
	}
	if change, ok := rate.Value(between(.8, .8)); !ok || math.Abs(change+.2) > 1e-12 {
		t.Errorf("a ratio of 0.8 is %+g", change)
	}
	if _, ok := rate.Value(result.Verdict{}); ok {
		t.Error("what was not measured has a value")
	}
}

func TestAgainstSomethingSavedIsNeverMoreThanLow(t *testing.T) {
	times := func(factor float64, logs []float64) []float64 {
		list := make([]float64, len(logs))
		for i, l := range logs {
			list[i] = factor * math.Exp(l)
		}
		return list
	}
	saved := func(old, now []float64) Saved {
		return Saved{A: "saved", B: "now", Metrics: []Metric{{Name: "p99"}, {Name: "cpu"}}, Old: [][]float64{old, nil}, New: [][]float64{now, {3}}}
	}
	rules := Rules{Launches: 10, MinEffect: .01, Primary: []string{"p99"}}
	for _, c := range []struct {
		name    string
		s       Saved
		outcome string
	}{
		{"half the latency", saved(times(2, small), times(1, small)), result.Faster},
		{"twice the latency", saved(times(1, small), times(2, small)), result.Slower},
		{"the same", saved(times(1, small), times(1, small)), result.Same},
		{"scatter", saved(times(1, wide), times(1.03, wide)), result.Inconclusive},
		{"one launch against one", saved([]float64{1}, []float64{2}), result.Inconclusive},
		{"one launch against ten", saved([]float64{1}, times(2, small)), result.Inconclusive},
		{"five launches against four", saved(times(2, small[:5]), times(1, small[:4])), result.Faster},
		{"nothing saved", saved(nil, times(2, small)), result.Inconclusive},
		{"failures differ", func() Saved {
			s := saved(times(2, small), times(1, small))
			s.Voids = []string{"failures differ"}
			return s
		}(), result.NotFair},
	} {
		list := Against(c.s, rules)
		v := list[0]
		if v.Outcome != c.outcome || v.Confidence == High || v.Confidence == Medium || !v.Primary {
			t.Errorf("%s: %+v", c.name, v)
		}
		if c.outcome == result.Faster && v.Agree != v.Units {
			t.Errorf("%s: %d of %d agree", c.name, v.Agree, v.Units)
		}
		if list[1].Outcome != "" || list[1].Primary || list[1].Ratio != nil {
			t.Errorf("%s: the other metric %+v", c.name, list[1])
		}
		if answer, why := (Bound{Change: .1}).Judge(v); answer != Unknown {
			t.Errorf("%s: a gate says %d %q", c.name, answer, why)
		}
	}
}
