package load

import (
	"errors"
	"math/big"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"wiregauge"
	"wiregauge/pace"
	"wiregauge/result"
)

func perSecond(t *testing.T, s string) pace.Pacer {
	t.Helper()
	r, err := pace.ParseRate(s)
	if err != nil {
		t.Fatal(err)
	}
	return pace.Constant(r)
}

// K08: low rates and short runs.
func TestLowRates(t *testing.T) {
	for _, row := range []struct {
		name, rate string
		spec       Spec
		sent       int64
		window     time.Duration
	}{
		{"three calls at 1/s", "1/s", Spec{Total: 3}, 3, 2*time.Second + 5*ms},
		{"half a second at 1/s", "1/s", Spec{Duration: 500 * ms}, 1, 500 * ms},
		{"two calls at 0.2/s", "0.2/s", Spec{Total: 2}, 2, 5*time.Second + 5*ms},
		{"two calls at 12/min", "12/min", Spec{Total: 2}, 2, 5*time.Second + 5*ms},
		{"duration ends before the number", "1/s", Spec{Total: 100, Duration: 3500 * ms}, 4, 3500 * ms},
		{"number ends before the duration", "1/s", Spec{Total: 2, Duration: time.Minute}, 2, time.Second + 5*ms},
		{"warm-up by number", "1/s", Spec{WarmupCalls: 2, Total: 3}, 3, 2*time.Second + 5*ms},
		{"warm-up by time", "1/s", Spec{WarmupDuration: 1500 * ms, Total: 3}, 3, 2500*ms + 5*ms},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := &peer{behave: after(5 * ms)}
			inFakeTime(t, p, Plan{Pacer: perSecond(t, row.rate)}, row.spec, func(t *testing.T, r result.Turn) {
				if r.Sent != row.sent || r.OK != row.sent || r.Due != row.sent || r.Window != row.window {
					t.Errorf("%+v in %v", r.Counts, r.Window)
				}
				if low, high := span(r.Latency); low != 5*ms || high != 5*ms {
					t.Errorf("latency %v to %v", low, high)
				}
				if r.Lateness.Max() != 0 || r.Limited != "" {
					t.Errorf("late by %v, limited by %q", r.Lateness.Max(), r.Limited)
				}
			})
		})
	}
}

// K09: overload in an open loop. Call k is due at k x 10 ms and answered at (k+1) x 100 ms.
func TestOverload(t *testing.T) {
	p := &peer{behave: after(100 * ms)}
	plan := Plan{Pacer: perSecond(t, "100/s"), MaxInflight: 1, Connections: 2}
	inFakeTime(t, p, plan, Spec{Total: 20}, func(t *testing.T, r result.Turn) {
		if r.OK != 20 || r.Window != 2*time.Second || r.Limited != "inflight" {
			t.Errorf("%+v in %v, limited by %q", r.Counts, r.Window, r.Limited)
		}
		for k := int64(1); k <= 20; k++ {
			wantTime(t, "latency", r.Latency.Percentile(float64(k)*5), time.Duration(100+90*(k-1))*ms)
		}
		if low, high := span(r.Service); low != 100*ms || high != 100*ms {
			t.Errorf("service time %v to %v", low, high)
		}
		if low, high := span(r.SlotWait); low != 0 || high != 1710*ms {
			t.Errorf("slot wait %v to %v", low, high)
		}
		if r.Lateness.Max() != 0 {
			t.Errorf("late by %v: a wait for a place is not lateness", r.Lateness.Max())
		}
	})
}

// K09: the reason for a rate that was not reached is the tighter of two limits.
func TestWhyTheRateWasNotReached(t *testing.T) {
	for _, row := range []struct {
		name string
		plan Plan
		want string
	}{
		{"fewer calls in flight than places", Plan{MaxInflight: 1, Streams: 5}, "inflight"},
		{"as many calls in flight as places", Plan{MaxInflight: 2, Streams: 2}, "inflight"},
		{"fewer places than calls in flight", Plan{MaxInflight: 5, Streams: 2}, "slots"},
		{"places alone", Plan{Streams: 1}, "slots"},
		{"neither", Plan{MaxInflight: 50, Streams: 50}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.plan.Pacer = perSecond(t, "100/s")
			p := &peer{behave: after(100 * ms)}
			inFakeTime(t, p, row.plan, Spec{Total: 50}, func(t *testing.T, r result.Turn) {
				if r.OK != 50 || r.Limited != row.want {
					t.Errorf("%+v, limited by %q, want %q", r.Counts, r.Limited, row.want)
				}
			})
		})
	}
}

