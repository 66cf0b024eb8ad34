package http1

import (
	"fmt"
	"math"

	"wiregauge"
)

// expectsStream reports whether the answer to c is to be a stream of messages, and is no error or redirect.
func (s *session) expectsStream(c *wiregauge.Call) bool {
	return c.Shape.StreamsIn() && s.in.status < 300 && !isHead(c.Method)
}

// beginMessages readies the session for the body of c, where that is a stream. A compressed one can be read only when
// it is whole.
func (s *session) beginMessages(c *wiregauge.Call) {
	if s.in.streams = s.expectsStream(c) && !s.in.gzip; s.in.streams {
		s.in.split.Reset(s.in.events, c.Keep || c.Credit > 0, mostMessage(c))
	}
}

// cutWhole tells of the messages of a stream that came whole.
func (s *session) cutWhole(c *wiregauge.Call, body []byte) {
	c.Received = 0
	s.in.split.Reset(s.in.events, true, 0)
	for {
		message, rest, ok, _ := s.in.split.Next(body)
		if !ok {
			break
		}
		s.message(c, message)
		body = rest
	}
	if message, ok, _ := s.in.split.End(); ok {
		s.message(c, message)
	}
	s.in.split.Free(idleBody)
}

// mostMessage bounds one message of a stream, in bytes.
func mostMessage(c *wiregauge.Call) int { return int(min(mostBody(c), math.MaxInt)) }

// readMessages takes what it can of the body and tells of each message that is whole.
func (s *session) readMessages(in []byte) (int, error) {
	n := len(in)
	if int64(n) > s.in.left {
		n = int(s.in.left)
	}
	s.in.left -= int64(n)
	s.received.Body += int64(n)
	c := s.at(0)
	for p := in[:n]; ; {
		message, rest, ok, err := s.in.split.Next(p)
		if err != nil {
			return n, s.largeMessage(c)
		}
		if !ok {
			break
		}
		s.message(c, message)
		p = rest
	}
	s.endPiece(c)
	return n, nil
}

func (s *session) message(c *wiregauge.Call, body []byte) {
	c.Received++
	if c.Keep || c.Credit > 0 {
		s.ev.Message(c, body)
	}
}

func (s *session) largeMessage(c *wiregauge.Call) error {
	return s.tooLarge("a message of the answer is larger than %d bytes; --max-reply raises the limit", mostMessage(c))
}

// endMessages ends the stream: what stands behind the last line end is a message too.
func (s *session) endMessages(c *wiregauge.Call) {
	message, ok, err := s.in.split.End()
	s.in.split.Free(idleBody)
	c.Outcome = wiregauge.OK
	switch {
	case err != nil:
		c.Outcome = wiregauge.TooLarge
		if c.Explain {
			c.Text = fmt.Sprintf("a message of the answer is larger than %d bytes; --max-reply raises the limit", mostMessage(c))
		}
	case ok:
		s.message(c, message)
	}
	if c.Detail != nil {
		noteEncoding(c.Detail)
	}
	s.end(c)
}
