package load

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"wiregauge"
	"wiregauge/result"
)

// K28: a server that ages its connections with a GOAWAY, some calls of which it did not process.
func TestAgeingConnections(t *testing.T) {
	for name, plan := range map[string]Plan{
		"closed loop": {Connections: 2, Concurrency: 40, Multiplexed: true},
		"open loop":   {Connections: 2, Pacer: perSecond(t, "20000/s"), Multiplexed: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := &peer{behave: after(2 * ms), ageing: 1000}
			inFakeTime(t, p, plan, Spec{Total: 20_000}, func(t *testing.T, r result.Turn) {
				if r.OK != 20_000 || r.Sent != 20_000 || p.received != 20_000 {
					t.Errorf("%+v, the peer took %d", r.Counts, p.received)
				}
				if r.Resent < 20 || r.Resent > 20*40 {
					t.Errorf("%d sent again", r.Resent)
				}
				if int64(p.dials) != r.Connections.Opened || r.Connections.Opened < 20 || r.Connections.Ended["goaway"] < 18 { // the last ones may still be ending
					t.Errorf("%d dials, %+v", p.dials, r.Connections)
				}
			})
		})
	}
}

// A call is sent again once, never twice.
func TestUnprocessedTwice(t *testing.T) {
	p := &peer{behave: func(int, time.Duration) reply { return reply{after: ms, status: statusUnprocessed} }}
	inFakeTime(t, p, Plan{Concurrency: 5}, Spec{Total: 10}, func(t *testing.T, r result.Turn) {
		if r.Failed != 10 || r.Resent != 10 || p.received != 20 || r.Errors[0].Class != "unprocessed" {
			t.Errorf("%+v, the peer took %d, %+v", r.Counts, p.received, r.Errors)
		}
		if low, high := span(r.FailedLatency); low != 2*ms || high != 2*ms {
			t.Errorf("latency %v to %v: from the first due time", low, high)
		}
	})
}

// Resets fail what is in flight and cost a connection each.
func TestResets(t *testing.T) {
	p := &peer{behave: func(n int, _ time.Duration) reply { return reply{after: ms, reset: n%5 == 4} }}
	inFakeTime(t, p, Plan{}, Spec{Total: 100}, func(t *testing.T, r result.Turn) {
		if r.OK != 80 || r.Failed != 20 || r.Connections.Ended["reset"] != 20 || p.received != 100 {
			t.Errorf("%+v, %+v", r.Counts, r.Connections)
		}
		if len(r.Errors) != 1 || r.Errors[0].Class != "reset" || r.Errors[0].Count != 20 || r.Errors[0].Stage != "read" {
			t.Errorf("%+v", r.Errors)
		}
	})
}

// A connection per call.
func TestOneCallPerConnection(t *testing.T) {
	for name, plan := range map[string]Plan{
		"closed loop": {OneCall: true, Connections: 3, Concurrency: 3},
		"open loop":   {OneCall: true, Connections: 3, Pacer: perSecond(t, "100/s")},
	} {
		t.Run(name, func(t *testing.T) {
			p := &peer{behave: after(20 * ms)}
			inFakeTime(t, p, plan, Spec{Total: 30}, func(t *testing.T, r result.Turn) {
				if r.OK != 30 || r.Connections.Opened != 31 { // one to see at the start that the target is there
					t.Errorf("%+v, %+v", r.Counts, r.Connections)
				}
				for i, c := range p.conns[1:] {
					if c.count != 1 {
						t.Errorf("connection %d carried %d calls", i, c.count)
					}
				}
				if low, high := span(r.Latency); low != 20*ms || high != 20*ms {
					t.Errorf("latency %v to %v", low, high)
				}
			})
		})
	}
}

// What the user expects decides what is a success.
func TestExpectations(t *testing.T) {
	p := &peer{behave: func(n int, _ time.Duration) reply { return reply{status: []int{0, 404, 500}[n%3]} }}
	plan := Plan{Expected: map[int]bool{404: true}}
	inFakeTime(t, p, plan, Spec{Total: 30}, func(t *testing.T, r result.Turn) {
		if r.OK != 10 || r.Failed != 20 || len(r.Statuses) != 3 || len(r.Errors) != 2 {
			t.Errorf("%+v, %+v, %+v", r.Counts, r.Statuses, r.Errors)
		}
	})
	p = &peer{}
	seen := 0
	plan = Plan{Check: func(c *wiregauge.Call, body []byte) bool { seen++; return seen%2 == 0 }}
	inFakeTime(t, p, plan, Spec{Total: 30}, func(t *testing.T, r result.Turn) {
		if r.OK != 15 || r.Failed != 15 || r.Errors[0].Class != "unexpected" || seen != 30 {
			t.Errorf("%+v, %+v after %d checks", r.Counts, r.Errors, seen)
		}
	})
}

