package load

import (
	"container/heap"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"wiregauge"
	"wiregauge/result"
	"wiregauge/wire"
)

// peer is a server in fake time: it answers the frames of fakeSession when its behaviour says so.
type peer struct {
	mu       sync.Mutex
	received int // frames, over all connections
	dials    int
	conns    []*peerConn
	epoch    time.Time

	// behave says what happens to the n-th request the peer receives (from 0).
	behave func(n int, at time.Duration) reply
	// dial, when set, decides whether the n-th dial (from 1) succeeds.
	dial func(n int) error
	// idle closes a connection that was silent for that long.
	idle time.Duration
	// slow is how long the kernel takes before it has room for a write.
	slow time.Duration
	// ageing sends a GOAWAY in place of the so-many-th answer of a connection: that request and later ones were not
	// processed.
	ageing int
}

// reply is what becomes of one request.
type reply struct {
	after    time.Duration
	status   int
	hang     bool
	reset    bool // the connection is reset in place of an answer
	messages int  // of a stream, one each `gap`; then the answer
	gap      time.Duration
	endless  bool
}

func (p *peer) connect(context.Context) (net.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dials++
	if p.dial != nil {
		if err := p.dial(p.dials); err != nil {
			return nil, err
		}
	}
	c := &peerConn{peer: p, wake: make(chan struct{}, 1), heard: time.Now()}
	p.conns = append(p.conns, c)
	return c, nil
}

// event is bytes that leave the peer at a time.
type event struct {
	at    time.Time
	order int
	frame [8]byte
	reset bool
}

type events []event

func (h events) Len() int { return len(h) }
func (h events) Less(i, j int) bool {
	if h[i].at.Equal(h[j].at) {
		return h[i].order < h[j].order
	}
	return h[i].at.Before(h[j].at)
}
func (h events) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *events) Push(x any)   { *h = append(*h, x.(event)) }
func (h *events) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// peerConn is the client's end of one connection to the peer. It needs no goroutine: Read itself waits for the time
// of the next answer.
type peerConn struct {
	peer   *peer
	mu     sync.Mutex
	part   []byte
	queue  events
	order  int
	count  int // requests on this connection
	last   uint32
	aged   bool
	closed bool
	heard  time.Time
	wake   chan struct{}
}

func (c *peerConn) Write(b []byte) (int, error) {
	time.Sleep(c.peer.slow)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, syscall.EPIPE
	}
	c.heard = time.Now()
	c.part = append(c.part, b...)
	for len(c.part) >= 8 {
		c.request(binary.BigEndian.Uint32(c.part))
		c.part = c.part[8:]
	}
	c.poke()
	return len(b), nil
}

func (c *peerConn) poke() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *peerConn) request(id uint32) {
	p := c.peer
	c.count++
	if c.aged {
		return // above the last id of the GOAWAY: not processed
	}
	if p.ageing > 0 && c.count >= p.ageing {
		c.aged = true
		c.send(0, c.last, statusGoAway)
		return
	}
	c.last = id
	p.mu.Lock()
	n := p.received
	p.received++
	r := p.behave(n, time.Since(p.epoch))
	p.mu.Unlock()
	switch {
	case r.hang:
	case r.reset:
		c.push(event{at: time.Now().Add(r.after), reset: true})
	default:
		c.stream(id, r)
	}
}

func (c *peerConn) stream(id uint32, r reply) {
	at := r.after
	for range r.messages {
		c.send(at, id, statusMessage)
		at += r.gap
	}
	if !r.endless {
		c.send(at, id, r.status)
	}
}

func (c *peerConn) send(after time.Duration, id uint32, status int) {
	e := event{at: time.Now().Add(after)}
	binary.BigEndian.PutUint32(e.frame[:], id)
	binary.BigEndian.PutUint32(e.frame[4:], uint32(status))
	c.push(e)
}

