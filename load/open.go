package load

import (
	"sync"
	"sync/atomic"
	"time"

	"wiregauge/pace"
)

// An openLoop is the schedule of one turn and what of it is still to be sent: all calls from head on. Those whose
// due time has passed wait, in the order in which they are due, as nothing but that index.
type openLoop struct {
	pacer    pace.Pacer
	start    time.Duration // of the turn: call i is due at start + pacer.Due(i)
	warm     uint64        // calls before this one are warm-up
	warmTill time.Duration // and so are those due before
	end      uint64        // no call from this one on
	endDue   time.Duration // and none due from then on
	most     int64         // in flight at a time
	clock    clock
	stopped  *atomic.Bool

	mu       sync.Mutex // held from take to commit; locked after a lane's mutex
	head     uint64
	measured uint64 // calls of the measured window taken
	total    uint64 // at most that many of them; 0: no limit
	inflight atomic.Int64
	stalled  atomic.Bool // calls wait for room, and lanes help themselves
	dry      atomic.Bool // no call is left
	full     atomic.Bool // because all of the number asked for have been sent
	limited  atomic.Bool // most was reached
}

// next is the call at the head of the queue, whether due or not.
func (o *openLoop) next() (tk ticket, ok bool) {
	i := o.head
	due := o.dueAt(i)
	warm := i < o.warm || due < o.warmTill
	full := !warm && o.total > 0 && o.measured >= o.total
	if i >= o.end || due >= o.endDue || full {
		o.dry.Store(true)
		o.full.Store(full)
		return ticket{}, false
	}
	return ticket{index: i, due: due, at: due, warm: warm}, true
}

// take gives the next call that is due to a lane with room, and leaves the queue locked until commit or putBack. It
// gives nothing, and leaves it unlocked, when none is due or too many are in flight. Lanes help themselves only while
// the loop is stalled; else the keeper, which sends on time, gives each call to its own lane.
func (o *openLoop) take(now time.Duration, keeper bool) (ticket, bool) {
	if o.stopped.Load() || o.dry.Load() || !keeper && !o.stalled.Load() {
		return ticket{}, false
	}
	o.mu.Lock()
	tk, ok := o.next()
	if !ok || tk.due > now {
		if o.stalled.Swap(false) {
			o.clock.Wake() // the keeper sends on time again
		}
		o.mu.Unlock()
		return ticket{}, false
	}
	if o.inflight.Load() >= o.most {
		o.mu.Unlock()
		return ticket{}, false
	}
	if !o.stalled.Load() {
		tk.at = now
	}
	return tk, true
}

// dueAt is when call i is due; forever when the schedule has no such call (a ramp that is over).
func (o *openLoop) dueAt(i uint64) time.Duration {
	return o.start + min(o.pacer.Due(i), forever-o.start)
}

// commit says that the call that was taken has its place.
func (o *openLoop) commit(tk ticket) {
	if !tk.warm {
		o.measured++
	}
	o.head++
	if o.inflight.Add(1) >= o.most {
		o.limited.Store(true) // also where there are just as many places on the connections
	}
	o.mu.Unlock()
}

// landed says that a call is not in flight any more. The keeper has to look for another lane when calls wait and the
// one that has room now cannot take them.
func (o *openLoop) landed(l *lane) {
	last := o.inflight.Add(-1) == 0 && (o.dry.Load() || o.stopped.Load())
	if last || o.stalled.Load() && (l.cur == nil || !l.cur.room()) {
		o.clock.Wake()
	}
}

