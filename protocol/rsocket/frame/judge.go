package frame

import "fmt"

// Judge looks at the beginning of a frame of length bytes before the rest of it is there: an answer of another protocol
// reads as a frame of millions of bytes, and must not be waited for. The head holds HeadLen bytes, or the whole frame if
// that is shorter; limit is the longest frame that is taken.
func Judge(head []byte, length, limit int) error {
	if length < HeadLen {
		return fmt.Errorf("%w: %d bytes, and %d are the least", ErrShort, length, HeadLen)
	}
	stream, t, f := Head(head)
	switch {
	case head[0]&0x80 != 0:
		return fmt.Errorf("a frame whose stream id has the first bit set: %08x", stream|1<<31)
	case !t.Known() && f&Ignore == 0:
		return fmt.Errorf("a frame of unknown type 0x%02x", uint8(t))
	case stream != 0 && t.Connection():
		return fmt.Errorf("%s on stream %d: it belongs to stream 0", t, stream)
	case stream == 0 && (t.Request() || t == RequestN || t == Cancel || t == Payload):
		return fmt.Errorf("%s on stream 0: it belongs to a stream of its own", t)
	case length > limit:
		return &LongError{Type: t, Length: length, Limit: limit}
	}
	return nil
}

// A LongError is a frame beyond the limit.
type LongError struct {
	Type          Type
	Length, Limit int
}

// Error says how long it is.
func (e *LongError) Error() string {
	return fmt.Sprintf("%s of %d bytes; the limit is %d", e.Type, e.Length, e.Limit)
}
