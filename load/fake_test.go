package load

import (
	"encoding/binary"
	"io"

	"wiregauge"
)

// fakeSession is a session of our own for tests: a call is 8 bytes out (its id, its index among the requests) and 8
// bytes back (its id, a status: 0 is OK).
type fakeSession struct {
	ev      wiregauge.Events
	calls   []*wiregauge.Call // by id, modulo its length
	next    uint32
	open    int
	streams int  // most calls at a time; 0: no limit
	leases  bool // those are what a lease allows
	sent    wiregauge.Traffic
	got     wiregauge.Traffic
	closing bool
	spent   bool // Cancel ends the connection
}

const (
	statusGoAway      = 100 // the connection takes no more calls; the id is the last one it answers
	statusUnprocessed = 101
	statusFirst       = 102 // the answer has begun
	statusMessage     = 103 // one message of a stream
)

func newFake(ev wiregauge.Events) *fakeSession {
	return &fakeSession{ev: ev, calls: make([]*wiregauge.Call, 1024)}
}

func (f *fakeSession) Start(out []byte, c *wiregauge.Call) ([]byte, error) {
	if f.closing {
		return out, wiregauge.Closing
	}
	if f.streams > 0 && f.open >= f.streams {
		if f.leases {
			return out, wiregauge.Credit
		}
		return out, wiregauge.Streams
	}
	c.ID = uint64(f.next)
	f.next++
	f.open++
	if at := &f.calls[c.ID%uint64(len(f.calls))]; *at != nil {
		panic("more than 1024 calls in flight")
	} else {
		*at = c
	}
	out = binary.BigEndian.AppendUint32(out, uint32(c.ID))
	out = binary.BigEndian.AppendUint32(out, uint32(c.Request.Index))
	f.sent.Body += 8
	return out, nil
}

func (f *fakeSession) take(id uint64) *wiregauge.Call {
	at := &f.calls[id%uint64(len(f.calls))]
	c := *at
	if c == nil || c.ID != id {
		return nil
	}
	*at = nil
	f.open--
	return c
}

func (f *fakeSession) Receive(in, out []byte) (int, []byte, error) {
	used := 0
	for len(in)-used >= 8 {
		id := uint64(binary.BigEndian.Uint32(in[used:]))
		status := int(binary.BigEndian.Uint32(in[used+4:]))
		used += 8
		f.got.Body += 8
		f.frame(id, status)
	}
	return used, out, nil
}

func (f *fakeSession) frame(id uint64, status int) {
	switch status {
	case statusGoAway:
		f.closing = true
		f.ev.Closing()
		for _, c := range f.calls {
			if c != nil && c.ID > id {
				f.finish(f.take(c.ID), wiregauge.Unprocessed, 0)
			}
		}
		return
	case statusFirst, statusMessage:
		c := f.calls[id%uint64(len(f.calls))]
		if c == nil || c.ID != id {
			return
		}
		if c.First == wiregauge.Never {
			f.ev.First(c)
		}
		if status == statusMessage {
			c.Received++
			if c.Request.Keep {
				f.ev.Message(c, []byte("message"))
			}
		}
		return
	}
	c := f.take(id)
	if c == nil {
		return // cancelled
	}
	if c.First == wiregauge.Never {
		f.ev.First(c)
	}
	if c.Request.Shape == wiregauge.Unary {
		c.Received++
		if c.Request.Keep {
			f.ev.Message(c, binary.BigEndian.AppendUint32(nil, uint32(status)))
		}
	}
	switch status {
	case 0:
		f.finish(c, wiregauge.OK, 0)
	case statusUnprocessed:
		f.finish(c, wiregauge.Unprocessed, 0)
	default:
		f.finish(c, wiregauge.Failed, status)
	}
}

func (f *fakeSession) finish(c *wiregauge.Call, o wiregauge.Outcome, status int) {
	c.Outcome, c.Status = o, status
	if c.Explain && o == wiregauge.Failed {
		c.Text = "planted"
	}
	f.ev.Done(c)
}

func (f *fakeSession) Flush(out []byte) []byte { return out }

func (f *fakeSession) Cancel(out []byte, c *wiregauge.Call) ([]byte, error) {
	f.take(c.ID)
	if f.spent {
		return out, wiregauge.ErrClose
	}
	return out, nil
}

func (f *fakeSession) End(cause error) {
	o := wiregauge.Closed
	if cause != nil && cause != io.EOF {
		o = wiregauge.Reset
	}
	for _, c := range f.calls {
		if c != nil {
			f.finish(f.take(c.ID), o, 0)
		}
	}
}

func (f *fakeSession) Traffic() (sent, received wiregauge.Traffic) { return f.sent, f.got }

var (
	_ wiregauge.Session = (*fakeSession)(nil)
	_ wiregauge.Counter = (*fakeSession)(nil)
)
