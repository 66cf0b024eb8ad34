package http1

import (
	"bytes"
	"math"

	"wiregauge"
	"wiregauge/protocol/content"
	"wiregauge/protocol/lines"
)

// state says what the next byte belongs to.
type state uint8

const (
	atStatus       state = iota // a status line, or nothing yet
	atField                     // a header field, or the empty line behind them
	atBody                      // a body of known length
	atBodyUntilEnd              // a body that ends with the connection
	atChunkSize                 // a chunk's first line
	atChunk                     // its data
	atChunkEnd                  // the line end behind it
	atTrailer                   // a trailer field, or the empty line behind them
	atEnd                       // nothing more is wanted: what comes is dropped
)

// incoming is the answer being read.
type incoming struct {
	state   state
	scanned int // bytes at the front of the input that are known to hold no line end
	header  int // bytes of header read so far, interim answers and trailers included
	answer
	left int64 // of the body or the chunk
	size int64 // of the body, so far
	keep int64 // how many bytes of the body are kept
	body []byte

	streams bool // the body is a stream of messages, which split finds
	split   lines.Splitter

	// The last head that was read, and what it said: servers send the same one again and again, but for the
	// second in Date.
	lastHead   []byte
	lastAnswer answer
	thisHead   []byte // the one being read, nil when it is too long to be worth it
}

// fault is why an answer cannot be read any further.
type fault struct {
	outcome wiregauge.Outcome
	err     error
}

// longHead is the longest head that is remembered.
const longHead = 2048

// Receive implements wiregauge.Session.
func (s *session) Receive(in, out []byte) (int, []byte, error) {
	if s.fault != nil {
		return 0, out, s.fault.err
	}
	used := 0
	for used < len(in) {
		n, err := s.read(in[used:])
		used += n
		if err != nil {
			return used, out, err
		}
		if n == 0 {
			break
		}
	}
	return used, out, nil
}

// read consumes one element of the answer, 0 bytes when it is not whole.
func (s *session) read(in []byte) (int, error) {
	if s.in.state == atEnd {
		s.received.Control += int64(len(in))
		return len(in), nil
	}
	if s.open == 0 {
		return s.unsolicited(in)
	}
	switch s.in.state {
	case atStatus:
		return s.readStatus(in)
	case atField, atTrailer:
		return s.readField(in)
	case atBody, atBodyUntilEnd, atChunk:
		if s.in.streams {
			return s.readMessages(in)
		}
		return s.readBody(in), s.overLimit()
	case atChunkSize:
		return s.readChunkSize(in)
	}
	return s.readChunkEnd(in)
}

// unsolicited takes bytes that answer no request. They make the connection useless (RFC 9112, section 9.2); only
// a 408 is a server's way to say that it has waited long enough (RFC 9110, section 15.5.9).
func (s *session) unsolicited(in []byte) (int, error) {
	const late, at = "HTTP/1.1 408", len("HTTP/1.")
	s.closing = true
	for i := range min(len(in), len(late)) {
		if in[i] != late[i] && i != at {
			return 0, s.malformed("RFC 9112, section 9.2", "%d bytes that answer no request: %q", len(in), start(in))
		}
	}
	if len(in) < len(late) {
		return 0, nil
	}
	s.received.Control += int64(len(in))
	s.stop()
	return len(in), nil
}

// readStatus reads a status line, or a whole head that is the same as the last one.
func (s *session) readStatus(in []byte) (int, error) {
	c := s.at(0)
	if last := s.in.lastHead; len(last) > 0 && c.Detail == nil && s.in.header == 0 && bytes.HasPrefix(in, last) {
		s.in.answer, s.in.thisHead = s.in.lastAnswer, s.in.thisHead[:0]
		s.received.Headers += int64(len(last))
		return len(last), s.endHead(c)
	}
	line, n, err := s.line(in)
	if n == 0 && err == nil && !looksLikeAnswer(in) {
		err = s.notHTTP(in)
	}
	if n == 0 || err != nil {
		return n, err
	}
	if s.in.answer, err = s.parseStatus(line); err != nil {
		return n, err
	}
	s.in.state = atField
	s.in.thisHead = append(s.in.thisHead[:0], in[:n]...)
	if c.Detail != nil {
		c.Detail.StatusLine, c.Detail.Header = string(line), c.Detail.Header[:0]
	}
	return n, nil
}

