package trust

import (
	"math"
	"strings"
	"testing"

	"wiregauge/result"
)

// pair is a comparison without any doubt: base and other in 40 rounds of one launch, other 10 % faster.
func pair(loop string) *result.File {
	f := good(loop)
	f.Kind = "comparison"
	other := f.Arms[0]
	f.Arms[0].Name, f.Arms[0].Baseline = "base", true
	other.Name = "other"
	f.Arms = append(f.Arms, other)
	f.Turns = rounds(40, func(i int) float64 { return 1.1 + 0.01*float64(i%2) })
	f.Fair = &result.Fair{Checks: []result.FairCheck{{Name: "reply", Passed: true}, {Name: "TLS", Passed: true}}}
	return f
}

// rounds are n rounds in which other is better by a factor.
func rounds(n int, factor func(i int) float64) []result.Row {
	var rows []result.Row
	for i := range n {
		base := int64(1_000_000)
		better := int64(1_000_000 / factor(i))
		rows = append(rows,
			result.Row{Arm: "base", Round: i, Rate: 1000, P50: &base},
			result.Row{Arm: "other", Round: i, Rate: 1000 * factor(i), P50: &better})
	}
	return rows
}

func TestAGoodComparisonIsTrusted(t *testing.T) {
	for _, loop := range []string{"open", "closed"} {
		got := Of(pair(loop))
		if got.Level != result.TrustOK || got.Ratio != result.TrustOK || len(got.Reasons) > 0 {
			t.Errorf("%s loop: %+v", loop, got)
		}
	}
}

func TestPairs(t *testing.T) {
	drift := func(share float64) func(f *result.File) {
		return func(f *result.File) {
			f.Turns = rounds(41, func(i int) float64 { return math.Exp(share * float64(i) / 40) })
		}
	}
	spread := func(sd float64) func(f *result.File) {
		return func(f *result.File) {
			f.Turns = rounds(40, func(i int) float64 { return math.Exp(sd * float64(1-2*(i%2)) * math.Sqrt(39.0/40)) })
		}
	}
	invalid := func(n int) func(f *result.File) {
		return func(f *result.File) {
			for i := range 2 * n {
				f.Turns[i].Invalid = "reset"
			}
		}
	}
	for _, r := range []struct {
		name   string
		loop   string
		code   string
		change func(f *result.File)
		want   string // level, arm of the ratio's doubts
	}{
		{"every arm was limited by the client", "closed", "V3", func(f *result.File) {
			for i := range f.Arms {
				cpu(0.96)(f, &f.Arms[i])
			}
		}, bad},
		{"one of them was", "closed", "V3", func(f *result.File) { cpu(0.96)(f, &f.Arms[1]) }, ""},

		{"2.9 % of drift", "closed", "V8", drift(0.029), ""},
		{"3.1 % of drift", "closed", "V8", drift(0.031), suspect + "other"},
		{"11 % of drift, downwards, in the median latency", "open", "V8", drift(-0.11), bad + "other"},
		{"what differs from launch to launch is no trend", "closed", "V8", func(f *result.File) {
			f.Turns = nil
			for l := range 8 {
				for _, r := range rounds(5, func(i int) float64 { return 1 + 0.05*float64(l) + 0.01*float64(i%2) }) {
					r.Launch = l
					f.Turns = append(f.Turns, r)
				}
			}
		}, ""},
		{"what grows in every launch is", "closed", "V8", func(f *result.File) {
			f.Turns = nil
			for l := range 8 {
				for _, r := range rounds(5, func(i int) float64 { return 1 + 0.05*float64(l%3) + 0.02*float64(i) }) {
					r.Launch = l
					f.Turns = append(f.Turns, r)
				}
			}
		}, suspect + "other"},
		{"nine rounds", "closed", "V8", func(f *result.File) { f.Turns = f.Turns[:18] }, unknown + "other"},

		{"the same share of failures", "closed", "V10", func(f *result.File) {
			failed(10)(f, &f.Arms[0])
			failed(10)(f, &f.Arms[1])
		}, ""},
		{"0.05 points more failures", "closed", "V10", func(f *result.File) { failed(10)(f, &f.Arms[1]) }, ""},
		{"0.11 points more, of 20,000 calls", "closed", "V10", func(f *result.File) { failed(22)(f, &f.Arms[1]) }, bad},
		{"more, but by chance", "closed", "V10", func(f *result.File) {
			for i := range f.Arms {
				f.Arms[i].Counts = result.Counts{Due: 500, Sent: 500, OK: 500}
			}
			failed(2)(f, &f.Arms[1])
			f.Arms[1].OK = 498
		}, ""},

		{"another reply", "closed", "V13", func(f *result.File) {
			f.Fair.Checks[0] = result.FairCheck{Name: "reply", Detail: "base answers 3 B, other 4 B"}
		}, bad},
		{"a reply that cannot be compared", "closed", "V13", func(f *result.File) { f.Fair.Checks[0].Unknown = true }, unknown},
		{"nothing was compared", "closed", "V13", func(f *result.File) { f.Fair = nil }, unknown},

		{"a fifth of the rounds invalid", "closed", "V16", invalid(8), ""},
		{"more than a fifth", "closed", "V16", invalid(9), bad},
		{"29 % from round to round", "closed", "V16", spread(0.29), ""},
		{"31 %", "closed", "V16", spread(0.31), suspect + "other"},

		{"the baseline is no different from itself", "closed", "V17", func(f *result.File) {
			f.NoiseFloor = &result.NoiseFloor{Arm: "control", Verdicts: []result.Verdict{{A: "base", Metric: "rate", Outcome: result.Inconclusive}}}
		}, ""},
		{"it is", "closed", "V17", func(f *result.File) {
			f.NoiseFloor = &result.NoiseFloor{Arm: "control", Verdicts: []result.Verdict{{A: "base", Metric: "rate", Outcome: result.ProbablySlower}}}
		}, bad},
		{"a difference above the noise floor", "closed", "V17", floor(0.05, 1.051), ""},
		{"one below it", "closed", "V17", floor(0.05, 1.049), suspect + "other"},
		{"one below it, the other way", "closed", "V17", floor(0.05, 1/1.049), suspect + "other"},
	} {
		f := pair(r.loop)
		r.change(f)
		trust := Of(f)
		var got []string
		for _, x := range trust.Reasons {
			if x.Code == r.code && strings.HasPrefix(x.Affects, result.AffectsRatio) {
				got = append(got, strings.TrimSpace(x.Level+" "+x.Arm))
			}
		}
		if text := strings.Join(got, ", "); text != strings.TrimSpace(r.want) {
			t.Errorf("%s: %q, want %q", r.name, text, r.want)
		}
		want := result.TrustOK
		if len(got) > 0 {
			want = worse(want, strings.Fields(got[0])[0])
		}
		if trust.Ratio != want {
			t.Errorf("%s: ratios are %s, want %s: %+v", r.name, trust.Ratio, want, trust.Reasons)
		}
	}
}

