package wire

import "errors"

const (
	firstInbox = 16<<10 + 9 + 1024 // a whole HTTP/2 frame of the default size, and some
	wideInbox  = 256 << 10         // for connections whose reads fill the buffer
	maxInbox   = 64 << 20          // a session that uses nothing of this much never will
)

var errInbox = errors.New("64 MiB received that the protocol can make nothing of")

// An inbox holds what was read and not yet used: the bytes r to w of buf.
type inbox struct {
	buf  []byte
	r, w int
}

// space is where the next read goes. What is unused moves to the front; the buffer grows when it is full.
func (b *inbox) space() ([]byte, error) {
	if b.buf == nil {
		b.buf = make([]byte, firstInbox)
	}
	if b.r == b.w {
		b.r, b.w = 0, 0
	}
	if b.w < len(b.buf) {
		return b.buf[b.w:], nil
	}
	if b.r > 0 {
		b.w = copy(b.buf, b.buf[b.r:b.w])
		b.r = 0
		return b.buf[b.w:], nil
	}
	if len(b.buf) >= maxInbox {
		return nil, errInbox
	}
	b.grow(min(2*len(b.buf), maxInbox))
	return b.buf[b.w:], nil
}

func (b *inbox) grow(size int) {
	buf := make([]byte, size)
	b.w = copy(buf, b.buf[b.r:b.w])
	b.r, b.buf = 0, buf
}

// took notes that n bytes were read; a read that filled the buffer asks for a wider one.
func (b *inbox) took(n int) (full bool) {
	b.w += n
	full = b.w == len(b.buf)
	if full && len(b.buf) < wideInbox {
		b.grow(2 * len(b.buf))
	}
	return full
}

func (b *inbox) unused() []byte { return b.buf[b.r:b.w] }