// K17: an absurd rate gives true counts.
func TestAbsurdRate(t *testing.T) {
	p := &peer{behave: after(10*ms + 1)}
	plan := Plan{Pacer: perSecond(t, "10000000/s"), Connections: 100, Streams: 1}
	inFakeTime(t, p, plan, Spec{Duration: 5 * time.Second}, func(t *testing.T, r result.Turn) {
		if r.Due != 50_000_000 || r.Window != 5*time.Second || r.OK != 49_900 || r.CompletedInside != 49_900 {
			t.Errorf("%+v in %v, %d inside", r.Counts, r.Window, r.CompletedInside)
		}
		if r.Unfinished != 100 || r.UnsentAges.Count() != r.Unsent || r.Limited != "slots" {
			t.Errorf("%+v, %d ages, limited by %q", r.Counts, r.UnsentAges.Count(), r.Limited)
		}
	})
}

// K18: the frozen server. One call at a time, 1 ms each, at 20/s for 10 s; frozen from 3 s to 8 s.
func TestFrozenServer(t *testing.T) {
	p := &peer{behave: func(_ int, at time.Duration) reply {
		if at >= 3*time.Second && at < 8*time.Second {
			return reply{after: 8*time.Second - at + ms}
		}
		return reply{after: ms}
	}}
	plan := Plan{Pacer: perSecond(t, "20/s"), Streams: 1}
	inFakeTime(t, p, plan, Spec{Total: 200}, func(t *testing.T, r result.Turn) {
		for _, row := range []struct {
			p    float64
			want time.Duration
		}{{25, ms}, {45, ms}, {75, 2551 * ms}, {90, 4021 * ms}, {99, 4903 * ms}, {100, 5001 * ms}} {
			wantTime(t, "latency", r.Latency.Percentile(row.p), row.want)
		}
		wantTime(t, "service time of the call in flight", r.Service.Max(), 5001*ms)
		wantTime(t, "service time of the others", r.Service.Percentile(99), ms)
	})
}

// K22 in an open loop: everything unsent or unfinished has an age.
func TestAgesInAnOpenLoop(t *testing.T) {
	p := &peer{behave: func(int, time.Duration) reply { return reply{hang: true} }}
	plan := Plan{Pacer: perSecond(t, "10/s"), MaxInflight: 3}
	inFakeTime(t, p, plan, Spec{Duration: 950 * ms}, func(t *testing.T, r result.Turn) {
		if r.Due != 10 || r.Unsent != 7 || r.Unfinished != 3 {
			t.Errorf("%+v", r.Counts)
		}
		if low, high := span(r.Ages); low != 750*ms || high != 950*ms {
			t.Errorf("unfinished %v to %v", low, high)
		}
		if low, high := span(r.UnsentAges); low != 50*ms || high != 650*ms {
			t.Errorf("unsent %v to %v", low, high)
		}
		if len(r.Strips) != 0 {
			t.Errorf("%+v", r.Strips)
		}
	})
}

// S16 in an open loop: 100 streams of 20 ms carry 5,000/s.
func TestStreamsInAnOpenLoop(t *testing.T) {
	limited := func(ev wiregauge.Events) wiregauge.Session { f := newFake(ev); f.streams = 100; return f }
	p := &peer{behave: after(20 * ms)}
	inFakeTime(t, p, Plan{Pacer: perSecond(t, "4000/s"), NewSession: limited}, Spec{Duration: 5 * time.Second}, func(t *testing.T, r result.Turn) {
		if low, high := span(r.Latency); low != 20*ms || high != 20*ms || r.Limited != "" {
			t.Errorf("latency %v to %v, limited by %q", low, high, r.Limited)
		}
	})
	p = &peer{behave: after(20 * ms)}
	inFakeTime(t, p, Plan{Pacer: perSecond(t, "6000/s"), NewSession: limited}, Spec{Duration: 5 * time.Second}, func(t *testing.T, r result.Turn) {
		// The last call to be sent before the end was due at 5/6 of the time.
		if r.Due != 30_000 || r.SlotWait.Max() < 800*ms || r.SlotWait.Max() > 840*ms || r.Service.Max() != 20*ms || r.Limited != "slots" {
			t.Errorf("%+v, slot wait up to %v, service up to %v, limited by %q", r.Counts, r.SlotWait.Max(), r.Service.Max(), r.Limited)
		}
	})
}

