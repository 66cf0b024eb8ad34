package wire

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"wiregauge"
)

// A Handler is told what happens to one call of an Exchange. Every field may be nil. They are called from the
// goroutine that reads, with the Exchange locked: they must not call it.
type Handler struct {
	Sent    func()
	First   func()
	Message func(body []byte) // valid until it returns; only when the Request says Keep
	Closing func()
	Bytes   func(p []byte, sent bool) // all bytes of the connection in order, under TLS the plaintext
	Rest    func()                    // before more is read, with the Exchange not locked: it may wait, also for what it calls
}

// An Exchange drives one session on one connection for a few calls: `call`, reflection, conformance, tests. It is
// safe for concurrent use. The times of its calls are since it was made.
type Exchange struct {
	mu       sync.Mutex
	out      Outbox
	streamer wiregauge.Streamer
	beat     beat
	fault    error // why we end it, where no read or write tells
	epoch    time.Time
	now      time.Duration
	calls    map[*wiregauge.Call]*pending
	waiting  []*pending // refused with a NoSlot, in order
	finished []*pending
	tap      tap
	pause    func()        // of the latest Handler that has a Rest
	greeted  chan struct{} // closed once Start is worth a try
	ready    bool
	closing  bool
	ended    bool
	cause    error
	loopDone chan struct{}
}

// pending is one call between Start and Done.
type pending struct {
	c       *wiregauge.Call
	h       Handler
	started chan struct{} // closed when the session has taken it
	taken   bool
	done    chan struct{}
	room    chan struct{} // of size 1: Send is worth another try
	err     error
}

