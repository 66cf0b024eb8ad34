package http2

import (
	"strconv"
	"strings"

	"wiregauge"
)

// Semantics say what a request looks like and what an answer means. They are made for one Session and called
// by it only; none of the methods may keep p or call the session.
type Semantics interface {
	// Head appends the fields of r's header block, pseudo-fields first and all names in lower case. It is called
	// once for each header set and change of the HPACK table, not for each call.
	Head(dst []wiregauge.Field, r *wiregauge.Request) ([]wiregauge.Field, error)
	// Open readies st.Own, nil in a new object, for the call in st.
	Open(st *Stream)
	// Header is told of the answer's header block and then of its trailers; 1xx blocks are left out. End says
	// that the answer ends with it: then st must be finished when it returns.
	Header(st *Stream, h *Head, end bool)
	// Data is told of a piece of the answer's body, perhaps empty at its end.
	Data(st *Stream, p []byte, end bool)
	// Status is the native status of a call that ended by the protocol below: by a reset, a lost connection, a
	// breach. Code is the reset's.
	Status(o wiregauge.Outcome, code Code) int
}

// Framing says how the messages of a request become its body.
type Framing uint8

// Bare bodies are the one message as it is, with its content-length in the header; Prefixed ones have a flag
// byte and a length of four bytes before each message, as gRPC and Connect streams have.
const (
	Bare Framing = iota
	Prefixed
)

// prefixLen is what Prefixed puts before each message.
const prefixLen = 5

// A Head is one decoded header block. Blocks that come again without a change of the HPACK table are not decoded
// again: the same Head is delivered, so it is not to be changed, except for Memo.
type Head struct {
	Status int               // of :status; 0 in trailers
	Fields []wiregauge.Field // without the pseudo-fields
	// Length is the content-length, -1 without one.
	Length int64
	// Memo is the semantics' own: what they made of the block the first time.
	Memo any

	size     int    // as RFC 9113, section 6.5.2 counts it
	tooLarge bool   // beyond the limit: Fields is cut
	breach   string // what is malformed about it, with the RFC's section; empty when well formed
}

// Get is the value of the first field of that name, in lower case.
func (h *Head) Get(name string) (value string, ok bool) {
	for i := range h.Fields {
		if h.Fields[i].Name == name {
			return h.Fields[i].Value, true
		}
	}
	return "", false
}

// add takes one field in and notes the first breach of RFC 9113, sections 8.2 and 8.3.
func (h *Head) add(f wiregauge.Field) {
	if strings.HasPrefix(f.Name, ":") {
		h.addPseudo(f)
		return
	}
	h.Fields = append(h.Fields, f)
	switch {
	case h.breach != "":
	case !validName(f.Name):
		h.breach = "field name " + strconv.Quote(f.Name) + " is not allowed (RFC 9113, section 8.2.1)"
	case !validValue(f.Value):
		h.breach = "the value of field " + f.Name + " is not allowed (RFC 9113, section 8.2.1)"
	case hopByHop(f.Name):
		h.breach = "connection-specific field " + f.Name + " (RFC 9113, section 8.2.2)"
	case f.Name == "content-length":
		h.addLength(f.Value)
	}
}

func (h *Head) addPseudo(f wiregauge.Field) {
	status, err := strconv.Atoi(f.Value)
	switch {
	case h.breach != "":
	case f.Name != ":status":
		h.breach = "pseudo-field " + strconv.Quote(f.Name) + " in an answer (RFC 9113, section 8.3)"
	case len(h.Fields) > 0:
		h.breach = "pseudo-field after a regular field (RFC 9113, section 8.3)"
	case h.Status != 0:
		h.breach = "two :status fields (RFC 9113, section 8.3)"
	case err != nil || len(f.Value) != 3 || status < 100:
		h.breach = ":status " + strconv.Quote(f.Value) + " is not three digits (RFC 9113, section 8.3.2)"
	case status == 101:
		h.breach = ":status 101 (RFC 9113, section 8.6)"
	default:
		h.Status = status
	}
}

func (h *Head) addLength(value string) {
	n, err := strconv.ParseUint(value, 10, 63)
	switch {
	case err != nil:
		h.breach = "content-length " + strconv.Quote(value) + " is not a number (RFC 9110, section 8.6)"
	case h.Length >= 0 && h.Length != int64(n):
		h.breach = "two different content-lengths (RFC 9110, section 8.6)"
	default:
		h.Length = int64(n)
	}
}

// validName reports whether a field name is a lower-case token.
func validName(name string) bool {
	for i := 0; i < len(name); i++ {
		if c := name[i]; !tokenByte(c) || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return name != ""
}

func tokenByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

// validValue reports whether a field value has no NUL, CR or LF and no blank at either end.
func validValue(v string) bool {
	if v == "" {
		return true
	}
	if strings.ContainsAny(v, "\x00\r\n") {
		return false
	}
	return !blank(v[0]) && !blank(v[len(v)-1])
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// hopByHop reports whether a field belongs to one connection of HTTP/1.1 (RFC 9113, section 8.2.2).
func hopByHop(name string) bool {
	switch name {
	case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "http2-settings":
		return true
	}
	return false
}
