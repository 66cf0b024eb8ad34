package http2

import (
	"errors"
	"strconv"
	"strings"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/content"
	"wiregauge/protocol/lines"
)

const defaultUserAgent = "wiregauge/1"

// plain is HTTP itself on a Session: one answer is one message, or a stream of them for a server stream.
type plain struct {
	scheme, authority, userAgent string
}

// body is the state of one answer. The object is reused by the calls of a session.
type body struct {
	status   int
	encoding string
	kept     []byte
	size     int64
	streams  bool // it is a stream of messages, which split finds
	split    lines.Splitter
}

// NewHTTP makes the session of one connection for plain HTTP requests: "POST /v1/check".
func NewHTTP(o protocol.Options, events wiregauge.Events) wiregauge.Session {
	p := &plain{scheme: o.Scheme, authority: o.Authority, userAgent: o.UserAgent}
	if p.userAgent == "" {
		p.userAgent = defaultUserAgent
	}
	if p.scheme == "" {
		p.scheme = "http"
	}
	return New(o, events, p, Bare)
}

// Head lists the request header. The content-length is the session's own.
func (p *plain) Head(dst []wiregauge.Field, r *wiregauge.Request) ([]wiregauge.Field, error) {
	verb, path, ok := strings.Cut(r.Method, " ")
	if !ok {
		return dst, errors.New("request " + strconv.Quote(r.Method) + ": expected a method and a path, as in \"POST /v1/check\"")
	}
	authority, agent := p.authority, p.userAgent
	for _, f := range r.Header {
		switch {
		case strings.EqualFold(f.Name, "host"):
			authority = f.Value
		case strings.EqualFold(f.Name, "user-agent"):
			agent = f.Value
		}
	}
	dst = append(dst,
		wiregauge.Field{Name: ":method", Value: verb},
		wiregauge.Field{Name: ":scheme", Value: p.scheme},
		wiregauge.Field{Name: ":path", Value: path},
		wiregauge.Field{Name: ":authority", Value: authority})
	if agent != "" {
		dst = append(dst, wiregauge.Field{Name: "user-agent", Value: agent})
	}
	if r.Encoding != "" {
		dst = append(dst, wiregauge.Field{Name: "content-encoding", Value: r.Encoding})
	}
	if r.Accept != "" {
		dst = append(dst, wiregauge.Field{Name: "accept-encoding", Value: r.Accept})
	}
	for _, f := range r.Header {
		switch f.Name = strings.ToLower(f.Name); f.Name {
		case "host", "user-agent", "content-length":
		default:
			dst = append(dst, f)
		}
	}
	return dst, nil
}

// Open readies the state of one answer.
func (p *plain) Open(st *Stream) {
	if st.Own == nil {
		st.Own = &body{}
	}
	b := st.Own.(*body)
	if cap(b.kept) > wiregauge.Unsent {
		b.kept = nil
	}
	b.split.Free(wiregauge.Unsent)
	b.status, b.encoding, b.kept, b.size, b.streams = 0, "", b.kept[:0], 0, false
}

// Header is told of the header and of the trailers.
func (p *plain) Header(st *Stream, h *Head, end bool) {
	b, d := st.Own.(*body), st.Call.Detail
	if b.status != 0 {
		if d != nil {
			d.Trailer = append(d.Trailer, h.Fields...)
		}
		p.finish(st, b, nil)
		return
	}
	b.status = h.Status
	if d != nil {
		d.StatusLine = ":status " + strconv.Itoa(h.Status)
		d.Header = append(d.Header, h.Fields...)
	}
	if d != nil || st.Keeps() || st.Call.Explain {
		b.encoding, _ = h.Get("content-encoding")
	}
	if expectsStream(st, h.Status) {
		p.stream(st, b, h, end)
		return
	}
	if most := st.Call.MaxReply; most > 0 && h.Length > int64(most) && !st.bodiless(h.Status) {
		p.tooLarge(st, b, most)
	} else if end {
		p.finish(st, b, nil)
	}
}

// Data is told of a piece of the body.
func (p *plain) Data(st *Stream, piece []byte, end bool) {
	b, c := st.Own.(*body), st.Call
	if b.streams {
		p.messages(st, b, piece, end)
		return
	}
	b.size += int64(len(piece))
	if c.MaxReply > 0 && b.size > int64(c.MaxReply) {
		p.tooLarge(st, b, c.MaxReply)
		return
	}
	if end && len(b.kept) == 0 {
		p.finish(st, b, piece)
		return
	}
	switch {
	case st.Keeps():
		b.kept = append(b.kept, piece...)
	case c.Explain && b.status >= 400 && len(b.kept) < content.TextSize:
		b.kept = append(b.kept, piece[:min(len(piece), content.TextSize-len(b.kept))]...)
	}
	if end {
		p.finish(st, b, nil)
	}
}

func (p *plain) tooLarge(st *Stream, b *body, most int) {
	st.Finish(wiregauge.TooLarge, b.status, "the answer's body is larger than "+strconv.Itoa(most)+" bytes; --max-reply raises the limit")
}

// finish ends the answer. Whole is the body when it came in one piece, else what was kept is.
func (p *plain) finish(st *Stream, b *body, whole []byte) {
	if b.streams {
		p.messages(st, b, nil, true)
		return
	}
	if whole == nil {
		whole = b.kept
	}
	c := st.Call
	if d := c.Detail; d != nil {
		noteEncoding(d, b.encoding)
	}
	if st.Keeps() && isGzip(b.encoding) && len(whole) > 0 && !st.bodiless(b.status) {
		var err error
		if whole, err = content.Inflate(whole, c.MaxReply); err != nil {
			outcome := wiregauge.Malformed
			if errors.Is(err, content.ErrTooLarge) {
				outcome = wiregauge.TooLarge
			}
			st.Finish(outcome, b.status, err.Error())
			return
		}
		b.encoding = ""
	}
	if expectsStream(st, b.status) {
		p.cutWhole(st, b, whole)
		return
	}
	st.Message(whole)
	if b.status < 400 {
		st.Finish(wiregauge.OK, b.status, "")
		return
	}
	text := ""
	if c.Explain {
		text = content.Text(whole, isGzip(b.encoding))
	}
	st.Finish(wiregauge.Failed, b.status, text)
}

// Status of a call that a reset ended is the reset's code; else none came.
func (p *plain) Status(o wiregauge.Outcome, code Code) int {
	if o == wiregauge.Reset || o == wiregauge.Refused {
		return int(code)
	}
	return 0
}

func noteEncoding(d *wiregauge.Detail, name string) {
	if name == "" {
		name = "identity"
	}
	if d.Encodings == nil {
		d.Encodings = map[string]int{}
	}
	d.Encodings[strings.ToLower(name)]++
}

func isGzip(name string) bool {
	return strings.EqualFold(name, "gzip") || strings.EqualFold(name, "x-gzip")
}

var _ Semantics = (*plain)(nil)
