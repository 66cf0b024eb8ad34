package lab

import (
	"context"
	"math"
	"time"

	"wiregauge"
	"wiregauge/lab/plant"
)

// An openCall is a call that is not answered at once: a stream, or one for which something is planted.
type openCall struct {
	id      uint64
	route   *route
	codec   *codec
	ctx     context.Context
	cancel  context.CancelFunc
	arrived time.Duration
	start   time.Time
	fate    plant.Fate

	// Of streams.
	source  source
	begun   bool
	input   [][]byte // messages of a channel, in order;
	read    int      // so many of them have been used
	ended   bool     // no more of them come
	pending bool     // what Answer refused:
	next    []byte
	last    bool
	sent    int64
	asked   int64 // what the peer asked for in all; unasked without end
	used    int   // messages of the input that were not granted again

	queued    bool
	nextReady *openCall
}

// unasked is the credit of a peer that takes whatever comes.
const unasked = math.MaxInt64

// window is how many messages of a channel its client may send ahead of the answers; half of it is granted at a time.
const window = 64

// A source makes the messages of a stream. It has none for now when ok is false, and a nil message with end only ends.
type source interface {
	next(c *openCall) (message []byte, end, ok bool)
}

// open makes the entry of a call.
func (d *desk) open(id uint64, r *route, credit int64) *openCall {
	c := &openCall{id: id, route: r, codec: d.codec, asked: credit, arrived: d.arrived, start: d.start}
	c.ctx, c.cancel = context.WithCancel(d.ctx)
	d.calls[id] = c
	return c
}

// message adds to the input.
func (c *openCall) message(body []byte, last bool) {
	if body != nil {
		c.input = append(c.input, body)
	}
	c.ended = c.ended || last
}

// take is the next message of the input.
func (c *openCall) take() []byte {
	message := c.input[c.read]
	c.input[c.read] = nil
	c.used++
	if c.read++; c.read == len(c.input) {
		c.input, c.read = c.input[:0], 0
	}
	return message
}

// credit notes what the peer takes from now on.
func (c *openCall) credit(now int64) {
	if now == unasked || c.asked == unasked {
		c.asked = unasked
		return
	}
	c.asked = c.sent + now
}

// begin starts a stream once nothing that is planted holds it back.
func (d *desk) begin(c *openCall) {
	c.begun = true
	c.route.meter.streams.opened.Add(1)
	var err error
	if c.source, err = c.route.stream(d, c); err != nil {
		d.out, _ = d.r.Answer(d.out, c.id, nil, true, err)
		d.finish(c, false)
		return
	}
	if c.route.takes(wiregauge.Bidi) {
		d.out = d.r.Grant(d.out, c.id, window)
	}
	d.ready.push(c)
}

// produce lets streams send, one message each in turn, while less than Unsent is unsent.
func (d *desk) produce() {
	for len(d.out) < wiregauge.Unsent {
		c := d.ready.pop()
		if c == nil {
			return
		}
		if !c.begun || d.calls[c.id] != c || !c.load() {
			continue
		}
		out, err := d.r.Answer(d.out, c.id, c.next, c.last, nil)
		if d.out = out; err != nil {
			if err == wiregauge.Credit {
				c.route.meter.streams.held.Add(1)
			}
			continue // Room brings it back
		}
		d.produced(c)
	}
}

// load has the source make a message unless one is waiting.
func (c *openCall) load() bool {
	if !c.pending {
		c.next, c.last, c.pending = c.source.next(c)
	}
	return c.pending
}

// produced is what follows a message that was taken.
func (d *desk) produced(c *openCall) {
	if c.next != nil {
		c.sent++
		c.route.meter.streams.messages.Add(1)
	}
	if c.route.takes(wiregauge.Bidi) {
		d.keep(c.next)
	}
	c.pending, c.next = false, nil
	if c.last {
		d.finish(c, true)
		return
	}
	if c.used >= window/2 {
		d.out = d.r.Grant(d.out, c.id, c.used)
		c.used = 0
	}
	d.ready.push(c)
}

