package http1

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"wiregauge/protocol/content"

	"wiregauge"
)

const (
	// longLine bounds a chunk's first line with its extensions.
	longLine = 4 << 10
	// idleBody is how much memory for bodies a session keeps between calls.
	idleBody = 1 << 20
)

// readBody takes what it can of the body and finishes the answer when that is all.
func (s *session) readBody(in []byte) int {
	n := len(in)
	if int64(n) > s.in.left {
		n = int(s.in.left)
	}
	s.in.left -= int64(n)
	s.in.size += int64(n)
	s.received.Body += int64(n)
	c := s.at(0)
	if s.in.size > mostBody(c) {
		return n // overLimit says so
	}
	if want := s.in.keep - int64(len(s.in.body)); want > 0 {
		if s.in.left == 0 && s.in.state == atBody && len(s.in.body) == 0 {
			s.deliver(c, in[:min(int64(n), want)]) // whole and in place: no copy
			return n
		}
		s.in.body = append(s.in.body, in[:min(int64(n), want)]...)
	}
	s.endPiece(c)
	return n
}

// endPiece goes on to what comes behind the body or the chunk, once all of it has been read.
func (s *session) endPiece(c *wiregauge.Call) {
	switch {
	case s.in.left > 0:
	case s.in.state == atChunk:
		s.in.state = atChunkEnd
	default:
		s.finish(c)
	}
}

// mostBody bounds the body of an answer: what is only counted has no bound of the session's own.
func mostBody(c *wiregauge.Call) int64 {
	switch {
	case c.MaxReply > 0:
		return int64(c.MaxReply)
	case c.Keep || c.Credit > 0:
		return content.Most
	}
	return math.MaxInt64
}

// overLimit refuses a body beyond its bound, as soon as that is known.
func (s *session) overLimit() error {
	if s.open == 0 || s.in.state == atStatus || s.in.state == atEnd || s.in.streams {
		return nil
	}
	limit := mostBody(s.at(0))
	if s.in.size <= limit && (s.in.state != atBody || s.in.length <= limit) {
		return nil
	}
	return s.tooLarge("the answer's body is larger than %d bytes; --max-reply raises the limit", limit)
}

// readChunkSize reads a chunk's first line: its size and extensions, which are dropped (RFC 9112, section 7.1).
func (s *session) readChunkSize(in []byte) (int, error) {
	end := bytes.IndexByte(in[s.in.scanned:], '\n')
	if end < 0 {
		if s.in.scanned = len(in); len(in) > longLine {
			return 0, s.malformed("RFC 9112, section 7.1", "a chunk line longer than %d bytes", longLine)
		}
		return 0, nil
	}
	end += s.in.scanned
	s.in.scanned = 0
	line := in[:end]
	size, ok := parseChunkSize(line)
	if !ok || len(line) > longLine {
		return 0, s.malformed("RFC 9112, section 7.1", "the chunk line %q", start(line))
	}
	n := end + 1
	s.received.Framing += int64(n)
	if s.in.left = size; size == 0 {
		s.in.state = atTrailer
	} else {
		s.in.state = atChunk
	}
	return n, nil
}

// parseChunkSize reads "1f;name=value\r". The line must end in CR LF, and a CR stands nowhere else: where peers
// disagree on the end of a chunk line, they disagree on where the answer ends.
func parseChunkSize(line []byte) (size int64, ok bool) {
	if len(line) == 0 || bytes.IndexByte(line, '\r') != len(line)-1 {
		return 0, false
	}
	digits := 0
	for ; digits < len(line); digits++ {
		d := unhex(line[digits])
		if d < 0 {
			break
		}
		if size = size<<4 | int64(d); size > 1<<56 {
			return 0, false
		}
	}
	rest := trim(line[digits : len(line)-1])
	return size, digits > 0 && (len(rest) == 0 || rest[0] == ';')
}

