package load

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"wiregauge"
	"wiregauge/wire"
)

// dialsAtOnce bounds parallel dials, so that a server's listen queue does not overflow.
const dialsAtOnce = 64

// An Engine holds the connections of one plan and measures it in turns.
type Engine struct {
	plan     Plan
	dialer   wire.Dialer
	requests []*wiregauge.Request
	streams  int
	lanes    []*lane
	clock    *goClock
	coarse   bool // Go's timers even where precision counts: tests on a fake clock

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	coming atomic.Int64   // lanes whose connection is being made
	wg     sync.WaitGroup // goroutines of connections and of stack clients

	turn  atomic.Pointer[turn] // the current one; nil between turns
	snap  atomic.Pointer[turn] // the current or the last
	wake  time.Duration        // when the keeper has to act again
	dirty []*lane              // the keeper's own
}

// Open makes the plan's connections and returns when all of them take calls, or with the first error: a target that
// cannot be reached is known before the clock starts. With OneCall it makes one and closes it again.
func Open(ctx context.Context, p Plan) (*Engine, error) {
	e, err := newEngine(p)
	if err != nil {
		return nil, err
	}
	return e.open(ctx)
}

func (e *Engine) open(ctx context.Context) (*Engine, error) {
	if err := e.connectAll(ctx); err != nil {
		_ = e.Close()
		return nil, err
	}
	return e, nil
}

func newEngine(p Plan) (*Engine, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	e := &Engine{plan: p, clock: newGoClock(), streams: p.Streams, dialer: p.Dialer}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.dialer.Timeout = e.dialTimeout()
	e.requests = p.requests()
	for k := range p.Connections {
		e.lanes = append(e.lanes, &lane{e: e, k: k})
	}
	return e, nil
}

// requests are the plan's, with bodies kept where they have to be looked at.
func (p *Plan) requests() []*wiregauge.Request {
	if p.Check == nil && p.Take == 0 && p.LimitRate == 0 && p.Consume == 0 && !p.timesMessages() {
		return p.Requests
	}
	kept := make([]*wiregauge.Request, len(p.Requests))
	for i, r := range p.Requests {
		c := *r
		c.Keep = c.Keep || p.Check != nil || p.Take > 0 || r.Shape.StreamsIn()
		if r.Shape.StreamsIn() {
			c.Credit = p.LimitRate
			if p.Consume > 0 {
				c.Credit = max(c.Credit, 1)
			}
		}
		kept[i] = &c
	}
	return kept
}

// timesMessages reports whether our own client says when each message of a stream comes. Of a library's streams that
// would cost a lock for each message, and is known only where somebody wants to see them.
func (p *Plan) timesMessages() bool {
	return p.NewSession != nil && slices.ContainsFunc(p.Requests, func(r *wiregauge.Request) bool { return r.Shape.StreamsIn() })
}

func (p *Plan) check() error {
	switch {
	case len(p.Requests) == 0:
		return errors.New("a plan needs a request")
	case p.NewSession == nil && p.NewClient == nil:
		return errors.New("a plan needs a protocol: NewSession or NewClient")
	case p.Connections < 1:
		return fmt.Errorf("connections: %d, want at least 1", p.Connections)
	case p.Pacer == nil && p.Concurrency < 1:
		return fmt.Errorf("concurrency: %d, want at least 1", p.Concurrency)
	}
	return nil
}

func (s *Spec) check(p *Plan) error {
	if s.Duration <= 0 && s.Total == 0 {
		return errors.New("a turn needs a duration or a number of calls")
	}
	if p.Pacer == nil && s.Pacer == nil && s.Concurrency < 1 && p.Concurrency < 1 {
		return fmt.Errorf("concurrency: %d, want at least 1", s.Concurrency)
	}
	return nil
}