// Call i goes to connection i mod K, or to the first with room.
func TestPlacement(t *testing.T) {
	p := &peer{behave: after(5 * ms)}
	inFakeTime(t, p, Plan{Pacer: perSecond(t, "100/s"), Connections: 4}, Spec{Total: 40}, func(t *testing.T, r result.Turn) {
		for i, c := range p.conns {
			if c.count != 10 {
				t.Errorf("connection %d had %d calls", i, c.count)
			}
		}
	})
	p = &peer{behave: func(n int, _ time.Duration) reply {
		if n == 0 {
			return reply{hang: true}
		}
		return reply{after: 5 * ms}
	}}
	plan := Plan{Pacer: perSecond(t, "100/s"), Connections: 4, Streams: 1}
	inFakeTime(t, p, plan, Spec{Total: 41, Duration: time.Second}, func(t *testing.T, r result.Turn) {
		var counts []int
		for _, c := range p.conns {
			counts = append(counts, c.count)
		}
		slices.Sort(counts)
		if !slices.Equal(counts, []int{1, 10, 10, 20}) { // the first lane hangs: its share goes to the next
			t.Errorf("calls on the connections: %v", counts)
		}
		if r.Unfinished != 1 || r.SlotWait.Max() != 0 {
			t.Errorf("%+v, slot wait %v", r.Counts, r.SlotWait.Max())
		}
	})
}

// K31: the server closes idle connections; each call opens its own when it is due.
func TestIdleConnectionsThatTheServerCloses(t *testing.T) {
	p := &peer{behave: after(ms), idle: time.Second}
	inFakeTime(t, p, Plan{Pacer: perSecond(t, "0.5/s")}, Spec{Duration: 20 * time.Second}, func(t *testing.T, r result.Turn) {
		if r.OK != 10 || r.Sent != 10 || r.Connections.Opened != 10 || p.dials != 10 {
			t.Errorf("%+v, %+v", r.Counts, r.Connections)
		}
		if n := r.Connections.Ended["closed by server"]; n != 10 {
			t.Errorf("%+v", r.Connections)
		}
		if r.Service.Max() != ms {
			t.Errorf("service time %v", r.Service.Max())
		}
	})
}

// A server that cannot be reached any more: one failed dial is one failed call, and dials back off.
func TestUnreachable(t *testing.T) {
	down := errors.New("connection refused")
	dial := func(n int) error {
		if n > 1 {
			return down
		}
		return nil
	}
	p := &peer{behave: func(int, time.Duration) reply { return reply{reset: true, after: ms} }, dial: dial}
	inFakeTime(t, p, Plan{Pacer: perSecond(t, "100/s")}, Spec{Total: 50}, func(t *testing.T, r result.Turn) {
		if r.OK != 0 || r.Failed != 50 || r.Connections.Opened != 1 || r.Connections.Failed != 49 {
			t.Errorf("%+v, %+v", r.Counts, r.Connections)
		}
		if len(r.Errors) != 2 || r.Errors[0].Class != "connect" || r.Errors[0].Count != 49 || r.Errors[1].Class != "reset" {
			t.Errorf("%+v", r.Errors)
		}
		if r.FailedService.Count() != 1 {
			t.Errorf("%d service times: a call that never had a connection has none", r.FailedService.Count())
		}
	})
	p = &peer{behave: func(int, time.Duration) reply { return reply{reset: true, after: ms} }, dial: dial}
	inFakeTime(t, p, Plan{Concurrency: 1}, Spec{Duration: time.Second}, func(t *testing.T, r result.Turn) {
		// At 1 ms the reset; dials after 0, 1, 3, 7, 15, 31, 63, 127 ms more, then every 100 ms.
		if r.Failed != 17 || r.Connections.Failed != 16 || r.Unsent != 1 {
			t.Errorf("%+v, %+v", r.Counts, r.Connections)
		}
	})
}

