package load

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"wiregauge/pace"
	"wiregauge/result"
)

// noting has the peer behave as behave says, and notes when each request came.
func noting(behave func(int, time.Duration) reply) (p *peer, came *[]time.Duration) {
	came = new([]time.Duration)
	p = &peer{}
	p.behave = func(n int, at time.Duration) reply {
		*came = append(*came, at)
		return behave(n, at)
	}
	return p, came
}

// K08: calls of a low rate start when they are due, the first one at 0, whatever ends the run.
func TestWhenCallsOfALowRateStart(t *testing.T) {
	for _, row := range []struct {
		name, rate string
		spec       Spec
		starts     []time.Duration
	}{
		{"three calls at 1/s", "1/s", Spec{Total: 3}, []time.Duration{0, time.Second, 2 * time.Second}},
		{"half a second at 1/s", "1/s", Spec{Duration: 500 * ms}, []time.Duration{0}},
		{"exactly one second at 1/s", "1/s", Spec{Duration: time.Second}, []time.Duration{0}},
		{"a nanosecond more", "1/s", Spec{Duration: time.Second + 1}, []time.Duration{0, time.Second}},
		{"two calls at 0.2/s", "0.2/s", Spec{Total: 2}, []time.Duration{0, 5 * time.Second}},
		{"two calls at 12/min", "12/min", Spec{Total: 2}, []time.Duration{0, 5 * time.Second}},
		{"three a second", "3/s", Spec{Total: 4}, []time.Duration{0, 333_333_333, 666_666_666, time.Second}},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, came := noting(after(5 * ms))
			inFakeTime(t, p, Plan{Pacer: perSecond(t, row.rate)}, row.spec, func(t *testing.T, r result.Turn) {
				if !slices.Equal(*came, row.starts) {
					t.Errorf("calls started at %v, want %v", *came, row.starts)
				}
			})
		})
	}
}

// K15: exactly n calls, whatever drives them and whatever becomes of them.
func TestExactlyNCallsOfAnyLoop(t *testing.T) {
	fates := map[string]reply{
		"answered": {after: 2 * ms}, "failed": {after: 2 * ms, status: 13}, "reset": {after: 2 * ms, reset: true},
		"timed out": {hang: true}, "unprocessed": {after: 2 * ms, status: statusUnprocessed},
	}
	for fate, what := range fates {
		for _, row := range []struct{ n, callers, connections int }{{49, 50, 50}, {10, 50, 1}, {101, 10, 3}, {1, 1, 1}, {7, 3, 2}} {
			plans := map[string]Plan{
				"closed loop":              {Concurrency: row.callers, Connections: row.connections},
				"open loop":                {Pacer: perSecond(t, "1000/s"), Connections: row.connections, MaxInflight: row.callers},
				"a connection per call":    {Concurrency: row.callers, Connections: row.connections, OneCall: true},
				"callers that think":       {Concurrency: row.callers, Connections: row.connections, Think: Think{Mean: 3 * ms}},
				"poisson":                  {Pacer: pace.Poisson(mustRate(t, "1000/s"), 7), Connections: row.connections},
				"open loop, one at a time": {Pacer: perSecond(t, "1000/s"), Streams: 1, MaxInflight: 1},
			}
			for loop, plan := range plans {
				t.Run(fmt.Sprintf("%s, %s, %d of %d", fate, loop, row.n, row.callers), func(t *testing.T) {
					plan.Timeout = 50 * ms
					p := &peer{behave: func(int, time.Duration) reply { return what }}
					inFakeTime(t, p, plan, Spec{Total: uint64(row.n), WarmupCalls: 5}, func(t *testing.T, r result.Turn) {
						n := int64(row.n)
						if r.Due != n || r.Sent != n || r.OK+r.Failed != n || r.Unsent+r.Unfinished != 0 || r.Warm.Sent != 5 {
							t.Errorf("%+v, warm-up %+v", r.Counts, r.Warm)
						}
						if got := int64(p.received); got < n || got > n+5+r.Resent+r.Warm.Resent {
							t.Errorf("the peer received %d, %d were sent again", got, r.Resent+r.Warm.Resent)
						}
					})
				})
			}
		}
	}
}

