package story

import (
	"strings"
	"testing"

	"wiregauge/report/internal/sample"
	"wiregauge/result"
)

func TestReasonsAreNamedInOneLine(t *testing.T) {
	bad, suspect := result.TrustNotTrustworthy, result.TrustSuspect
	for _, c := range []struct {
		name    string
		level   string
		reasons []result.Reason
		want    string
	}{
		{"each check once, with its percentiles", bad, []result.Reason{
			{Code: "V1", Name: "late sends", Level: bad, Affects: "p50", Measured: "82 % of p50"},
			{Code: "V1", Name: "late sends", Level: bad, Affects: "p99", Measured: "33 % of p99"},
			{Code: "V9", Name: "warm-up", Level: bad, Affects: result.AffectsAbsolute, Measured: "not over"},
		}, "late sends (p50, p99), warm-up"},
		{"in comparisons with the arms", bad, []result.Reason{
			{Code: "V5", Name: "host", Level: bad, Arm: "rest"}, {Code: "V5", Name: "host", Level: bad, Arm: "grpc"},
			{Code: "V16", Name: "rounds", Level: suspect, Arm: "grpc"},
		}, "host (rest, grpc)"},
		{"many arms are counted", suspect, []result.Reason{
			{Code: "V5", Name: "host", Level: suspect, Arm: "a"}, {Code: "V5", Name: "host", Level: suspect, Arm: "b"},
			{Code: "V5", Name: "host", Level: suspect, Arm: "c"}, {Code: "V5", Name: "host", Level: suspect, Arm: "d"},
			{Code: "V5", Name: "host", Level: suspect, Arm: "e"},
		}, "host (5 of them)"},
		{"too few calls lower no level", bad, []result.Reason{{Code: "V11", Name: "tail samples", Level: bad, Affects: "p99.9"}}, "no reason was recorded"},
		{"a reason without a name is what was measured", bad, []result.Reason{{Measured: "steal"}}, "steal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := reasons(result.Trust{Level: c.level, Reasons: c.reasons}); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestReadingsOfOneCheckRepeatNothing(t *testing.T) {
	hiccup := func(p, late, share, limit string) result.Reason {
		return result.Reason{Code: "V4", Name: "client hiccups", Level: result.TrustSuspect, Affects: p, Limit: limit,
			Measured: "at " + p + " the client's threads ran " + late + " late, " + share + " of the latency"}
	}
	for _, c := range []struct {
		name    string
		reasons []result.Reason
		want    string
	}{
		{"one limit", []result.Reason{hiccup("p90", "58 µs", "11 %", "10 %"), hiccup("p95", "185 µs", "19 %", "10 %"), hiccup("p99", "662 µs", "18 %", "10 %")},
			"at p90 the client's threads ran 58 µs late, 11 % of the latency; at p95 185 µs late, 19 %; at p99 662 µs late, 18 % (limit 10 %)"},
		{"two limits", []result.Reason{hiccup("p90", "58 µs", "11 %", "10 %"), hiccup("p95", "185 µs", "19 %", "12 %")},
			"at p90 the client's threads ran 58 µs late, 11 % of the latency (limit 10 %); at p95 185 µs late, 19 % (limit 12 %)"},
		{"other words stay", []result.Reason{hiccup("p90", "58 µs", "11 %", "10 %"), {Code: "V4", Name: "client hiccups", Level: result.TrustSuspect, Measured: "the client did not run for 147 ms"}},
			"at p90 the client's threads ran 58 µs late, 11 % of the latency (limit 10 %); the client did not run for 147 ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			facts := checkFacts(c.reasons, "V4", "")
			if len(facts) != 1 || facts[0].Text != c.want {
				t.Errorf("%+v, want %q", facts, c.want)
			}
		})
	}
}

// That ratios hold is said only where they do, and a sentence tells no number that must not be used.
func TestRatiosHoldOnlyWhereTheyDo(t *testing.T) {
	f := sample.AbsoluteVoid()
	s := Of([]*result.File{f}, Options{})
	if !strings.HasPrefix(s.Doubt, "The ratios hold") || strings.Contains(s.Headline, "against") {
		t.Errorf("%q, %q", s.Headline, s.Doubt)
	}
	f.Trust.Ratio = result.TrustSuspect
	if s = Of([]*result.File{f}, Options{}); !strings.Contains(s.Doubt, "the ratios are in doubt") {
		t.Errorf("%q", s.Doubt)
	}
}
