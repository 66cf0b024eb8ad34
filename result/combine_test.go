package result

import (
	"strings"
	"testing"
	"time"

	"wiregauge/hist"
)

// savedRun is a run of n calls that all took d, in a window, as it comes back from a file.
func savedRun(t *testing.T, n int64, d, window time.Duration) *File {
	t.Helper()
	x := turn(0, 0, window)
	x.Latency = new(hist.Histogram)
	x.Latency.RecordN(d, n)
	x.Counts = Counts{Due: n, Sent: n, OK: n}
	x.CompletedInside, x.FinishedInside = n, n
	f := NewFile("run")
	f.Plan = Plan{Loop: "closed", Concurrency: 8, Percentiles: []float64{50, 99}}
	f.Arms = []Arm{Merge([]Turn{x}, f.Plan.Percentiles)}
	f.Elapsed = int64(window + time.Second)
	text, err := f.JSON()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Read(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return back
}

func TestCombineSumsWindowsAndMergesHistograms(t *testing.T) {
	fast, slow := savedRun(t, 3000, time.Millisecond, time.Second), savedRun(t, 1000, 100*time.Millisecond, 3*time.Second)
	slow.Trust = Trust{Level: TrustSuspect, Absolute: TrustSuspect, Reasons: []Reason{{Code: "V5", Level: TrustSuspect, Measured: "steal 3 %"}}}
	sum, err := Combine([]*File{fast, slow})
	if err != nil {
		t.Fatal(err)
	}
	a := &sum.Arms[0]
	if a.OK != 4000 || a.Window != int64(4*time.Second) || a.Goodput != 1000 || a.Latency.N != 4000 {
		t.Errorf("ok %d in %v, %v calls/s, %d latencies", a.OK, time.Duration(a.Window), a.Goodput, a.Latency.N)
	}
	// Of 4,000 calls 1,000 took 100 ms: p50 is 1 ms and p99 100 ms (99.98, the middle of its bucket), whatever
	// the two p99 were.
	if p50, p99 := *a.Latency.Percentiles[0].NS, *a.Latency.Percentiles[1].NS; p50/1e3 != 1000 || p99/1e6 != 99 {
		t.Errorf("p50 %d, p99 %d", p50, p99)
	}
	if sum.ID == fast.ID || sum.Trust.Level != TrustSuspect || len(sum.Trust.Reasons) != 1 {
		t.Errorf("id %s, trust %+v", sum.ID, sum.Trust)
	}
	if len(sum.Notes) != 1 || !strings.Contains(sum.Notes[0], fast.ID+", "+slow.ID) {
		t.Errorf("notes %q", sum.Notes)
	}
	if err := a.Counts.Check(); err != nil {
		t.Error(err)
	}
	if text, err := sum.JSON(); err != nil || !strings.Contains(string(text), `"due": 4000`) {
		t.Errorf("it cannot be saved: %v", err)
	}
}

func TestCombineCountsLaunchesOnAndForgetsVerdicts(t *testing.T) {
	a, b := filled(), filled()
	a.Turns = []Row{{Arm: "a", Launch: 0}, {Arm: "a", Launch: 1}}
	b.Turns = []Row{{Arm: "a", Launch: 0}, {Arm: "a", Launch: 1}}
	sum, err := Combine([]*File{a, b})
	if err != nil {
		t.Fatal(err)
	}
	var launches []int
	for _, r := range sum.Turns {
		launches = append(launches, r.Launch)
	}
	if len(launches) != 4 || launches[2] != 2 || launches[3] != 3 {
		t.Errorf("launches %v", launches)
	}
	if len(sum.Verdicts)+len(sum.Gates) != 0 || !strings.Contains(strings.Join(sum.Notes, "\n"), "gates, ramps, verdicts of the single results are left out") {
		t.Errorf("%d verdicts, %d gates, notes %q", len(sum.Verdicts), len(sum.Gates), sum.Notes)
	}
}

func TestCombineRefusesWhatWasNotMeasuredAlike(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*File)
		want   string
	}{
		"another load":     {func(f *File) { f.Plan.Concurrency = 16 }, "calls in flight 8 and 16"},
		"another loop":     {func(f *File) { f.Plan.Loop, f.Plan.Rate = "open", "100/s" }, "loop closed and open; rate none and 100/s"},
		"another protocol": {func(f *File) { f.Arms[0].Protocol = "gRPC" }, "a: protocol none and gRPC"},
		"another kind":     {func(f *File) { f.Kind = "comparison" }, "kind run and comparison"},
		"no histogram":     {func(f *File) { f.Arms[0].Latency.Hist = nil }, "without its histogram"},
	} {
		other := savedRun(t, 10, time.Millisecond, time.Second)
		c.change(other)
		_, err := Combine([]*File{savedRun(t, 10, time.Millisecond, time.Second), other})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestOtherPercentilesLeaveTheResultAlone(t *testing.T) {
	f := savedRun(t, 3000, time.Millisecond, time.Second)
	gap := f.Arms[0].Latency
	f.Arms[0].MessageGap = &gap
	told := f.WithPercentiles([]float64{42})
	if len(f.Arms[0].Latency.Percentiles) != 2 || len(f.Arms[0].MessageGap.Percentiles) != 2 || len(f.Plan.Percentiles) != 2 {
		t.Errorf("the result was changed: %+v", f.Arms[0].MessageGap)
	}
	if p := told.Arms[0].MessageGap.Percentiles; len(p) != 1 || p[0].P != 42 || *p[0].NS/1e3 != 1000 {
		t.Errorf("%+v", p)
	}
}
