package lab

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"wiregauge"
)

// A desk answers one connection. Its reader takes what is there, answers at once whatever nothing is planted for, and
// writes all of that in one piece; delays and streams go their own ways and write between.
type desk struct {
	*counter
	conn   net.Conn
	ctx    context.Context // ends with the connection
	cancel context.CancelFunc
	born   time.Duration

	mu         sync.Mutex
	drained    sync.Cond
	r          wiregauge.Responder
	ticker     wiregauge.Ticker // nil when r is none
	codec      *codec
	out, spare []byte // what is unsent, and the other buffer
	writing    bool
	over       bool // nothing more is sent
	leaving    bool // the peer was asked to go
	leftAt     time.Duration
	taken      int                  // calls so far,
	unheard    uint64               // and of these the planted ones that nobody waits for
	calls      map[uint64]*openCall // those that are not answered at once
	spares     [][]byte             // memory for messages of channels
	ready      openQueue            // streams that may have something to send

	// Of one read.
	heard   []heard
	arena   []byte // their messages
	arrived time.Duration
	start   time.Time

	alarm time.Duration // what the read deadline is set for; 0 for nothing
}

// heard is a call that has just come.
type heard struct {
	id       uint64
	route    *route
	from, to int    // its message in the arena,
	body     []byte // or by itself when it is long
	plant    string
	open     *openCall // of a stream
	oneWay   bool
	answered bool
	failed   bool
}

// Bounds of what a connection holds, in bytes.
const (
	firstBuffer = 64 << 10
	keepBuffer  = 1 << 20              // a larger buffer is let go when it is empty
	mostUnsent  = 4 * wiregauge.Unsent // then nothing more is read
)

func (c *counter) newDesk(conn net.Conn) *desk {
	d := &desk{counter: c, conn: conn, calls: map[uint64]*openCall{}, codec: rawCodec, born: c.s.clock.Now()}
	d.drained.L = &d.mu
	d.r = c.make(d)
	d.ticker, _ = d.r.(wiregauge.Ticker)
	d.ctx, d.cancel = context.WithCancel(withStamps(c.s.ctx, conn))
	return d
}

// serve reads until the connection ends.
func (d *desk) serve() {
	defer d.close()
	defer context.AfterFunc(d.ctx, func() { d.conn.Close() })()
	if !d.tickAlone() {
		return
	}
	buf := make([]byte, firstBuffer)
	have := 0
	for {
		d.setAlarm()
		n, err := d.conn.Read(buf[have:])
		have += n
		if errors.Is(err, os.ErrDeadlineExceeded) {
			if d.alarm = 0; !d.tickAlone() {
				break
			}
			err = nil
		}
		used, goOn := 0, true
		if n > 0 {
			used, goOn = d.take(buf[:have])
		}
		if !goOn || err != nil {
			break
		}
		if have = copy(buf, buf[used:have]); have == len(buf) {
			buf = append(make([]byte, 0, 2*len(buf)), buf...)[:2*len(buf)]
		} else if have == 0 && len(buf) > keepBuffer {
			buf = make([]byte, firstBuffer)
		}
	}
	d.linger(buf)
}