// Rates that are not whole numbers are met exactly.
func TestFractionalRate(t *testing.T) {
	p := &peer{behave: after(0)}
	pacer := pace.Constant(big.NewRat(1000, 3))
	inFakeTime(t, p, Plan{Pacer: pacer}, Spec{Duration: 30 * time.Second}, func(t *testing.T, r result.Turn) {
		if r.Due != 10_000 || r.OK != 10_000 {
			t.Errorf("%+v", r.Counts)
		}
	})
}

// A server that answers half of what it is asked: everything is sent on time, and calls pile up.
func TestServerThatFallsBehind(t *testing.T) {
	p := &peer{behave: func(n int, at time.Duration) reply { return reply{after: time.Duration(n+1)*2*ms - at + 1} }}
	inFakeTime(t, p, Plan{Pacer: perSecond(t, "1000/s")}, Spec{Duration: time.Second}, func(t *testing.T, r result.Turn) {
		if r.Due != 1000 || r.Unsent != 0 || r.Unfinished != 501 || r.Limited != "server" {
			t.Errorf("%+v, limited by %q", r.Counts, r.Limited)
		}
	})
	p = &peer{behave: after(500 * ms)} // slow, and keeps up
	inFakeTime(t, p, Plan{Pacer: perSecond(t, "1000/s")}, Spec{Duration: time.Second}, func(t *testing.T, r result.Turn) {
		if r.Unfinished < 499 || r.Limited != "" {
			t.Errorf("%+v, limited by %q", r.Counts, r.Limited)
		}
	})
}

// oversleep runs one turn whose keeper wakes late each time.
func oversleep(t *testing.T, p *peer, plan Plan, s Spec, late time.Duration, check func(t *testing.T, r result.Turn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e := openFake(t, p, plan)
		defer e.Close()
		turn, release := e.newTurn(s)
		defer release()
		e.begin(turn)
		for !e.step(turn) {
			turn.clock.SleepUntil(e.wake + late)
		}
		r := e.conclude(turn)
		synctest.Wait() // what was sent last arrives
		conserved(t, r)
		check(t, r)
	})
}

// A keeper that wakes only after the deadline sends what was due before, where it has a place.
func TestKeeperThatWakesAfterTheDeadline(t *testing.T) {
	for _, row := range []struct {
		name string
		rate string
		plan Plan
		late time.Duration
		due  int64
		sent int64
	}{
		{"by 50 µs", "1000/s", Plan{}, 50 * time.Microsecond, 100, 100},
		{"by many calls", "1000/s", Plan{}, 33 * ms, 100, 100},
		{"by many batches", "10000/s", Plan{}, 90 * ms, 991, 991},
		{"places for some", "1000/s", Plan{MaxInflight: 30}, 33 * ms, 100, 30},
		{"places for some on the connections", "1000/s", Plan{Connections: 3, Streams: 10}, 50 * time.Microsecond, 100, 30},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := &peer{behave: func(int, time.Duration) reply { return reply{hang: true} }}
			row.plan.Pacer = perSecond(t, row.rate)
			oversleep(t, p, row.plan, Spec{Duration: 99*ms + 30*time.Microsecond}, row.late, func(t *testing.T, r result.Turn) {
				if r.Due != row.due || r.Sent != row.sent || r.Unfinished != row.sent || r.Unsent != row.due-row.sent {
					t.Errorf("%+v", r.Counts)
				}
				if int64(p.received) != row.sent {
					t.Errorf("the server received %d", p.received)
				}
			})
		})
	}
	p := &peer{behave: after(ms)}
	plan := Plan{Pacer: perSecond(t, "1000/s"), Drain: time.Second}
	oversleep(t, p, plan, Spec{Duration: 100 * ms}, 700*time.Microsecond, func(t *testing.T, r result.Turn) {
		if r.OK != 100 || r.Latency.Max() != 1700*time.Microsecond || r.Lateness.Max() != 700*time.Microsecond {
			t.Errorf("%+v, latency up to %v, late by %v", r.Counts, r.Latency.Max(), r.Lateness.Max())
		}
	})
}
