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

	now piece // the frame that is on its way
}

// A piece is what is left of a frame that goes out bit by bit.
type piece struct {
	metadata, data int     // bytes that are still to come
	gone           int     // bytes that have gone, its head included
	mask           [4]byte // of WebSocket
	final          bool    // the message ends with it
}

// left is how many bytes of metadata and data are not appended yet.
func (o *outgoing) left() int { return len(o.metadata) + len(o.data) }

// next appends one frame of at most size bytes, its length before it counted, and reports whether it was the last.
func (o *outgoing) next(out []byte, c *carrier, size int) (_ []byte, done bool) {
	out = o.open(out, c, size)
	out, _ = o.pour(out, c, o.left())
	return out, o.now.final
}

// open appends the head of the next frame, all that stands before its metadata.
func (o *outgoing) open(out []byte, c *carrier, size int) []byte {
	kind, flags := frame.Payload, frame.Next
	head := frame.HeadLen
	if !o.begun {
		if kind = o.kind; kind != frame.Payload {
			flags = 0
		}
	}
	streams := kind == frame.RequestStream || kind == frame.RequestChannel
	if streams {
		head += 4
	}
	withMeta := o.hasMeta && (!o.begun || len(o.metadata) > 0)
	if withMeta {
		flags |= frame.Meta
		head += frame.PrefixLen
	}
	room := max(size, smallestFragment) - frame.PrefixLen - head
	m := min(len(o.metadata), room)
	d := min(len(o.data), room-m)
	final := m == len(o.metadata) && d == len(o.data)
	if final {
		flags |= o.last
	} else {
		flags |= frame.Follows
	}
	out = c.begin(out, head+m+d)
	out = frame.AppendHead(out, o.stream, kind, flags)
	if streams {
		out = append(out, byte(o.n>>24), byte(o.n>>16), byte(o.n>>8), byte(o.n))
	}
	if withMeta {
		out = frame.AppendUint24(out, m)
	}
	o.begun, o.now = true, piece{metadata: m, data: d, gone: head, mask: c.mask, final: final}
	c.veil(o.now.mask, 0, out[len(out)-head:])
	return out
}

// pour appends up to room bytes of the frame that is open and reports whether it is whole now.
func (o *outgoing) pour(out []byte, c *carrier, room int) (_ []byte, whole bool) {
	from, p := len(out), &o.now
	m := min(p.metadata, room)
	d := min(p.data, room-m)
	out = append(out, o.metadata[:m]...)
	out = append(out, o.data[:d]...)
	c.veil(p.mask, p.gone, out[from:])
	o.metadata, o.data = o.metadata[m:], o.data[d:]
	p.metadata, p.data, p.gone = p.metadata-m, p.data-d, p.gone+m+d
	return out, p.metadata+p.data == 0
}