// take is one read: what it asks for is answered with one write. It reports whether the connection goes on.
func (d *desk) take(in []byte) (used int, goOn bool) {
	now := d.s.arrived(d.ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.writing && len(d.out) >= mostUnsent && !d.over {
		d.drained.Wait()
	}
	if d.over {
		return len(in), false
	}
	d.arrived, d.start = now, time.Now()
	d.heard, d.arena = d.heard[:0], d.arena[:0]
	if !d.tickIfDue(now) {
		return len(in), false
	}
	used, out, err := d.r.Receive(in, d.out)
	d.out = out
	if err == nil && d.ticker != nil {
		d.out, err = d.ticker.Tick(now, d.out)
	}
	d.answer()
	d.age(now)
	if cap(d.arena) > keepBuffer {
		d.arena = nil
	}
	d.write(err != nil)
	return used, err == nil
}

// answer deals with the calls of one read.
func (d *desk) answer() {
	for i := range d.heard {
		d.answerOne(&d.heard[i])
	}
	took := time.Since(d.start)
	for i := 0; i < len(d.heard); {
		n, first := 0, &d.heard[i]
		for ; i < len(d.heard) && d.heard[i].sameEnd(first); i++ {
			n++
		}
		if first.answered {
			first.route.meter.all(n, took, !first.failed)
			for range n {
				d.s.note(d.arrived, 0, d.start, !first.failed)
			}
		}
	}
}

func (h *heard) sameEnd(o *heard) bool {
	return h.route == o.route && h.answered == o.answered && h.failed == o.failed
}

// answerOne answers a call at once, or opens it when it is a stream or something is planted for it.
func (d *desk) answerOne(h *heard) {
	body := h.body
	if body == nil {
		body = d.arena[h.from:h.to:h.to]
	}
	planter, err := d.s.planterFor(h.plant)
	switch {
	case h.open != nil && d.calls[h.id] != h.open: // given up in the same read
		h.answered = true
		return
	case err != nil:
		d.out, _ = d.r.Answer(d.out, h.id, nil, true, &wiregauge.Failure{Status: badRequest, Text: err.Error()})
		h.answered, h.failed = true, true
		if h.open != nil {
			h.open.cancel()
			delete(d.calls, h.id)
		}
		return
	case planter != nil:
		d.plan(h, planter, body)
		return
	case h.open != nil:
		h.route.meter.begin()
		d.begin(h.open)
		return
	}
	message, err := h.route.reply(d.codec, body, 0)
	h.answered, h.failed = true, err != nil
	if !h.oneWay {
		d.out, _ = d.r.Answer(d.out, h.id, message, true, err)
	}
}

// age asks the peer to leave once the connection is old or has had its number of calls.
func (d *desk) age(now time.Duration) {
	p := d.s.plant
	if d.leaving || !(p.Requests > 0 && d.taken >= p.Requests || p.Age > 0 && now-d.born >= p.Age) {
		return
	}
	d.leaving, d.leftAt = true, now
	d.out, _ = d.r.Answer(d.out, 0, nil, true, nil)
}

// setAlarm sets the read deadline for what is owed to time next. One that is set too early costs a look at the clock,
// so it is moved only when it has passed or would be late.
func (d *desk) setAlarm() {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, ok := d.nextAlarm()
	if d.over || !ok || d.alarm != 0 && d.alarm <= at {
		return
	}
	d.alarm = max(at, 1)
	d.conn.SetReadDeadline(time.Now().Add(at - d.s.clock.Now()))
}

// nextAlarm is the next moment at which the connection needs a look.
func (d *desk) nextAlarm() (at time.Duration, ok bool) {
	if d.ticker != nil {
		at, ok = d.ticker.Next()
	}
	earlier := func(t time.Duration) {
		if !ok || t < at {
			at, ok = t, true
		}
	}
	p := d.s.plant
	if p.Idle > 0 {
		earlier(d.quietSince() + p.Idle)
	}
	if p.Age > 0 && !d.leaving {
		earlier(d.born + p.Age)
	}
	if d.leaving {
		earlier(d.leaveBy())
	}
	return at, ok
}

// quietSince is when something happened last: with calls open that is now.
func (d *desk) quietSince() time.Duration {
	if len(d.calls) > 0 {
		return d.s.clock.Now()
	}
	return max(d.arrived, d.born)
}

// leaveBy is when a connection whose peer was asked to go is ended by us: at the end of its grace or, where none was
// planted, once its calls are done and the peer has had time to go by itself.
func (d *desk) leaveBy() time.Duration {
	if grace := d.s.plant.Grace; grace > 0 {
		return d.leftAt + grace
	}
	if len(d.calls) > 0 {
		return d.s.clock.Now() + lingering
	}
	return max(d.leftAt, d.arrived) + lingering
}

// tickAlone does what is owed to time while nothing comes, and reports whether the connection goes on.
func (d *desk) tickAlone() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return false
	}
	now := d.s.clock.Now()
	p := d.s.plant
	if d.leaving && now >= d.leaveBy() {
		return false
	}
	if p.Idle > 0 && now-d.quietSince() >= p.Idle {
		d.out, _ = d.r.Answer(d.out, 0, nil, true, nil)
		d.write(true)
		return false
	}
	if !d.tickIfDue(now) {
		return false
	}
	d.age(now)
	d.write(false)
	return true
}

// tickIfDue tells the responder the time when it wants to know.
func (d *desk) tickIfDue(now time.Duration) bool {
	if d.ticker == nil {
		return true
	}
	if at, ok := d.ticker.Next(); !ok || now < at {
		return true
	}
	out, err := d.ticker.Tick(now, d.out)
	if d.out = out; err != nil {
		d.write(true)
	}
	return err == nil
}