func unhex(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// readChunkEnd reads the line end behind a chunk's data.
func (s *session) readChunkEnd(in []byte) (int, error) {
	if in[0] != '\r' || len(in) > 1 && in[1] != '\n' {
		return 0, s.malformed("RFC 9112, section 7.1", "%q behind a chunk, where a line end must be", start(in))
	}
	if len(in) < 2 {
		return 0, nil
	}
	s.received.Framing += 2
	s.in.state = atChunkSize
	return 2, nil
}

// finish ends the answer with the body that was kept, or the stream of messages with its last.
func (s *session) finish(c *wiregauge.Call) {
	if s.in.streams {
		s.endMessages(c)
		return
	}
	s.deliver(c, s.in.body)
}

// deliver ends the answer: the message, the outcome, and whether the connection goes on.
func (s *session) deliver(c *wiregauge.Call, body []byte) {
	a := &s.in.answer
	c.Received++
	c.Outcome = wiregauge.OK
	if a.status >= 400 {
		c.Outcome = wiregauge.Failed
	}
	if c.Detail != nil {
		noteEncoding(c.Detail)
	}
	kept := c.Keep || c.Credit > 0
	if kept {
		body = s.whole(c, body)
	}
	if c.Outcome == wiregauge.Failed && c.Explain {
		c.Text = content.Text(body, a.gzip && !kept)
	}
	s.end(c)
}

// end lets go of a call that has its outcome, and of the connection when it cannot go on.
func (s *session) end(c *wiregauge.Call) {
	a := s.in.answer
	early := s.up.c == c // it answered before it had the whole request (RFC 9112, section 9.3)
	if early {
		s.up.c = nil
	}
	s.in.state, s.in.header = atStatus, 0
	if cap(s.in.body) > idleBody {
		s.in.body = nil
	}
	if early || !a.persists() {
		s.closing = true
	}
	s.pop()
	s.ev.Done(c)
	if s.closing && (s.open == 0 || early || !a.persists()) {
		s.stop()
	}
}

// whole fires the message, decompressed.
func (s *session) whole(c *wiregauge.Call, body []byte) []byte {
	if s.in.gzip && !isHead(c.Method) && len(body) > 0 {
		var err error
		if body, err = content.Inflate(body, int(mostBody(c))); err != nil {
			c.Outcome, c.Text = wiregauge.Malformed, explain(c, err)
			if errors.Is(err, content.ErrTooLarge) {
				c.Outcome = wiregauge.TooLarge
			}
			return nil
		}
	}
	if s.expectsStream(c) {
		s.cutWhole(c, body)
		return body
	}
	s.ev.Message(c, body)
	return body
}

// noteEncoding counts the message under the compression that its header names.
func noteEncoding(d *wiregauge.Detail) {
	name := "identity"
	for _, f := range d.Header {
		if strings.EqualFold(f.Name, "Content-Encoding") {
			name = strings.ToLower(f.Value)
		}
	}
	if d.Encodings == nil {
		d.Encodings = map[string]int{}
	}
	d.Encodings[name]++
}

var errNoMoreAnswers = errors.New("the server closes the connection after the answer before this one")

// stop takes no call any more and gives up those whose answers will not come. A server that has said "close" must not
// process what comes behind (RFC 9112, section 9.6), so that those calls may be sent once more; one that closes
// without the word proves nothing about what it did with them.
func (s *session) stop() {
	s.closing = true
	outcome := wiregauge.Closed
	if s.in.close {
		outcome = wiregauge.Unprocessed
	}
	s.in.state = atEnd
	s.up.c = nil
	for s.open > 0 {
		c := s.pop()
		c.Outcome, c.Text = outcome, explain(c, errNoMoreAnswers)
		s.ev.Done(c)
	}
	if !s.said && !s.ended {
		s.said = true
		s.ev.Closing()
	}
}

// isClean reports whether a connection ended as its peer meant it to.
func isClean(cause error) bool { return cause == nil || errors.Is(cause, io.EOF) }
