package tcp

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Framing says where one message ends and the next begins.
type Framing uint8

// The framings.
const (
	Len32 Framing = iota // four bytes of length, big-endian, before each message
	Line                 // a line feed behind each message, which holds none
	Raw                  // nothing: as many bytes as were sent come back
)

// MaxFrame bounds one received message where nothing else does, in bytes.
const MaxFrame = 256 << 20

var framings = [...]string{"len32", "line", "raw"}

// ParseFraming reads the framing's name; the empty name is len32.
func ParseFraming(name string) (Framing, error) {
	for i, n := range framings {
		if n == name || name == "" {
			return Framing(i), nil
		}
	}
	return 0, fmt.Errorf("framing %q is not known; write len32, line or raw", name)
}

// String names the framing.
func (f Framing) String() string { return framings[f] }

// Append appends one whole message with its framing.
func (f Framing) Append(out, message []byte) []byte {
	if f == Len32 {
		out = binary.BigEndian.AppendUint32(out, uint32(len(message)))
	}
	out = append(out, message...)
	if f == Line {
		out = append(out, '\n')
	}
	return out
}

// Split cuts the first message off in; it is part of in. used is 0 when it is not whole yet. With Raw the message
// is all there is. A message beyond max bytes is an error.
func (f Framing) Split(in []byte, max int) (message []byte, used int, err error) {
	size := -1
	switch f {
	case Raw:
		return in, len(in), nil
	case Line:
		size = bytes.IndexByte(in[:min(len(in), max+1)], '\n')
		if size >= 0 {
			return in[:size], size + 1, nil
		}
		if size = len(in); size <= max {
			return nil, 0, nil
		}
	case Len32:
		if len(in) < 4 {
			return nil, 0, nil
		}
		if size = int(binary.BigEndian.Uint32(in)); size <= max && len(in) < 4+size {
			return nil, 0, nil
		}
		if size <= max {
			return in[4 : 4+size], 4 + size, nil
		}
	}
	return nil, 0, fmt.Errorf("a message of %d bytes or more; the limit is %d", size, max)
}

// Echo is the answering end of one connection, without the connection: it appends each whole message of in to out
// and says how much of in it used and how many messages that were.
func (f Framing) Echo(in, out []byte) (used, messages int, reply []byte, err error) {
	for used < len(in) {
		message, n, err := f.Split(in[used:], MaxFrame)
		if n == 0 || err != nil {
			return used, messages, out, err
		}
		used += n
		messages++
		out = f.Append(out, message)
	}
	return used, messages, out, nil
}
