package story

import (
	"strings"
	"testing"
	"time"

	"wiregauge/result"
)

func TestAVerdictOnASavedResultSaysWhatItIsWorth(t *testing.T) {
	ratio := 1.3
	saved := &result.Against{Name: "old.json", ID: "7f3a0001", Created: time.Date(2026, 11, 30, 19, 4, 0, 0, time.UTC), Verdicts: []result.Verdict{
		{Metric: "rate", A: "target in old.json", B: "target", Outcome: result.Faster, Ratio: &ratio, Confidence: "LOW", Primary: true},
		{Metric: "cpu", A: "target in old.json", B: "target", Outcome: result.Faster, Ratio: &ratio, Confidence: "LOW"},
	}}
	for _, c := range []struct {
		name, kind, want string
	}{
		{"a run is this run", "run", "this run is 30.0 % faster than old.json in calls/s. Confidence LOW: it was measured at another time, on 2026-11-30 19:04 UTC."},
		{"arms of a comparison keep their names", "comparison", "target is 30.0 % faster than target in old.json in calls/s. Confidence LOW: it was measured at another time, on 2026-11-30 19:04 UTC."},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(againstLines(&result.File{Kind: c.kind, Against: saved}), "\n"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	if lines := againstLines(&result.File{Kind: "run"}); lines != nil {
		t.Errorf("nothing to compare with says %q", lines)
	}
}
