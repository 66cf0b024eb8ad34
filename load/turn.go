package load

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"wiregauge/internal/sleep"
	"wiregauge/meter"
	"wiregauge/pace"
	"wiregauge/result"
)

const (
	defaultInflight = 65536
	tick            = 250 * time.Millisecond
)

// A turn is one time slice while it runs.
type turn struct {
	spec      Spec
	clock     clock
	start     time.Duration
	warmTill  time.Duration // calls due before are warm-up
	warmCalls int64
	total     uint64
	drain     time.Duration
	open      *openLoop // one of the two
	closed    *callers
	book      *book
	stopped   atomic.Bool // nothing new is started

	began     atomic.Int64 // start of the measured window, -1 until it is known
	metered   bool         // the costs at the start of the window have been read
	pulse     *meter.Watch // nil where there is none
	before    costs
	interrupt atomic.Bool
	enough    atomic.Bool // Settle has seen what it wanted
	nextTick  time.Duration
	expiry    time.Duration // when a call may first be over its timeout
	peak      atomic.Int64  // largest memory of the server seen

	ctx    context.Context // of stack clients' calls
	cancel context.CancelFunc
	stopAt time.Duration // when it was stopped; 0 until then
}

// Turn measures one time slice on the engine's connections. It ends when the slice is over, all calls of the spec are
// done, or ctx ends: then the turn holds what was measured and is marked Partial. One Turn runs at a time.
func (e *Engine) Turn(ctx context.Context, s Spec) (result.Turn, error) {
	if err := s.check(&e.plan); err != nil {
		return result.Turn{}, err
	}
	e.connectAll(ctx)
	restore := quiet(&e.plan)
	defer restore()
	t, release := e.newTurn(s)
	defer release()
	watched := e.watch(t)
	defer watched()
	undo := context.AfterFunc(ctx, func() {
		t.interrupt.Store(true)
		t.clock.Wake()
	})
	defer undo()
	e.watchSelf(t)
	e.begin(t)
	observed := e.observe(t)
	for !e.step(t) {
		t.clock.SleepUntil(e.wake)
	}
	observed()
	return e.conclude(t), nil
}

// newTurn prepares the turn and its clock.
func (e *Engine) newTurn(s Spec) (t *turn, release func()) {
	pacer := e.plan.Pacer
	if s.Pacer != nil {
		pacer = s.Pacer
	}
	precise := pacer != nil || e.plan.Think.Mean > 0
	c, release := e.newClock(precise)
	t = &turn{spec: s, clock: c, total: s.Total, drain: e.plan.Drain, book: &book{timing: precise, log: e.plan.Log, name: e.plan.className}}
	if s.Discard {
		t.book.log = nil
	}
	if s.Trajectory || s.Settle != nil {
		t.book.path = new(trajectory)
	}
	if s.Drain != nil {
		t.drain = *s.Drain
	}
	if e.plan.NewClient != nil {
		t.ctx, t.cancel = context.WithCancel(e.ctx)
	}
	t.began.Store(-1)
	t.start = c.Now()
	t.nextTick = t.start + tick
	t.expiry = forever
	if e.plan.Timeout > 0 {
		t.expiry = t.start + e.plan.Timeout
	}
	t.warmCalls = int64(s.WarmupCalls)
	if s.WarmupDuration > 0 {
		t.warmTill = t.start + s.WarmupDuration
		t.warmCalls = 0
	}
	if pacer != nil {
		t.openLoop(pacer, e.plan.MaxInflight)
	} else {
		t.closed = &callers{think: e.plan.Think, rng: rand.New(rand.NewPCG(e.plan.Seed, s.Seed))}
	}
	if s.WarmupDuration > 0 || s.WarmupCalls == 0 {
		t.beginAt(max(t.start, t.warmTill))
	}
	return t, release
}

func (t *turn) openLoop(p pace.Pacer, most int) {
	if most <= 0 {
		most = defaultInflight
	}
	o := &openLoop{pacer: p, start: t.start, clock: t.clock, stopped: &t.stopped, most: int64(most),
		warm: uint64(t.warmCalls), warmTill: t.warmTill, end: 1<<64 - 1, endDue: forever, total: t.total}
	t.open = o
	begin := max(t.start, t.warmTill)
	if t.warmCalls > 0 {
		begin = t.start + p.Due(uint64(t.warmCalls))
		t.beginAt(begin)
	}
	if t.spec.Duration > 0 {
		o.endDue = begin + t.spec.Duration
	}
}

// newClock is Go's clock, or one that sleeps precisely on this goroutine's thread.
func (e *Engine) newClock(precise bool) (clock, func()) {
	if !precise || e.coarse {
		return e.clock, func() {}
	}
	procs := runtime.GOMAXPROCS(0)
	if procs < 2 { // the thread that sleeps needs a processor to come back to while another reads
		runtime.GOMAXPROCS(2)
	}
	thread := sleep.Lock()
	return &threadClock{e.clock, thread}, func() {
		thread.Unlock()
		if procs < 2 {
			runtime.GOMAXPROCS(procs)
		}
	}
}

// beginAt fixes the start of the measured window; the first one counts.
func (t *turn) beginAt(at time.Duration) {
	if t.began.Load() < 0 && t.began.CompareAndSwap(-1, int64(at)) {
		t.book.begin(at)
		t.clock.Wake()
	}
}

