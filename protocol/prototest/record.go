package prototest

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"wiregauge"
)

// A Recording is what a server sent: Hello before the first call could start, then one answer per call, each from
// the start of its call to the start of the next.
type Recording struct {
	Requests []*wiregauge.Request
	Hello    []byte
	Answers  [][]byte
}

// Record makes the calls one after the other over conn and keeps what the peer sent. The requests must fit the
// peer's first windows, since a replay starts each call before it feeds the answer.
func Record(t testing.TB, conn net.Conn, open NewSession, requests ...*wiregauge.Request) *Recording {
	t.Helper()
	defer conn.Close()
	d := NewDriver(open)
	defer d.Check(t)
	rec := &Recording{Requests: requests}
	conn.SetDeadline(time.Now().Add(patience))
	w := newWriter(conn)
	defer w.close()
	into := &rec.Hello
	p := make([]byte, 32<<10)
	exchange := func() error {
		w.put(d.Take(len(d.out)))
		n, err := conn.Read(p)
		*into = append(*into, p[:n]...)
		if failed := d.Feed(p[:n]); failed != nil {
			return failed
		}
		return err
	}
	for i, r := range requests {
		c := NewCall(r)
		for {
			err := d.Start(c)
			if err == nil {
				break
			}
			if errors.As(err, new(wiregauge.NoSlot)) {
				err = exchange()
			}
			if err != nil {
				t.Fatalf("recording call %d: %v", i, err)
			}
		}
		rec.Answers = append(rec.Answers, nil)
		into = &rec.Answers[i]
		for !d.Events.Ended(c) {
			if err := exchange(); err != nil && !errors.Is(err, io.EOF) {
				t.Fatalf("recording call %d: %v", i, err)
			} else if err != nil {
				d.End(err)
			}
		}
		if c.Outcome != wiregauge.OK {
			t.Fatalf("recording call %d: outcome %s %d %s; expected ok", i, c.Outcome, c.Status, c.Text)
		}
	}
	return rec
}

// Bytes is the whole recording in one piece.
func (r *Recording) Bytes() []byte {
	all := append([]byte(nil), r.Hello...)
	for _, a := range r.Answers {
		all = append(all, a...)
	}
	return all
}

// Replay feeds the first n bytes of the recording to a fresh session, starting each call where it was started when
// recording; feed is given the driver and each run of bytes, to be fed as the test likes. The connection is left
// open. It returns the calls that were started.
func (r *Recording) Replay(open NewSession, n int, feed func(d *Driver, p []byte)) (*Driver, []*wiregauge.Call) {
	d := NewDriver(open)
	var calls []*wiregauge.Call
	give := func(p []byte) {
		p = p[:min(n, len(p))]
		n -= len(p)
		feed(d, p)
		d.Take(len(d.out))
	}
	give(r.Hello)
	for i, answer := range r.Answers {
		c := NewCall(r.Requests[i])
		if err := d.Start(c); err != nil {
			if n > 0 {
				d.Events.fault("Start of call %d: %v, although all bytes before it were fed", i, err)
			}
			return d, calls
		}
		calls = append(calls, c)
		if give(answer); n == 0 {
			return d, calls
		}
	}
	return d, calls
}

// Whole feeds each run of bytes in one piece.
func Whole(d *Driver, p []byte) { d.Feed(p) }

// ByteByByte feeds each byte alone.
func ByteByByte(d *Driver, p []byte) {
	for i := range p {
		d.Feed(p[i : i+1])
	}
}

// writer writes in the background, so that its user can read meanwhile.
type writer struct {
	queue chan []byte
	done  chan struct{}
}

func newWriter(conn net.Conn) *writer {
	w := &writer{queue: make(chan []byte, 1024), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		for p := range w.queue {
			conn.Write(p)
		}
	}()
	return w
}

func (w *writer) put(p []byte) {
	if len(p) > 0 {
		w.queue <- p
	}
}

func (w *writer) close() { close(w.queue) }
