package gate

import (
	"testing"

	"wiregauge/result"
)

// A bound on a number that must not be used is not judged, unless the doubt can only have made it harder to keep.
func TestJudgeWhatIsNotTrusted(t *testing.T) {
	const (
		passed  = "passed"
		failed  = "failed"
		unknown = "unknown"
	)
	bad := result.TrustNotTrustworthy
	for _, row := range []struct {
		name, expr string
		doubt      result.Reason
		want       string
	}{
		{"no doubt", "p50<2s", result.Reason{}, passed},
		{"no doubt, beyond the bound", "p50<1ns", result.Reason{}, failed},
		{"kept on a busy machine", "p50<2s", result.Reason{Code: "V5", Level: bad, Affects: result.AffectsAbsolute}, passed},
		{"not kept on a busy machine", "p50<1ns", result.Reason{Code: "V5", Level: bad, Affects: result.AffectsAbsolute}, unknown},
		{"a rate reached on a busy machine", "rate>=1", result.Reason{Code: "V5", Level: bad, Affects: result.AffectsAbsolute}, passed},
		{"failures are counted, on a busy machine too", "errors<0.1%", result.Reason{Code: "V5", Level: bad, Affects: result.AffectsAbsolute}, passed},
		{"kept, of a service that was not warm", "p50<2s", result.Reason{Code: "V9", Level: bad, Affects: result.AffectsAbsolute}, unknown},
		{"latencies of the calls that did not fail", "p50<2s", result.Reason{Code: "V10", Level: bad, Affects: result.AffectsLatency}, unknown},
		{"and the rate beside them", "rate>=1", result.Reason{Code: "V10", Level: bad, Affects: result.AffectsLatency}, passed},
		{"calls that nobody accounts for", "errors<0.1%", result.Reason{Code: "V7", Level: bad}, unknown},
		{"another percentile", "p50<1ns", result.Reason{Code: "V1", Level: bad, Affects: "p99"}, failed},
		{"this percentile", "p50<1ns", result.Reason{Code: "V1", Level: bad, Affects: "p50"}, unknown},
		{"another arm", "p50<1ns", result.Reason{Code: "V5", Level: bad, Arm: "b", Affects: result.AffectsAbsolute}, failed},
		{"suspect is no reason", "p50<1ns", result.Reason{Code: "V5", Level: result.TrustSuspect, Affects: result.AffectsAbsolute}, failed},
		{"ratios are not absolute", "p50<1ns", result.Reason{Code: "V16", Level: bad, Affects: result.AffectsRatio}, failed},
	} {
		gates, err := ParseAll([]string{row.expr})
		if err != nil {
			t.Fatal(err)
		}
		trust := result.Trust{Level: result.TrustOK}
		if row.doubt.Code != "" {
			trust.Level, trust.Reasons = row.doubt.Level, []result.Reason{row.doubt}
		}
		g := Judge(gates, []result.Arm{arm(2000)}, trust)[0]
		got := failed
		switch {
		case g.Unknown != "":
			got = unknown
		case g.Passed:
			got = passed
		}
		if got != row.want {
			t.Errorf("%s: %s, want %s (%+v)", row.name, got, row.want, g)
		}
	}
}
