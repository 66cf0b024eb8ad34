package rsocket

import (
	"fmt"

	"wiregauge"
	"wiregauge/protocol/rsocket/frame"
)

// An assembly puts the fragments of one message together. Its zero value waits for a first one.
type assembly struct {
	counts   bool // nobody wants the message: it is only counted
	open     bool
	hasMeta  bool
	size     int // so far
	metadata []byte
	data     []byte
}

// tooLong is a message, or a chain of fragments, beyond the limit.
type tooLong struct{ length, limit int }

// Error says which limit it was.
func (e *tooLong) Error() string {
	return fmt.Sprintf("a message of %d bytes or more in fragments; the limit is %d", e.length, e.limit)
}

// add takes the body of one frame and reports whether the message is whole. What it returns of a frame that is whole by
// itself is that frame's memory, else the assembly's until the next add.
func (a *assembly) add(flags frame.Flags, p []byte, limit int) (metadata, data []byte, whole bool, err error) {
	if flags&frame.Complete != 0 {
		flags &^= frame.Follows // the two contradict each other: the end counts
	}
	metadata, data, err = frame.Body(flags, p)
	if err != nil {
		return nil, nil, false, &wiregauge.ProtocolError{Rule: "Protocol.md, Metadata Optional Header", Text: err.Error()}
	}
	if !a.open && flags&frame.Follows == 0 {
		return metadata, data, true, nil
	}
	if !a.open {
		*a = assembly{counts: a.counts, open: true, metadata: a.metadata[:0], data: a.data[:0]}
	}
	if a.size += len(metadata) + len(data); a.size > limit {
		n := a.size
		a.reset()
		return nil, nil, false, &tooLong{length: n, limit: limit}
	}
	a.hasMeta = a.hasMeta || flags&frame.Meta != 0
	if !a.counts {
		a.metadata, a.data = append(a.metadata, metadata...), append(a.data, data...)
	}
	if flags&frame.Follows != 0 {
		return nil, nil, false, nil
	}
	a.open = false
	if metadata = a.metadata; !a.hasMeta {
		metadata = nil
	}
	return metadata, a.data, true, nil
}

// reset forgets what has come, and its memory when that is much.
func (a *assembly) reset() {
	if cap(a.data) > 1<<20 {
		a.data = nil
	}
	a.open, a.hasMeta, a.size, a.metadata, a.data = false, false, 0, a.metadata[:0], a.data[:0]
}
