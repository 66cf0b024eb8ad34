package load

import (
	"time"

	"wiregauge"
	"wiregauge/result"
)

const (
	ringSize    = 256
	flushAfter  = 200 * time.Millisecond
	maxExamples = 5
	maxExample  = 1 << 10
)

// A sample is one finished call of the measured window.
type sample struct {
	done, latency, service, first, opened, wait, late time.Duration
	outcome                                           wiregauge.Outcome
	status                                            int
}

// A class is one row of a lane's table of outcomes: what is counted without formatting anything.
type class struct {
	outcome     wiregauge.Outcome
	status      int
	count       int64
	first, last time.Duration
	examples    []string
}

// A tally is what one lane counts in one turn. It is guarded by the lane's mutex.
type tally struct {
	book       *book
	warm, main result.Counts // due is counted here in a closed loop only
	total      result.Counts // warm + main, for the display
	inside     int64         // OK inside the window, whenever due
	finished   int64         // OK and failed inside the window
	classes    []class
	ring       []sample
	calls      []result.Call // for the log
	gaps       []time.Duration
	flushed    time.Duration
	texts      int64  // failures since a text was of use
	failure    uint64 // of the last call that failed: its outcome and its status; 0 before
	lastDone   time.Duration
	lastPermit time.Duration
	area       time.Duration // under the number of measured calls in flight, until the window's end
	beyond     time.Duration // and after it
	pauses     pauses
	slow       result.SlowConsumer
	ahead      float64 // under what the servers of its streams were ahead, in ns
	unseen     bool    // the kernel does not tell what is unread
	marked     bool    // the lane's bytes before its first measured call have been noted
}

func (a *tally) of(s *slot) *result.Counts {
	if s.warm {
		return &a.warm
	}
	return &a.main
}

func (a *tally) due(warm bool) {
	a.total.Due++
	if warm {
		a.warm.Due++
		return
	}
	a.main.Due++
}

func (a *tally) sent(s *slot) {
	a.of(s).Sent++
	if !s.warm {
		a.enter(s.Due)
	}
}

// explain says whether the next failure should say why: texts cost an allocation each, so that once there are enough
// only one in 256 is asked for one.
func (a *tally) explain() bool {
	return a.texts < 1000 || a.texts&255 == 0
}

// finish counts a call that has ended.
func (a *tally) finish(s *slot, t *turn) {
	c := a.of(s)
	ok := s.Outcome == wiregauge.OK
	if ok {
		c.OK++
		a.total.OK++
	} else {
		c.Failed++
		a.total.Failed++
		a.failure = packFailure(s.Outcome, s.Status)
		if s.Outcome == wiregauge.Timeout {
			c.TimedOut++
		}
	}
	c.Messages += int64(s.Received)
	if t == nil {
		return
	}
	a.pauses.ended(s.Done)
	if t.inside(s.Done) {
		a.finished++
		if ok {
			a.inside++
		}
	}
	if s.warm {
		return
	}
	a.leave(s.Done, t.deadline())
	a.lastDone, a.lastPermit = max(a.lastDone, s.Done), max(a.lastPermit, s.Permit)
	a.classify(s, t)
	a.record(s)
	a.log(s, t)
}

// packFailure puts an outcome and a status into one word, for a display that takes no lock; it is never 0.
func packFailure(o wiregauge.Outcome, status int) uint64 {
	return uint64(o)<<32 | uint64(uint32(status)) | 1<<63
}

// failureName is the class that stands in the table of errors for a packed failure, "" for none.
func (p *Plan) failureName(packed uint64) string {
	if packed == 0 {
		return ""
	}
	return p.className(class{outcome: wiregauge.Outcome(packed << 1 >> 33), status: int(int32(packed))})
}

func (a *tally) record(s *slot) {
	x := sample{done: s.Done, latency: s.Done - s.Due, service: wiregauge.Never, first: wiregauge.Never, opened: wiregauge.Never, outcome: s.Outcome, status: s.Status}
	x.late = max(s.Dispatched-s.Due, 0)
	x.wait = wiregauge.Never
	if s.Permit >= 0 {
		x.service = s.Done - s.Permit
		x.wait = s.Permit - s.Dispatched
	}
	if s.First >= 0 && s.Sent >= 0 {
		x.first = max(s.First-s.Sent, 0)
	}
	if s.opened >= 0 && s.Sent >= 0 {
		x.opened = max(s.opened-s.Sent, 0)
	}
	if a.ring == nil {
		a.ring = make([]sample, 0, ringSize)
	}
	a.ring = append(a.ring, x)
	if len(a.ring) == ringSize {
		a.flush()
	}
}

// classify counts s in the row of its outcome and status.
func (a *tally) classify(s *slot, t *turn) {
	c := a.class(s.Outcome, s.Status)
	c.count++
	if s.Outcome == wiregauge.OK {
		return
	}
	at := s.Done - t.begin()
	if c.count == 1 {
		c.first = at
	}
	c.last = at
	a.texts++
	if s.Text != "" && len(c.examples) < maxExamples {
		c.examples = append(c.examples, s.Text[:min(len(s.Text), maxExample)])
		a.texts = 0
	}
}

func (a *tally) class(o wiregauge.Outcome, status int) *class {
	for i := range a.classes {
		if c := &a.classes[i]; c.outcome == o && c.status == status {
			return c
		}
	}
	a.classes = append(a.classes, class{outcome: o, status: status})
	return &a.classes[len(a.classes)-1]
}

// gap notes the time between two messages of a stream.
func (a *tally) gap(s *slot, d time.Duration) {
	if s.warm {
		return
	}
	if a.gaps == nil {
		a.gaps = make([]time.Duration, 0, ringSize)
	}
	if a.gaps = append(a.gaps, d); len(a.gaps) == ringSize {
		a.flush()
	}
}

// ripe reports whether samples have waited long enough to be shown.
func (a *tally) ripe(now time.Duration) bool {
	return now-a.flushed > flushAfter && len(a.ring)+len(a.gaps) > 0
}

// flush moves the samples into the turn's histograms.
func (a *tally) flush() {
	if len(a.ring) > 0 {
		a.flushed = a.ring[len(a.ring)-1].done
	}
	if a.book != nil {
		a.book.add(a.ring, a.gaps)
		a.book.tell(a.calls)
	}
	a.ring, a.gaps, a.calls = a.ring[:0], a.gaps[:0], a.calls[:0]
}

// reset makes the tally ready for a turn and keeps its memory.
func (a *tally) reset(b *book) {
	*a = tally{book: b, ring: a.ring[:0], gaps: a.gaps[:0], calls: a.calls[:0], classes: a.classes[:0], pauses: a.pauses}
}