// readField reads a header or trailer field, or the empty line that ends them.
func (s *session) readField(in []byte) (int, error) {
	line, n, err := s.line(in)
	if n == 0 || err != nil {
		return n, err
	}
	c := s.at(0)
	if s.in.state == atTrailer {
		if len(line) == 0 {
			s.finish(c)
			return n, nil
		}
		return n, s.trailer(c, line)
	}
	if len(s.in.thisHead)+n <= longHead {
		s.in.thisHead = append(s.in.thisHead, in[:n]...)
	} else {
		s.in.thisHead = s.in.thisHead[:0]
	}
	if len(line) == 0 {
		return n, s.endHead(c)
	}
	return n, s.header(c, line)
}

// endHead decides how the body is framed (RFC 9112, section 6.3).
func (s *session) endHead(c *wiregauge.Call) error {
	a := &s.in.answer
	if a.status < 200 {
		if a.status == 101 {
			return s.malformed("RFC 9110, section 15.2.2", "101 Switching Protocols, which was not asked for")
		}
		if c.Detail != nil {
			c.Detail.Informational = append(c.Detail.Informational, a.status)
		}
		s.in.state = atStatus
		return nil
	}
	if len(s.in.thisHead) > 0 {
		s.in.lastHead, s.in.thisHead = s.in.thisHead, s.in.lastHead[:0]
		s.in.lastAnswer = *a
	}
	if !a.persists() {
		s.closing = true
	}
	c.Status = a.status
	s.in.size, s.in.keep, s.in.body = 0, keeps(c), s.in.body[:0]
	s.beginMessages(c)
	s.ev.First(c)
	switch {
	case a.status == 204 || a.status == 304 || isHead(c.Method):
		s.finish(c)
	case a.coded && !a.chunked:
		return s.malformed("RFC 9112, section 6.1", "a transfer coding that was not asked for")
	case a.chunked:
		s.in.state = atChunkSize
	case a.length == 0:
		s.finish(c)
	case a.length > 0:
		s.in.state, s.in.left = atBody, a.length
		return s.overLimit()
	default:
		s.in.state, s.in.left = atBodyUntilEnd, math.MaxInt64
		s.closing = true
	}
	return nil
}

// keeps is how many bytes of the body are wanted.
func keeps(c *wiregauge.Call) int64 {
	if c.Keep || c.Credit > 0 {
		return math.MaxInt64
	}
	if c.Explain && c.Status >= 400 {
		return content.TextSize
	}
	return 0
}

// line cuts the next line off in, without its end; n is 0 when it is not whole. A line may end in LF alone
// (RFC 9112, section 2.2), but a CR stands nowhere else.
func (s *session) line(in []byte) (line []byte, n int, err error) {
	at := bytes.IndexByte(in[s.in.scanned:], '\n')
	n = len(in)
	if at >= 0 {
		n = s.in.scanned + at + 1
	}
	if s.in.header+n > s.opt.MaxHeader {
		return nil, 0, s.tooLarge("the header of the answer is longer than %d bytes", s.opt.MaxHeader)
	}
	if at < 0 {
		s.in.scanned = n
		return nil, 0, nil
	}
	s.in.scanned = 0
	s.in.header += n
	s.received.Headers += int64(n)
	line = in[:n-1]
	if len(line) > 0 && line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	if bytes.IndexByte(line, '\r') >= 0 || bytes.IndexByte(line, 0) >= 0 {
		return nil, n, s.malformed("RFC 9112, section 2.2", "a bare CR or a zero byte in the header line %q", start(line))
	}
	return line, n, nil
}
