package wire

import (
	"sync"
	"time"

	"wiregauge"
)

// An Owner fills an Outbox. Its methods are called with the Outbox's mutex held.
type Owner interface {
	// Fill appends all that may go out now: waiting calls, then Flush.
	Fill()
	// Sending says that what was appended goes to the kernel now; with late that only now all of an earlier
	// buffer, which the kernel did not take at once, has gone.
	Sending(late bool)
}

// An Outbox is the one unsent buffer of a connection. Order on the wire is order of encoding, so bytes are
// appended under the mutex; whoever finds no write active writes, without blocking, anybody else only appends.
// There are two buffers: one is filled while the other is written, outside the mutex.
type Outbox struct {
	Mu      *sync.Mutex // guards the Session too
	Conn    *Conn
	Session wiregauge.Session
	Owner   Owner

	buf, spare []byte
	writing    int // bytes of the buffer being written
	active     bool
	err        error
}

// Unsent is how many bytes were appended and are not yet with the kernel.
func (o *Outbox) Unsent() int { return len(o.buf) + o.writing }

// Open reports whether Start and Send may be called: less than 64 KiB is unsent and no write has failed.
func (o *Outbox) Open() bool { return len(o.buf)+o.writing < wiregauge.Unsent && o.err == nil }

// Err is the error of the write that failed.
func (o *Outbox) Err() error { return o.err }

// Start appends c.
func (o *Outbox) Start(c *wiregauge.Call) (err error) {
	o.buf, err = o.Session.Start(o.buf, c)
	return err
}

// Receive gives the session what was read. What it owes is written even when it fails.
func (o *Outbox) Receive(p []byte) (used int, err error) {
	if len(p) == 0 {
		return 0, nil
	}
	used, o.buf, err = o.Session.Receive(p, o.buf)
	return used, err
}

// Cancel abandons c.
func (o *Outbox) Cancel(c *wiregauge.Call) (err error) {
	o.buf, err = o.Session.Cancel(o.buf, c)
	return err
}

// Tick has the session, which is t, do what it owes to time.
func (o *Outbox) Tick(t wiregauge.Ticker, now time.Duration) (err error) {
	o.buf, err = t.Tick(now, o.buf)
	return err
}

// Grant lets the peer of c send that many messages more.
func (o *Outbox) Grant(s wiregauge.Streamer, c *wiregauge.Call, messages int) {
	o.buf = s.Grant(o.buf, c, messages)
}

// Flush pulls what the session has queued, when no write is active and there is room.
func (o *Outbox) Flush() {
	if !o.active && o.Open() {
		o.buf = o.Session.Flush(o.buf)
	}
}

// Append edits the unsent bytes through f, for the methods of a Streamer.
func (o *Outbox) Append(f func(out []byte) ([]byte, error)) (err error) {
	o.buf, err = f(o.buf)
	return err
}

// Push fills and writes until nothing is left or the kernel takes no more; then a goroutine waits for it. The mutex
// is held by the caller and released during each write.
func (o *Outbox) Push() {
	for {
		o.Owner.Fill()
		if o.active || o.err != nil || len(o.buf) == 0 && !o.Conn.Owes() {
			return
		}
		p := o.swap()
		o.Owner.Sending(false)
		o.Mu.Unlock()
		all, err := o.Conn.Write(p)
		o.Mu.Lock()
		if !all && err == nil {
			go o.wait(p)
			return
		}
		o.settle(p, err)
	}
}

func (o *Outbox) swap() []byte {
	p := o.buf
	o.buf, o.spare = o.spare[:0], nil
	o.active, o.writing = true, len(p)
	return p
}

// wait finishes a write that the kernel did not take at once.
func (o *Outbox) wait(p []byte) {
	err := o.Conn.Drain()
	o.Mu.Lock()
	defer o.Mu.Unlock()
	o.settle(p, err)
	if err == nil {
		o.Owner.Sending(true)
		o.Push()
	}
}

// settle ends a write. A failed one ends the connection: its Loop returns, and its owner calls Session.End.
func (o *Outbox) settle(p []byte, err error) {
	o.active, o.writing = false, 0
	if cap(p) > 4*wiregauge.Unsent {
		p = nil // one huge message does not keep its memory for ever
	}
	o.spare = p
	if err != nil {
		o.err = err
		o.Conn.Shut()
	}
}
