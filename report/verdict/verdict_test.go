package verdict

import (
	"fmt"
	"strings"
	"testing"

	"wiregauge/report/internal/golden"
	"wiregauge/result"
)

func ref(x float64) *float64 { return &x }

// of is a verdict with an interval of a tenth around its ratio.
func of(metric, outcome string, ratio float64, confidence string) result.Verdict {
	return result.Verdict{Metric: metric, A: "rest", B: "grpc", Outcome: outcome, Ratio: &ratio, Low: ref(ratio * 0.9), High: ref(ratio * 1.1),
		Band: 0.02, Confidence: confidence, Unit: "launch", Units: 10, Agree: 10}
}

func with(v result.Verdict, change func(*result.Verdict)) result.Verdict {
	change(&v)
	return v
}

var open = Context{Load: "At 2,000 calls/s", A: "11.0 ms", B: "6.10 ms", Launches: 10}

var outcomes = []struct {
	name string
	v    result.Verdict
	c    Context
}{
	{"faster by a factor", of("p99", result.Faster, 1.8, "HIGH"), open},
	{"faster by a percentage", of("p50", result.Faster, 1.12, "HIGH"), open},
	{"faster at the border of factor and percentage", of("p50", result.Faster, 1.5, "HIGH"), open},
	{"slower by a percentage", of("p99", result.Slower, 0.8, "HIGH"), Context{Load: "At 2,000 calls/s", A: "6.10 ms", B: "7.63 ms"}},
	{"slower by a factor", of("p99", result.Slower, 0.5, "MEDIUM"), open},
	{"more calls a second in a closed loop", of("rate", result.Faster, 2.2, "MEDIUM"), Context{Load: "With 16 calls in flight", A: "9,800", B: "21,400"}},
	{"on this machine", of("rate", result.Faster, 2.2, "MEDIUM"), Context{Load: "With 16 calls in flight", Here: true}},
	{"probably faster", of("p99", result.ProbablyFaster, 1.05, "MEDIUM"), open},
	{"probably slower", of("rate", result.ProbablySlower, 0.95, "LOW"), Context{}},
	{"much faster", of("rate", result.Faster, 23.4, "HIGH"), Context{}},
	{"the client was the limit", with(of("rate", result.Faster, 1.8, "MEDIUM"), func(v *result.Verdict) { v.AtLeast = true }), Context{}},
	{"no practical difference", with(of("p99", result.Same, 1.003, "HIGH"), func(v *result.Verdict) { v.Low, v.High = ref(0.99), ref(1.012) }), open},
	{"inconclusive and what would settle it", with(of("p50", result.Inconclusive, 1.05, "LOW"), func(v *result.Verdict) {
		v.Reasons = []string{"15 to 40 launches in all, 8–20 min"}
	}), open},
	{"inconclusive, more launches would settle it", with(of("p50", result.Inconclusive, 1.05, "LOW"), func(v *result.Verdict) {
		v.Settle = &result.Settle{Low: 15, High: 40, LowNS: 480e9, HighNS: 1200e9, Practical: true}
	}), open},
	{"inconclusive, more short launches would settle it", with(of("p50", result.Inconclusive, 1.05, "LOW"), func(v *result.Verdict) {
		v.Settle = &result.Settle{Low: 9, High: 12, LowNS: 50e9, HighNS: 66e9, Practical: true}
	}), open},
	{"inconclusive, and too many launches would be needed", with(of("p50", result.Inconclusive, 1.05, "LOW"), func(v *result.Verdict) {
		v.Settle = &result.Settle{Low: 1370, High: 4000}
	}), open},
	{"inconclusive and unknown what would settle it", of("p50", result.Inconclusive, 0.97, "LOW"), Context{}},
	{"not a fair test", of("p99", result.NotFair, 1.8, ""), Context{Fair: &result.Fair{Checks: []result.FairCheck{
		{Name: "TLS", Passed: true}, {Name: "reply", Detail: "rest answers 12 fields, grpc 11"}, {Name: "codec", Unknown: true}}}}},
	{"not trustworthy", with(of("p99", result.NotFair, 1.8, ""), func(v *result.Verdict) { v.Reasons = []string{"30 % of the rounds were invalid"} }), open},
	{"not trustworthy without a reason", of("p99", result.NotFair, 1.8, ""), Context{}},
	{"less CPU", of("cpu", result.Faster, 1.8, "HIGH"), Context{A: "61.0 µs", B: "38.0 µs"}},
	{"more CPU", of("cpu", result.Slower, 0.9, "HIGH"), Context{}},
	{"much more CPU", of("server_cpu", result.Slower, 0.25, "HIGH"), Context{}},
	{"probably less CPU", of("cpu", result.ProbablyFaster, 1.02, "LOW"), Context{}},
	{"fewer bytes, counted", result.Verdict{Metric: "bytes", A: "rest", B: "grpc", Ratio: ref(3.48)}, Context{A: "341 B", B: "98.0 B"}},
	{"more bytes, counted", result.Verdict{Metric: "bytes", A: "grpc", B: "rest", Ratio: ref(0.29)}, Context{}},
	{"one launch", with(of("rate", result.Faster, 1.8, "MEDIUM"), func(v *result.Verdict) { v.Unit, v.Units, v.Agree = "round", 120, 119 }), Context{Launches: 1}},
	{"one unit", with(of("rate", result.Inconclusive, 1.8, "LOW"), func(v *result.Verdict) { v.Units, v.Agree, v.Low, v.High = 1, 1, nil, nil }), Context{}},
	{"shown beside, not judged", of("p99", "", 1.8, ""), Context{}},
	{"nothing was measured", result.Verdict{Metric: "p99", A: "rest", B: "grpc", Outcome: result.Inconclusive}, Context{}},
	{"a metric of its own", of("ttfb", result.Faster, 1.2, "HIGH"), Context{}},
}

func TestWordsOfEveryOutcome(t *testing.T) {
	var out strings.Builder
	for _, o := range outcomes {
		fmt.Fprintf(&out, "# %s\n%s\n", o.name, Sentence(o.v, o.c))
		if c := Confidence(o.v, o.c); c != "" {
			fmt.Fprintln(&out, c)
		}
		fmt.Fprintf(&out, "  [%s | %s | %s]\n\n", Ratio(o.v), Short(o.v), Amount(o.v))
	}
	golden.Check(t, "words.txt", []byte(out.String()))
}

func TestADifferenceAlwaysHasItsWord(t *testing.T) {
	words := []string{"faster", "slower", "fewer", "less", "more"}
	for _, o := range outcomes {
		switch counted(o.v).Outcome {
		case result.Faster, result.Slower, result.ProbablyFaster, result.ProbablySlower:
		default:
			continue
		}
		s := Sentence(o.v, o.c)
		found := false
		for _, w := range words {
			found = found || strings.Contains(s, w)
		}
		if !found {
			t.Errorf("%s: no word of direction in %q", o.name, s)
		}
	}
}

func TestNoWinnerIsNamedWhenTheTestIsNotFair(t *testing.T) {
	for _, o := range outcomes {
		if o.v.Outcome != result.NotFair {
			continue
		}
		if s := Sentence(o.v, o.c); strings.Contains(s, "faster") || strings.Contains(s, "1.8") {
			t.Errorf("%s: %q", o.name, s)
		}
		if c := Confidence(o.v, o.c); c != "" {
			t.Errorf("%s: confidence %q", o.name, c)
		}
	}
}
