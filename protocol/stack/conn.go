package stack

import (
	"net"
	"sync"
	"sync/atomic"

	"wiregauge"
)

// Conns counts what the connections of one client did.
type Conns struct {
	opened, ended, sent, received atomic.Int64
	retried, resent               atomic.Int64
	bodySent, bodyReceived        atomic.Int64
	unprocessed                   atomic.Int64 // streams that the server provably did not process, not yet spent
}

// Count wraps a connection so that its bytes are counted. It is the one next to the kernel.
func (s *Conns) Count(c net.Conn) net.Conn {
	s.opened.Add(1)
	return &counted{Conn: c, conns: s}
}

// Watch wraps a connection that carries HTTP/2 in clear so that its frame headers are read.
func (s *Conns) Watch(c net.Conn) net.Conn {
	w := &watched{Conn: c}
	w.out.on = w.wrote
	w.in.on = func(f frame) { s.unprocessed.Add(w.read(f)) }
	return w
}

// Body adds to the bytes of messages.
func (s *Conns) Body(sent, received int) {
	s.bodySent.Add(int64(sent))
	s.bodyReceived.Add(int64(received))
}

// SecondTry judges a second try of a library: proven harmless or not.
func (s *Conns) SecondTry(c *wiregauge.Call, proven bool) {
	if !proven {
		proven = s.unprocessed.Add(-1) >= 0
		if !proven {
			s.unprocessed.Add(1)
		}
	}
	if proven {
		s.resent.Add(1)
		c.Resent = true
		return
	}
	s.retried.Add(1)
	c.Outcome = wiregauge.Retried
	c.Text = "the library sent the call a second time on its own"
}

// Stats is what a client answers for itself. Of the bytes only messages can be told from the rest.
func (s *Conns) Stats() wiregauge.ClientStats {
	return wiregauge.ClientStats{
		Opened: s.opened.Load(), Ended: s.ended.Load(), Retries: s.retried.Load(), Resent: s.resent.Load(),
		Sent: wiregauge.Traffic{Body: s.bodySent.Load()}, Received: wiregauge.Traffic{Body: s.bodyReceived.Load()},
		SentBytes: s.sent.Load(), ReceivedBytes: s.received.Load(),
	}
}

type counted struct {
	net.Conn
	conns *Conns
	once  sync.Once
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.conns.received.Add(int64(n))
	return n, err
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.conns.sent.Add(int64(n))
	return n, err
}

func (c *counted) Close() error {
	c.once.Do(func() { c.conns.ended.Add(1) })
	return c.Conn.Close()
}
