package wire

import (
	"encoding/binary"
	"errors"
	"io"

	"wiregauge"
)

// frames is a session for tests: a message is its length in 4 bytes and its bytes; answers come in the order of the
// calls, one message each, and an answer that begins with '!' is a failure. It sends at most 16 KiB a Flush.
type frames struct {
	ev    wiregauge.Events
	open  []*wiregauge.Call
	most  int
	hello bool // the peer speaks first: one empty message
	queue []byte
	owner *wiregauge.Call // whose bytes are queued
	bye   bool
	sent  wiregauge.Traffic
	got   wiregauge.Traffic
}

func (f *frames) Ready() bool { return !f.hello }

func (f *frames) Start(out []byte, c *wiregauge.Call) ([]byte, error) {
	switch {
	case f.bye:
		return out, wiregauge.Closing
	case f.hello:
		return out, wiregauge.Handshake
	case len(f.open) >= f.most || len(f.queue) > 0:
		return out, wiregauge.Busy
	case c.Method == "unspeakable":
		return out, errors.New("cannot be said")
	}
	f.open = append(f.open, c)
	f.put(c, c.Messages[0])
	return out, nil
}

func (f *frames) put(c *wiregauge.Call, m []byte) {
	f.queue = binary.BigEndian.AppendUint32(f.queue, uint32(len(m)))
	f.queue = append(f.queue, m...)
	f.owner, c.Queued = c, len(f.queue)
}

func (f *frames) Flush(out []byte) []byte {
	n := min(len(f.queue), 16<<10)
	if n == 0 {
		return out
	}
	out = append(out, f.queue[:n]...)
	f.sent.Body += int64(n)
	f.queue = f.queue[n:]
	f.owner.Queued = len(f.queue)
	if len(f.queue) == 0 {
		f.ev.Sent(f.owner)
		f.ev.Room(f.owner)
	}
	return out
}

func (f *frames) Send(out []byte, c *wiregauge.Call, m []byte, last bool) ([]byte, error) {
	if len(f.queue) > 0 {
		return out, wiregauge.Busy
	}
	if m != nil {
		f.put(c, m)
	}
	return out, nil
}

func (f *frames) Grant(out []byte, c *wiregauge.Call, messages int) []byte { return out }

func (f *frames) Receive(in, out []byte) (int, []byte, error) {
	used := 0
	for len(in)-used >= 4 {
		n := int(binary.BigEndian.Uint32(in[used:]))
		if n > 1<<30 {
			return used, out, &wiregauge.ProtocolError{Text: "a message of more than 1 GiB"}
		}
		if len(in)-used-4 < n {
			break
		}
		f.message(in[used+4 : used+4+n])
		used += 4 + n
		f.got.Body += int64(4 + n)
	}
	return used, out, nil
}

func (f *frames) message(m []byte) {
	if f.hello {
		f.hello = false
		f.ev.Room(nil)
		return
	}
	if string(m) == "bye" {
		f.bye = true
		f.ev.Closing()
		return
	}
	if len(f.open) == 0 {
		return
	}
	c := f.open[0]
	f.open = f.open[1:]
	f.ev.First(c)
	c.Received++
	f.ev.Message(c, m)
	c.Outcome = wiregauge.OK
	if len(m) > 0 && m[0] == '!' {
		c.Outcome, c.Text = wiregauge.Failed, string(m[1:])
	}
	f.ev.Done(c)
}

func (f *frames) Cancel(out []byte, c *wiregauge.Call) ([]byte, error) {
	for i, o := range f.open {
		if o == c {
			f.open = append(f.open[:i], f.open[i+1:]...)
		}
	}
	return out, wiregauge.ErrClose
}

func (f *frames) End(cause error) {
	o := wiregauge.Closed
	if cause != nil && cause != io.EOF {
		o = wiregauge.Reset
	}
	for _, c := range f.open {
		c.Outcome = o
		f.ev.Done(c)
	}
	f.open = nil
}

func (f *frames) Traffic() (sent, received wiregauge.Traffic) { return f.sent, f.got }

func newFrames(ev wiregauge.Events) wiregauge.Session { return &frames{ev: ev, most: 1000} }

var (
	_ wiregauge.Session  = (*frames)(nil)
	_ wiregauge.Streamer = (*frames)(nil)
	_ wiregauge.Greeter  = (*frames)(nil)
)
