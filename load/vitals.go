package load

import (
	"time"

	"wiregauge/internal/tcpinfo"
	"wiregauge/meter"
	"wiregauge/result"
)

// watchSelf has a thread watch this process for the turn; not where time is fake.
func (e *Engine) watchSelf(t *turn) {
	if !e.coarse {
		t.pulse = meter.StartWatch()
	}
}

// vitals fills in how the client and its machine fared in the measured window.
func (e *Engine) vitals(t *turn, after costs, c *closing, r *result.Turn) {
	b, v := t.before, &r.Vitals
	v.Observed = int64(after.at - b.at)
	since := after.machine.Minus(b.machine)
	v.Throttled, v.Pressure = nanoseconds(since.Throttled), nanoseconds(since.Pressure)
	v.Suspend, v.Overflows = nanoseconds(since.Suspended), since.Overflows
	gc := int64(max(after.gcCPU-b.gcCPU, 0))
	v.GCCPU = &gc
	if b.retransmits != nil && after.retransmits != nil {
		n := *after.retransmits - *b.retransmits
		v.Retransmits = &n
	}
	c.areas(r)
	if t.pulse == nil {
		return
	}
	gap, read := int64(after.seen.Gap), int64(meter.ClockRead())
	v.Gap, v.Gaps, v.ClockRead = &gap, after.seen.Gaps, &read
	v.Windows, v.FullWindows = after.seen.Windows, after.seen.FullWindows
	late := after.seen.Oversleep
	if t.open == nil {
		late = after.seen.Pauses
	}
	if late.Count() > 0 {
		r.Oversleep = late
	}
}

func nanoseconds(d *time.Duration) *int64 {
	if d == nil {
		return nil
	}
	n := int64(*d)
	return &n
}

// areas compares two ways to count the time that calls spent in flight: what the lanes added up as calls came and
// went, and what the histograms and ages hold, less what lies beyond the window.
func (c *closing) areas(r *result.Turn) {
	var sum float64
	if r.Latency != nil {
		sum += r.Latency.Sum()
	}
	if r.FailedLatency != nil {
		sum += r.FailedLatency.Sum()
	}
	sum += c.ages.Sum()
	flight, latencies := int64(c.area), int64(sum)-int64(c.beyond)
	r.Vitals.InFlight, r.Vitals.Latencies = &flight, &latencies
}

// enter counts a measured call that is in flight from then on: the area under the number of calls in flight is the
// sum of the times at which they leave, less the sum of those at which they come.
func (a *tally) enter(at time.Duration) { a.area -= at }

// leave counts a measured call that is not in flight any more; the window ends at until.
func (a *tally) leave(at, until time.Duration) {
	a.area += min(at, until)
	a.beyond += max(at-until, 0)
}

// retransmits is what the kernel had to send again on all connections so far; nil when one of them cannot tell.
func (e *Engine) retransmits() *int64 {
	var sum int64
	for _, l := range e.lanes {
		l.mu.Lock()
		sum += l.repeated.n
		known := !l.repeated.unknown
		for _, k := range l.links {
			n, ok := k.retransmits()
			sum += n
			known = known && ok
		}
		l.mu.Unlock()
		if !known {
			return nil
		}
	}
	return &sum
}

// segments are those that were sent again on connections which have ended.
type segments struct {
	n       int64
	unknown bool
}

func (s *segments) add(k *link) {
	n, known := k.retransmits()
	s.n += n
	s.unknown = s.unknown || !known
}

func (k *link) retransmits() (n int64, known bool) {
	if k.client != nil {
		s := k.client.Stats()
		return s.Retransmits, !s.Unread
	}
	if nc := k.out.Conn.Net(); nc != nil {
		return tcpinfo.Retransmits(nc)
	}
	return 0, true // no network, no segments
}
