package http1

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wiregauge"
	"wiregauge/protocol"
)

// head is the start line and the header of a request, encoded once: all but what depends on the body.
type head struct {
	of      *wiregauge.Request
	text    []byte
	chunked bool // the body goes out in chunks
	expects bool // the method expects a body: an empty one is said to be empty (RFC 9110, section 8.6)
	close   bool // it asks for the connection to be closed after the answer
	err     error
}

// head finds what was encoded for the header set of r.
func (s *session) head(r *wiregauge.Request) *head {
	if r.Index >= len(s.heads) {
		s.heads = append(s.heads, make([]head, r.Index+1-len(s.heads))...)
	}
	h := &s.heads[r.Index]
	if h.of != r && !sameSet(h.of, r) {
		*h = encodeHead(s.opt, r)
	}
	return h
}

// sameSet reports whether two requests have the same head but for the length of their bodies.
func sameSet(a, b *wiregauge.Request) bool {
	return a != nil && a.Method == b.Method && a.Encoding == b.Encoding && a.Accept == b.Accept &&
		a.Open == b.Open && a.Shape == b.Shape && slices.Equal(a.Header, b.Header)
}

// append appends the head, finished for the body of r.
func (h *head) append(out []byte, r *wiregauge.Request) []byte {
	out = append(out, h.text...)
	if h.chunked {
		return append(out, "Transfer-Encoding: chunked\r\n\r\n"...)
	}
	if len(r.Messages) == 0 && !h.expects {
		return append(out, '\r', '\n')
	}
	n := 0
	for _, m := range r.Messages {
		n += len(m)
	}
	out = append(out, "Content-Length: "...)
	out = strconv.AppendInt(out, int64(n), 10)
	return append(out, "\r\n\r\n"...)
}

// encodeHead encodes the head of r. What a user's field says about the body's length is not repeated: Prepare has
// compared it with the body.
func encodeHead(opt protocol.Options, r *wiregauge.Request) head {
	method, target, _ := strings.Cut(r.Method, " ")
	h := head{of: r, expects: method == "POST" || method == "PUT" || method == "PATCH",
		chunked: r.Open || r.Shape.StreamsOut(), close: opt.OneCall}
	if h.err = checkRequest(method, target, r.Header); h.err != nil {
		return h
	}
	own := []wiregauge.Field{{Name: "Host", Value: authority(opt)}, {Name: "User-Agent", Value: opt.UserAgent},
		{Name: "Accept-Encoding", Value: r.Accept}, {Name: "Content-Encoding", Value: r.Encoding}}
	if opt.OneCall {
		own = append(own, wiregauge.Field{Name: "Connection", Value: "close"})
	}
	h.text = fmt.Appendf(nil, "%s %s HTTP/1.1\r\n", method, target)
	for _, f := range own {
		if f.Value != "" && !has(r.Header, f.Name) {
			h.field(f)
		}
	}
	for _, f := range r.Header {
		switch strings.ToLower(f.Name) {
		case "content-length":
			continue
		case "transfer-encoding":
			h.chunked = true
			continue
		case "connection":
			h.close = h.close || hasToken([]byte(f.Value), "close")
		}
		h.field(f)
	}
	return h
}

func (h *head) field(f wiregauge.Field) {
	h.text = append(append(h.text, f.Name...), ": "...)
	h.text = append(append(h.text, f.Value...), "\r\n"...)
}

// authority is the value of Host: on a unix socket there may be none to know.
func authority(opt protocol.Options) string {
	if opt.Authority == "" {
		return "localhost"
	}
	return opt.Authority
}

func has(fields []wiregauge.Field, name string) bool {
	return slices.ContainsFunc(fields, func(f wiregauge.Field) bool { return strings.EqualFold(f.Name, name) })
}

// checkRequest refuses what would not be one request on the wire (RFC 9112, section 11.1).
func checkRequest(method, target string, header []wiregauge.Field) error {
	if !isToken(method) {
		return fmt.Errorf("method %q is not a word that HTTP allows", method)
	}
	if method == "CONNECT" {
		return fmt.Errorf("method CONNECT opens a tunnel; it is no call")
	}
	if target == "" || strings.ContainsFunc(target, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fmt.Errorf("path %q is empty or holds white space; write it with %%20", target)
	}
	for _, f := range header {
		if !isToken(f.Name) {
			return fmt.Errorf("header name %q is not a word that HTTP allows", f.Name)
		}
		if strings.ContainsAny(f.Value, "\r\n\x00") {
			return fmt.Errorf("header %s: value %q holds a line end or a zero byte", f.Name, f.Value)
		}
		if strings.EqualFold(f.Name, "Transfer-Encoding") && !strings.EqualFold(f.Value, "chunked") {
			return fmt.Errorf("header Transfer-Encoding: %q; only \"chunked\" can be sent", f.Value)
		}
	}
	return nil
}

// isToken reports whether s is a token (RFC 9110, section 5.6.2).
func isToken[T string | []byte](s T) bool {
	for i := range len(s) {
		if !tokenByte[s[i]] {
			return false
		}
	}
	return len(s) > 0
}

var tokenByte = func() (t [256]bool) {
	for _, c := range []byte("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		t[c] = true
	}
	return t
}()
