package judge

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"wiregauge/hist"
	"wiregauge/result"
)

// savedComparison is a result of one arm, with a rate per launch.
func savedComparison(id string, rates ...float64) *result.File {
	f := result.NewFile("comparison")
	f.ID, f.Plan = id, result.Plan{Loop: "closed", Concurrency: 8, Launches: len(rates)}
	h := new(hist.Histogram)
	h.RecordN(time.Millisecond, 5000)
	a := result.Arm{Name: "grpc", Counts: result.Counts{Due: 5000, Sent: 5000, OK: 5000}, Window: int64(time.Second), Goodput: rates[0],
		Latency: result.NewDistribution(h, "due", nil)}
	f.Arms = []result.Arm{a}
	for launch, rate := range rates {
		for round := range 4 {
			f.Turns = append(f.Turns, result.Row{Arm: "grpc", Launch: launch, Round: round, Window: 1e9, OK: int64(rate), Rate: rate})
		}
	}
	return f
}

func find(t *testing.T, verdicts []result.Verdict, metric string) result.Verdict {
	t.Helper()
	for _, v := range verdicts {
		if v.Metric == metric {
			return v
		}
	}
	t.Fatalf("no verdict on %s in %+v", metric, verdicts)
	return result.Verdict{}
}

func TestSavedResultsAreJudgedLowAtMost(t *testing.T) {
	before := savedComparison("old", 1000, 1010, 990, 1005, 995, 1002)
	after := savedComparison("new", 1500, 1510, 1490, 1505, 1495, 1502)
	v := find(t, Between(before, after), "rate")
	if v.Outcome != result.Faster || v.Confidence != Low || v.A != "old grpc" || v.B != "new grpc" || math.Abs(*v.Ratio-1.5) > 0.01 || v.Units != 6 {
		t.Errorf("%+v", v)
	}
	if p99 := find(t, Between(before, after), "p99"); p99.Outcome != "" || p99.Primary {
		t.Errorf("a tail has a verdict: %+v", p99)
	}
}

func TestSavedResultsOfOneLaunchHaveRatiosOnly(t *testing.T) {
	for _, v := range Between(savedComparison("old", 1000), savedComparison("new", 1500)) {
		if v.Outcome != "" || v.Confidence != "" || v.Low != nil {
			t.Errorf("%+v", v)
		}
		if v.Metric == "rate" && *v.Ratio != 1.5 {
			t.Errorf("ratio %v, want 1.5", *v.Ratio)
		}
	}
}

func TestSavedResultsThatCannotBeJudgedSayWhy(t *testing.T) {
	rates := []float64{1000, 1010, 990, 1005, 995, 1002}
	for name, c := range map[string]struct {
		change func(*result.File)
		want   string
	}{
		"another load":    {func(f *result.File) { f.Plan.Concurrency = 16 }, "calls in flight 8 and 16"},
		"not trustworthy": {func(f *result.File) { f.Trust = result.Trust{Level: result.TrustNotTrustworthy} }, "the numbers of new are not trustworthy"},
		"more failures":   {func(f *result.File) { f.Arms[0].Failed, f.Arms[0].OK = 500, 4500 }, "0 % and 10 %"},
	} {
		after := savedComparison("new", rates...)
		c.change(after)
		v := find(t, Between(savedComparison("old", rates...), after), "rate")
		if v.Outcome != result.NotFair || !strings.Contains(fmt.Sprint(v.Reasons), c.want) {
			t.Errorf("%s: %s, %q", name, v.Outcome, v.Reasons)
		}
	}
}

func TestOnlyArmsOfOneNameAreJudged(t *testing.T) {
	before, after := savedComparison("old", 1000), savedComparison("new", 1000)
	after.Arms = append(after.Arms, result.Arm{Name: "rest"})
	before.Arms = append(before.Arms, result.Arm{Name: "tcp", Floor: true})
	for _, v := range Between(before, after) {
		if v.A != "old grpc" || v.B != "new grpc" {
			t.Errorf("%s against %s", v.B, v.A)
		}
	}
	after.Arms = after.Arms[1:]
	if all := Between(before, after); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}
