package load

import (
	"testing"
	"testing/synctest"
	"time"

	"wiregauge"
	"wiregauge/hist"
	"wiregauge/result"
)

const ms = time.Millisecond

func wantTime(t *testing.T, name string, got, want time.Duration) {
	t.Helper()
	if d := got - want; d > want/1000 || -d > want/1000 { // a bucket is up to 0.05 % off
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}

func span(h *hist.Histogram) (low, high time.Duration) {
	if h == nil {
		return -1, -1
	}
	return h.Min(), h.Max()
}

// K01: the latency of failures stays out of that of good calls.
func TestFailuresHaveTheirOwnLatency(t *testing.T) {
	p := &peer{behave: func(n int, _ time.Duration) reply {
		if n%2 == 0 {
			return reply{after: ms}
		}
		return reply{after: 200 * ms, status: 13}
	}}
	inFakeTime(t, p, Plan{}, Spec{Total: 20}, func(t *testing.T, r result.Turn) {
		if r.OK != 10 || r.Failed != 10 {
			t.Fatalf("%+v", r.Counts)
		}
		if low, high := span(r.Latency); low != ms || high != ms {
			t.Errorf("OK between %v and %v", low, high)
		}
		if low, high := span(r.FailedLatency); low != 200*ms || high != 200*ms {
			t.Errorf("failed between %v and %v", low, high)
		}
		if r.Window != 2010*ms {
			t.Errorf("window %v", r.Window)
		}
	})
}

// K02: every call fails.
func TestNothingButFailures(t *testing.T) {
	p := &peer{behave: func(int, time.Duration) reply { return reply{after: 3 * ms, status: 13} }}
	plan := Plan{Class: func(o wiregauge.Outcome, status int) string { return "INTERNAL" }}
	inFakeTime(t, p, plan, Spec{Total: 20}, func(t *testing.T, r result.Turn) {
		if r.Failed != 20 || r.OK != 0 || r.Latency != nil || r.FailedLatency.Count() != 20 {
			t.Errorf("%+v, latency %v", r.Counts, r.Latency)
		}
		if len(r.Errors) != 1 || r.Errors[0].Class != "INTERNAL" || r.Errors[0].Count != 20 ||
			len(r.Errors[0].Examples) != maxExamples || r.Errors[0].Message != "planted" {
			t.Errorf("%+v", r.Errors)
		}
		if e := r.Errors[0]; e.First != 3*ms || e.Last != 60*ms {
			t.Errorf("first at %v, last at %v", e.First, e.Last)
		}
	})
}

// K07: warm-up leaves the window, not only the count.
func TestWarmupLeavesTheWindow(t *testing.T) {
	p := &peer{behave: after(100 * ms)}
	inFakeTime(t, p, Plan{}, Spec{WarmupCalls: 15, Total: 5}, func(t *testing.T, r result.Turn) {
		if r.OK != 5 || r.Warm.OK != 15 || r.Window != 500*ms || r.CompletedInside != 5 {
			t.Errorf("%+v in %v, %d inside; warm-up %+v", r.Counts, r.Window, r.CompletedInside, r.Warm)
		}
		if len(r.Strips) != 1 || r.Strips[0].At != 0 || r.Strips[0].OK != 5 || r.Strips[0].Due != 5 {
			t.Errorf("%+v: seconds count from the start of the window", r.Strips)
		}
		if r.Connect.Count() != 1 {
			t.Errorf("%d connections timed", r.Connect.Count())
		}
		if r.SentBytes.Body != 5*8 {
			t.Errorf("%d bytes sent in the window", r.SentBytes.Body)
		}
	})
	p = &peer{behave: after(100 * ms)}
	inFakeTime(t, p, Plan{}, Spec{WarmupDuration: 450 * ms, Duration: time.Second}, func(t *testing.T, r result.Turn) {
		// due at 0, 100 … 400: warm; 500 … 1400: measured, the last of them ends after the window.
		if r.Warm.OK != 5 || r.OK != 9 || r.Unfinished != 1 || r.CompletedInside != 10 || r.Window != time.Second {
			t.Errorf("%+v in %v, %d inside; warm-up %+v", r.Counts, r.Window, r.CompletedInside, r.Warm)
		}
	})
}

// K16: conservation at the deadline, with calls in flight.
func TestConservationAtTheDeadline(t *testing.T) {
	p := &peer{behave: after(7 * ms)}
	plan := Plan{Connections: 2, Concurrency: 10, Streams: 5}
	inFakeTime(t, p, plan, Spec{Duration: 3 * time.Second}, func(t *testing.T, r result.Turn) {
		if r.Sent != 4290 || r.OK != 4280 || r.Unfinished != 10 {
			t.Errorf("%+v", r.Counts)
		}
		if int64(p.received) < r.OK || int64(p.received) > r.Sent {
			t.Errorf("the peer received %d", p.received)
		}
		if low, high := span(r.Ages); low != 4*ms || high != 4*ms {
			t.Errorf("ages %v to %v", low, high)
		}
	})
}

// Drain lets calls in flight finish; they belong to the turn, but not to its rate.
func TestDrain(t *testing.T) {
	p := &peer{behave: after(7 * ms)}
	inFakeTime(t, p, Plan{Concurrency: 10, Drain: time.Second}, Spec{Duration: 3 * time.Second}, func(t *testing.T, r result.Turn) {
		if r.Sent != 4290 || r.OK != 4290 || r.CompletedInside != 4280 || r.Window != 3*time.Second {
			t.Errorf("%+v, %d inside", r.Counts, r.CompletedInside)
		}
	})
	p = &peer{behave: func(int, time.Duration) reply { return reply{hang: true} }}
	inFakeTime(t, p, Plan{Concurrency: 3, Drain: time.Second}, Spec{Duration: 3 * time.Second}, func(t *testing.T, r result.Turn) {
		if low, high := span(r.Ages); r.Unfinished != 3 || low != 4*time.Second || high != 4*time.Second {
			t.Errorf("%+v, ages %v to %v", r.Counts, low, high)
		}
	})
}

// K19: percentiles stay inside the data and within a bucket of the exact value.
func TestPercentilesStayInsideTheData(t *testing.T) {
	p := &peer{behave: func(n int, _ time.Duration) reply {
		return reply{after: 501300*time.Microsecond + time.Duration(n)*16160*time.Nanosecond}
	}}
	inFakeTime(t, p, Plan{}, Spec{Total: 100}, func(t *testing.T, r result.Turn) {
		low, high := span(r.Latency)
		for q := 1.0; q <= 100; q++ {
			got := r.Latency.Percentile(q)
			exact := 501300*time.Microsecond + time.Duration(q-1)*16160*time.Nanosecond
			wantTime(t, "percentile", got, exact)
			if got < low || got > high {
				t.Errorf("p%v = %v outside %v to %v", q, got, low, high)
			}
		}
	})
}

// K20: more than a million calls, the last 50,000 slow.
func TestMoreThanAMillionCalls(t *testing.T) {
	p := &peer{behave: func(n int, _ time.Duration) reply {
		if n >= 1_000_000 {
			return reply{after: 20 * ms}
		}
		return reply{after: ms}
	}}
	inFakeTime(t, p, Plan{Concurrency: 500}, Spec{Total: 1_050_000}, func(t *testing.T, r result.Turn) {
		if r.OK != 1_050_000 || r.SentBytes.Body != 8*1_050_000 {
			t.Errorf("%+v, %d bytes", r.Counts, r.SentBytes.Body)
		}
		wantTime(t, "p95", r.Latency.Percentile(95), ms)
		wantTime(t, "p96", r.Latency.Percentile(96), 20*ms)
	})
}

// K21: nothing but timeouts.
func TestNothingButTimeouts(t *testing.T) {
	for _, spent := range []bool{false, true} { // a stream is cancelled, or the connection closed
		p := &peer{behave: func(int, time.Duration) reply { return reply{hang: true} }}
		plan := Plan{Concurrency: 10, Connections: 10, Timeout: time.Second,
			NewSession: func(ev wiregauge.Events) wiregauge.Session { f := newFake(ev); f.spent = spent; return f }}
		inFakeTime(t, p, plan, Spec{Total: 100}, func(t *testing.T, r result.Turn) {
			if r.Failed != 100 || r.TimedOut != 100 || r.Latency != nil || r.CompletedInside != 0 {
				t.Errorf("%+v, latency %v", r.Counts, r.Latency)
			}
			if low, high := span(r.FailedLatency); low != time.Second || high != time.Second || r.Window != 10*time.Second {
				t.Errorf("between %v and %v, window %v", low, high, r.Window)
			}
			if want := map[bool]int64{true: 90, false: 0}[spent]; r.Connections.Opened-10 != want {
				t.Errorf("%+v", r.Connections)
			}
			if r.Errors[0].Class != "timeout" || r.Errors[0].Count != 100 {
				t.Errorf("%+v", r.Errors)
			}
		})
	}
}

// K22: calls in flight at the deadline are listed with their ages.
func TestCallsThatHangAtTheDeadline(t *testing.T) {
	p := &peer{behave: func(n int, at time.Duration) reply {
		if at > 2*time.Second && n%2500 == 0 {
			return reply{after: 8 * time.Second}
		}
		return reply{after: 3 * ms}
	}}
	plan := Plan{Connections: 10, Concurrency: 10}
	inFakeTime(t, p, plan, Spec{Duration: 10 * time.Second}, func(t *testing.T, r result.Turn) {
		low, high := span(r.Ages)
		if r.Failed != 0 || r.Unfinished != 10 || low > 3*ms || high < 7*time.Second || high >= 8*time.Second {
			t.Errorf("%+v, ages %v to %v", r.Counts, low, high)
		}
		if r.Latency.Max() != 3*ms {
			t.Errorf("slowest OK call %v", r.Latency.Max())
		}
	})
}

// S16: a peer that allows 100 streams; the wait for a stream is part of the latency and shown apart.
func TestWaitForAStream(t *testing.T) {
	p := &peer{behave: after(20 * ms)}
	plan := Plan{Concurrency: 1000, NewSession: func(ev wiregauge.Events) wiregauge.Session {
		f := newFake(ev)
		f.streams = 100
		return f
	}}
	inFakeTime(t, p, plan, Spec{WarmupDuration: 990 * ms, Duration: 10 * time.Second}, func(t *testing.T, r result.Turn) {
		wantTime(t, "latency", r.Latency.Percentile(50), 200*ms)
		wantTime(t, "slot wait", r.SlotWait.Percentile(50), 180*ms)
		wantTime(t, "service", r.Service.Percentile(50), 20*ms)
		if r.CompletedInside != 50_000 {
			t.Errorf("%d in 10 s", r.CompletedInside)
		}
	})
}

// A call is sent when the kernel has its last byte, not when it was offered.
func TestWritesThatWait(t *testing.T) {
	p := &peer{behave: after(10 * ms), slow: 50 * ms}
	inFakeTime(t, p, Plan{Concurrency: 3}, Spec{Total: 30}, func(t *testing.T, r result.Turn) {
		if low, high := span(r.FirstByte); low != 10*ms || high != 10*ms || r.FirstByte.Count() != 30 {
			t.Errorf("first byte after %v to %v", low, high)
		}
		if low, _ := span(r.Service); low != 60*ms {
			t.Errorf("service time from %v", low)
		}
	})
}

// Thinking callers pause between calls, and are due when the pause is over.
func TestThinkTime(t *testing.T) {
	p := &peer{behave: after(10 * ms)}
	plan := Plan{Concurrency: 4, Think: Think{Mean: 90 * ms}}
	inFakeTime(t, p, plan, Spec{Duration: 10 * time.Second}, func(t *testing.T, r result.Turn) {
		if r.Sent != 400 || r.OK != 400 || r.Unfinished != 0 {
			t.Errorf("%+v", r.Counts)
		}
		wantTime(t, "latency", r.Latency.Max(), 10*ms)
	})
	plan.Think.Exponential = true
	plan.Concurrency = 50
	inFakeTime(t, p, plan, Spec{Duration: 100 * time.Second}, func(t *testing.T, r result.Turn) {
		if r.OK < 48_000 || r.OK > 52_000 { // a mean of 100 ms a call
			t.Errorf("%+v", r.Counts)
		}
	})
}

// Each second of a turn is told.
func TestStrips(t *testing.T) {
	p := &peer{behave: func(_ int, at time.Duration) reply {
		if at >= 2*time.Second {
			return reply{after: 50 * ms}
		}
		return reply{after: 10 * ms}
	}}
	inFakeTime(t, p, Plan{}, Spec{Duration: 3990 * ms}, func(t *testing.T, r result.Turn) {
		if len(r.Strips) != 4 {
			t.Fatalf("%+v", r.Strips)
		}
		for i, want := range []result.Strip{
			{At: 0, OK: 100, Due: 100, P50: new(10 * ms), P99: new(10 * ms), Max: new(10 * ms)},
			{At: time.Second, OK: 100, Due: 100, P50: new(10 * ms), P99: new(10 * ms), Max: new(10 * ms)},
			{At: 2 * time.Second, OK: 20, Due: 20, P50: new(50 * ms), P99: new(50 * ms), Max: new(50 * ms)},
			{At: 3 * time.Second, OK: 19, Due: 20, P50: new(50 * ms), P99: new(50 * ms), Max: new(50 * ms)},
		} {
			got := r.Strips[i]
			if got.At != want.At || got.OK != want.OK || got.Due != want.Due || got.Max == nil || *got.Max != *want.Max {
				t.Errorf("second %d: %+v, want %+v", i, got, want)
			}
		}
	})
}

// A run of more seconds than are kept has longer strips, and no call is lost in them.
func TestStripsOfALongRunAreLonger(t *testing.T) {
	p := &peer{behave: func(i int, _ time.Duration) reply {
		if i%10 == 9 {
			return reply{after: 500 * ms, status: 503}
		}
		return reply{after: 500 * ms}
	}}
	inFakeTime(t, p, Plan{}, Spec{Duration: (result.MaxStrips + 101) * time.Second}, func(t *testing.T, r result.Turn) {
		if n := len(r.Strips); n != result.MaxStrips/2+51 {
			t.Fatalf("%d strips", n)
		}
		var sum result.Counts
		for i, s := range r.Strips {
			sum.OK, sum.Failed, sum.Due = sum.OK+s.OK, sum.Failed+s.Failed, sum.Due+s.Due
			if want := 2 * time.Second * time.Duration(i); s.At != want || s.Failed > 0 && len(s.Errors) != 1 {
				t.Fatalf("strip %d: %+v, want it at %v", i, s, want)
			}
		}
		if sum.OK != r.OK || sum.Failed != r.Failed || sum.Due != r.Due {
			t.Errorf("strips hold %+v, the turn %+v", sum, r.Counts)
		}
	})
}

// A second in which no call ended well has no latency, neither in the turn nor in a snapshot.
func TestSecondsWithoutGoodCalls(t *testing.T) {
	p := &peer{behave: func(int, time.Duration) reply { return reply{after: 10 * ms, status: 500} }}
	inFakeTime(t, p, Plan{}, Spec{Duration: 1990 * ms}, func(t *testing.T, r result.Turn) {
		if len(r.Strips) != 2 {
			t.Fatalf("%+v", r.Strips)
		}
		for _, s := range r.Strips {
			if s.Failed == 0 || s.P50 != nil || s.P99 != nil || s.Max != nil {
				t.Errorf("%+v", s)
			}
		}
	})
}

// A snapshot tells the last whole second, and a new turn begins with nothing.
func TestSnapshotOfASecond(t *testing.T) {
	p := &peer{behave: func(_ int, at time.Duration) reply { return reply{after: 10*ms + at.Truncate(time.Second)/100} }}
	synctest.Test(t, func(t *testing.T) {
		e := openFake(t, p, Plan{})
		defer e.Close()
		if s := e.Snapshot(); s != (Snapshot{}) {
			t.Errorf("before the first turn: %+v", s)
		}
		if _, err := e.Turn(t.Context(), Spec{Duration: 2500 * ms}); err != nil {
			t.Fatal(err)
		}
		if s := e.Snapshot(); s.Second != 2*time.Second || s.Max != 30*ms || s.OK != 100+50+16 {
			t.Errorf("after it: %+v", s)
		}
		if s := e.Snapshot(); s.Failure != "" {
			t.Errorf("nothing has failed, and it says %q", s.Failure)
		}
		turn, release := e.newTurn(Spec{Total: 1})
		defer release()
		e.begin(turn)
		if s := e.Snapshot(); s.OK != 0 || s.Second != 0 || s.P50 != 0 || s.Elapsed != 0 {
			t.Errorf("at the beginning of the next: %+v", s)
		}
		e.conclude(turn)
	})
}
