package tcp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"syscall"

	"wiregauge"
	"wiregauge/protocol"
)

// inFlight is how many calls one connection takes unless Options.Streams says less.
const inFlight = 1 << 16

// session is the client end of one connection. Calls stand in a ring in the order of Start, which is the order of
// the echoes; those from unsent on are not wholly appended yet.
type session struct {
	ev      wiregauge.Events
	framing Framing
	err     error // the framing is not known
	limit   int

	ring                []*wiregauge.Call // its length is a power of two
	first, unsent, next uint64            // places in the order of Start; ring[place & mask]
	message, offset     int               // of ring[unsent]: the message being sent, how much of it is gone
	prefixed            bool              // its length is gone

	in             incoming
	ended          bool
	fault          error
	faultOutcome   wiregauge.Outcome
	sent, received wiregauge.Traffic
}

// New makes the session of one connection. Options.Streams bounds the calls in flight; 0 means 65,536.
func New(opt protocol.Options, ev wiregauge.Events) wiregauge.Session {
	s := &session{ev: ev, limit: opt.Streams, ring: make([]*wiregauge.Call, 64)}
	s.framing, s.err = ParseFraming(opt.Framing)
	if s.limit <= 0 {
		s.limit = inFlight
	}
	return s
}

// Start implements wiregauge.Session.
func (s *session) Start(out []byte, c *wiregauge.Call) ([]byte, error) {
	if s.ended || s.fault != nil {
		return out, wiregauge.Closing
	}
	if s.next-s.first >= uint64(s.limit) {
		return out, wiregauge.Streams
	}
	if err := s.check(c.Request); err != nil {
		return out, err
	}
	if s.next-s.first == uint64(len(s.ring)) {
		s.grow()
	}
	c.Queued = 0
	for _, m := range c.Messages {
		c.Queued += s.framed(m)
	}
	c.ID = s.next
	*s.at(s.next) = c
	s.next++
	if s.unsent == s.next-1 && c.Queued <= wiregauge.Unsent {
		out = s.appendAll(out, c)
		s.unsent++
	}
	return out, nil
}

// check refuses what cannot be told from another request on the wire.
func (s *session) check(r *wiregauge.Request) error {
	if s.err != nil || r.Open || r.Shape == wiregauge.OneWay || len(r.Messages) == 0 {
		if s.err != nil {
			return s.err
		}
		return fmt.Errorf("an echo needs its messages with the request; %s calls with %d messages are not possible", r.Shape, len(r.Messages))
	}
	for _, m := range r.Messages {
		if s.framing == Line && bytes.IndexByte(m, '\n') >= 0 {
			return errors.New("a message holds a line feed, which ends it with framing=line; use framing=len32")
		}
		if s.framing == Raw && len(m) == 0 {
			return errors.New("an empty message cannot be seen to come back with framing=raw; use framing=len32")
		}
		if len(m) > math.MaxUint32 {
			return fmt.Errorf("a message of %d bytes; framing=len32 carries at most %d", len(m), math.MaxUint32)
		}
	}
	return nil
}

// framed is how many bytes m takes on the wire.
func (s *session) framed(m []byte) int {
	switch s.framing {
	case Len32:
		return 4 + len(m)
	case Line:
		return len(m) + 1
	}
	return len(m)
}

// appendAll appends a small call at once.
func (s *session) appendAll(out []byte, c *wiregauge.Call) []byte {
	for _, m := range c.Messages {
		out = s.framing.Append(out, m)
		s.sent.Body += int64(len(m))
		s.sent.Framing += int64(s.framed(m) - len(m))
	}
	c.Queued = 0
	return out
}

// Flush implements wiregauge.Session.
func (s *session) Flush(out []byte) []byte {
	limit := len(out) + wiregauge.Unsent
	for s.unsent < s.next && len(out) < limit && !s.ended {
		c := *s.at(s.unsent)
		if out = s.appendSome(out, limit, c); c.Queued > 0 {
			break
		}
		s.unsent++
		s.message = 0
		s.ev.Sent(c)
	}
	return out
}

// appendSome appends what fits of the call that is being sent. The length goes out with the first byte.
func (s *session) appendSome(out []byte, limit int, c *wiregauge.Call) []byte {
	for s.message < len(c.Messages) && len(out) < limit {
		m := c.Messages[s.message]
		before := len(out)
		if s.framing == Len32 && !s.prefixed {
			s.prefixed = true
			out = binary.BigEndian.AppendUint32(out, uint32(len(m)))
		}
		n := min(len(m)-s.offset, max(limit-len(out), 0))
		out = append(out, m[s.offset:s.offset+n]...)
		s.offset += n
		whole := s.offset == len(m)
		if whole && s.framing == Line {
			out = append(out, '\n')
		}
		c.Queued -= len(out) - before
		s.sent.Body += int64(n)
		s.sent.Framing += int64(len(out) - before - n)
		if whole {
			s.message, s.offset, s.prefixed = s.message+1, 0, false
		} else if n == 0 {
			break
		}
	}
	return out
}

// Cancel implements wiregauge.Session. The echo would still come, in the order of the others, so the connection is
// spent.
func (s *session) Cancel(out []byte, c *wiregauge.Call) ([]byte, error) {
	if c.ID < s.first || c.ID >= s.next || *s.at(c.ID) != c {
		return out, nil
	}
	*s.at(c.ID) = nil
	s.fault = wiregauge.ErrClose
	s.faultOutcome = wiregauge.Closed
	s.unsent = s.next // nothing more of any call goes out
	return out, wiregauge.ErrClose
}

// End implements wiregauge.Session.
func (s *session) End(cause error) {
	if s.ended {
		return
	}
	s.ended = true
	outcome := wiregauge.Closed
	if errors.Is(cause, syscall.ECONNRESET) || errors.Is(cause, syscall.EPIPE) {
		outcome = wiregauge.Reset
	}
	if cause == nil || errors.Is(cause, io.EOF) {
		cause = errEarlyEnd
	}
	for s.first < s.next {
		c := s.pop()
		if c == nil {
			continue // cancelled
		}
		err := cause
		c.Outcome = outcome
		if s.faultOutcome != 0 {
			c.Outcome, err = s.faultOutcome, s.fault
			s.faultOutcome = 0 // only the echo being read is at fault
		}
		if c.Explain {
			c.Text = err.Error()
		}
		s.ev.Done(c)
	}
}

var errEarlyEnd = errors.New("the server closed the connection before the echo was complete")

// Traffic implements wiregauge.Counter.
func (s *session) Traffic() (sent, received wiregauge.Traffic) { return s.sent, s.received }

func (s *session) at(place uint64) **wiregauge.Call { return &s.ring[place&uint64(len(s.ring)-1)] }

// pop lets go of the first open call.
func (s *session) pop() *wiregauge.Call {
	p := s.at(s.first)
	c := *p
	*p = nil
	s.first++
	s.unsent = max(s.unsent, s.first)
	return c
}

// grow doubles the ring.
func (s *session) grow() {
	old := s.ring
	s.ring = make([]*wiregauge.Call, 2*len(old))
	for place := s.first; place < s.next; place++ {
		*s.at(place) = old[place&uint64(len(old)-1)]
	}
}

var (
	_ wiregauge.Session = (*session)(nil)
	_ wiregauge.Counter = (*session)(nil)
)
