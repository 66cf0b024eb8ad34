package result

import "testing"

func TestTrustIsThatOfTheNumberAskedFor(t *testing.T) {
	trust := Trust{Level: TrustNotTrustworthy, Reasons: []Reason{
		{Code: "V5", Level: TrustSuspect, Affects: AffectsAbsolute},
		{Code: "V1", Arm: "grpc", Level: TrustNotTrustworthy, Affects: "p99"},
		{Code: "V16", Level: TrustNotTrustworthy, Affects: AffectsRatio},
		{Code: "V18", Level: TrustNote, Affects: AffectsAbsolute},
	}}
	for _, c := range []struct {
		arm, metric, want string
		reasons           int
	}{
		{"grpc", "p99", TrustNotTrustworthy, 2},
		{"grpc", "p50", TrustSuspect, 1},
		{"rest", "p99", TrustSuspect, 1},
		{"rest", "bytes", TrustOK, 0},
		{"rest", "errors", TrustOK, 0},
		{"rest", "rate", TrustSuspect, 1},
	} {
		if got, about := trust.Of(c.arm, c.metric), trust.About(c.arm, c.metric); got != c.want || len(about) != c.reasons {
			t.Errorf("%s of %s: %s, %d reasons, want %s and %d", c.metric, c.arm, got, len(about), c.want, c.reasons)
		}
	}
	if got := (&Trust{}).Of("rest", "p99"); got != TrustUnchecked {
		t.Errorf("no check: %s", got)
	}
	if got := (&Trust{Level: TrustSuspect, Absolute: TrustOK}).Of("rest", "p99"); got != TrustOK {
		t.Errorf("levels without reasons: %s", got)
	}
}
