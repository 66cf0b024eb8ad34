package stack

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"

	"wiregauge"
	"wiregauge/internal/tcpinfo"
)

// Conns counts what the connections of one client did.
type Conns struct {
	opened, sent, received atomic.Int64
	ended                  [endings]atomic.Int64
	retried, resent        atomic.Int64
	bodySent, bodyReceived atomic.Int64
	unprocessed            atomic.Int64 // streams that the server provably did not process, not yet spent

	mu       sync.Mutex
	open     map[*counted]bool // those that are asked for their segments
	segments int64             // sent again, of closed ones
	unread   bool              // one of them could not tell
}

// An ending is why a connection ended, as far as the connection itself can tell.
type ending uint8

const (
	byLibrary ending = iota
	byServer
	byReset
	byGoAway
	endings
)

// Count wraps a connection so that its bytes are counted. It is the one next to the kernel.
func (s *Conns) Count(c net.Conn) net.Conn {
	s.opened.Add(1)
	counts := &counted{Conn: c, conns: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[*counted]bool{}
	}
	s.open[counts] = true
	return counts
}

// closing takes the last reading of a connection.
func (s *Conns) closing(c *counted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, known := tcpinfo.Retransmits(c.Conn)
	s.segments += n
	s.unread = s.unread || !known
	delete(s.open, c)
}

// retransmits is how many segments of all connections were sent again.
func (s *Conns) retransmits() (sum int64, unread bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum, unread = s.segments, s.unread
	for c := range s.open {
		n, known := tcpinfo.Retransmits(c.Conn)
		sum += n
		unread = unread || !known
	}
	return sum, unread
}

// Watch wraps a connection that carries HTTP/2 in clear so that its frame headers are read.
func (s *Conns) Watch(c net.Conn) net.Conn {
	w := &watched{Conn: c, below: under(c)}
	w.out.on = func(f frame) { s.unprocessed.Add(w.wrote(f)) }
	w.in.on = func(f frame) { s.unprocessed.Add(w.read(f)) }
	return w
}

// Body adds to the bytes of messages.
func (s *Conns) Body(sent, received int) {
	s.bodySent.Add(int64(sent))
	s.bodyReceived.Add(int64(received))
}

// Tried judges a call that a library tried more than once, of which it wrote some tries to a connection: each second
// one is proven harmless, by the frames or because nothing was written, or it is a retry.
func (s *Conns) Tried(c *wiregauge.Call, tries, wrote int) {
	if c.Outcome == wiregauge.Refused {
		s.takeProof() // that of the last try, which excuses no other call
	}
	if tries <= 1 {
		return
	}
	c.Resent = tries - 1
	for range wrote - 1 {
		if !s.takeProof() {
			c.Resent--
			s.retried.Add(1)
		}
	}
	s.resent.Add(int64(c.Resent))
	if c.Resent < tries-1 {
		c.Outcome = wiregauge.Retried
		c.Text = "the library sent the call a second time on its own"
	}
}

// takeProof spends one stream that was provably not processed.
func (s *Conns) takeProof() bool {
	if s.unprocessed.Add(-1) >= 0 {
		return true
	}
	s.unprocessed.Add(1)
	return false
}

// Stats is what a client answers for itself. Of the bytes only messages can be told from the rest.
func (s *Conns) Stats() wiregauge.ClientStats {
	server, reset, away := s.ended[byServer].Load(), s.ended[byReset].Load(), s.ended[byGoAway].Load()
	again, unread := s.retransmits()
	return wiregauge.ClientStats{
		Retransmits: again, Unread: unread,
		Opened: s.opened.Load(), Ended: s.ended[byLibrary].Load() + server + reset + away,
		GoAways: away, Closes: server, Resets: reset,
		Retries: s.retried.Load(), Resent: s.resent.Load(),
		Sent: wiregauge.Traffic{Body: s.bodySent.Load()}, Received: wiregauge.Traffic{Body: s.bodyReceived.Load()},
		SentBytes: s.sent.Load(), ReceivedBytes: s.received.Load(),
	}
}

type counted struct {
	net.Conn
	conns *Conns

	mu     sync.Mutex
	why    ending // the first one that was seen
	closed bool
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.conns.received.Add(int64(n))
	c.saw(err)
	return n, err
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.conns.sent.Add(int64(n))
	c.saw(err)
	return n, err
}

// saw notes what an error says of the connection's end.
func (c *counted) saw(err error) {
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		c.end(byServer)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		c.end(byReset)
	}
}

// end notes why the connection ends; a library may have closed it a moment before that is known.
func (c *counted) end(why ending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why != byLibrary {
		return
	}
	c.why = why
	if c.closed {
		c.conns.ended[byLibrary].Add(-1)
		c.conns.ended[why].Add(1)
	}
}

func (c *counted) Close() error {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		c.conns.closing(c)
		c.conns.ended[c.why].Add(1)
	}
	c.mu.Unlock()
	return c.Conn.Close()
}

// secured is a connection under TLS, where the server's end is known before the one below has seen it.
type secured struct {
	net.Conn
	below *counted
}

func (s *secured) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	if s.below != nil {
		s.below.saw(err)
	}
	return n, err
}

// NetConn is the connection inside, as crypto/tls names it.
func (s *secured) NetConn() net.Conn { return s.Conn }

// under is the counted connection below the layers of another.
func under(c net.Conn) *counted {
	for {
		switch layer := c.(type) {
		case *counted:
			return layer
		case interface{ NetConn() net.Conn }:
			c = layer.NetConn()
		default:
			return nil
		}
	}
}
