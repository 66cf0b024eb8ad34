package stack

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"wiregauge"
	"wiregauge/protocol/content"
	"wiregauge/protocol/lines"
)

// exchange is what one call needs to read its answer, reused.
type exchange struct {
	call *wiregauge.Call
	ev   wiregauge.Events
	size int
	buf  []byte
	kept []byte

	split lines.Splitter
}

// read takes the answer: its status, and its body to the end.
func (x *exchange) read(answer *http.Response) error {
	defer answer.Body.Close()
	c := x.call
	c.Status, c.Outcome = answer.StatusCode, wiregauge.OK
	switch {
	case answer.StatusCode < 200: // the library hands on 101, and what is no status
		c.Outcome, c.Text = wiregauge.Malformed, "the status "+strconv.Itoa(answer.StatusCode)+", which was not asked for"
		return nil
	case answer.StatusCode >= 400:
		c.Outcome = wiregauge.Failed
	}
	if c.Detail != nil {
		c.Detail.StatusLine = answer.Proto + " " + answer.Status
		c.Detail.Header = fields(answer.Header)
	}
	if x.expectsStream(answer) && !packed(answer) {
		return x.stream(answer)
	}
	if whole, err := x.body(answer.Body); err != nil || !whole {
		return err
	}
	if c.Detail != nil {
		c.Detail.Trailer = fields(answer.Trailer)
	}
	c.Received = 1
	x.tell(answer)
	return nil
}

// body reads to the end, or as far as allowed: then the call is TooLarge, and whole is false.
func (x *exchange) body(r io.Reader) (whole bool, err error) {
	c := x.call
	x.kept, x.size = x.kept[:0], 0
	for {
		n, err := r.Read(x.buf)
		x.size += n
		if c.MaxReply > 0 && x.size > c.MaxReply || x.keeps() && x.size > content.Most {
			x.tooLarge()
			return false, nil
		}
		if x.keeps() || c.Outcome == wiregauge.Failed && c.Explain && len(x.kept) < content.TextSize {
			x.kept = append(x.kept, x.buf[:n]...)
		}
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
}

func (x *exchange) keeps() bool { return x.call.Keep || x.call.Credit > 0 }

func (x *exchange) limit() int {
	if x.call.MaxReply > 0 {
		return x.call.MaxReply
	}
	return content.Most
}

func (x *exchange) tooLarge() {
	x.call.Outcome = wiregauge.TooLarge
	x.call.Text = "the answer is larger than " + strconv.Itoa(x.limit()) + " bytes; --max-reply raises the limit"
}

// tell passes on what was kept, decompressed as our own client does it.
func (x *exchange) tell(answer *http.Response) {
	c, body := x.call, x.kept
	compressed := packed(answer) && len(body) > 0
	if compressed && x.keeps() {
		var err error
		if body, err = content.Inflate(body, x.limit()); err != nil {
			c.Outcome, c.Text = wiregauge.Malformed, err.Error()
			if errors.Is(err, content.ErrTooLarge) {
				x.tooLarge()
			}
			return
		}
		compressed = false
	}
	if c.Outcome == wiregauge.Failed && c.Explain {
		c.Text = content.Text(body, compressed)
	}
	switch {
	case !x.keeps():
	case x.expectsStream(answer):
		x.cutWhole(answer, body)
	default:
		x.ev.Message(c, body)
	}
}

func fields(h http.Header) (out []wiregauge.Field) {
	for name, values := range h {
		for _, v := range values {
			out = append(out, wiregauge.Field{Name: strings.ToLower(name), Value: v})
		}
	}
	return out
}
