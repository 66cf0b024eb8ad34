package load

import (
	"context"
	"errors"
	"fmt"
	"time"

	"wiregauge"
	"wiregauge/result"
	"wiregauge/wire"
)

const (
	firstBackoff = time.Millisecond
	lastBackoff  = 100 * time.Millisecond
)

// births counts a lane's connections.
type births struct {
	opened, failed int64
	ended          [endings]int64
}

func (b *births) add(o births) {
	b.opened += o.opened
	b.failed += o.failed
	for i, n := range o.ended {
		b.ended[i] += n
	}
}

func (b births) minus(o births) births {
	b.opened -= o.opened
	b.failed -= o.failed
	for i, n := range o.ended {
		b.ended[i] -= n
	}
	return b
}

// connections is b as it is reported.
func (b births) connections() result.Connections {
	c := result.Connections{Opened: b.opened, Failed: b.failed}
	for i, n := range b.ended {
		if n > 0 {
			if c.Ended == nil {
				c.Ended = map[string]int64{}
			}
			c.Ended[endingNames[i]] = n
		}
	}
	return c
}

// connectIfNeeded dials when calls wait for this lane and it has no connection. A connection that has ended is
// replaced at once while there is work, and only when the next call is due while there is none.
func (l *lane) connectIfNeeded() {
	if l.cur == nil && !l.dialing && l.wanted() {
		l.dial()
	}
}

func (l *lane) wanted() bool {
	t := l.e.turn.Load()
	if t == nil {
		return false
	}
	if len(l.again) > 0 {
		return true
	}
	if t.stopped.Load() {
		return false
	}
	if l.due.n > 0 {
		return true
	}
	if t.open != nil {
		if _, yes := t.open.waiting(l.now, l.e.coming.Load()); yes {
			return true
		}
	}
	if l.e.plan.OneCall {
		return false
	}
	return l.flight.n > 0 || t.open != nil && t.open.inflight.Load() > 0
}

// dial makes a connection in a goroutine of its own, which goes on to read it.
func (l *lane) dial() {
	l.dialing, l.coming = true, true
	l.e.coming.Add(1)
	l.e.wg.Add(1)
	wait := l.backoff
	go func() {
		defer l.e.wg.Done()
		if !l.e.pause(wait) {
			return
		}
		born := l.e.clock.Now()
		k, err := l.e.connect(l.e.ctx, l, born)
		if err != nil {
			l.unreachable(err)
			return
		}
		l.attach(k)
		k.live()
	}()
}

// pause waits before a dial; false means that the engine was closed.
func (e *Engine) pause(d time.Duration) bool {
	if d == 0 {
		return e.ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-e.ctx.Done():
		return false
	}
}

// connect makes a link that is not attached yet.
func (e *Engine) connect(ctx context.Context, l *lane, born time.Duration) (*link, error) {
	k := &link{lane: l, born: born, hello: make(chan error, 1)}
	if e.plan.NewClient != nil {
		client, err := e.plan.NewClient()
		k.client = client
		return k, err
	}
	conn, err := e.dialer.Dial(ctx)
	if err != nil {
		return nil, err
	}
	k.out = wire.Outbox{Mu: &l.mu, Conn: conn, Owner: k}
	k.out.Session = e.plan.NewSession(k)
	k.wind()
	return k, nil
}

// attach makes k the lane's connection, says hello and starts what waits.
func (l *lane) attach(k *link) {
	now := l.e.clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = now
	l.dialing = false
	l.links = append(l.links, k)
	l.cur, l.drought = k, drought{}
	if k.client != nil {
		l.connected(k)
	} else {
		k.greet()
		if k.greeting {
			k.blocked = true
		}
	}
	k.push()
	if err := k.tick(now); err != nil {
		k.fail(err)
	}
	k.push()
	if !k.greeting {
		l.arrived()
	}
	l.publish()
}

// arrived says that the connection which the lane was getting has taken what waited, or failed.
func (l *lane) arrived() {
	if l.coming {
		l.coming = false
		l.e.coming.Add(-1)
	}
}

// connected counts a connection that stands, hello included.
func (l *lane) connected(k *link) {
	l.backoff = 0
	l.born.opened++
	took := l.now - k.born
	if t := l.e.turn.Load(); t != nil {
		t.book.connect(took)
	} else {
		l.connects = append(l.connects, took) // for the next turn
	}
	k.hello <- nil
}

// live is the rest of the life of an attached link. A peer whose hello does not come in time is given up.
func (k *link) live() {
	if k.client != nil {
		return
	}
	late := time.AfterFunc(k.lane.e.dialTimeout(), k.hurry)
	k.run()
	late.Stop()
}

func (k *link) hurry() {
	k.lane.mu.Lock()
	defer k.lane.mu.Unlock()
	if k.greeting {
		k.retire(byTimeout)
		k.shut()
	}
}

// unreachable is a failed dial: one failed call, and a longer pause before the next dial.
func (l *lane) unreachable(err error) {
	now := l.e.clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = now
	l.dialing = false
	l.arrived()
	l.failDial(err.Error())
	l.push()
}

func (l *lane) failDial(text string) {
	l.backoff = min(max(2*l.backoff, firstBackoff), lastBackoff)
	l.born.failed++
	t := l.e.turn.Load()
	if t == nil {
		return
	}
	if n := len(l.again); n > 0 {
		s := l.again[n-1]
		l.again = l.again[:n-1]
		s.Outcome, s.Done, s.Text = wiregauge.Connect, l.now, text
		l.finish(s)
		return
	}
	l.placing = true // a failed dial is one failed call, stalled or not
	tk, ok := l.take(t)
	l.placing = false
	if ok {
		l.commit(t, tk)
		l.fail(tk, text)
	}
}

// drop takes an ended link off the lane. One that never said hello counts as a failed dial.
func (l *lane) drop(k *link, err error) {
	for i, o := range l.links {
		if o == k {
			l.links = append(l.links[:i], l.links[i+1:]...)
			break
		}
	}
	l.past.add(k.carried())
	l.repeated.add(k)
	if k.greeting {
		l.arrived()
		if err == nil {
			err = errors.New("it closed the connection")
		}
		if refused := new(wiregauge.Failure); !errors.As(err, &refused) {
			err = fmt.Errorf("no answer to the hello: %w", err)
		}
		k.hello <- err
		l.failDial(err.Error())
		return
	}
	l.born.ended[k.why]++
}
