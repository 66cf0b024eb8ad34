package prototest

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"wiregauge"
)

// NewSession makes the client session of one connection.
type NewSession func(wiregauge.Events) wiregauge.Session

// A Driver holds one session as a lane does, without any I/O: bytes from the peer go in through Feed, bytes for
// the peer come out through Take. It keeps the lane's side of the seam (64 KiB unsent at most before Start and
// Send, Flush after everything, Tick when it is owed, input that is overwritten once it was used) and notes in
// Events.Faults where the session does not keep its own. Its clock stands still but for Tick. It is used by one goroutine
// at a time.
type Driver struct {
	Session wiregauge.Session
	Events  *Recorder
	// Err is what Receive or Tick failed with.
	Err error
	// Now is the time of the last Tick.
	Now time.Duration

	out, in         []byte
	scratch         []byte
	appended, taken int64
	used            int64
	ended           bool
}

// NewDriver makes a driver with a fresh session and flushes its hello.
func NewDriver(open NewSession) *Driver {
	r := &Recorder{calls: map[*wiregauge.Call]*callState{}}
	d := &Driver{Session: open(r), Events: r}
	d.flush()
	d.tick()
	return d
}

// NewCall makes a call of r, ready to start.
func NewCall(r *wiregauge.Request) *wiregauge.Call {
	c := new(wiregauge.Call)
	c.Reset(r)
	return c
}

// errFull is the lane's own reason not to call Start or Send.
var errFull = errors.New("64 KiB are unsent")

// Unsent is how many bytes wait to be taken.
func (d *Driver) Unsent() int { return len(d.out) }

// Ended reports whether End was called.
func (d *Driver) Ended() bool { return d.ended }

// Start starts c if less than 64 KiB is unsent, and flushes. A NoSlot leaves c as it was.
func (d *Driver) Start(c *wiregauge.Call) error {
	if len(d.out) >= wiregauge.Unsent {
		return errFull
	}
	if d.tickIfDue(); d.Err != nil {
		return wiregauge.Closing
	}
	before := len(d.out)
	greeter, ok := d.Session.(wiregauge.Greeter)
	ready := !ok || greeter.Ready()
	d.Events.quiet = "Start"
	out, err := d.Session.Start(d.out, c)
	d.Events.quiet = ""
	if err != nil && len(out) != before {
		d.Events.fault("Start refused a call (%v) and appended %d bytes", err, len(out)-before)
	}
	if hello := err == wiregauge.Handshake; !ready && err == nil || ok && ready && hello {
		d.Events.fault("Start says %v, Ready %t", err, ready)
	}
	d.take(out, "Start")
	if err != nil {
		return err
	}
	d.Events.started(c)
	d.flush()
	return nil
}

// Send sends one more message of c if less than 64 KiB is unsent, and flushes.
func (d *Driver) Send(c *wiregauge.Call, message []byte, last bool) error {
	if len(d.out) >= wiregauge.Unsent {
		return errFull
	}
	if d.tickIfDue(); d.Err != nil {
		return wiregauge.ErrStopped
	}
	d.Events.quiet = "Send"
	out, err := d.Session.(wiregauge.Streamer).Send(d.out, c, message, last)
	d.Events.quiet = ""
	d.take(out, "Send")
	d.flush()
	return err
}

// Grant lets the peer of c send that many messages more, and flushes.
func (d *Driver) Grant(c *wiregauge.Call, messages int) {
	d.Events.quiet = "Grant"
	out := d.Session.(wiregauge.Streamer).Grant(d.out, c, messages)
	d.Events.quiet = ""
	d.take(out, "Grant")
	d.flush()
}

// Cancel abandons c. After ErrClose the caller ends the connection.
func (d *Driver) Cancel(c *wiregauge.Call) error {
	d.Events.quiet = "Cancel"
	out, err := d.Session.Cancel(d.out, c)
	d.Events.quiet = ""
	d.Events.cancelled(c)
	d.take(out, "Cancel")
	if err == nil {
		d.flush()
	}
	return err
}

// mostCopied bounds what a session sees a copy of, in bytes: a large frame is offered again with every piece of it.
const mostCopied = 32 << 10

// overwritten is what becomes of input that a session has seen.
var overwritten = bytes.Repeat([]byte{0xdd}, 4<<10)

