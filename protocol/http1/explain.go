package http1

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"wiregauge"
)

// explainer puts one connection into words: start lines, header and trailer fields as they are, bodies by size.
type explainer struct {
	sent, received half
	heads          []bool // for each request without an answer: was it a HEAD
}

// NewExplainer makes an Explainer of one connection.
func NewExplainer() wiregauge.Explainer {
	return &explainer{sent: half{state: atStatus}, received: half{state: atStatus}}
}

// half is one direction.
type half struct {
	state  state
	rest   []byte // of a line that is not whole
	start  string // the start line of the message being read
	answer answer
	left   int64
}

// longRest bounds a line that is not whole, in bytes; what is longer is no HTTP and is not explained.
const longRest = 1 << 20

// Explain implements wiregauge.Explainer.
func (e *explainer) Explain(p []byte, sent bool, line func(string)) {
	h := &e.received
	if sent {
		h = &e.sent
	}
	h.rest = append(h.rest, p...)
	for len(h.rest) > 0 && h.state != atEnd {
		n := e.next(h, sent, line)
		if n == 0 {
			break
		}
		h.rest = h.rest[n:]
	}
	if h.state == atEnd || len(h.rest) > longRest {
		h.state, h.rest = atEnd, nil
	}
	h.rest = append([]byte(nil), h.rest...)
}

// next explains one element and says how long it was, 0 when it is not whole.
func (e *explainer) next(h *half, sent bool, line func(string)) int {
	if h.state == atBody || h.state == atBodyUntilEnd || h.state == atChunk {
		n := int(min(int64(len(h.rest)), h.left))
		if h.left -= int64(n); h.left == 0 {
			h.endData()
		}
		if h.state == atBodyUntilEnd {
			line(fmt.Sprintf("%d bytes of a body without length", n))
		}
		return n
	}
	end := bytes.IndexByte(h.rest, '\n')
	if end < 0 {
		return 0
	}
	text := strings.TrimSuffix(string(h.rest[:end]), "\r")
	switch h.state {
	case atStatus:
		h.begin(text, sent)
		line(text)
	case atField:
		if text == "" {
			e.endHead(h, sent, line)
			break
		}
		h.field(text)
		line(text)
	case atChunkSize:
		size, ok := parseChunkSize(h.rest[:end])
		if !ok {
			h.state = atEnd
			return end + 1
		}
		if h.left, h.state = size, atChunk; size == 0 {
			h.state = atTrailer
		}
		line(fmt.Sprintf("chunk of %d bytes", size))
	case atChunkEnd:
		h.state = atChunkSize
	case atTrailer:
		if text == "" {
			h.state = atStatus
			break
		}
		line(text)
	}
	return end + 1
}

// begin takes a start line.
func (h *half) begin(text string, sent bool) {
	h.state, h.start = atField, text
	h.answer = answer{length: -1}
	if !sent {
		if len(text) < 12 || !looksLikeAnswer([]byte(text)) {
			h.state = atEnd
			return
		}
		fmt.Sscanf(text[9:12], "%d", &h.answer.status)
	}
}

// field notes what says how long the body is.
func (h *half) field(text string) {
	name, value, _ := strings.Cut(text, ":")
	value = strings.TrimSpace(value)
	switch strings.ToLower(name) {
	case "content-length":
		if n, ok := parseSize([]byte(value)); ok {
			h.answer.length = n
		}
	case "transfer-encoding":
		h.answer.chunked = strings.EqualFold(value, "chunked")
	}
}

// endHead decides what follows the head.
func (e *explainer) endHead(h *half, sent bool, line func(string)) {
	h.state = atStatus
	status, bodiless := h.answer.status, false
	if sent {
		e.heads = append(e.heads, isHead(h.start))
		h.answer.length = max(h.answer.length, 0)
	} else if status >= 200 && len(e.heads) > 0 {
		bodiless = e.heads[0]
		e.heads = e.heads[1:]
	}
	if !sent && (bodiless || status < 200 || status == 204 || status == 304) {
		return
	}
	switch {
	case h.answer.chunked:
		h.state = atChunkSize
	case h.answer.length > 0:
		h.state, h.left = atBody, h.answer.length
		line(fmt.Sprintf("body of %d bytes", h.left))
	case h.answer.length < 0:
		h.state, h.left = atBodyUntilEnd, math.MaxInt64
	}
}

// endData leaves a body or a chunk.
func (h *half) endData() {
	if h.state == atChunk {
		h.state = atChunkEnd
		return
	}
	h.state = atStatus
}
