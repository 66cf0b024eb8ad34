package story

import (
	"strings"
	"testing"
	"time"

	"wiregauge/result"
)

func TestWarmUpIsToldInOneLine(t *testing.T) {
	slow, fast := int64(3*time.Millisecond), int64(time.Millisecond)
	path := []result.WarmStrip{{At: 0, P50: &slow}, {At: int64(2 * time.Second), P50: &fast}}
	for _, row := range []struct {
		name  string
		w     *result.WarmUp
		state State
		want  string
	}{
		{"steady at once", &result.WarmUp{Outcome: result.WarmFound, Observed: int64(8 * time.Second)}, OK, "steady from the start, watched for 8.00 s"},
		{"found", &result.WarmUp{Outcome: result.WarmFound, Length: int64(2 * time.Second), Calls: 4200, Observed: int64(9 * time.Second)}, OK,
			"steady after 2.00 s and 4,200 calls, watched for 9.00 s"},
		{"measured, like the rest", &result.WarmUp{Outcome: result.WarmFound, Measured: true}, OK, "the beginning is like the rest"},
		{"measured, a slow start", &result.WarmUp{Outcome: result.WarmFound, Measured: true, Length: int64(2 * time.Second), Calls: 4200, Trajectory: path}, Note,
			"the first 2.00 s (4,200 calls) were not like the rest: p50 3.00 ms, then 1.00 ms"},
		{"never", &result.WarmUp{Outcome: result.WarmUnsteady, Observed: int64(time.Minute)}, Bad, "no steady state in 60.0 s"},
		{"not in the window", &result.WarmUp{Outcome: result.WarmUnsteady, Measured: true, Observed: int64(10 * time.Second)}, Note, "no steady state in 10.0 s"},
		{"too few", &result.WarmUp{Outcome: result.WarmTooFew, Calls: 1, Observed: int64(time.Minute)}, Unknown, "1 call in 60.0 s are too few to tell"},
		{"asked for", &result.WarmUp{Outcome: result.WarmFixed, Calls: 5000}, OK, "5,000 calls before, as asked for"},
	} {
		t.Run(row.name, func(t *testing.T) {
			fact, ok := checkWarm(nil, &result.Arm{WarmUp: row.w})
			if !ok || fact.State != row.state || fact.Text != row.want {
				t.Errorf("%v %q, want %v %q", fact.State, fact.Text, row.state, row.want)
			}
			if advised := strings.Contains(fact.Advice, "--warmup auto"); advised != (fact.State == Note) {
				t.Errorf("advice %q of a %v", fact.Advice, fact.State)
			}
		})
	}
	if _, ok := checkWarm(nil, &result.Arm{}); ok {
		t.Error("a check of what nobody watched")
	}
}
