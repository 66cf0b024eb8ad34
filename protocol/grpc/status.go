package grpc

import (
	"encoding/base64"
	"strconv"
	"strings"

	"wiregauge"
	"wiregauge/protocol/http2"
)

const contentType = "application/grpc"

// The status codes that the client side itself comes to.
const (
	canceled          = 1
	unknown           = 2
	permissionDenied  = 7
	resourceExhausted = 8
	unimplemented     = 12
	internal          = 13
	unavailable       = 14
	unauthenticated   = 16
)

var codeNames = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
	"INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}

// CodeName names a status code as the specification does; an unknown one is its number.
func CodeName(code int) string {
	if code >= 0 && code < len(codeNames) {
		return codeNames[code]
	}
	return "code " + strconv.Itoa(code)
}

// A note is what gRPC makes of one header block; it is kept with the block.
type note struct {
	grpc        bool   // the content-type is application/grpc, perhaps with a suffix
	suffix      string // of the content-type: "proto", "json"
	contentType string
	encoding    string // grpc-encoding; "" for none or identity
	http        int
	hasStatus   bool
	status      int    // unknown when grpc-status is not a number
	odd         string // then this is what it is
	message     string // grpc-message, still percent-encoded
}

// noStatus stands for trailers that never came.
var noStatus note

func noteOf(h *http2.Head) *note {
	if n, ok := h.Memo.(*note); ok {
		return n
	}
	n := &note{http: h.Status}
	for _, f := range h.Fields {
		switch f.Name {
		case "content-type":
			n.contentType = f.Value
			n.grpc, n.suffix = splitContentType(f.Value)
		case "grpc-encoding":
			if f.Value != "identity" {
				n.encoding = f.Value
			}
		case "grpc-status":
			n.hasStatus = true
			n.status, n.odd = parseStatus(f.Value)
		case "grpc-message":
			n.message = f.Value
		}
	}
	h.Memo = n
	return n
}

func parseStatus(v string) (code int, odd string) {
	if code, err := strconv.ParseUint(v, 10, 31); err == nil {
		return int(code), ""
	}
	return unknown, v
}

// sameCodec reports whether the answer is encoded as was asked; no suffix means protobuf.
func (n *note) sameCodec(asked string) bool {
	got := n.suffix
	if got == "" {
		got = "proto"
	}
	if asked == "" {
		asked = "proto"
	}
	return got == asked
}

// conclude ends a call whose answer has ended with the trailers n.
func (m *semantics) conclude(st *http2.Stream, r *reply, n *note) {
	c := st.Call
	switch {
	case n.hasStatus && n.status != 0:
		text := ""
		if c.Explain {
			text = percentDecode(n.message)
		}
		if n.odd != "" && text == "" {
			text = "the grpc-status " + strconv.Quote(n.odd) + " is no number"
		}
		st.Finish(wiregauge.Failed, n.status, text)
	case n.hasStatus:
		m.concludeOK(st, r)
	case r.head.http != 200:
		st.Finish(wiregauge.Failed, fromHTTP(r.head.http), foreignText(c, r))
	case !r.head.grpc:
		st.Finish(wiregauge.NoStatus, unknown, foreignText(c, r))
	default:
		st.Finish(wiregauge.NoStatus, internal, "the answer ended without grpc-status")
	}
}

// concludeOK checks that status 0 is true.
func (m *semantics) concludeOK(st *http2.Stream, r *reply) {
	switch {
	case r.partial():
		st.Finish(wiregauge.Malformed, internal, "the answer ended inside a message")
	case st.Call.Shape.StreamsIn() || st.Call.Received == 1:
		st.Finish(wiregauge.OK, 0, "")
	case st.Call.Received == 0:
		st.Finish(wiregauge.Malformed, unimplemented, "status OK without a message")
	default:
		st.Finish(wiregauge.Malformed, unimplemented, strconv.Itoa(st.Call.Received)+" messages in answer to a call that has one")
	}
}

// fail ends a call before its answer has ended.
func fail(st *http2.Stream, o wiregauge.Outcome, status int, text string) {
	st.Finish(o, status, text)
}

// foreignText explains an answer that is not gRPC.
func foreignText(c *wiregauge.Call, r *reply) string {
	if !c.Explain {
		return ""
	}
	text := "HTTP status " + strconv.Itoa(r.head.http) + " without grpc-status"
	if !r.head.grpc {
		text += ", content-type " + strconv.Quote(r.head.contentType)
	}
	if len(r.text) > 0 {
		text += ": " + strings.ToValidUTF8(string(r.text), "\uFFFD")
	}
	return text
}

// fromHTTP maps an HTTP status to a code (http-grpc-status-mapping.md); 431 is UNKNOWN, as Connect and grpc-go
// have it.
func fromHTTP(status int) int {
	switch status {
	case 400:
		return internal
	case 401:
		return unauthenticated
	case 403:
		return permissionDenied
	case 404:
		return unimplemented
	case 429, 502, 503, 504:
		return unavailable
	}
	return unknown
}

// Status maps what ended a call below gRPC to a code (PROTOCOL-HTTP2.md, "Errors").
func (m *semantics) Status(o wiregauge.Outcome, code http2.Code) int {
	switch o {
	case wiregauge.Reset:
		return fromReset(code)
	case wiregauge.Refused, wiregauge.Unprocessed, wiregauge.Closed:
		return unavailable
	}
	return internal
}

func fromReset(code http2.Code) int {
	switch code {
	case http2.RefusedStream:
		return unavailable
	case http2.CancelCode:
		return canceled
	case http2.EnhanceYourCalm:
		return resourceExhausted
	case http2.InadequateSecurity:
		return permissionDenied
	}
	if code > http2.HTTP11Required {
		return unknown
	}
	return internal
}

// percentDecode decodes grpc-message; what is not a proper escape stays as it is.
func percentDecode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(v))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// decodeBinary decodes the value of a -bin field, padded or not; nil when it is not base64.
func decodeBinary(v string) []byte {
	v, _, _ = strings.Cut(v, ",")
	p, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	if err != nil {
		return nil
	}
	return p
}

func statusLine(status int) string { return ":status " + strconv.Itoa(status) }