func floor(width, ratio float64) func(f *result.File) {
	return func(f *result.File) {
		f.NoiseFloor = &result.NoiseFloor{Arm: "control", HalfWidth: map[string]float64{"rate": width}}
		f.Verdicts = []result.Verdict{{Metric: "rate", A: "base", B: "other", Primary: true, Ratio: &ratio}, {Metric: "cpu", A: "base", B: "other", Ratio: &ratio}}
	}
}

// What interleaving protects ratios from is about printed numbers only, and names its arm.
func TestRatiosStandWhereNumbersDoNot(t *testing.T) {
	f := pair("closed")
	host(0, 0.5)(f, &f.Arms[1])
	got := Of(f)
	if got.Absolute != result.TrustNotTrustworthy || got.Level != result.TrustNotTrustworthy || got.Ratio != result.TrustOK {
		t.Errorf("%+v", got)
	}
	if base, other := got.Of("base", "p50"), got.Of("other", "p50"); base != result.TrustOK || other != result.TrustNotTrustworthy {
		t.Errorf("base %s, other %s", base, other)
	}
}

// A doubt about what was sent concerns both.
func TestRetriesConcernBoth(t *testing.T) {
	f := pair("closed")
	f.Arms[1].HiddenTries = 1
	if got := Of(f); got.Absolute != result.TrustSuspect || got.Ratio != result.TrustSuspect {
		t.Errorf("%+v", got)
	}
}

// Reference rows and the control are no pair of their own.
func TestFloorsAreNotJudged(t *testing.T) {
	f := pair("closed")
	low, control := f.Arms[1], f.Arms[1]
	low.Name, low.Floor = "tcp", true
	cpu(1)(f, &low)
	control.Name, control.Control = "control", true
	f.Arms = append(f.Arms, low, control)
	f.NoiseFloor = &result.NoiseFloor{Arm: "control"}
	if got := Of(f); got.Level != result.TrustOK || len(got.Reasons) > 0 {
		t.Errorf("%+v", got)
	}
}
