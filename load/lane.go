package load

import (
	"sync"
	"sync/atomic"
	"time"

	"wiregauge"
	"wiregauge/wire"
)

// A lane is one connection of the plan and all that belongs to it. Connections that take no more calls and still
// finish some stay among its links until they end. Everything but pub is guarded by mu.
type lane struct {
	e  *Engine
	k  int // its number, from 0
	mu sync.Mutex

	cur     *link // takes new calls; nil while there is none
	links   []*link
	dialing bool
	coming  bool          // a dial has not yet come to a connection that takes calls
	backoff time.Duration // before the next dial; 0 after a success

	slots  []*slot
	free   []*slot
	flight flight  // taken by a session, not finished
	again  []*slot // provably unprocessed, to be sent once more
	due    queue   // closed loop: due, and waiting for a place
	ended  []*slot // finished or taken enough within the current Receive

	now      time.Duration // stamp of the read, write or timer being worked on
	tally    tally         // of the current turn
	past     carried       // bytes of links that have ended
	repeated segments      // sent again on them
	mark     carried       // bytes before the first measured call

	born births // connections since the lane began
	told births // those told of by earlier turns

	connects []time.Duration // how long dials between turns took

	retries int64 // of stack clients that are gone

	drought drought // of leases
	eaters  consumers
	granted bool // servers are asked for more, in buffers that are not written yet
	placing bool // the keeper gives it a call
	dirty   bool // the keeper has given it calls that are not written yet

	info  wire.Info // of the last connection
	known bool

	pub struct { // for Snapshot
		due, ok, failed, flight, links atomic.Int64
		warm                           struct{ due, ok, failed atomic.Int64 }
		failure                        atomic.Uint64 // tally.failure
	}
}

// take finds the next call for this lane and leaves it where it is; the caller commits or not. In an open loop the
// queue stays locked until then.
func (l *lane) take(t *turn) (ticket, bool) {
	if t.open != nil {
		return t.open.take(l.now, l.placing)
	}
	if l.due.n == 0 || t.stopped.Load() {
		return ticket{}, false
	}
	return l.due.front(), true
}

func (l *lane) commit(t *turn, tk ticket) {
	if t.open != nil {
		t.open.commit(tk)
		return
	}
	l.due.pop()
}

func (l *lane) putBack(t *turn) {
	if t.open != nil {
		t.open.mu.Unlock()
	}
}

// start places up to limit calls on the current link: first those that are sent once more, then those that are due.
func (l *lane) start(limit int) (started int) {
	t := l.e.turn.Load()
	if t == nil {
		return 0
	}
	for started < limit && l.cur != nil && l.cur.room() {
		if !l.startNext(t) {
			return started
		}
		started++
	}
	return started
}

func (l *lane) startNext(t *turn) bool {
	if n := len(l.again); n > 0 {
		return l.startAgain(l.again[0])
	}
	tk, ok := l.take(t)
	if !ok {
		return false
	}
	if !tk.warm && !l.tally.marked {
		l.mark, l.tally.marked = l.carried(), true
	}
	s := l.prepare(tk)
	err := l.cur.start(s)
	if why, full := err.(wiregauge.NoSlot); full {
		l.putBack(t)
		l.free = append(l.free, s)
		l.refused(why)
		return false
	}
	l.commit(t, tk)
	l.tally.sent(s)
	if err == nil && l.drought.known {
		l.tally.leased(s, l.drought.over(s.Dispatched, l.now))
	}
	if err != nil {
		l.local(s, err)
		return true
	}
	l.accepted(s)
	return true
}

// prepare takes a free slot for tk.
func (l *lane) prepare(tk ticket) *slot {
	var s *slot
	if n := len(l.free); n > 0 {
		s, l.free = l.free[n-1], l.free[:n-1]
	} else {
		s = &slot{}
		s.Slot = len(l.slots)
		l.slots = append(l.slots, s)
	}
	requests := l.e.requests
	s.Call.Reset(requests[tk.index%uint64(len(requests))])
	s.index, s.warm, s.rejected, s.taken, s.ungranted = tk.index, tk.warm, false, false, 0
	s.opened, s.last, s.eat.since = wiregauge.Never, wiregauge.Never, l.now
	s.Due, s.Dispatched, s.Permit = tk.due, tk.at, l.now
	s.Explain = l.e.plan.Log != nil || l.tally.explain()
	return s
}

// accepted notes that the session has taken s.
func (l *lane) accepted(s *slot) {
	s.link = l.cur
	l.cur.flight++
	l.flight.push(s)
	if s.Queued == 0 {
		l.cur.unstamped = append(l.cur.unstamped, s)
	}
	if l.e.plan.OneCall {
		l.cur.retire(byCallDone)
	}
}

// refused notes why the current link takes no call now.
func (l *lane) refused(why wiregauge.NoSlot) {
	if why == wiregauge.Closing {
		l.cur.retire(l.cur.notice())
		return
	}
	if why == wiregauge.Credit {
		l.drought.refused(l.now)
	}
	l.cur.blocked = true
}

// local ends a call whose request the session cannot send at all.
func (l *lane) local(s *slot, err error) {
	s.Outcome, s.Done = wiregauge.Local, l.now
	if s.Explain {
		s.Text = err.Error()
	}
	l.finish(s)
}