// NewExchange runs a session on c and returns when the peer's hello, where the protocol has one, allows Start.
// The Exchange owns c from then on.
func NewExchange(ctx context.Context, c *Conn, newSession func(wiregauge.Events) wiregauge.Session) (*Exchange, error) {
	x := &Exchange{
		epoch:    time.Now(),
		calls:    map[*wiregauge.Call]*pending{},
		greeted:  make(chan struct{}),
		loopDone: make(chan struct{}),
	}
	s := newSession((*exchangeEvents)(x))
	x.streamer, _ = s.(wiregauge.Streamer)
	x.beat.ticker, _ = s.(wiregauge.Ticker)
	x.out = Outbox{Mu: &x.mu, Conn: c, Session: s, Owner: (*exchangeOwner)(x)}
	x.mu.Lock()
	x.out.Push()
	x.greet()
	if x.tick() == nil {
		x.out.Push()
	}
	x.mu.Unlock()
	go x.loop()
	select {
	case <-x.greeted:
	case <-ctx.Done():
		x.Close()
		return nil, ctx.Err()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended && !x.ready {
		return nil, x.cause
	}
	return x, nil
}

// greet opens the Exchange for calls once the session is past the peer's hello.
func (x *Exchange) greet() {
	if x.ready {
		return
	}
	if g, ok := x.out.Session.(wiregauge.Greeter); ok && !g.Ready() {
		return
	}
	x.ready = true
	close(x.greeted)
}

// loop reads until the connection ends.
func (x *Exchange) loop() {
	defer close(x.loopDone)
	err := x.out.Conn.Loop(x.receive, x.rest)
	x.mu.Lock()
	x.end(err)
	x.mu.Unlock()
	_ = x.out.Conn.Close()
}

func (x *Exchange) receive(p []byte) (used int, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.now = time.Since(x.epoch)
	before := len(x.out.buf)
	used, err = x.out.Receive(p)
	x.tap.pass(p[:used], false)
	x.tap.pass(x.out.buf[before:], true)
	if err == nil {
		err = x.tick()
	}
	x.greet()
	x.settle()
	if err != nil {
		x.cause = err
		x.out.Push() // what the session still has to say
	}
	return used, err
}

// rest writes what the reads since the last wait have led to.
func (x *Exchange) rest() {
	x.mu.Lock()
	x.out.Push()
	rest := x.pause
	x.mu.Unlock()
	if rest != nil {
		rest()
	}
}

// end finishes every call that is still open.
func (x *Exchange) end(err error) {
	x.now = time.Since(x.epoch)
	x.beat.still()
	if x.fault != nil {
		err = x.fault
	}
	x.ended, x.closing = true, true
	x.cause = x.reason(err)
	x.out.Session.End(err)
	x.settle()
	for _, p := range x.waiting {
		x.refuse(p)
	}
	x.waiting = nil
	if !x.ready {
		select {
		case <-x.greeted:
		default:
			close(x.greeted)
		}
	}
}

// reason puts the end of the connection into words.
func (x *Exchange) reason(err error) error {
	if werr := x.out.Err(); werr != nil && (err == nil || errors.Is(err, io.EOF)) {
		return werr
	}
	if err == nil || errors.Is(err, io.EOF) {
		return ErrEnded
	}
	return err
}

// ErrEnded is why a call cannot start on a connection that the server has closed.
var ErrEnded = errors.New("the server closed the connection")

// Do carries out c: Start, then Wait. An error means that the call could not start; a call that failed says so in
// its Outcome.
func (x *Exchange) Do(ctx context.Context, c *wiregauge.Call, h Handler) error {
	if err := x.Start(ctx, c, h); err != nil {
		return err
	}
	return x.Wait(ctx, c)
}

// Start returns when the session has taken c, or with the reason why it cannot.
func (x *Exchange) Start(ctx context.Context, c *wiregauge.Call, h Handler) error {
	p := x.enter(c, h)
	select {
	case <-p.started:
		return p.err
	default:
	}
	select {
	case <-p.started:
		return p.err
	case <-ctx.Done():
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if p.taken { // it won the race: Wait will see the end of ctx
		return p.err
	}
	x.forget(p)
	c.Outcome = outcomeOf(ctx)
	return ctx.Err()
}

func (x *Exchange) enter(c *wiregauge.Call, h Handler) *pending {
	p := &pending{c: c, h: h, started: make(chan struct{}), done: make(chan struct{}), room: make(chan struct{}, 1)}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.now = time.Since(x.epoch)
	if c.Due <= 0 {
		c.Due = x.now
	}
	c.Dispatched, c.Permit, c.Sent, c.First, c.Done = x.now, wiregauge.Never, wiregauge.Never, wiregauge.Never, wiregauge.Never
	x.tap.join(h.Bytes)
	if h.Rest != nil {
		x.pause = h.Rest
	}
	x.waiting = append(x.waiting, p)
	if x.ended {
		x.waiting = nil
		x.refuse(p)
		return p
	}
	x.out.Push()
	return p
}

// start offers the waiting calls to the session, in order.
func (x *Exchange) start() {
	for len(x.waiting) > 0 && x.out.Open() {
		if x.beat.due(x.now) && x.tick() != nil {
			return
		}
		p := x.waiting[0]
		before := len(x.out.buf)
		x.calls[p.c] = p
		err := x.out.Start(p.c)
		if _, full := err.(wiregauge.NoSlot); full && err != wiregauge.Closing {
			delete(x.calls, p.c)
			return
		}
		x.waiting = x.waiting[1:]
		if err != nil {
			delete(x.calls, p.c)
			x.fail(p, err)
			continue
		}
		x.tap.pass(x.out.buf[before:], true)
		p.c.Permit = x.now
		p.taken = true
		if p.c.Queued == 0 {
			p.sent(x.now)
		}
		close(p.started)
	}
}

func (p *pending) sent(now time.Duration) {
	p.c.Sent = now
	if p.h.Sent != nil {
		p.h.Sent()
	}
}

func (x *Exchange) fail(p *pending, err error) {
	p.err = err
	p.c.Outcome = wiregauge.Local
	if err == wiregauge.Closing {
		p.c.Outcome, p.err = wiregauge.Closed, cmp.Or(x.cause, ErrEnded)
	}
	p.taken = true
	p.c.Done = x.now
	close(p.started)
	close(p.done)
}

func (x *Exchange) refuse(p *pending) {
	x.fail(p, wiregauge.Closing)
	p.err = x.cause
}

func (x *Exchange) forget(p *pending) {
	for i, w := range x.waiting {
		if w == p {
			x.waiting = append(x.waiting[:i], x.waiting[i+1:]...)
			return
		}
	}
}

// Wait returns when c is done. When ctx ends first the call is cancelled and its Outcome is Timeout or Canceled.
func (x *Exchange) Wait(ctx context.Context, c *wiregauge.Call) error {
	x.mu.Lock()
	p := x.calls[c]
	x.mu.Unlock()
	if p == nil {
		return nil
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.cancel(c, outcomeOf(ctx))
	return nil
}

func outcomeOf(ctx context.Context) wiregauge.Outcome {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return wiregauge.Timeout
	}
	return wiregauge.Canceled
}

// Cancel abandons c; its Outcome is Canceled unless the caller has set another.
func (x *Exchange) Cancel(c *wiregauge.Call) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.cancel(c, wiregauge.Canceled)
}

func (x *Exchange) cancel(c *wiregauge.Call, o wiregauge.Outcome) {
	p := x.calls[c]
	if p == nil {
		return
	}
	x.now = time.Since(x.epoch)
	err := x.out.Append(x.tapped(func(out []byte) ([]byte, error) { return x.out.Session.Cancel(out, c) }))
	if c.Outcome == wiregauge.Unfinished {
		c.Outcome = o
	}
	c.Done = x.now
	delete(x.calls, c)
	close(p.done)
	x.out.Push()
	if err != nil {
		x.out.Conn.Shut()
	}
}

// tapped lets the tap see what f appends.
func (x *Exchange) tapped(f func(out []byte) ([]byte, error)) func([]byte) ([]byte, error) {
	return func(out []byte) ([]byte, error) {
		before := len(out)
		out, err := f(out)
		x.tap.pass(out[before:], true)
		return out, err
	}
}

// Traffic is what has been carried since the connection was made; the zero value by kind when the session cannot
// tell. The TLS figures are the bytes that TLS added.
func (x *Exchange) Traffic() (sent, recv wiregauge.Traffic, tlsSent, tlsRecv int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if k, ok := x.out.Session.(wiregauge.Counter); ok {
		sent, recv = k.Traffic()
	}
	if x.out.Conn.Secure() {
		s, r := x.out.Conn.Bytes()
		tlsSent, tlsRecv = s-sent.Total(), r-recv.Total()
	}
	return sent, recv, tlsSent, tlsRecv
}

// Info is what is known of the connection.
func (x *Exchange) Info() Info { return x.out.Conn.Info() }

// Close ends the connection; open calls end as Closed.
func (x *Exchange) Close() {
	x.out.Conn.Shut()
	<-x.loopDone
}
