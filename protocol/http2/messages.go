package http2

import (
	"strconv"
	"strings"
	"wiregauge/protocol/content"

	"wiregauge"
)

// expectsStream reports whether the answer is to be a stream of messages, and is no error or redirect.
func expectsStream(st *Stream, status int) bool {
	return st.Call.Shape.StreamsIn() && status < 300 && !st.bodiless(status)
}

// stream readies b for a stream of messages. A compressed one can be read only when it is whole.
func (p *plain) stream(st *Stream, b *body, h *Head, end bool) {
	b.encoding, _ = h.Get("content-encoding")
	st.Call.Status = h.Status // it may be cut short
	kind, _ := h.Get("content-type")
	kind, _, _ = strings.Cut(kind, ";")
	b.streams = !isGzip(b.encoding)
	b.split.Reset(strings.EqualFold(strings.TrimSpace(kind), "text/event-stream"), st.Keeps(), mostMessage(st.Call))
	if end {
		p.finish(st, b, nil)
	}
}

// mostMessage bounds one message of a stream, in bytes; 0 for no bound.
func mostMessage(c *wiregauge.Call) int {
	if c.MaxReply == 0 && (c.Keep || c.Credit > 0) {
		return content.Most
	}
	return c.MaxReply
}

// messages tells of each message that is whole with this piece of the body.
func (p *plain) messages(st *Stream, b *body, piece []byte, end bool) {
	for !st.Over() {
		message, rest, ok, err := b.split.Next(piece)
		switch {
		case err != nil:
			p.largeMessage(st, b)
		case ok:
			st.Message(message)
			piece = rest
			continue
		case end:
			p.endMessages(st, b)
		}
		return
	}
}

// endMessages ends the stream: what stands behind the last line end is a message too.
func (p *plain) endMessages(st *Stream, b *body) {
	message, ok, err := b.split.End()
	if err != nil {
		p.largeMessage(st, b)
		return
	}
	if ok {
		st.Message(message)
	}
	if d := st.Call.Detail; d != nil {
		noteEncoding(d, b.encoding)
	}
	st.Finish(wiregauge.OK, b.status, "")
}

func (p *plain) largeMessage(st *Stream, b *body) {
	st.Finish(wiregauge.TooLarge, b.status, "a message of the answer is larger than "+strconv.Itoa(mostMessage(st.Call))+" bytes; --max-reply raises the limit")
}

// cutWhole tells of the messages of a stream that came whole and was compressed.
func (p *plain) cutWhole(st *Stream, b *body, whole []byte) {
	if !st.Keeps() { // it was not even inflated
		st.Message(nil)
		st.Finish(wiregauge.OK, b.status, "")
		return
	}
	b.streams = true
	p.messages(st, b, whole, true)
}
