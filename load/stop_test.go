package load

import (
	"testing"
	"testing/synctest"
	"time"

	"wiregauge"
)

// stopping is a fakeSession that counts the calls that are cancelled.
type stopping struct {
	*fakeSession
	cancelled *int
}

func (s stopping) Cancel(out []byte, c *wiregauge.Call) ([]byte, error) {
	*s.cancelled++
	return s.fakeSession.Cancel(out, c)
}

// Calls in flight at the deadline are cancelled one by one, waited for, or dropped with their connections.
func TestWaysToStop(t *testing.T) {
	for _, row := range []struct {
		name                          string
		plan                          Plan
		ok, unfinished                int64
		cancelled, connectionsThatEnd int
	}{
		{"close", Plan{}, 6, 6, 12, 0},
		{"wait", Plan{Drain: time.Second}, 12, 0, 0, 0},
		{"wait, and some are late", Plan{Drain: 50 * ms}, 6, 6, 12, 0},
		{"drop", Plan{Drop: true}, 6, 6, 0, 4},
		{"wait, then drop", Plan{Drain: 50 * ms, Drop: true}, 6, 6, 0, 4},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, cancelled := &peer{behave: after(100 * ms)}, 0
			row.plan.Concurrency, row.plan.Connections, row.plan.Streams = 6, 2, 3
			row.plan.NewSession = func(ev wiregauge.Events) wiregauge.Session { return stopping{newFake(ev), &cancelled} }
			synctest.Test(t, func(t *testing.T) {
				e := openFake(t, p, row.plan)
				for range 2 { // the second turn has calls and slots of its own, whatever became of the first's
					r, err := e.Turn(t.Context(), Spec{Duration: 130 * ms})
					if err != nil {
						t.Fatal(err)
					}
					conserved(t, r)
					if r.OK != row.ok || r.Failed != 0 || r.Unfinished != row.unfinished {
						t.Errorf("%+v", r.Counts)
					}
					synctest.Wait()
				}
				ended := 0
				for _, c := range p.conns {
					if c.closed {
						ended++
					}
				}
				if cancelled != row.cancelled || ended != row.connectionsThatEnd {
					t.Errorf("%d cancelled, %d of %d connections ended", cancelled, ended, len(p.conns))
				}
				for _, l := range e.lanes {
					if len(l.free) != len(l.slots) {
						t.Errorf("lane %d: %d of %d slots free", l.k, len(l.free), len(l.slots))
					}
				}
				if s := e.Snapshot(); s.Failed != 0 {
					t.Errorf("%+v", s)
				}
				e.Close()
			})
		})
	}
}
