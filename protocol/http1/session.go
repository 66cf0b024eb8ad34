package http1

import (
	"errors"
	"syscall"

	"wiregauge"
	"wiregauge/protocol"
)

// session is the client end of one connection. Calls wait in a ring in the order of their requests, which is the
// order of the answers (RFC 9112, section 9.3.2); the last one started may still be sending.
type session struct {
	ev     wiregauge.Events
	opt    protocol.Options
	heads  []head // what was encoded, by Request.Index
	ring   []*wiregauge.Call
	first  int // the call whose answer is due, if open > 0
	open   int
	lastID uint64

	up      upload
	refused bool // a Start was refused with Busy because of up

	in             incoming
	closing        bool // no call is taken any more
	said           bool // Closing has fired
	ended          bool
	fault          *fault
	sent, received wiregauge.Traffic
}

// New makes the session of one connection. Options.Streams is the pipelining depth, 1 by default.
func New(opt protocol.Options, ev wiregauge.Events) wiregauge.Session {
	if opt.Streams <= 0 {
		opt.Streams = 1
	}
	if opt.MaxHeader <= 0 {
		opt.MaxHeader = 1 << 20
	}
	if opt.UserAgent == "" {
		opt.UserAgent = "wiregauge/1"
	}
	return &session{ev: ev, opt: opt, ring: make([]*wiregauge.Call, opt.Streams)}
}

// Start implements wiregauge.Session.
func (s *session) Start(out []byte, c *wiregauge.Call) ([]byte, error) {
	switch {
	case s.closing:
		return out, wiregauge.Closing
	case s.open == len(s.ring) && s.open == 1:
		return out, wiregauge.Busy
	case s.open == len(s.ring):
		return out, wiregauge.Streams
	case s.up.c != nil:
		s.refused = true
		return out, wiregauge.Busy
	}
	h := s.head(c.Request)
	if h.err != nil {
		return out, h.err
	}
	limit := len(out) + wiregauge.Unsent
	before := len(out)
	out = h.append(out, c.Request)
	s.sent.Headers += int64(len(out) - before)
	s.up.begin(c, h.chunked)
	if out = s.up.fill(out, limit, &s.sent); s.up.finished {
		s.up.c = nil
	}
	s.lastID++
	c.ID = s.lastID
	s.ring[(s.first+s.open)%len(s.ring)] = c
	s.open++
	s.closing = h.close
	return out, nil
}

// Send implements wiregauge.Streamer: the message goes out as a chunk.
func (s *session) Send(out []byte, c *wiregauge.Call, message []byte, last bool) ([]byte, error) {
	if s.up.c != c || s.up.last {
		return out, wiregauge.ErrStopped
	}
	if s.up.queued() {
		s.up.blocked = true
		return out, wiregauge.Busy
	}
	s.up.add(message, last)
	out = s.up.fill(out, len(out)+wiregauge.Unsent, &s.sent)
	s.up.own()
	return out, nil
}

// Grant implements wiregauge.Streamer. An HTTP/1.1 answer is one message: there is nothing to grant.
func (s *session) Grant(out []byte, _ *wiregauge.Call, _ int) []byte { return out }

// Flush implements wiregauge.Session.
func (s *session) Flush(out []byte) []byte {
	c := s.up.c
	if c == nil || s.ended {
		return out
	}
	out = s.up.fill(out, len(out)+wiregauge.Unsent, &s.sent)
	if s.up.finished {
		s.up.c = nil
		s.ev.Sent(c)
		if s.refused {
			s.refused = false
			s.ev.Room(nil)
		}
		return out
	}
	if s.up.blocked && !s.up.queued() {
		s.up.blocked = false
		s.ev.Room(c)
	}
	return out
}

// Cancel implements wiregauge.Session. The answer would still come and cannot be told from the next one, so the
// connection is spent.
func (s *session) Cancel(out []byte, c *wiregauge.Call) ([]byte, error) {
	for i := range s.open {
		if s.at(i) != c {
			continue
		}
		for ; i < s.open-1; i++ {
			s.ring[(s.first+i)%len(s.ring)] = s.at(i + 1)
		}
		s.open--
		if s.up.c == c {
			s.up.c = nil
		}
		s.closing = true
		s.in.state = atEnd
		return out, wiregauge.ErrClose
	}
	return out, nil
}

// End implements wiregauge.Session.
func (s *session) End(cause error) {
	if s.ended {
		return
	}
	s.ended, s.closing = true, true
	clean := isClean(cause)
	if s.open > 0 && s.fault == nil && clean && s.in.state == atBodyUntilEnd {
		s.finish(s.at(0)) // and with it, fails the calls behind it
	}
	outcome := wiregauge.Closed
	if errors.Is(cause, syscall.ECONNRESET) || errors.Is(cause, syscall.EPIPE) {
		outcome = wiregauge.Reset
	}
	for s.open > 0 {
		c := s.pop()
		c.Outcome = outcome
		if s.fault != nil {
			c.Outcome, c.Text = s.fault.outcome, explain(c, s.fault.err)
			s.fault = nil // only the answer being read is at fault
		} else if clean {
			c.Text = explain(c, errEarlyEnd)
		} else {
			c.Text = explain(c, cause)
		}
		s.ev.Done(c)
	}
}

var errEarlyEnd = errors.New("the server closed the connection before the answer was complete")

// Traffic implements wiregauge.Counter.
func (s *session) Traffic() (sent, received wiregauge.Traffic) { return s.sent, s.received }

// at is the i-th open call, in order of Start.
func (s *session) at(i int) *wiregauge.Call { return s.ring[(s.first+i)%len(s.ring)] }

// pop lets go of the first open call.
func (s *session) pop() *wiregauge.Call {
	c := s.ring[s.first]
	s.ring[s.first] = nil
	s.first = (s.first + 1) % len(s.ring)
	s.open--
	return c
}

func explain(c *wiregauge.Call, err error) string {
	if !c.Explain || err == nil {
		return ""
	}
	return err.Error()
}

var (
	_ wiregauge.Session  = (*session)(nil)
	_ wiregauge.Streamer = (*session)(nil)
	_ wiregauge.Counter  = (*session)(nil)
)
