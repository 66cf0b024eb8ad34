package grpc

import (
	"strings"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/http2"
)

const defaultUserAgent = "wiregauge/1"

// semantics is gRPC on one http2 session.
type semantics struct {
	scheme, authority, userAgent string
	inflate                      inflater
}

// New makes the client session of one connection.
func New(o protocol.Options, events wiregauge.Events) wiregauge.Session {
	sem := &semantics{scheme: o.Scheme, authority: o.Authority, userAgent: o.UserAgent}
	if sem.userAgent == "" {
		sem.userAgent = defaultUserAgent
	}
	if sem.scheme == "" {
		sem.scheme = "http"
	}
	return http2.New(o, events, sem, http2.Prefixed)
}

// Head lists the request header in the order of the gRPC specification. The timeout is what the user set, not
// what is left of it: a constant, so that the block stays one.
func (m *semantics) Head(dst []wiregauge.Field, r *wiregauge.Request) ([]wiregauge.Field, error) {
	authority, agent, content := m.authority, m.userAgent, contentType
	for _, f := range r.Header {
		switch f.Name {
		case "host":
			authority = f.Value
		case "user-agent":
			agent = f.Value
		case "content-type":
			content = f.Value
		}
	}
	dst = append(dst,
		wiregauge.Field{Name: ":method", Value: "POST"},
		wiregauge.Field{Name: ":scheme", Value: m.scheme},
		wiregauge.Field{Name: ":path", Value: r.Method},
		wiregauge.Field{Name: ":authority", Value: authority},
		wiregauge.Field{Name: "content-type", Value: content},
		wiregauge.Field{Name: "user-agent", Value: agent},
		wiregauge.Field{Name: "te", Value: "trailers"})
	if r.Timeout > 0 {
		dst = append(dst, wiregauge.Field{Name: "grpc-timeout", Value: encodeTimeout(r.Timeout)})
	}
	if r.Encoding != "" {
		dst = append(dst, wiregauge.Field{Name: "grpc-encoding", Value: r.Encoding})
	}
	if r.Accept != "" {
		dst = append(dst, wiregauge.Field{Name: "grpc-accept-encoding", Value: r.Accept})
	}
	for _, f := range r.Header {
		switch f.Name {
		case "host", "user-agent", "content-type":
		default:
			dst = append(dst, f)
		}
	}
	return dst, nil
}

// Open readies the state of one answer.
func (m *semantics) Open(st *http2.Stream) {
	if st.Own == nil {
		st.Own = &reply{}
	}
	st.Own.(*reply).reset()
}

// Header is told of the header block, or of the trailers, or of both in one (trailers-only).
func (m *semantics) Header(st *http2.Stream, h *http2.Head, end bool) {
	r, n := st.Own.(*reply), noteOf(h)
	first := r.head == nil
	if d := st.Call.Detail; d != nil {
		tell(d, h, first, end)
	}
	if !first {
		m.conclude(st, r, n)
		return
	}
	r.head = n
	switch {
	case end:
		r.trailersOnly = true
		m.conclude(st, r, n)
	case h.Status != 200 || !n.grpc:
		r.foreign = true // what it says is read from its status, unless trailers know better
	case !n.sameCodec(codecOf(st.Call.Request)):
		fail(st, wiregauge.Malformed, internal, "the answer's content-type is "+n.contentType+", not the one asked for")
	}
}

// Data is told of a piece of the body.
func (m *semantics) Data(st *http2.Stream, p []byte, end bool) {
	r := st.Own.(*reply)
	if r.foreign {
		r.keepText(st, p)
	} else {
		m.messages(st, r, p)
	}
	if end && !st.Over() {
		m.conclude(st, r, &noStatus)
	}
}

// tell copies what a person wants to see.
func tell(d *wiregauge.Detail, h *http2.Head, first, end bool) {
	if first {
		d.StatusLine = statusLine(h.Status)
	}
	if end {
		d.Trailer = append(d.Trailer, h.Fields...)
		if v, ok := h.Get("grpc-status-details-bin"); ok {
			d.StatusDetails = decodeBinary(v)
		}
		return
	}
	d.Header = append(d.Header, h.Fields...)
}

// codecOf is the suffix of the content-type that r asks for, "" for plain application/grpc.
func codecOf(r *wiregauge.Request) string {
	for i := range r.Header {
		if r.Header[i].Name == "content-type" {
			_, suffix := splitContentType(r.Header[i].Value)
			return suffix
		}
	}
	return ""
}

// splitContentType reports whether v is gRPC's and with which codec suffix.
func splitContentType(v string) (grpc bool, suffix string) {
	rest, ok := strings.CutPrefix(strings.ToLower(v), contentType)
	rest, _, _ = strings.Cut(rest, ";")
	rest = strings.TrimSpace(rest)
	if !ok || rest != "" && rest[0] != '+' {
		return false, ""
	}
	return true, strings.TrimPrefix(rest, "+")
}

var _ http2.Semantics = (*semantics)(nil)
