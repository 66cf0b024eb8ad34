package tcp

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"wiregauge"
)

// incoming is the message being read. Its body is buffered only for a call that keeps it.
type incoming struct {
	begun    bool  // its first byte has come
	prefixed bool  // its length is known
	whole    bool  // its last byte has come
	size     int64 // so far
	left     int64 // where its length is known
	body     []byte
}

// idleBody is how much memory for bodies a session keeps between calls.
const idleBody = 1 << 20

// Receive implements wiregauge.Session.
func (s *session) Receive(in, out []byte) (int, []byte, error) {
	if s.fault != nil {
		return 0, out, s.fault
	}
	used := 0
	for used < len(in) {
		if s.first == s.next {
			return used, out, s.fail(wiregauge.Malformed, "%d bytes that echo nothing", len(in)-used)
		}
		c := *s.at(s.first)
		n, err := s.read(c, in[used:])
		used += n
		if err != nil {
			return used, out, err
		}
		if n == 0 {
			break
		}
		if s.in.whole {
			err = s.endMessage(c)
		}
		if err != nil {
			return used, out, err
		}
	}
	return used, out, nil
}

// read takes what it can of one message.
func (s *session) read(c *wiregauge.Call, in []byte) (int, error) {
	if s.framing == Len32 && !s.in.prefixed {
		if len(in) < 4 {
			return 0, nil
		}
		s.received.Framing += 4
		s.in.prefixed, s.in.left = true, int64(binary.BigEndian.Uint32(in))
		s.in.whole = s.in.left == 0
		s.begin(c)
		return 4, s.checkSize(c, s.in.left)
	}
	s.begin(c)
	n, ended := len(in), 0
	switch s.framing {
	case Raw:
		if !s.in.prefixed {
			s.in.prefixed, s.in.left = true, int64(len(c.Messages[c.Received]))
		}
		fallthrough
	case Len32:
		n = int(min(int64(n), s.in.left))
		s.in.left -= int64(n)
		s.in.whole = s.in.left == 0
	case Line:
		if at := bytes.IndexByte(in, '\n'); at >= 0 {
			n, ended, s.in.whole = at, 1, true
		}
	}
	s.in.size += int64(n)
	s.received.Body += int64(n)
	s.received.Framing += int64(ended)
	if err := s.checkSize(c, s.in.size); err != nil {
		return n + ended, err
	}
	if c.Keep || c.Credit > 0 {
		s.in.body = append(s.in.body, in[:n]...)
	}
	return n + ended, nil
}

// begin fires First with the first byte of a call's answer.
func (s *session) begin(c *wiregauge.Call) {
	if !s.in.begun && c.Received == 0 {
		s.ev.First(c)
	}
	s.in.begun = true
}

// endMessage ends one message, and the call with its last.
func (s *session) endMessage(c *wiregauge.Call) error {
	body := s.in.body
	s.in = incoming{body: body[:0]}
	if cap(body) > idleBody {
		s.in.body = nil
	}
	c.Received++
	if c.Keep || c.Credit > 0 {
		s.ev.Message(c, body)
	}
	if c.Received < len(c.Messages) {
		return nil
	}
	if s.first >= s.unsent {
		return s.fail(wiregauge.Malformed, "an echo came back before its message was sent")
	}
	s.pop()
	c.Outcome = wiregauge.OK
	s.ev.Done(c)
	return nil
}

// checkSize refuses a message beyond the request's bound, or beyond MaxFrame when it is kept.
func (s *session) checkSize(c *wiregauge.Call, size int64) error {
	limit := int64(c.MaxReply)
	if limit <= 0 && (c.Keep || c.Credit > 0) {
		limit = MaxFrame
	}
	if limit <= 0 || size <= limit {
		return nil
	}
	return s.fail(wiregauge.TooLarge, "an echo of %d bytes; the limit is %d, --max-reply raises it", size, limit)
}

// fail keeps and returns why no echo can be read any more.
func (s *session) fail(o wiregauge.Outcome, format string, args ...any) error {
	s.faultOutcome, s.fault = o, fmt.Errorf(format, args...)
	if o == wiregauge.Malformed {
		s.fault = &wiregauge.ProtocolError{Text: s.fault.Error()}
	}
	return s.fault
}
