package stack

import (
	"errors"
	"io"
	"net/http"
	"strings"
)

// expectsStream reports whether the answer is to be a stream of messages, and is no error or redirect.
func (x *exchange) expectsStream(answer *http.Response) bool {
	return x.call.Shape.StreamsIn() && answer.StatusCode < 300 && answer.Request.Method != http.MethodHead
}

// packed reports whether the answer is compressed. A compressed stream can be read only when it is whole.
func packed(answer *http.Response) bool {
	return strings.EqualFold(answer.Header.Get("Content-Encoding"), "gzip")
}

// begin readies the splitter for a body.
func (x *exchange) begin(answer *http.Response) {
	kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	limit := x.call.MaxReply
	if x.keeps() {
		limit = x.limit()
	}
	x.split.Reset(strings.EqualFold(strings.TrimSpace(kind), "text/event-stream"), x.keeps(), limit)
}

// stream tells of each message as it comes, to the end of the body.
func (x *exchange) stream(answer *http.Response) error {
	x.begin(answer)
	defer x.split.Free(len(x.buf))
	for {
		n, err := answer.Body.Read(x.buf)
		x.size += n
		if !x.cut(x.buf[:n]) {
			return nil
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	x.endMessages()
	if x.call.Detail != nil {
		x.call.Detail.Trailer = fields(answer.Trailer)
	}
	return nil
}

// cut tells of the messages that are whole with p. It reports false when one is too large.
func (x *exchange) cut(p []byte) bool {
	for {
		message, rest, ok, err := x.split.Next(p)
		if err != nil {
			x.tooLarge()
			return false
		}
		if !ok {
			return true
		}
		x.message(message)
		p = rest
	}
}

// endMessages tells of what stands behind the last line end.
func (x *exchange) endMessages() {
	switch message, ok, err := x.split.End(); {
	case err != nil:
		x.tooLarge()
	case ok:
		x.message(message)
	}
}

// cutWhole tells of the messages of a stream that came whole and was compressed.
func (x *exchange) cutWhole(answer *http.Response, body []byte) {
	x.call.Received = 0
	x.begin(answer)
	if x.cut(body) {
		x.endMessages()
	}
	x.split.Free(len(x.buf))
}

func (x *exchange) message(body []byte) {
	x.call.Received++
	if x.keeps() {
		x.ev.Message(x.call, body)
	}
}