func (c *peerConn) push(e event) {
	e.order = c.order
	c.order++
	heap.Push(&c.queue, e)
}

func (c *peerConn) Read(b []byte) (int, error) {
	for {
		n, wait, err := c.ready(b)
		if n > 0 || err != nil {
			return n, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-c.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// ready copies what may be read now, or says how long there will be nothing.
func (c *peerConn) ready(b []byte) (n int, wait time.Duration, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, 0, io.EOF
	}
	now := time.Now()
	for len(c.queue) > 0 && !c.queue[0].at.After(now) && len(b)-n >= 8 {
		e := heap.Pop(&c.queue).(event)
		if e.reset {
			c.closed = true
			return n, 0, syscall.ECONNRESET
		}
		n += copy(b[n:], e.frame[:])
		c.heard = now
	}
	wait = time.Hour
	if len(c.queue) > 0 {
		wait = c.queue[0].at.Sub(now)
	} else if c.peer.idle > 0 {
		if wait = c.heard.Add(c.peer.idle).Sub(now); wait <= 0 && n == 0 {
			c.closed = true
			return 0, 0, io.EOF
		}
	}
	return n, wait, nil
}

func (c *peerConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.poke()
	return nil
}

// The rest of net.Conn is not used.
func (c *peerConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *peerConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *peerConn) SetDeadline(time.Time) error      { return errors.ErrUnsupported }
func (c *peerConn) SetReadDeadline(time.Time) error  { return errors.ErrUnsupported }
func (c *peerConn) SetWriteDeadline(time.Time) error { return errors.ErrUnsupported }

// after answers every request OK after d.
func after(d time.Duration) func(int, time.Duration) reply {
	return func(int, time.Duration) reply { return reply{after: d} }
}

// inFakeTime opens a plan against a peer in a synctest bubble, runs one turn, and checks conservation.
func inFakeTime(t *testing.T, p *peer, plan Plan, s Spec, check func(t *testing.T, r result.Turn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		e := openFake(t, p, plan)
		defer e.Close()
		r, err := e.Turn(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		conserved(t, r)
		check(t, r)
	})
}

// openFake opens a plan against p on Go's clock, which is fake inside a bubble.
func openFake(t *testing.T, p *peer, plan Plan) *Engine {
	t.Helper()
	p.epoch = time.Now()
	plan = fakePlan(p, plan)
	e, err := newEngine(plan)
	if err != nil {
		t.Fatal(err)
	}
	e.coarse = true
	if _, err := e.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

func fakePlan(p *peer, plan Plan) Plan {
	if p.behave == nil {
		p.behave = after(0)
	}
	plan.Dialer = wire.Dialer{Connect: p.connect, Address: "peer"}
	if plan.Requests == nil {
		plan.Requests = []*wiregauge.Request{{}}
	}
	if plan.NewSession == nil {
		plan.NewSession = func(ev wiregauge.Events) wiregauge.Session { return newFake(ev) }
	}
	plan.Connections = max(plan.Connections, 1)
	if plan.Pacer == nil {
		plan.Concurrency = max(plan.Concurrency, 1)
	}
	return plan
}

func conserved(t *testing.T, r result.Turn) {
	t.Helper()
	for name, c := range map[string]*result.Counts{"measured": &r.Counts, "warm-up": r.Warm} {
		if c == nil {
			continue
		}
		if c.Due != c.Unsent+c.Sent || c.Sent != c.OK+c.Failed+c.Unfinished {
			t.Errorf("%s counts do not add up: %+v", name, *c)
		}
	}
	if r.Latency != nil && r.Latency.Count() != r.OK {
		t.Errorf("%d latencies of %d OK calls", r.Latency.Count(), r.OK)
	}
	if r.FailedLatency != nil && r.FailedLatency.Count() != r.Failed {
		t.Errorf("%d latencies of %d failed calls", r.FailedLatency.Count(), r.Failed)
	}
}
