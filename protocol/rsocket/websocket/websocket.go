// Package websocket is the framing of RFC 6455 without a connection: the heads of frames, masks, and both sides of the
// upgrade. Which frame follows which is the user's business. Start reading at Head.
package websocket

import (
	"encoding/binary"
	"fmt"
)

// A Head is the beginning of one frame (RFC 6455, section 5.2).
type Head struct {
	Fin    bool
	Op     Op
	Masked bool
	Mask   [4]byte
	Len    int
}

// Op says what a frame is.
type Op byte

// The kinds of frames. A message is a Text or Binary frame and, until one has Fin, Continuations.
const (
	Continuation Op = 0x0
	Text         Op = 0x1
	Binary       Op = 0x2
	Close        Op = 0x8
	Ping         Op = 0x9
	Pong         Op = 0xa
)

// Control reports whether the frame may stand between the frames of a message.
func (o Op) Control() bool { return o&0x8 != 0 }

// String names the kind.
func (o Op) String() string {
	switch o {
	case Continuation:
		return "continuation"
	case Text:
		return "text"
	case Binary:
		return "binary"
	case Close:
		return "close"
	case Ping:
		return "ping"
	case Pong:
		return "pong"
	}
	return fmt.Sprintf("opcode 0x%x", byte(o))
}

// MaxHead is the longest head of a frame.
const MaxHead = 14

// MaxControl is the longest payload of a control frame.
const MaxControl = 125

// Read reads the head of a frame; n is its length, 0 when it is not whole yet.
func Read(p []byte) (h Head, n int, err error) {
	if len(p) < 2 {
		return h, 0, nil
	}
	if p[0]&0x70 != 0 {
		return h, 0, fmt.Errorf("a frame with reserved bits set (0x%02x), although no extension was agreed on", p[0])
	}
	h.Fin, h.Op, h.Masked = p[0]&0x80 != 0, Op(p[0]&0x0f), p[1]&0x80 != 0
	size := uint64(p[1] & 0x7f)
	switch n = 2; size {
	case 126:
		n = 4
	case 127:
		n = 10
	}
	if len(p) < n {
		return h, 0, nil
	}
	switch size {
	case 126:
		size = uint64(binary.BigEndian.Uint16(p[2:]))
	case 127:
		size = binary.BigEndian.Uint64(p[2:])
	}
	switch {
	case size > 1<<62:
		return h, 0, fmt.Errorf("a frame of %d bytes", size)
	case h.Op.Control() && (size > MaxControl || !h.Fin):
		return h, 0, fmt.Errorf("a %s frame of %d bytes in pieces or too long; %d bytes in one piece are the most", h.Op, size, MaxControl)
	case h.Op > Binary && h.Op < Close, h.Op > Pong:
		return h, 0, fmt.Errorf("a frame of unknown kind, opcode 0x%x", byte(h.Op))
	}
	h.Len = int(size)
	if !h.Masked {
		return h, n, nil
	}
	if len(p) < n+4 {
		return h, 0, nil
	}
	copy(h.Mask[:], p[n:])
	return h, n + 4, nil
}

// Append appends the head.
func (h Head) Append(out []byte) []byte {
	first, second := byte(h.Op), byte(0)
	if h.Fin {
		first |= 0x80
	}
	if h.Masked {
		second = 0x80
	}
	switch {
	case h.Len < 126:
		out = append(out, first, second|byte(h.Len))
	case h.Len <= 0xffff:
		out = append(out, first, second|126, byte(h.Len>>8), byte(h.Len))
	default:
		out = binary.BigEndian.AppendUint64(append(out, first, second|127), uint64(h.Len))
	}
	if h.Masked {
		out = append(out, h.Mask[:]...)
	}
	return out
}

// Size is how many bytes Append appends.
func (h Head) Size() int {
	n := 2
	switch {
	case h.Len > 0xffff:
		n = 10
	case h.Len >= 126:
		n = 4
	}
	if h.Masked {
		n += 4
	}
	return n
}

// Apply masks or unmasks p, which begins at byte at of the frame's payload (RFC 6455, section 5.3).
func Apply(mask [4]byte, at int, p []byte) {
	if mask == ([4]byte{}) {
		return
	}
	var turned [4]byte
	for i := range turned {
		turned[i] = mask[(at+i)&3]
	}
	word := uint64(binary.LittleEndian.Uint32(turned[:]))
	word |= word << 32
	for ; len(p) >= 8; p = p[8:] {
		binary.LittleEndian.PutUint64(p, binary.LittleEndian.Uint64(p)^word)
	}
	for i := range p {
		p[i] ^= turned[i&3]
	}
}
