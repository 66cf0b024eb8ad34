package load

import (
	"context"
	"slices"
	"time"

	"wiregauge"
)

// A stack client's calls run on goroutines of their own, one parked per slot: the library blocks. All else, counting,
// pacing, timeouts' classes, is the lane's as for a session.

// hand gives s to its goroutine.
func (k *link) hand(s *slot) {
	s.link = k
	if s.work == nil {
		s.work = make(chan struct{}, 1)
		k.lane.e.wg.Go(func() { k.lane.work(s) })
	}
	s.work <- struct{}{}
}

// work carries out the calls of one slot until the engine closes.
func (l *lane) work(s *slot) {
	for {
		select {
		case <-s.work:
		case <-l.e.ctx.Done():
			return
		}
		l.carryOut(s)
	}
}

func (l *lane) carryOut(s *slot) {
	l.mu.Lock()
	t, k := l.e.turn.Load(), s.link
	if t == nil || s.abandoned {
		l.reclaim(s)
		l.mu.Unlock()
		return
	}
	l.mu.Unlock()
	ctx, cancel := t.callContext(l.e.plan.Timeout, s)
	k.client.Do(ctx, &s.Call, stackEvents{l, s})
	late := ctx.Err() == context.DeadlineExceeded
	cancel()
	now := l.e.clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.abandoned {
		l.reclaim(s)
		return
	}
	l.now = now
	s.Done = now
	if s.Resent > 0 {
		l.tally.of(s).Resent += int64(s.Resent)
	}
	s.settle(late, l.e.plan.Take)
	l.land(s)
	l.push()
	if l.tally.ripe(now) {
		l.tally.flush()
	}
}

// reclaim takes back the slot of a call that the turn did not wait for.
func (l *lane) reclaim(s *slot) {
	s.abandoned = false
	l.free = append(l.free, s)
}

// callContext ends with the turn, after the timeout, or when enough of a stream has come.
func (t *turn) callContext(timeout time.Duration, s *slot) (context.Context, context.CancelFunc) {
	if timeout > 0 {
		ctx, cancel := context.WithTimeout(t.ctx, timeout)
		s.cancel = cancel
		return ctx, cancel
	}
	if s.Request.Keep {
		ctx, cancel := context.WithCancel(t.ctx)
		s.cancel = cancel
		return ctx, cancel
	}
	return t.ctx, func() {}
}

// settle makes sure that a call which has returned has an outcome, and that our timeout is told from the server's. One
// of which enough has been taken ended there, though the library may have read on.
func (s *slot) settle(late bool, take int) {
	switch {
	case s.taken && s.Outcome != wiregauge.Retried:
		s.Outcome, s.Status, s.Text, s.Received, s.Done = wiregauge.OK, s.status, "", take, s.last
	case late && s.Outcome != wiregauge.OK && s.Outcome != wiregauge.Retried:
		s.Outcome = wiregauge.Timeout
	case s.Outcome == wiregauge.Unfinished:
		s.Outcome = wiregauge.Closed
	}
}

// abandon leaves a call to its goroutine, which drops it when the library returns.
func (k *link) abandon(s *slot) { s.abandoned = true }

// leave cancels what stack clients still do for the turn, and waits a little for them.
func (e *Engine) leave(t *turn) {
	if t.cancel != nil {
		t.cancel()
	}
}

// dismiss takes a client off its lane that makes no more calls, and closes it. Libraries may take their time for that.
func (k *link) dismiss() {
	l := k.lane
	l.links = slices.DeleteFunc(slices.Clone(l.links), func(o *link) bool { return o == k })
	l.past.add(k.carried())
	l.repeated.add(k)
	s := k.client.Stats()
	l.retries += s.Retries
	b := k.tried(s)
	b.ended[k.why] += s.Opened - s.Ended // the one that stands
	if l.e.plan.OneCall {                // and that the library may have closed already, as asked
		b.ended[k.why] += b.ended[byLibrary]
		b.ended[byLibrary] = 0
	}
	l.born.add(b)
	l.e.wg.Go(func() { _ = k.client.Close() })
}

// births is what the connections of the lane came to, those that libraries made on their own included.
func (l *lane) births() births {
	b := l.born
	for _, k := range l.links {
		if k.client != nil {
			b.add(k.tried(k.client.Stats()))
		}
	}
	return b
}

// tried is what a library did beyond the connection that it was made with.
func (k *link) tried(s wiregauge.ClientStats) (b births) {
	b.opened = s.Opened - 1
	b.ended[byGoAway], b.ended[byServer], b.ended[byReset] = s.GoAways, s.Closes, s.Resets
	b.ended[byLibrary] = s.Ended - s.GoAways - s.Closes - s.Resets
	return b
}

// retries is how often the libraries sent a call a second time, not provably harmless.
func (e *Engine) retries() (sum int64) {
	if e.plan.NewClient == nil {
		return 0
	}
	for _, l := range e.lanes {
		l.mu.Lock()
		sum += l.retries
		for _, k := range l.links {
			sum += k.client.Stats().Retries
		}
		l.mu.Unlock()
	}
	return sum
}

// stackEvents stamps one call of a stack client. The library calls it from its own goroutines.
type stackEvents struct {
	l *lane
	s *slot
}

func (e stackEvents) stamp(at *time.Duration) {
	now := e.l.e.clock.Now()
	e.l.mu.Lock()
	defer e.l.mu.Unlock()
	if *at == wiregauge.Never {
		*at = now
	}
}

// Sent stamps the call.
func (e stackEvents) Sent(c *wiregauge.Call) { e.stamp(&c.Sent) }

// First stamps the call.
func (e stackEvents) First(c *wiregauge.Call) { e.stamp(&c.First) }

// Message looks at a body.
func (e stackEvents) Message(c *wiregauge.Call, body []byte) {
	now := e.l.e.clock.Now()
	e.l.mu.Lock()
	defer e.l.mu.Unlock()
	if e.s.abandoned || e.s.taken {
		return
	}
	e.l.now = now
	if e.s.message(e.l, body) && e.s.cancel != nil {
		e.s.cancel()
	}
}

// Room and Closing are the library's own affair; Done never comes.
func (e stackEvents) Room(*wiregauge.Call) {}

// Closing does nothing.
func (e stackEvents) Closing() {}

// Done does nothing: Do returns.
func (e stackEvents) Done(*wiregauge.Call) {}

var _ wiregauge.Events = stackEvents{}
