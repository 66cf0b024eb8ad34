//go:build external

package interop

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wiregauge"
	"wiregauge/protocol/rsocket"
)

// ourServer answers the routes of lab/peers/rsocket/README.md with our answering end; what it counts is counted for all
// its connections.
type ourServer struct {
	t                      *testing.T
	serving                rsocket.Serving
	notes, pushes, cancels atomic.Int64
}

// serveOurs listens until the test ends and gives host:port.
func serveOurs(t *testing.T, serving rsocket.Serving) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := &ourServer{t: t, serving: serving}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.answer(c)
		}
	}()
	return l.Addr().String()
}

// A talk is one connection of ourServer; one goroutine reads, answers and writes.
type talk struct {
	*ourServer
	conn  net.Conn
	r     *rsocket.Responder
	out   []byte
	calls map[uint64]*answering
	ready []uint64 // calls that may have something to send
	asked []uint64 // channels whose messages are to be asked for
	born  time.Time
}

// answering is a call that is not answered yet.
type answering struct {
	waiting [][]byte // the answers to come, in order
	again   int      // how often the last of them comes once more
	open    bool     // more may come
	alone   bool     // the only answer
	failure error    // the end, instead of a good one
}

func (s *ourServer) answer(conn net.Conn) {
	defer conn.Close()
	c := &talk{ourServer: s, conn: conn, calls: map[uint64]*answering{}, born: time.Now()}
	c.r = rsocket.NewResponder(s.serving, c)
	var err error
	var in []byte
	buf := make([]byte, 64<<10)
	for {
		n := 0
		if !c.tick() {
			return
		}
		if n, err = conn.Read(buf); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		in = append(in, buf[:n]...)
		used, out, err := c.r.Receive(in, c.out)
		in = append(in[:0], in[used:]...)
		if c.out = out; c.write(err == nil || err == io.EOF) != nil || err != nil {
			return
		}
	}
}

// tick pays what is owed to time, and has the reading wake up when more will be; false ends the connection.
func (c *talk) tick() bool {
	out, err := c.r.Tick(time.Since(c.born), c.out)
	if c.out = out; c.write(err == nil) != nil || err != nil {
		return false
	}
	wake := time.Time{}
	if at, ok := c.r.Next(); ok {
		wake = c.born.Add(at)
	}
	return c.conn.SetReadDeadline(wake) == nil
}

// write sends what is owed until nothing is.
func (c *talk) write(answers bool) error {
	for {
		if answers {
			c.pump()
		}
		c.out = c.r.Flush(c.out)
		if len(c.out) == 0 {
			return nil
		}
		if _, err := c.conn.Write(c.out); err != nil {
			return err
		}
		c.out = c.out[:0]
	}
}

// pump gives answers as far as they are asked for.
func (c *talk) pump() {
	for _, id := range c.asked {
		c.out = c.r.Grant(c.out, id, 1<<31-1)
	}
	c.asked = c.asked[:0]
	for _, id := range c.ready {
		for a := c.calls[id]; a != nil && c.give(id, a); {
		}
	}
	c.ready = c.ready[:0]
}

// give gives one answer or the end, and reports whether there may be more to give now.
func (c *talk) give(id uint64, a *answering) bool {
	var err error
	switch {
	case len(a.waiting) > 0:
		if c.out, err = c.r.Answer(c.out, id, a.waiting[0], a.alone, nil); err != nil {
			return false // Room will tell
		}
		if len(a.waiting) == 1 && a.again > 0 {
			a.again--
		} else {
			a.waiting = a.waiting[1:]
		}
		if !a.alone {
			return true
		}
	case a.open:
		return false
	default:
		if c.out, err = c.r.Answer(c.out, id, nil, true, a.failure); err != nil {
			return false
		}
	}
	delete(c.calls, id)
	return false
}

// Request is part of wiregauge.Handler.
func (c *talk) Request(id uint64, r *wiregauge.Incoming) error {
	switch {
	case r.Opening:
		return nil
	case r.Push:
		c.pushes.Add(1)
		return nil
	case r.Shape == wiregauge.OneWay:
		if r.Method == "note" {
			c.notes.Add(1)
		}
		return nil
	}
	a, err := c.route(r)
	if err != nil {
		return err
	}
	c.calls[id] = a
	if r.Shape == wiregauge.Bidi {
		a.open = !r.Last
		c.asked = append(c.asked, id)
	}
	c.ready = append(c.ready, id)
	return nil
}

// route begins the answer to a call.
func (c *talk) route(r *wiregauge.Incoming) (*answering, error) {
	text := string(r.Data)
	one := func(b []byte) (*answering, error) { return &answering{waiting: [][]byte{b}, alone: true}, nil }
	switch r.Method {
	case "echo":
		return one([]byte(text))
	case "empty":
		return &answering{}, nil
	case "fail":
		return nil, errors.New("planted")
	case "err":
		code, err := strconv.ParseUint(text, 16, 32)
		return &answering{failure: &wiregauge.Failure{Status: int(code), Text: "planted " + text}}, err
	case "big":
		size, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		return one(rsocketPattern(size))
	case "items":
		return items(text)
	case "chan":
		return &answering{waiting: [][]byte{[]byte(text)}}, nil
	case "never", "nevers":
		return &answering{open: true}, nil
	case "counts":
		return one(fmt.Appendf(nil, "notes=%d pushes=%d cancels=%d", c.notes.Load(), c.pushes.Load(), c.cancels.Load()))
	}
	return nil, fmt.Errorf("no route %q", r.Method)
}

// items reads "COUNT SIZE" or "COUNT SIZE !".
func items(text string) (*answering, error) {
	var count, size int
	if _, err := fmt.Sscanf(text, "%d %d", &count, &size); err != nil {
		return nil, err
	}
	a := &answering{waiting: [][]byte{rsocketPattern(size)}, again: count - 1}
	if strings.HasSuffix(text, "!") {
		a.failure = errors.New("planted")
	}
	return a, nil
}

// Message is part of wiregauge.Handler.
func (c *talk) Message(id uint64, body []byte, last bool) {
	a := c.calls[id]
	if a == nil {
		return
	}
	if body != nil {
		a.waiting = append(a.waiting, append([]byte{}, body...))
	}
	a.open = !last
	c.ready = append(c.ready, id)
}

// Room is part of wiregauge.Handler.
func (c *talk) Room(id uint64, _ int64) { c.ready = append(c.ready, id) }

// Cancel is part of wiregauge.Handler.
func (c *talk) Cancel(id uint64) {
	if a := c.calls[id]; a != nil && a.open && len(a.waiting) == 0 {
		c.cancels.Add(1)
	}
	delete(c.calls, id)
}