func mustRate(t *testing.T, s string) *big.Rat {
	t.Helper()
	r, err := pace.ParseRate(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// K16: conservation at a deadline that comes at any moment of a call, in both loops, over connections that age and are
// reset.
func TestConservationAtAnyDeadline(t *testing.T) {
	mixed := func(n int, _ time.Duration) reply {
		switch n % 11 {
		case 3:
			return reply{after: 4 * ms, status: 13}
		case 5:
			return reply{hang: true}
		case 7:
			return reply{after: 3 * ms, reset: true}
		}
		return reply{after: 7 * ms}
	}
	for name, plan := range map[string]Plan{
		"closed loop":    {Connections: 2, Concurrency: 10, Streams: 5, Timeout: 40 * ms},
		"open loop":      {Connections: 2, Pacer: perSecond(t, "700/s"), Streams: 5, MaxInflight: 10, Timeout: 40 * ms},
		"a longer grace": {Connections: 2, Concurrency: 10, Streams: 5, Timeout: 40 * ms, Drain: 20 * ms},
	} {
		for _, deadline := range []time.Duration{1, ms, 6*ms + 999_999, 7 * ms, 7*ms + 1, 39 * ms, 40 * ms, 100 * ms, time.Second} {
			t.Run(fmt.Sprintf("%s, %v", name, deadline), func(t *testing.T) {
				p := &peer{behave: mixed, ageing: 97}
				inFakeTime(t, p, plan, Spec{Duration: deadline}, func(t *testing.T, r result.Turn) {
					if err := r.Check(); err != nil {
						t.Error(err)
					}
					if got := int64(p.received); got < r.OK || got > r.Sent+r.Resent {
						t.Errorf("%+v, the peer received %d", r.Counts, got)
					}
					if r.Unfinished > 0 != (r.Ages != nil) || r.Ages != nil && r.Ages.Count() != r.Unfinished {
						t.Errorf("%d unfinished, ages %v", r.Unfinished, r.Ages)
					}
					if r.FinishedInside > r.OK+r.Failed || r.CompletedInside > r.OK {
						t.Errorf("%+v, %d finished inside, %d OK", r.Counts, r.FinishedInside, r.CompletedInside)
					}
				})
			})
		}
	}
}

// K19: percentiles stay inside the data for failures, service times and merged turns too, and come back from a file.
func TestPercentilesStayInsideAllData(t *testing.T) {
	p := &peer{behave: func(n int, _ time.Duration) reply {
		r := reply{after: 501300*time.Microsecond + time.Duration(n%100)*16160*time.Nanosecond}
		if n%2 == 1 {
			r.status = 13
		}
		return r
	}}
	inFakeTime(t, p, Plan{Concurrency: 3}, Spec{Total: 1000}, func(t *testing.T, r result.Turn) {
		arm := result.Merge([]result.Turn{r, r, r}, []float64{0.1, 1, 5, 25, 50, 75, 90, 95, 99, 99.9})
		for name, d := range map[string]*result.Distribution{"ok": &arm.Latency, "failed": &arm.FailedLatency, "service": &arm.Service} {
			if d.N != 1500 {
				t.Errorf("%s: %d values", name, d.N)
			}
			for _, told := range d.Percentiles {
				if told.NS == nil {
					continue
				}
				if *told.NS < *d.Min || *told.NS > *d.Max || *d.Mean < *d.Min || *d.Mean > *d.Max {
					t.Errorf("%s: p%v %d, mean %d, between %d and %d", name, told.P, *told.NS, *d.Mean, *d.Min, *d.Max)
				}
				exact := int64(501300*time.Microsecond) + int64(told.P)*16160
				if off := *told.NS - exact; off > exact/100 || -off > exact/100 {
					t.Errorf("%s: p%v is %d, want %d within 1 %%", name, told.P, *told.NS, exact)
				}
			}
		}
	})
}
