// Package lines cuts the body of a streamed HTTP answer into messages as its bytes arrive: one message per line that
// is not blank (newline-delimited JSON), or, for text/event-stream, one per event, which is what its data lines hold
// (HTML Living Standard, section 9.2). It has no I/O of its own, and once its buffers have grown it allocates nothing.
package lines

import (
	"bytes"
	"errors"
	"math"
)

// ErrTooLarge is a message, or a line of an event, beyond Splitter.Limit.
var ErrTooLarge = errors.New("a message is larger than allowed")

// A Splitter holds what has come of the next message. Reset readies it for a body; it is for one goroutine.
type Splitter struct {
	events bool
	keep   bool
	limit  int

	line []byte // the beginning of a line whose end has not come; only its first bytes when messages are not kept
	long int    // how long that line is so far, without the white space before it where lines are messages
	tail int    // how much of it is white space at its end

	begun bool // a line of the body has ended
	cr    bool // the line before ended in CR: an LF that follows belongs to it

	data []byte // what the data lines of the event hold, each with a line feed behind it
	size int    // how long that is
	some bool   // the event has data lines
}

// field is the name that makes a line of an event count.
var field = []byte("data")

// mark is the byte order mark that an event stream may begin with.
var mark = []byte("\xef\xbb\xbf")

// needed is how many bytes tell what a line of an event is.
const needed = len("\xef\xbb\xbfdata: ")

// Reset readies s for a new body. Messages are handed over when keep is set, else only counted. Limit bounds one
// message in bytes, 0 for no bound.
func (s *Splitter) Reset(events, keep bool, limit int) {
	if limit <= 0 {
		limit = math.MaxInt
	}
	*s = Splitter{events: events, keep: keep, limit: limit, line: s.line[:0], data: s.data[:0]}
}

// Free gives memory back that is larger than most bytes.
func (s *Splitter) Free(most int) {
	if cap(s.line) > most {
		s.line = nil
	}
	if cap(s.data) > most {
		s.data = nil
	}
}

// Next takes p up to the end of the next message. When ok is set it has come: message is it, nil unless it is kept,
// valid until the next call, and rest is what is left of p. Else all of p has been taken in.
func (s *Splitter) Next(p []byte) (message, rest []byte, ok bool, err error) {
	for len(p) > 0 {
		if s.cr {
			if s.cr = false; p[0] == '\n' {
				p = p[1:]
				continue
			}
		}
		at := s.endOfLine(p)
		if at < 0 {
			return nil, nil, false, s.hold(p)
		}
		s.cr = p[at] == '\r'
		line := p[:at]
		p = p[at+1:]
		if message, ok, err = s.take(line); ok || err != nil {
			return message, p, ok, err
		}
	}
	return nil, nil, false, nil
}

// End is the last message of a body that ends without a line end; an event counts without the blank line behind it.
func (s *Splitter) End() (message []byte, ok bool, err error) {
	if s.long > 0 {
		if message, ok, err = s.take(nil); ok || err != nil {
			return message, ok, err
		}
	}
	return s.dispatch()
}

// endOfLine is where the line ends: at LF, in an event stream also at CR.
func (s *Splitter) endOfLine(p []byte) int {
	if s.events {
		return bytes.IndexAny(p, "\r\n")
	}
	return bytes.IndexByte(p, '\n')
}

// hold keeps the beginning of a line, or counts it.
func (s *Splitter) hold(p []byte) error {
	if !s.events {
		if s.long == 0 {
			p = bytes.TrimLeft(p, space)
		}
		s.tail = tail(p, s.tail)
	}
	s.long += len(p)
	if s.long-s.tail > s.limit && (!s.events || s.long > s.limit+needed) {
		return ErrTooLarge
	}
	switch {
	case s.keep:
	case s.events:
		p = p[:min(len(p), max(needed-len(s.line), 0))]
	default:
		return nil
	}
	s.line = append(s.line, p...)
	return nil
}

// take takes the rest of a line in and says whether a message is whole.
func (s *Splitter) take(end []byte) (message []byte, ok bool, err error) {
	line := end
	if s.long > 0 {
		if err := s.hold(end); err != nil {
			return nil, false, err
		}
		line = s.line
	} else if s.long = len(end); !s.events {
		line = bytes.Trim(end, space)
		s.long = len(line)
	}
	long := s.long - s.tail
	s.long, s.tail, s.line = 0, 0, s.line[:0]
	switch {
	case s.events:
		return s.event(line, long)
	case long == 0:
		return nil, false, nil
	case !s.keep:
		return nil, true, s.fits(long)
	}
	return line[:long], true, s.fits(long)
}

func (s *Splitter) fits(size int) error {
	if size > s.limit {
		return ErrTooLarge
	}
	return nil
}

// event takes one line of an event stream, of which only the first bytes are here when messages are not kept.
func (s *Splitter) event(line []byte, long int) (message []byte, ok bool, err error) {
	if !s.begun {
		s.begun = true
		if bytes.HasPrefix(line, mark) {
			line, long = line[len(mark):], long-len(mark)
		}
	}
	if long == 0 {
		return s.dispatch()
	}
	if !bytes.HasPrefix(line, field) {
		return nil, false, nil // a comment, or a field that carries no data
	}
	value, left := line[len(field):], long-len(field)
	if left > 0 {
		if value[0] != ':' {
			return nil, false, nil // another field, whose name only begins like that
		}
		value, left = value[1:], left-1
	}
	if left > 0 && value[0] == ' ' {
		value, left = value[1:], left-1
	}
	s.some = true
	s.size += left + 1
	if s.size-1 > s.limit {
		return nil, false, ErrTooLarge
	}
	if s.keep {
		s.data = append(append(s.data, value...), '\n')
	}
	return nil, false, nil
}

// dispatch ends the event, which is a message when it has data.
func (s *Splitter) dispatch() (message []byte, ok bool, err error) {
	if !s.some {
		return nil, false, nil
	}
	if s.keep {
		message = s.data[:s.size-1]
	}
	s.some, s.size, s.data = false, 0, s.data[:0]
	return message, true, nil
}

// space is what does not count at the ends of a line.
const space = " \t\r"

// tail is how much white space a line ends in, with p behind what ended in before.
func tail(p []byte, before int) int {
	n := len(p) - len(bytes.TrimRight(p, space))
	if n == len(p) {
		n += before
	}
	return n
}