func (e *Engine) dialTimeout() time.Duration {
	if e.plan.ConnectTimeout > 0 {
		return e.plan.ConnectTimeout
	}
	if e.plan.Dialer.Timeout > 0 {
		return e.plan.Dialer.Timeout
	}
	return wire.DefaultTimeout
}

// connectAll dials every lane that has no connection and waits until they take calls. It returns the first error; the
// other lanes go on.
func (e *Engine) connectAll(ctx context.Context) error {
	var wg sync.WaitGroup
	errs := make(chan error, len(e.lanes))
	places := make(chan struct{}, dialsAtOnce)
	for _, l := range e.lanes {
		if !l.claimDial() {
			continue
		}
		wg.Add(1)
		places <- struct{}{}
		go func() {
			defer wg.Done()
			if err := e.connectOne(ctx, l); err != nil {
				errs <- err
			}
			<-places
		}()
	}
	wg.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

// claimDial reports whether the lane needs a connection before a turn, and if so has the caller dial.
func (l *lane) claimDial() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cur != nil || l.dialing || l.e.plan.OneCall && (l.k > 0 || l.born.opened > 0) {
		return false
	}
	l.dialing = true
	return true
}

func (e *Engine) connectOne(ctx context.Context, l *lane) error {
	k, err := e.connect(ctx, l, e.clock.Now())
	if err != nil {
		l.unreachable(err)
		return err
	}
	l.attach(k)
	e.wg.Go(k.live)
	select {
	case err = <-k.hello:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err == nil && e.plan.OneCall {
		l.mu.Lock()
		k.retire(byCallDone)
		k.shut()
		l.mu.Unlock()
	}
	return err
}

// Info describes the connections that stand.
func (e *Engine) Info() []wire.Info {
	var all []wire.Info
	for _, l := range e.lanes {
		l.mu.Lock()
		if l.cur != nil && l.cur.client == nil {
			l.info = l.cur.out.Conn.Info()
			l.known = true
		}
		if l.known {
			all = append(all, l.info)
		}
		l.mu.Unlock()
	}
	return all
}

// Snapshot is for the progress display; it takes no lock of a lane.
func (e *Engine) Snapshot() Snapshot {
	t := e.snap.Load()
	if t == nil {
		return Snapshot{}
	}
	now := e.clock.Now()
	s := Snapshot{
		Elapsed:     now - t.begin(),
		Warming:     t.spec.Discard || t.began.Load() < 0 || t.began.Load() > int64(now),
		LatenessP99: time.Duration(t.book.late99.Load()),
	}
	if last := t.book.shown.Load(); last != nil {
		s.Second = last.At
		if last.P50 != nil {
			s.P50, s.P99, s.Max = *last.P50, *last.P99, *last.Max
		}
	}
	if s.Warming {
		s.Elapsed = now - t.start
	}
	for _, l := range e.lanes {
		s.Due += l.pub.due.Load()
		s.OK += l.pub.ok.Load()
		s.Failed += l.pub.failed.Load()
		s.Warm.Due += l.pub.warm.due.Load()
		s.Warm.OK += l.pub.warm.ok.Load()
		s.Warm.Failed += l.pub.warm.failed.Load()
		s.Inflight += l.pub.flight.Load()
		s.Connections += l.pub.links.Load()
		if s.Failure == "" {
			s.Failure = e.plan.failureName(l.pub.failure.Load())
		}
	}
	if t.open != nil {
		s.Due = s.OK + s.Failed + s.Inflight
	}
	if t.spec.Discard {
		s.Warm.Due, s.Warm.OK, s.Warm.Failed = s.Due, s.OK, s.Failed
	}
	return s
}

// Close ends the connections and waits for their goroutines.
func (e *Engine) Close() error {
	e.cancel()
	for _, l := range e.lanes {
		l.mu.Lock()
		for _, k := range l.links {
			k.retire(byTurnEnd)
			k.shut()
		}
		l.mu.Unlock()
	}
	e.wg.Wait()
	return nil
}