// Feed gives the session p behind what it has not used yet. The session sees a copy that is overwritten
// afterwards, so that a reference it keeps shows; more than 32 KiB only move when some of them were used.
func (d *Driver) Feed(p []byte) error {
	if d.Err != nil || d.ended {
		return d.Err
	}
	d.in = append(d.in, p...)
	in := d.in
	if d.scratch = d.scratch[:0]; len(in) <= mostCopied {
		d.scratch = append(d.scratch, in...)
		in = d.scratch
	}
	used, out, err := d.Session.Receive(in, d.out)
	for rest := d.scratch; len(rest) > 0; {
		rest = rest[copy(rest, overwritten):]
	}
	if used < 0 || used > len(d.in) {
		d.Events.fault("Receive used %d of %d bytes", used, len(d.in))
		used = len(d.in)
	}
	d.used += int64(used)
	if used > 0 {
		d.in = d.in[:copy(d.in, d.in[used:])]
	}
	d.take(out, "")
	if d.Err = err; err == nil {
		d.tick()
	}
	d.count()
	return d.Err
}

// Tick moves the clock to now, which is never earlier than it was, and has the session do what it owes by then.
func (d *Driver) Tick(now time.Duration) error {
	d.Now = max(d.Now, now)
	d.tick()
	return d.Err
}

// tick does what a lane does at connect and after every Receive.
func (d *Driver) tick() {
	ticker, ok := d.Session.(wiregauge.Ticker)
	if ok && d.Err == nil && !d.ended {
		d.Events.quiet = "Tick"
		out, err := ticker.Tick(d.Now, d.out)
		d.Events.quiet = ""
		d.take(out, "Tick")
		d.Err = err
		if at, owed := ticker.Next(); owed && err == nil && at <= d.Now {
			d.Events.fault("after Tick at %s the session owes something at %s", d.Now, at)
		}
	}
	d.flush()
}

func (d *Driver) tickIfDue() {
	if ticker, ok := d.Session.(wiregauge.Ticker); ok {
		if at, owed := ticker.Next(); owed && d.Now >= at {
			d.tick()
		}
	}
}

// Take hands over at most n bytes that the session has appended, as a write that the peer drained, and flushes.
func (d *Driver) Take(n int) []byte {
	n = min(n, len(d.out))
	p := bytes.Clone(d.out[:n])
	d.out = d.out[:copy(d.out, d.out[n:])]
	d.taken += int64(n)
	if d.Err == nil && !d.ended {
		d.flush()
	}
	return p
}

// End ends the connection and checks that every call has ended with it.
func (d *Driver) End(cause error) {
	if d.ended {
		return
	}
	d.ended = true
	d.Session.End(cause)
	for _, st := range d.Events.calls {
		if st.open {
			d.Events.fault("call %d is still open after End", st.n)
		}
	}
	d.count()
}

// Check fails the test for every rule of the seam that the session broke.
func (d *Driver) Check(t testing.TB) {
	t.Helper()
	for _, f := range d.Events.Faults {
		t.Errorf("the session broke the seam: %s", f)
	}
}

func (d *Driver) flush() {
	if d.ended || d.Err != nil {
		return
	}
	for len(d.out) < wiregauge.Unsent {
		before := len(d.out)
		d.take(d.Session.Flush(d.out), "Flush")
		if len(d.out) == before {
			break
		}
	}
	d.count()
}

// take accepts what a method returned in place of out. The slack is for headers and frame heads, which a session
// need not split.
func (d *Driver) take(out []byte, method string) {
	const slack = 80 << 10
	grown := len(out) - len(d.out)
	if grown < 0 || !bytes.HasPrefix(out, d.out[:min(len(d.out), 16)]) {
		d.Events.fault("%s did not append to out", method)
	}
	if method != "" && grown > wiregauge.Unsent+slack {
		d.Events.fault("%s appended %d bytes at once; the limit is %d", method, grown, wiregauge.Unsent)
	}
	d.appended += int64(grown)
	d.out = out
}

// count checks that the session's own count of its bytes is the true one.
func (d *Driver) count() {
	counter, ok := d.Session.(wiregauge.Counter)
	if !ok {
		return
	}
	sent, received := counter.Traffic()
	if sent.Total() != d.appended {
		d.Events.fault("traffic says %d bytes sent (%+v), appended were %d", sent.Total(), sent, d.appended)
	}
	if received.Total() != d.used {
		d.Events.fault("traffic says %d bytes received (%+v), used were %d", received.Total(), received, d.used)
	}
}