// K27: nothing but 404.
func TestNothingBut404(t *testing.T) {
	p := &peer{behave: func(int, time.Duration) reply { return reply{after: ms, status: 404} }}
	plan := Plan{Concurrency: 10, Class: func(_ wiregauge.Outcome, status int) string { return "404" }}
	inFakeTime(t, p, plan, Spec{Total: 1000}, func(t *testing.T, r result.Turn) {
		if r.Failed != 1000 || r.CompletedInside != 0 || r.FinishedInside != 1000 || r.Window != 100*ms {
			t.Errorf("%+v, %d of %d in %v", r.Counts, r.CompletedInside, r.FinishedInside, r.Window)
		}
		if len(r.Statuses) != 1 || r.Statuses[0].Name != "404" || r.Statuses[0].Count != 1000 || r.Statuses[0].OK {
			t.Errorf("%+v", r.Statuses)
		}
	})
}

// Ctrl-C gives what was measured until then.
func TestInterrupted(t *testing.T) {
	for name, plan := range map[string]Plan{
		"closed loop": {Concurrency: 3},
		"open loop":   {Pacer: perSecond(t, "100/s")},
		"thinking":    {Concurrency: 3, Think: Think{Mean: time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &peer{behave: after(10 * ms)}
				e := openFake(t, p, plan)
				defer e.Close()
				ctx, cancel := context.WithTimeout(t.Context(), 1234*ms)
				defer cancel()
				r, err := e.Turn(ctx, Spec{Duration: time.Hour})
				if err != nil {
					t.Fatal(err)
				}
				conserved(t, r)
				if !r.Partial || r.Window != 1234*ms || r.OK < 3 {
					t.Errorf("partial %v, %v, %+v", r.Partial, r.Window, r.Counts)
				}
			})
		})
	}
}

// An engine is used for turn after turn, on the same connections.
func TestTurnAfterTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{behave: after(10*ms + 1)}
		e := openFake(t, p, Plan{Connections: 2, Concurrency: 4})
		defer e.Close()
		for i, s := range []Spec{
			{Duration: time.Second}, {Duration: time.Second, Concurrency: 8}, {Total: 7},
			{Duration: time.Second, Pacer: perSecond(t, "50/s")},
		} {
			before := p.received
			r, err := e.Turn(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			conserved(t, r)
			if want := []int64{400, 800, 7, 50}[i]; r.Sent != want || int64(p.received-before) != want {
				t.Errorf("turn %d: %+v, want %d sent", i, r.Counts, want)
			}
			if want := []int64{2, 0, 0, 0}[i]; r.Connections.Opened != want || p.dials != 2 {
				t.Errorf("turn %d: %+v", i, r.Connections)
			}
		}
	})
}

// At the start any failed dial is an error.
func TestOpenFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("connection refused")
		p := &peer{dial: func(n int) error {
			if n == 3 {
				return down
			}
			return nil
		}}
		e, err := newEngine(fakePlan(p, Plan{Connections: 5}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.open(t.Context()); !errors.Is(err, down) {
			t.Errorf("got %v", err)
		}
	})
}

// A request that the session cannot send is a failure of ours.
func TestLocalFailure(t *testing.T) {
	p := &peer{}
	plan := Plan{NewSession: func(ev wiregauge.Events) wiregauge.Session { return refuser{newFake(ev)} }}
	inFakeTime(t, p, plan, Spec{Total: 10}, func(t *testing.T, r result.Turn) {
		if r.Failed != 10 || r.Errors[0].Class != "local" || r.Errors[0].Message != "header too long" || p.received != 0 {
			t.Errorf("%+v, %+v", r.Counts, r.Errors)
		}
	})
}

type refuser struct{ *fakeSession }

func (refuser) Start(out []byte, c *wiregauge.Call) ([]byte, error) {
	return out, errors.New("header too long")
}

// A peer that never says hello is given up after the time for connecting.
func TestNoHello(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{}
		plan := fakePlan(p, Plan{ConnectTimeout: 2 * time.Second})
		plan.NewSession = func(ev wiregauge.Events) wiregauge.Session { return mute{newFake(ev)} }
		e, err := newEngine(plan)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if _, err := e.open(t.Context()); err == nil || time.Since(begun) != 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}

type mute struct{ *fakeSession }

func (mute) Ready() bool { return false }