// waiting reports whether a call is due that has no place, besides those for which connections are being made, and
// when that one is due.
func (o *openLoop) waiting(now time.Duration, coming int64) (due time.Duration, yes bool) {
	if !o.stalled.Load() || o.dry.Load() {
		return forever, false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	i := o.head + uint64(coming)
	due = o.dueAt(i)
	if i >= o.end || due >= o.endDue || o.total > 0 && o.measured+uint64(coming) >= o.total {
		return forever, false
	}
	return due, due <= now
}

// over reports whether nothing is left to do.
func (o *openLoop) over() bool { return o.dry.Load() && o.inflight.Load() == 0 }

// batch is how many calls are started before their lanes write, when that many are due at once.
const batch = 256

// overtime is how long after the deadline the keeper still sends what was due before. It is there by then when it was
// on time and only woke late; a client that cannot keep up leaves the rest unsent.
const overtime = 100 * time.Millisecond

// send starts the calls that are due, a batch of them, then lets each lane write once, and opens connections for those
// that have no place. It returns when it has to go on.
func (o *openLoop) send(e *Engine, now time.Duration) time.Duration {
	next, waits := o.startDue(e, now)
	if waits {
		next = o.connect(e, now)
	}
	e.pushDirty()
	return next
}

// catchUp sends what was due before the deadline and has a place: the keeper, which sleeps until a call is due, wakes a
// little later, and then that may be over.
func (o *openLoop) catchUp(e *Engine, now time.Duration) {
	for until := now + overtime; now < until; now = e.clock.Now() {
		next, waits := o.startDue(e, now)
		e.pushDirty()
		if waits || next > 0 {
			return
		}
	}
}

// startDue starts the calls that are due, a batch of them. It returns when the next one is due, 0 when there are more, or
// that the next one waits for a place.
func (o *openLoop) startDue(e *Engine, now time.Duration) (next time.Duration, waits bool) {
	for range batch {
		o.mu.Lock()
		tk, ok := o.next()
		o.mu.Unlock()
		switch {
		case !ok:
			return forever, false
		case tk.due > now:
			o.stalled.Store(false)
			return tk.due, false
		case e.place(tk.index, now):
			now = e.clock.Now()
			continue
		case !o.stalled.Load():
			o.stalled.Store(true) // and look once more: a lane may have found room before it could know
			continue
		}
		return forever, true
	}
	return 0, false
}

// connect opens connections for calls that wait: one each, on lanes that have none. It returns when that may have to
// be done again.
func (o *openLoop) connect(e *Engine, now time.Duration) time.Duration {
	for {
		coming := e.coming.Load()
		due, yes := o.waiting(now, coming)
		if !yes {
			return due
		}
		if !e.dialOne(o.lane(coming, len(e.lanes))) {
			return forever // every lane has a connection, or is getting one
		}
	}
}

// lane is the own lane of the call after those for which connections are being made.
func (o *openLoop) lane(coming int64, lanes int) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return int((o.head + uint64(coming)) % uint64(lanes))
}

// place starts the call at the head of the queue on its own lane or, without room there, on the first with room in
// ring order.
func (e *Engine) place(index uint64, now time.Duration) bool {
	k := len(e.lanes)
	first := int(index % uint64(k))
	for j := range k {
		l := e.lanes[(first+j)%k]
		l.mu.Lock()
		l.now, l.placing = now, true
		started := l.start(1)
		l.placing = false
		if started > 0 && !l.dirty {
			l.dirty = true
			e.dirty = append(e.dirty, l)
		}
		l.mu.Unlock()
		if started > 0 {
			return true
		}
	}
	return false
}

// pushDirty lets the lanes write that place has given a call.
func (e *Engine) pushDirty() {
	for _, l := range e.dirty {
		l.mu.Lock()
		l.dirty = false
		l.push()
		l.mu.Unlock()
	}
	e.dirty = e.dirty[:0]
}

// dialOne has the first lane without a connection, in ring order, make one.
func (e *Engine) dialOne(first int) bool {
	for j := range e.lanes {
		l := e.lanes[(first+j)%len(e.lanes)]
		l.mu.Lock()
		down := l.cur == nil && !l.dialing
		if down {
			l.dial()
		}
		l.mu.Unlock()
		if down {
			return true
		}
	}
	return false
}

// unsent is how many calls were due by then and not sent, and their tickets at a stride, for a histogram of ages.
func (o *openLoop) unsent(by time.Duration, each func(tk ticket, n int64)) (warm, main int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	last := o.dueBy(by)
	stride := (last-o.head)/65536 + 1
	for i := o.head; i < last; i += stride {
		n := int64(min(stride, last-i))
		due := o.dueAt(i)
		tk := ticket{index: i, due: due, warm: i < o.warm || due < o.warmTill}
		if tk.warm {
			warm += n
		} else {
			main += n
		}
		each(tk, n)
	}
	return warm, main
}

// dueBy is the first call from head on that is not due by then, or not part of the turn.
func (o *openLoop) dueBy(by time.Duration) uint64 {
	out := func(i uint64) bool {
		due := o.dueAt(i)
		if i >= o.end || due > by || due >= o.endDue {
			return true
		}
		warm := i < o.warm || due < o.warmTill
		return !warm && o.total > 0 && o.measured+(i-max(o.head, o.warm)) >= o.total
	}
	if out(o.head) {
		return o.head
	}
	step := uint64(1)
	for !out(o.head + step) {
		step *= 2
	}
	low, high := o.head+step/2, o.head+step // out(high), not out(low)
	for high-low > 1 {
		if mid := low + (high-low)/2; out(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}
