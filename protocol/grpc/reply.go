package grpc

import (
	"strconv"

	"wiregauge"
	"wiregauge/protocol/http2"
)

const (
	prefixLen      = 5
	compressedFlag = 1
	keptText       = 1 << 10  // of an answer that is not gRPC
	keptBuffer     = 64 << 10 // a longer message buffer is let go after its call
)

// A reply is the state of one answer. The object is reused by the calls of a session.
type reply struct {
	head         *note // of the first block
	foreign      bool  // not gRPC, or not status 200: the body is text
	trailersOnly bool
	text         []byte

	// The message being received: its prefix, then its body.
	prefix [prefixLen]byte
	have   int    // bytes of the prefix
	left   int    // bytes of the body still to come
	body   []byte // what came of it, when it is kept
	skip   bool   // the body is counted, not kept
}

func (r *reply) reset() {
	r.head, r.foreign, r.trailersOnly = nil, false, false
	r.text = r.text[:0]
	r.have, r.left = 0, 0
	if cap(r.body) > keptBuffer {
		r.body = nil
	}
	r.body = r.body[:0]
}

// partial reports whether a message has begun and not ended.
func (r *reply) partial() bool { return r.have > 0 }

// surplus reports whether a call that has one message in its answer has it: more are counted, never handed over.
func (r *reply) surplus(st *http2.Stream) bool {
	return st.Call.Received > 0 && !st.Call.Shape.StreamsIn()
}

// keepText keeps the start of a body that is not gRPC, for the message.
func (r *reply) keepText(st *http2.Stream, p []byte) {
	if st.Call.Explain && len(r.text) < keptText {
		r.text = append(r.text, p[:min(len(p), keptText-len(r.text))]...)
	}
}

// messages takes messages out of the body. DATA frames and messages are unrelated: either may cut the other.
func (m *semantics) messages(st *http2.Stream, r *reply, p []byte) {
	for len(p) > 0 && !st.Over() {
		if r.have < prefixLen {
			n := copy(r.prefix[r.have:], p)
			r.have += n
			st.Prefix(n)
			p = p[n:]
			if r.have < prefixLen || !m.begin(st, r) {
				return
			}
		}
		n := min(len(p), r.left)
		piece := p[:n]
		p = p[n:]
		r.left -= n
		if r.left > 0 || len(r.body) > 0 {
			if !r.skip {
				r.body = append(r.body, piece...)
			}
			piece = r.body
		}
		if r.left > 0 {
			return
		}
		r.have = 0
		m.message(st, r, piece)
		r.body = r.body[:0]
	}
}

// begin judges a message by its prefix. It reports whether to go on.
func (m *semantics) begin(st *http2.Stream, r *reply) bool {
	size := uint32(r.prefix[1])<<24 | uint32(r.prefix[2])<<16 | uint32(r.prefix[3])<<8 | uint32(r.prefix[4])
	compressed := r.prefix[0] == compressedFlag
	switch {
	case r.surplus(st) && st.Call.Received > 1: // the trailers may say why there are two, but not why there is no end
		fail(st, wiregauge.Malformed, unimplemented, "more and more messages in answer to a call that has one")
	case r.prefix[0] > compressedFlag:
		fail(st, wiregauge.Malformed, internal, "a message with the flag byte "+strconv.Itoa(int(r.prefix[0])))
	case compressed && r.head.encoding == "":
		fail(st, wiregauge.Malformed, internal, "a compressed message without grpc-encoding")
	case compressed && r.head.encoding != "gzip":
		fail(st, wiregauge.Malformed, internal, "a message with the unknown grpc-encoding "+strconv.Quote(r.head.encoding))
	case tooLarge(st.Call.MaxReply, int64(size), compressed):
		fail(st, wiregauge.TooLarge, resourceExhausted, tooLargeText(int64(size), st.Call.MaxReply))
	}
	r.left = int(size)
	r.skip = !st.Keeps() || r.surplus(st)
	return !st.Over()
}

// tooLarge judges a message by its length on the wire. A compressed one may be a little longer than what is in it.
func tooLarge(limit int, size int64, compressed bool) bool {
	if limit <= 0 {
		return false
	}
	most := int64(limit)
	if compressed {
		most += most/8 + 4096
	}
	return size > most
}

func tooLargeText(size int64, limit int) string {
	return "a message of " + strconv.FormatInt(size, 10) + " bytes, allowed are " + strconv.Itoa(limit) + ": raise --max-reply"
}

// message hands over one whole message.
func (m *semantics) message(st *http2.Stream, r *reply, body []byte) {
	encoding := "identity"
	if r.prefix[0] == compressedFlag {
		encoding = "gzip"
	}
	if d := st.Call.Detail; d != nil {
		if d.Encodings == nil {
			d.Encodings = map[string]int{}
		}
		d.Encodings[encoding]++
	}
	switch {
	case r.surplus(st):
		st.Call.Received++
		return
	case r.skip:
		st.Message(nil)
		return
	}
	if encoding == "gzip" && len(body) > 0 {
		var err error
		if body, err = m.inflate.inflate(body, st.Call.MaxReply); err != nil {
			m.refuse(st, err)
			return
		}
	}
	st.Message(body)
}

func (m *semantics) refuse(st *http2.Stream, err error) {
	if err == errTooLarge {
		fail(st, wiregauge.TooLarge, resourceExhausted, "a compressed message of more than "+strconv.Itoa(st.Call.MaxReply)+" bytes: raise --max-reply")
		return
	}
	fail(st, wiregauge.Malformed, internal, "a message that is not gzip: "+err.Error())
}