// keep has the memory of a message of a channel used again. A long one is the responder's.
func (d *desk) keep(p []byte) {
	if cap(p) > 0 && cap(p) <= wiregauge.Unsent && len(d.spares) < window {
		d.spares = append(d.spares, p[:0])
	}
}

// copied is p in memory of our own.
func (d *desk) copied(p []byte) []byte {
	if n := len(d.spares); n > 0 && len(p) <= wiregauge.Unsent {
		spare := d.spares[n-1]
		d.spares = d.spares[:n-1]
		return append(spare, p...)
	}
	return append(make([]byte, 0, max(len(p), 64)), p...)
}

// finish counts the end of a call.
func (d *desk) finish(c *openCall, ok bool) {
	c.cancel()
	delete(d.calls, c.id)
	d.s.note(c.arrived, c.fate.End(), c.start, ok)
	if c.begun {
		c.route.meter.streams.end(c.asked, c.sent)
	}
	c.route.meter.end(time.Since(c.start), ok)
}

// drop is the end of a call that its client gave up. A call that still waits for what is planted counts itself.
func (d *desk) drop(id uint64) {
	c := d.calls[id]
	if c == nil {
		return
	}
	if c.begun {
		c.route.meter.streams.canceled.Add(1)
		d.finish(c, true)
		return
	}
	c.cancel()
	delete(d.calls, id)
}

// dropAll is the end of all calls.
func (d *desk) dropAll() {
	for id := range d.calls {
		d.drop(id)
	}
}

// openQueue holds the streams that may have something to send.
type openQueue struct{ first, last *openCall }

func (q *openQueue) push(c *openCall) {
	if c.queued {
		return
	}
	c.queued, c.nextReady = true, nil
	if q.last == nil {
		q.first = c
	} else {
		q.last.nextReady = c
	}
	q.last = c
}

func (q *openQueue) pop() *openCall {
	c := q.first
	if c == nil {
		return nil
	}
	if q.first = c.nextReady; q.first == nil {
		q.last = nil
	}
	c.queued, c.nextReady = false, nil
	return c
}

// repeat is a source of the same message over and over; left below 0 never ends.
type repeat struct {
	message []byte
	left    int
}

func (r *repeat) next(*openCall) (message []byte, end, ok bool) {
	if r.left == 0 {
		return nil, true, true
	}
	if r.left > 0 {
		r.left--
	}
	return r.message, r.left == 0, true
}

// mirror sends the input back, each message with that many bytes more.
type mirror struct{ filler int }

func (m mirror) next(c *openCall) (message []byte, end, ok bool) {
	if c.read == len(c.input) {
		return nil, true, c.ended
	}
	message = c.take()
	if larger, err := echoRoute(c.codec, message, m.filler); err == nil {
		message = larger
	}
	return message, c.ended && c.read == len(c.input), true
}

// ticks is a source that has a message at each tick. One that finds the one before still waiting takes its place, so
// that a client that asks late gets the newest.
type ticks struct {
	interval time.Duration
	left     int // below 0 without end
	encode   func(number int64, last bool) []byte

	number int64
	due    bool
}

func (t *ticks) next(*openCall) (message []byte, end, ok bool) {
	if t.left == 0 {
		return nil, true, true
	}
	if !t.due {
		return nil, false, false
	}
	t.due = false
	if t.left > 0 {
		t.left--
	}
	return t.encode(t.number, t.left == 0), t.left == 0, true
}

// run ticks until the call is over.
func (t *ticks) run(d *desk, c *openCall) {
	clock := d.s.clock
	for at := clock.Now() + t.interval; ; at += t.interval {
		if clock.Sleep(c.ctx, at-clock.Now()) != nil {
			return
		}
		d.mu.Lock()
		t.tick(d, c)
		d.mu.Unlock()
	}
}

// tick makes the next number due.
func (t *ticks) tick(d *desk, c *openCall) {
	if d.calls[c.id] != c {
		return
	}
	t.number++
	if t.due || c.pending {
		c.route.meter.streams.skipped.Add(1)
		if c.pending && c.next != nil {
			c.next = t.encode(t.number, c.last)
			return
		}
	}
	t.due = true
	d.ready.push(c)
	d.kick()
}
