package http1

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"wiregauge"
)

// answer is what a head says about the answer.
type answer struct {
	status    int
	version10 bool
	length    int64 // Content-Length, -1 when there is none
	coded     bool  // Transfer-Encoding is there
	chunked   bool  // and is "chunked"
	close     bool  // the connection ends after this answer
	keepAlive bool  // it says so, which counts on HTTP/1.0
	gzip      bool  // Content-Encoding
	events    bool  // Content-Type is text/event-stream
}

var versionPrefix = []byte("HTTP/1.")

// looksLikeAnswer reports whether in may be the beginning of a status line.
func looksLikeAnswer(in []byte) bool {
	n := min(len(in), len(versionPrefix))
	return bytes.Equal(in[:n], versionPrefix[:n])
}

// parseStatus reads "HTTP/1.1 200 OK" (RFC 9112, section 4). The reason may be missing with the space before it.
func (s *session) parseStatus(line []byte) (answer, error) {
	a := answer{length: -1}
	if !looksLikeAnswer(line) {
		return a, s.notHTTP(line)
	}
	if len(line) < len("HTTP/1.1 200") || !isDigit(line[7]) || line[8] != ' ' || len(line) > 12 && line[12] != ' ' {
		return a, s.malformed("RFC 9112, section 4", "the status line %q", start(line))
	}
	for _, d := range line[9:12] {
		if !isDigit(d) {
			return a, s.malformed("RFC 9112, section 4", "the status line %q", start(line))
		}
		a.status = 10*a.status + int(d-'0')
	}
	if a.status < 100 {
		return a, s.malformed("RFC 9110, section 15", "the status %d", a.status)
	}
	a.version10 = line[7] == '0'
	return a, nil
}

// header takes one field of the header.
func (s *session) header(c *wiregauge.Call, line []byte) error {
	name, value, err := s.cut(line)
	if err != nil {
		return err
	}
	if c.Detail != nil {
		c.Detail.Header = append(c.Detail.Header, wiregauge.Field{Name: string(name), Value: string(value)})
	}
	a := &s.in.answer
	switch len(name) {
	case len("connection"):
		if is(name, "connection") {
			a.close = a.close || hasToken(value, "close")
			a.keepAlive = a.keepAlive || hasToken(value, "keep-alive")
		}
	case len("content-type"):
		if is(name, "content-type") {
			kind, _, _ := bytes.Cut(value, []byte{';'})
			a.events = is(trim(kind), "text/event-stream")
		}
	case len("content-length"):
		if is(name, "content-length") {
			return s.contentLength(value)
		}
	case len("content-encoding"):
		if is(name, "content-encoding") {
			a.gzip = is(value, "gzip") || is(value, "x-gzip")
		}
	case len("transfer-encoding"):
		if is(name, "transfer-encoding") {
			a.chunked = !a.coded && is(value, "chunked")
			a.coded = true
		}
	}
	return nil
}

// trailer takes one field of the trailer section. It changes nothing of how the answer is read.
func (s *session) trailer(c *wiregauge.Call, line []byte) error {
	name, value, err := s.cut(line)
	if err == nil && c.Detail != nil {
		c.Detail.Trailer = append(c.Detail.Trailer, wiregauge.Field{Name: string(name), Value: string(value)})
	}
	return err
}

// cut splits a field line (RFC 9112, section 5). White space before the colon and folded lines are refused.
func (s *session) cut(line []byte) (name, value []byte, err error) {
	if line[0] == ' ' || line[0] == '\t' {
		return nil, nil, s.malformed("RFC 9112, section 5.2", "a folded header line %q", start(line))
	}
	name, value, ok := bytes.Cut(line, []byte{':'})
	if !ok || !isToken(name) {
		return nil, nil, s.malformed("RFC 9112, section 5", "the header line %q", start(line))
	}
	return name, trim(value), nil
}

// contentLength takes a Content-Length, or a list of equal ones (RFC 9110, section 8.6).
func (s *session) contentLength(value []byte) error {
	for {
		one, rest, more := bytes.Cut(value, []byte{','})
		n, ok := parseSize(trim(one))
		if !ok || s.in.length >= 0 && s.in.length != n {
			return s.malformed("RFC 9112, section 6.3", "the Content-Length %q, or one that differs from another", start(value))
		}
		s.in.length = n
		if value = rest; !more {
			return nil
		}
	}
}

// parseSize reads a decimal number of bytes; ok is false for anything else and from 2^62 on.
func parseSize(p []byte) (n int64, ok bool) {
	for _, d := range p {
		if !isDigit(d) || n > (math.MaxInt64/2-9)/10 {
			return 0, false
		}
		n = 10*n + int64(d-'0')
	}
	return n, len(p) > 0
}

// persists reports whether the connection may carry another call after this answer (RFC 9112, sections 6.1, 9.3).
func (a *answer) persists() bool {
	switch {
	case a.close, a.version10 && !a.keepAlive, a.version10 && a.coded, a.coded && a.length >= 0:
		return false
	}
	return true
}

func isHead(method string) bool { return strings.HasPrefix(method, "HEAD ") }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// is compares without regard to case; want is in lower case.
func is(p []byte, want string) bool {
	if len(p) != len(want) {
		return false
	}
	for i, c := range p {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != want[i] {
			return false
		}
	}
	return true
}

// hasToken reports whether a comma-separated list holds the token.
func hasToken(list []byte, token string) bool {
	for len(list) > 0 {
		one, rest, _ := bytes.Cut(list, []byte{','})
		if is(trim(one), token) {
			return true
		}
		list = rest
	}
	return false
}

// trim cuts off the optional white space of RFC 9110, section 5.6.3.
func trim(p []byte) []byte {
	for len(p) > 0 && (p[0] == ' ' || p[0] == '\t') {
		p = p[1:]
	}
	for len(p) > 0 && (p[len(p)-1] == ' ' || p[len(p)-1] == '\t') {
		p = p[:len(p)-1]
	}
	return p
}

// start is the beginning of p, as an error shows it.
func start(p []byte) []byte { return p[:min(len(p), 60)] }

// malformed keeps and returns the rule that the peer broke.
func (s *session) malformed(rule, format string, args ...any) error {
	err := &wiregauge.ProtocolError{Rule: rule, Text: fmt.Sprintf(format, args...)}
	s.fault = &fault{wiregauge.Malformed, err}
	return err
}

// tooLarge keeps and returns the limit that the peer passed.
func (s *session) tooLarge(format string, args ...any) error {
	s.fault = &fault{wiregauge.TooLarge, fmt.Errorf(format, args...)}
	return s.fault.err
}

// notHTTP says what the peer speaks instead, where its first bytes tell.
func (s *session) notHTTP(in []byte) error {
	what := fmt.Sprintf("no HTTP/1 status line but %q", start(in))
	switch {
	case len(in) >= 2 && in[0] == 0x15 && in[1] == 3:
		what = "a TLS alert: the server wants TLS; write https://"
	case len(in) >= 4 && in[0] == 0 && in[1] == 0 && in[3] == 4:
		what = "an HTTP/2 SETTINGS frame: the server speaks HTTP/2; write h2c://, or grpc:// for gRPC"
	}
	return s.malformed("", "%s", what)
}