// begin is the start of the measured window, or of the turn while that is not known.
func (t *turn) begin() time.Duration {
	if b := t.began.Load(); b >= 0 {
		return time.Duration(b)
	}
	return t.start
}

// deadline is the end of the slice, forever without one.
func (t *turn) deadline() time.Duration {
	b := t.began.Load()
	if t.spec.Duration == 0 || b < 0 {
		return forever
	}
	return time.Duration(b) + t.spec.Duration
}

// inside reports whether a call that ended then ended in the measured window.
func (t *turn) inside(done time.Duration) bool {
	b := t.began.Load()
	return b >= 0 && (done > time.Duration(b) || b == int64(t.start)) && done <= t.deadline()
}

// begin sets the lanes to work.
func (e *Engine) begin(t *turn) {
	n := e.plan.Concurrency
	if t.spec.Concurrency > 0 {
		n = t.spec.Concurrency
	}
	if t.closed != nil {
		t.closed.left.Store(int64(n))
	}
	for _, l := range e.lanes {
		l.mu.Lock()
		l.tally.reset(t.book)
		l.publish()
		l.tally.pauses.begin(t.start, false)
		for _, took := range l.connects {
			t.book.connect(took)
		}
		l.connects = nil
		l.mu.Unlock()
	}
	e.meterStart(t)
	t.metered = t.began.Load() == int64(t.start)
	e.turn.Store(t)
	e.snap.Store(t)
	if t.closed == nil {
		return
	}
	for k, l := range e.lanes {
		l.mu.Lock()
		l.now = t.start
		share := n / len(e.lanes)
		if k < n%len(e.lanes) {
			share++
		}
		l.tally.pauses.begin(t.start, share > 0)
		for range share {
			l.claim(t, t.start)
		}
		l.mu.Unlock()
	}
	for _, l := range e.lanes {
		l.mu.Lock()
		l.push()
		l.mu.Unlock()
	}
}

// step does what is due now, sets e.wake to when to come back, and reports whether the turn is over.
func (e *Engine) step(t *turn) (over bool) {
	now := t.clock.Now()
	if t.interrupt.Load() {
		e.stop(t, now)
		return true
	}
	e.wake = t.deadline()
	if t.enough.Load() && t.stopAt == 0 {
		e.stop(t, now)
	}
	if now >= e.wake && t.stopAt == 0 {
		if t.open != nil {
			t.open.catchUp(e, now)
		}
		e.stop(t, t.deadline())
	}
	if t.stopAt > 0 {
		e.wake = t.stopAt + t.drain
		if now >= e.wake {
			return true
		}
	}
	if t.done() {
		return true
	}
	e.wake = min(e.wake, e.work(t, now))
	return t.done()
}

// work sends, expires and tidies; it says when it has to be done again.
func (e *Engine) work(t *turn, now time.Duration) (next time.Duration) {
	next = forever
	if t.stopAt == 0 {
		if t.open != nil {
			next = t.open.send(e, now)
		} else {
			next = t.closed.back(t, now)
		}
	}
	if !t.metered && now >= t.begin() && t.began.Load() >= 0 {
		e.meterStart(t)
		t.metered = true
	}
	if b := t.began.Load(); b > int64(now) {
		next = min(next, time.Duration(b))
	}
	if now >= t.expiry {
		t.expiry = e.expire(t.clock.Now())
	}
	if now >= t.nextTick {
		e.tidy(t, now)
		t.nextTick = now + tick
	}
	return min(next, t.expiry, t.nextTick)
}

// done reports whether nothing is left to wait for.
func (t *turn) done() bool {
	if t.closed != nil {
		return t.closed.left.Load() <= 0
	}
	if t.spec.Duration > 0 && t.stopAt == 0 && !t.open.full.Load() {
		return false // the slice is waited for, though no call is due in the rest of it
	}
	return t.open.over() || t.stopAt > 0 && t.open.inflight.Load() == 0
}

// stop ends the start of new calls. Callers that wait for a place or think retire.
func (e *Engine) stop(t *turn, now time.Duration) {
	t.stopped.Store(true)
	t.stopAt = now
	if t.closed == nil {
		return
	}
	t.closed.dismiss(t)
	for _, l := range e.lanes {
		l.mu.Lock()
		n := l.due.n
		l.mu.Unlock()
		if n > 0 {
			t.retire(int64(n))
		}
	}
}

// expire ends the calls that are over their timeout. No call that starts from now on can be over it before now + the
// timeout, so that the lanes are looked at again only then or when the oldest call in flight is.
func (e *Engine) expire(now time.Duration) time.Duration {
	next := now + e.plan.Timeout
	if e.plan.NewClient != nil {
		return forever // their calls carry a deadline themselves
	}
	for _, l := range e.lanes {
		next = min(next, l.expire(now))
	}
	return next
}

// tidy lets samples of slow lanes be seen.
func (e *Engine) tidy(t *turn, now time.Duration) {
	for _, l := range e.lanes {
		l.mu.Lock()
		if l.tally.ripe(now) {
			l.tally.flush()
		}
		if e.plan.Consume > 0 {
			l.unread()
		}
		l.publish()
		l.mu.Unlock()
	}
}
