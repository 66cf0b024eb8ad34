package http2

import (
	"bytes"
	"encoding/binary"

	"wiregauge"
)

// MostCanned bounds a body of Canned, in bytes: it is sent whole, without waiting for window.
const MostCanned = 512 << 10

// canned answers HTTP requests.
func canned(r *wiregauge.Request, body int) func(out, in []byte) []byte {
	if body > MostCanned {
		return nil
	}
	head := []byte{0x88} // :status 200, RFC 7541 appendix A
	return Canned(r, head, bytes.Repeat([]byte{' '}, body), nil)
}

// Canned is the far end of a connection that answers every stream which the client ends with these bytes: a header
// block, the data, and a block of trailers unless that is nil. Blocks must not touch the dynamic table. It reads
// nothing of frames but where they end. It returns nil for requests that are no unary calls and for answers that
// would have to wait for window.
func Canned(r *wiregauge.Request, head, data, trailers []byte) func(out, in []byte) []byte {
	if r.Shape != wiregauge.Unary || r.Open || len(data) > MostCanned {
		return nil
	}
	c := &cannedPeer{preface: len(preface)}
	last := trailers == nil && len(data) == 0
	c.add(frameHeaders, flagEndHeaders|endFlag(last), head)
	for rest := data; len(rest) > 0; {
		n := min(len(rest), defaultFrameSize)
		c.add(frameData, endFlag(trailers == nil && n == len(rest)), rest[:n])
		rest = rest[n:]
	}
	if trailers != nil {
		c.add(frameHeaders, flagEndHeaders|flagEndStream, trailers)
	}
	return c.answer
}

func endFlag(end bool) byte {
	if end {
		return flagEndStream
	}
	return 0
}

// A cannedPeer walks over the client's frames.
type cannedPeer struct {
	frames []byte // of one answer
	ids    []int  // where in frames a stream's id stands

	greeted bool
	preface int // bytes of it still to come
	head    [frameHeaderLen]byte
	have    int // bytes of head
	skip    int // bytes of the present frame still to come
	stream  uint32
	ack     bool // the present frame is SETTINGS to be acknowledged
	taken   int  // bytes of frames since the last grant of window
}

func (c *cannedPeer) add(kind, flags byte, payload []byte) {
	c.ids = append(c.ids, len(c.frames)+5)
	c.frames = appendFrameHead(c.frames, kind, flags, 0, len(payload))
	c.frames = append(c.frames, payload...)
}

func appendFrameHead(out []byte, kind, flags byte, stream uint32, length int) []byte {
	out = append(out, byte(length>>16), byte(length>>8), byte(length), kind, flags)
	return binary.BigEndian.AppendUint32(out, stream)
}

func (c *cannedPeer) answer(out, in []byte) []byte {
	if !c.greeted {
		c.greeted = true
		out = appendFrameHead(out, frameSettings, 0, 0, settingLen)
		out = binary.BigEndian.AppendUint16(out, settingWindow)
		out = binary.BigEndian.AppendUint32(out, largestWindow)
		out = c.grant(out, connectionWindowStep)
	}
	n := min(c.preface, len(in))
	in, c.preface = in[n:], c.preface-n
	for len(in) > 0 {
		if c.have < frameHeaderLen {
			n := copy(c.head[c.have:], in)
			in = in[n:]
			if c.have += n; c.have < frameHeaderLen {
				return out
			}
			c.begin()
		}
		n := min(c.skip, len(in))
		in, c.skip = in[n:], c.skip-n
		if c.skip == 0 {
			out = c.end(out)
		}
	}
	return out
}

// begin reads a frame's head.
func (c *cannedPeer) begin() {
	kind, flags := c.head[3], c.head[4]
	c.skip = int(c.head[0])<<16 | int(c.head[1])<<8 | int(c.head[2])
	c.taken += c.skip
	c.stream = 0
	if (kind == frameHeaders || kind == frameData) && flags&flagEndStream != 0 {
		c.stream = binary.BigEndian.Uint32(c.head[5:])
	}
	c.ack = kind == frameSettings && flags&flagAck == 0
}

// end answers the frame.
func (c *cannedPeer) end(out []byte) []byte {
	c.have = 0
	if c.ack {
		out = appendFrameHead(out, frameSettings, flagAck, 0, 0)
	}
	if c.stream > 0 {
		at := len(out)
		out = append(out, c.frames...)
		for _, id := range c.ids {
			binary.BigEndian.PutUint32(out[at+id:], c.stream)
		}
	}
	if c.taken > connectionWindowStep/2 {
		out = c.grant(out, c.taken)
		c.taken = 0
	}
	return out
}

// grant lets the client send more on the connection.
func (c *cannedPeer) grant(out []byte, window int) []byte {
	out = appendFrameHead(out, frameWindowUpdate, 0, 0, 4)
	return binary.BigEndian.AppendUint32(out, uint32(window))
}
