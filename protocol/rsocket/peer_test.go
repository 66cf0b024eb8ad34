package rsocket

import (
	"bytes"
	"net"
	"sync"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
	"wiregauge/protocol/rsocket/frame"
)

// A farEnd answers one connection with a Responder: the routes are echo, join (one answer to all messages), twice, hang,
// fail and reject.
type farEnd struct {
	r     *Responder
	calls map[uint64]*farCall
	order []uint64
}

// farCall is what a call is still owed.
type farCall struct {
	route   string
	joined  []byte
	queue   [][]byte
	end     bool
	failure error
	grants  int
}

func newFarEnd(s Serving) *farEnd {
	f := &farEnd{calls: map[uint64]*farCall{}}
	f.r = NewResponder(s, f)
	return f
}

func (f *farEnd) Request(id uint64, r *wiregauge.Incoming) error {
	if r.Opening || r.Push || r.Shape == wiregauge.OneWay {
		return nil
	}
	c := &farCall{route: r.Method, joined: []byte{}}
	f.calls[id], f.order = c, append(f.order, id)
	if r.Shape == wiregauge.Bidi {
		c.grants = 2
	}
	switch r.Method {
	case "hang":
	case "fail":
		c.failure = &wiregauge.Failure{Status: int(frame.ApplicationError), Text: "no, \"quoted\" ünicode"}
	case "reject":
		c.failure = &wiregauge.Failure{Status: int(frame.Rejected), Text: "too much"}
	case "twice":
		c.queue, c.end = [][]byte{{'1'}, {'2'}}, true
	default:
		f.take(c, r.Data, r.Last)
	}
	return nil
}

func (f *farEnd) Message(id uint64, body []byte, last bool) {
	if c := f.calls[id]; c != nil && c.route != "hang" {
		c.grants++
		f.take(c, body, last)
	}
}

func (f *farEnd) take(c *farCall, body []byte, last bool) {
	switch {
	case c.route == "join":
		c.joined = append(c.joined, body...)
		if last {
			c.queue = append(c.queue, c.joined)
		}
	case body != nil:
		c.queue = append(c.queue, append([]byte{}, body...))
	}
	c.end = c.end || last
}

func (f *farEnd) Room(uint64, int64) {}
func (f *farEnd) Cancel(id uint64)   { delete(f.calls, id) }

// answer takes bytes in and returns those that go out.
func (f *farEnd) answer(in []byte) (used int, out []byte, err error) {
	used, out, err = f.r.Receive(in, nil)
	for moved := true; moved && err == nil; {
		moved = false
		for _, id := range f.order {
			if c := f.calls[id]; c != nil {
				out = f.pay(out, id, c, &moved)
			}
		}
		before := len(out)
		out = f.r.Flush(out)
		moved = moved || len(out) > before
	}
	return used, out, err
}

// pay sends what the call is owed, as far as the client takes it.
func (f *farEnd) pay(out []byte, id uint64, c *farCall, moved *bool) []byte {
	var err error
	if c.grants > 0 {
		out = f.r.Grant(out, id, c.grants)
		c.grants = 0
	}
	if c.failure != nil {
		out, _ = f.r.Answer(out, id, nil, true, c.failure)
		delete(f.calls, id)
		return out
	}
	for len(c.queue) > 0 {
		if out, err = f.r.Answer(out, id, c.queue[0], c.end && len(c.queue) == 1, nil); err != nil {
			return out
		}
		c.queue, *moved = c.queue[1:], true
		if len(c.queue) == 0 && c.end {
			delete(f.calls, id)
		}
	}
	if c.end && f.calls[id] != nil {
		if out, err = f.r.Answer(out, id, nil, true, nil); err == nil {
			delete(f.calls, id)
		}
	}
	return out
}

// serve is a server of such ends, without a network.
func serve(s Serving) func(testing.TB) net.Conn {
	return func(t testing.TB) net.Conn {
		near, far := net.Pipe()
		var running sync.WaitGroup
		running.Add(2)
		t.Cleanup(func() { near.Close(); far.Close(); running.Wait() })
		replies := make(chan []byte, 1<<14)
		go func() { // writes while we read, or both ends would wait for each other
			defer running.Done()
			for p := range replies {
				far.Write(p)
			}
		}()
		go func() {
			defer running.Done()
			defer close(replies)
			defer far.Close()
			end := newFarEnd(s)
			var in []byte
			p := make([]byte, 64<<10)
			for {
				n, err := far.Read(p)
				if err != nil {
					return
				}
				in = append(in, p[:n]...)
				used, out, err := end.answer(in)
				in = in[:copy(in, in[used:])]
				replies <- out
				if err != nil {
					return
				}
			}
		}()
		return near
	}
}

func open(o protocol.Options) prototest.NewSession {
	return func(ev wiregauge.Events) wiregauge.Session {
		s := New(o, ev).(*session)
		if key := s.hello.key; key != "" { // the same in every session, so that a recorded answer fits
			s.hello.key = "AAAAAAAAAAAAAAAAAAAAAA=="
			s.hello.upgrade = bytes.Replace(s.hello.upgrade, []byte(key), []byte(s.hello.key), 1)
		}
		return s
	}
}
