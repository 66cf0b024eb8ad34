package load

import (
	"testing"
	"time"

	"wiregauge"
	"wiregauge/result"
)

func TestDroughtGoesOnForThoseThatALeaseLeftWaiting(t *testing.T) {
	var d drought
	d.refused(10)
	d.refused(12) // the same one
	if got := d.over(4, 20); got != 10 {
		t.Errorf("a call from before the drought waited %d in it, want 10", got)
	}
	if got := d.over(15, 20); got != 5 {
		t.Errorf("a call of the same lease waited %d, want 5", got)
	}
	d.refused(20) // the lease was not enough
	if got := d.over(8, 30); got != 20 {
		t.Errorf("a call that was refused twice waited %d, want 20", got)
	}
	if got := d.over(40, 40); got != 0 {
		t.Errorf("a call after the drought waited %d, want 0", got)
	}
	d.refused(50)
	if got := d.over(25, 60); got != 10 {
		t.Errorf("a drought of its own counts %d, want 10", got)
	}
}

// Two callers, and a server that lets one call at a time: all but the first wait 10 ms for their lease.
func TestCallsThatWaitForALeaseAreCounted(t *testing.T) {
	for _, leases := range []bool{true, false} {
		plan := Plan{Connections: 1, Concurrency: 2, Streams: 2, Multiplexed: true,
			NewSession: func(ev wiregauge.Events) wiregauge.Session {
				f := newFake(ev)
				f.streams, f.leases = 1, leases
				return f
			}}
		inFakeTime(t, &peer{behave: after(10 * time.Millisecond)}, plan, Spec{Total: 4}, func(t *testing.T, r result.Turn) {
			waits, waited := int64(0), time.Duration(0)
			if leases {
				waits, waited = 3, 30*time.Millisecond
			}
			if r.OK != 4 || r.LeaseWaits != waits || r.LeaseWaited != waited {
				t.Errorf("leases %v: %+v; want 4 ok, %d waits, %v", leases, r.Counts, waits, waited)
			}
		})
	}
}