// startAgain sends a call once more that a connection provably did not process.
func (l *lane) startAgain(s *slot) bool {
	due, dispatched, index, first := s.Due, s.Dispatched, s.index, s.Request
	s.Call.Reset(first)
	s.Due, s.Dispatched, s.Permit, s.index, s.Resent = due, dispatched, l.now, index, 1
	s.rejected, s.taken, s.ungranted, s.last = false, false, 0, wiregauge.Never
	s.opened, s.eat.since = wiregauge.Never, l.now
	s.Explain = l.e.plan.Log != nil || l.tally.explain()
	err := l.cur.start(s)
	if why, full := err.(wiregauge.NoSlot); full {
		l.refused(why)
		return false
	}
	l.again = append(l.again[:0], l.again[1:]...)
	l.tally.of(s).Resent++
	l.drought.over(l.now, l.now)
	if err != nil {
		l.local(s, err)
		return true
	}
	l.accepted(s)
	return true
}

// collect finishes what the session has reported and reports whether there was anything.
func (l *lane) collect() bool {
	if len(l.ended) == 0 {
		return false
	}
	for i := 0; i < len(l.ended); i++ { // finish may add to the list
		s := l.ended[i]
		if s.taken {
			l.cutShort(s)
		}
		l.land(s)
	}
	l.ended = l.ended[:0]
	return true
}

// cutShort cancels a stream that has delivered all that is wanted: it counts as OK, also when it has ended meanwhile,
// well or not. Where the protocol knows no way to cancel, its connection ends with it.
func (l *lane) cutShort(s *slot) {
	if s.Outcome == wiregauge.Unfinished && s.link.cancel(s) {
		s.link.retire(byCallDone)
	}
	s.Outcome, s.Status, s.Text, s.Done, s.Received = wiregauge.OK, s.status, "", l.now, l.e.plan.Take
}

// land takes s off its link, and finishes it or keeps it to be sent once more.
func (l *lane) land(s *slot) {
	k := s.link
	l.leaveTable(s)
	k.flight--
	k.blocked = false
	l.flight.remove(s)
	if s.Outcome == wiregauge.Unprocessed && s.Resent == 0 && l.e.turn.Load() != nil {
		s.link = nil
		l.again = append(l.again, s)
	} else {
		l.finish(s)
	}
	if k.retired && k.flight == 0 {
		k.shut()
	}
}

// finish judges and counts s, frees its slot and, in a closed loop, its caller.
func (l *lane) finish(s *slot) {
	l.judge(s)
	t := l.e.turn.Load()
	l.tally.finish(s, t)
	freed := s.Done
	s.link = nil
	l.free = append(l.free, s)
	switch {
	case t == nil:
	case t.open != nil:
		t.open.landed(l)
	default:
		l.callerFree(t, freed)
	}
}

// judge applies what the user expects to how the protocol says the call went.
func (l *lane) judge(s *slot) {
	p := &l.e.plan
	if p.Expected != nil && (s.Outcome == wiregauge.OK || s.Outcome == wiregauge.Failed) {
		switch {
		case p.Expected[s.Status]:
			s.Outcome = wiregauge.OK
		case s.Outcome == wiregauge.OK:
			s.Outcome = wiregauge.Unexpected
		}
	}
	if s.Outcome != wiregauge.OK || p.Check == nil {
		return
	}
	if s.rejected || s.Received == 0 && !p.Check(&s.Call, nil) {
		s.Outcome = wiregauge.Unexpected
	}
}

// fail ends a call that never had a connection.
func (l *lane) fail(tk ticket, text string) {
	s := l.prepare(tk)
	s.Permit = wiregauge.Never
	s.Outcome, s.Done, s.Text = wiregauge.Connect, l.now, text
	l.tally.sent(s)
	l.finish(s)
}

// expire ends the calls that have been in flight for the plan's timeout, and says when the next would.
func (l *lane) expire(now time.Duration) (next time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = now
	timeout := l.e.plan.Timeout
	for l.flight.n > 0 && l.flight.head.Permit+timeout <= now {
		s := l.flight.head
		s.link.giveUp(s, byTimeout)
		s.Outcome, s.Done = wiregauge.Timeout, now
		l.land(s)
	}
	l.push()
	if l.flight.n > 0 {
		return l.flight.head.Permit + timeout
	}
	return forever
}

// push lets every link write what it has, and makes a connection where one is needed.
func (l *lane) push() {
	for _, k := range l.links {
		k.push()
	}
	l.connectIfNeeded()
	l.publish()
}

func (l *lane) publish() {
	l.pub.due.Store(l.tally.total.Due)
	l.pub.ok.Store(l.tally.total.OK)
	l.pub.failed.Store(l.tally.total.Failed)
	l.pub.failure.Store(l.tally.failure)
	l.pub.warm.due.Store(max(l.tally.warm.Due, l.tally.warm.Sent)) // the former is counted in closed loops only
	l.pub.warm.ok.Store(l.tally.warm.OK)
	l.pub.warm.failed.Store(l.tally.warm.Failed)
	l.pub.flight.Store(int64(l.flight.n))
	l.pub.links.Store(int64(len(l.links)))
}
