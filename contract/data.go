package contract

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

var bom = []byte("\xef\xbb\xbf")

// SplitData cuts request data into its messages: one JSON value, several in a row, or the elements of a list. A byte
// order mark and white space around values are allowed. The bytes of a value are kept as they are. Data without
// any value gives no messages. A fault is a *DataError.
func SplitData(raw []byte) ([]json.RawMessage, error) {
	return split(raw, true)
}

func split(raw []byte, lists bool) ([]json.RawMessage, error) {
	s := NewSplitter(bytes.NewReader(raw))
	s.lists = lists
	var all []json.RawMessage
	for {
		m, err := s.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, locate(raw, err)
		}
		all = append(all, m)
	}
}

// A Splitter cuts a stream of request data into messages as they arrive. It reads no further than it must.
type Splitter struct {
	in      *bufio.Reader
	dec     *json.Decoder
	lists   bool // a list at the top is cut into its elements
	inside  bool // within such a list
	started bool
	skipped int64 // bytes before the decoder's first
	scanned int64 // bytes of the values so far
}

// NewSplitter reads from r.
func NewSplitter(r io.Reader) *Splitter {
	return &Splitter{in: bufio.NewReader(r), lists: true}
}

// start skips a byte order mark. It peeks one byte at a time: the next one may be long in coming.
func (s *Splitter) start() error {
	s.started = true
	first, err := s.in.Peek(1)
	if err != nil {
		return err
	}
	switch first[0] {
	case bom[0]:
		if p, _ := s.in.Peek(3); bytes.Equal(p, bom) {
			s.skipped = 3
			_, _ = s.in.Discard(3)
		}
	case 0xff, 0xfe:
		return &DataError{Line: 1, Column: 1, Text: "the data is UTF-16; JSON is UTF-8"}
	}
	s.dec = json.NewDecoder(s.in)
	return nil
}

// Next gives the next message, io.EOF after the last one.
func (s *Splitter) Next() (json.RawMessage, error) {
	if !s.started {
		if err := s.start(); err != nil {
			return nil, err
		}
	}
	if s.dec == nil {
		return nil, io.EOF
	}
	for s.lists {
		if s.inside {
			if s.dec.More() {
				break
			}
			if _, err := s.dec.Token(); err != nil {
				return nil, s.fault(err)
			}
			s.inside = false
		}
		open, err := s.opensList()
		if err != nil {
			return nil, err
		}
		if !open {
			break
		}
		if _, err := s.dec.Token(); err != nil {
			return nil, s.fault(err)
		}
		s.inside = true
	}
	return s.value()
}

// value reads one value. The decoder's own offsets count only what it has scanned for values; scanned and start turn
// them into places in the stream.
func (s *Splitter) value() (json.RawMessage, error) {
	start := s.dec.InputOffset()
	if s.inside && s.next() == ',' {
		start++
	}
	var m json.RawMessage
	err := s.dec.Decode(&m)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		s.scanned += s.dec.InputOffset() - start
		return m, nil
	case err == io.EOF && !s.inside:
		return nil, io.EOF
	case errors.As(err, &syntax) && !strings.HasPrefix(syntax.Error(), "expected comma"):
		return nil, &offset{s.skipped + s.dec.InputOffset() + syntax.Offset - s.scanned - 1, errors.New(syntax.Error())}
	}
	return nil, s.fault(err)
}

// opensList looks at the next byte that is not white space, without taking it.
func (s *Splitter) opensList() (bool, error) {
	if !s.dec.More() { // reads up to that byte; false at the end and before a stray bracket
		if _, err := s.dec.Token(); err != nil && err != io.EOF {
			return false, s.fault(err)
		} else if err == io.EOF {
			return false, io.EOF
		}
	}
	return s.next() == '[', nil
}

// next is the byte that More stopped at.
func (s *Splitter) next() byte {
	var b [1]byte
	_, _ = s.dec.Buffered().Read(b[:])
	return b[0]
}

// offset wraps an error with its place in the stream; locate turns it into line and column.
type offset struct {
	at  int64
	err error
}

func (o *offset) Error() string { return fmt.Sprintf("at byte %d: %s", o.at, o.err) }
func (o *offset) Unwrap() error { return o.err }

// fault places an error of a token, whose offset is that of the byte at fault.
func (s *Splitter) fault(err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return &offset{s.skipped + syntax.Offset, errors.New(syntax.Error())}
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return &offset{-1, errors.New("the JSON ends too early")}
	}
	return err
}

// locate turns the offset of an error into line and column of raw.
func locate(raw []byte, err error) error {
	var o *offset
	if !errors.As(err, &o) {
		return err
	}
	at := int(o.at)
	if at < 0 || at > len(raw) {
		at = len(raw)
	}
	line, column := place(raw, at)
	return &DataError{Line: line, Column: column, Text: "bad JSON: " + o.err.Error()}
}

// place is the line and column of a byte, from 1, in characters.
func place(raw []byte, at int) (line, column int) {
	before := bytes.TrimPrefix(raw[:at], bom)
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + len(bytes.Runes(before[start:]))
}

// byteAt is the byte that place tells by line and column.
func byteAt(raw []byte, line, column int) int64 {
	at := len(raw) - len(bytes.TrimPrefix(raw, bom))
	for ; line > 1; line-- {
		end := bytes.IndexByte(raw[at:], '\n')
		if end < 0 {
			return int64(len(raw))
		}
		at += end + 1
	}
	for ; column > 1 && at < len(raw); column-- {
		_, size := utf8.DecodeRune(raw[at:])
		at += size
	}
	return int64(at)
}
