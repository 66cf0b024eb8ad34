package rsocket

import "wiregauge/protocol/rsocket/frame"

// smallestFragment keeps every fragment above what rsocket-java takes: it refuses those in the middle of a chain under
// 64 bytes with the length before the frame, which it also counts where there is none (WebSocket).
const smallestFragment = 64

// An outgoing is one message, or the request with it, on its way in one frame or in fragments: metadata first, then
// data (Protocol.md, "Fragmentation and Reassembly"). The slices are the caller's, unchanged until done.
type outgoing struct {
	kind     frame.Type  // of the first frame; the others are PAYLOAD
	last     frame.Flags // what the last frame has besides Meta and, on PAYLOAD, Next: Complete or nothing
	stream   uint32
	n        uint32 // initialN, where kind has one
	hasMeta  bool
	metadata []byte // what is left of it
	data     []byte
	begun    bool
}

// left is how many bytes of metadata and data are not appended yet.
func (o *outgoing) left() int { return len(o.metadata) + len(o.data) }

// next appends one frame of at most size bytes, its length before it counted, and reports whether it was the last.
func (o *outgoing) next(out []byte, c *carrier, size int) (_ []byte, done bool) {
	kind, flags := frame.Payload, frame.Next
	head := frame.HeadLen
	if !o.begun {
		if kind = o.kind; kind != frame.Payload {
			flags = 0
		}
		if kind == frame.RequestStream || kind == frame.RequestChannel {
			head += 4
		}
	}
	withMeta := o.hasMeta && (!o.begun || len(o.metadata) > 0)
	if withMeta {
		flags |= frame.Meta
		head += frame.PrefixLen
	}
	room := max(size, smallestFragment) - frame.PrefixLen - head
	m := min(len(o.metadata), room)
	d := min(len(o.data), room-m)
	if done = m == len(o.metadata) && d == len(o.data); done {
		flags |= o.last
	} else {
		flags |= frame.Follows
	}
	n := head + m + d
	out = c.begin(out, n)
	out = frame.AppendHead(out, o.stream, kind, flags)
	if !o.begun && (kind == frame.RequestStream || kind == frame.RequestChannel) {
		out = append(out, byte(o.n>>24), byte(o.n>>16), byte(o.n>>8), byte(o.n))
	}
	if withMeta {
		out = frame.AppendUint24(out, m)
		out = append(out, o.metadata[:m]...)
	}
	out = append(out, o.data[:d]...)
	c.seal(out, n)
	o.metadata, o.data, o.begun = o.metadata[m:], o.data[d:], true
	return out, done
}
