package http2

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/content"
)

// Prepare makes the Request of what a user asked for. The method is GET, or POST when there is a body, and a body
// is said to be what its codec makes; what the user's own header says wins. The answer to a server stream is cut into
// messages (package lines).
func Prepare(in protocol.Input) (*wiregauge.Request, error) {
	r := &wiregauge.Request{Accept: in.Accept, Shape: in.Shape}
	switch in.Shape {
	case wiregauge.OneWay:
		return nil, fmt.Errorf("HTTP/2 always answers: it carries no one-way calls")
	case wiregauge.Bidi:
		r.Shape = wiregauge.ClientStream // the answer is one body
	}
	verb, path := in.Verb, in.Path
	if verb == "" {
		verb = "GET"
		if in.HasBody {
			verb = "POST"
		}
	}
	if path == "" {
		path = "/"
	}
	if err := checkLine(verb, path); err != nil {
		return nil, err
	}
	r.Method = verb + " " + path
	for _, f := range in.Header {
		f.Name = strings.ToLower(f.Name)
		if err := checkField(f); err != nil {
			return nil, err
		}
		r.Header = append(r.Header, f)
	}
	if in.HasBody || bodyExpected(verb) {
		if err := prepareBody(r, in); err != nil {
			return nil, err
		}
	}
	return r, checkLength(r)
}

// bodyExpected reports whether a request of that method says that its body is empty, rather than nothing
// (RFC 9110, section 8.6).
func bodyExpected(verb string) bool { return verb == "POST" || verb == "PUT" || verb == "PATCH" }

func checkLine(verb, path string) error {
	switch {
	case verb == "" || !validName(strings.ToLower(verb)):
		return fmt.Errorf("method %q is not a word that HTTP allows", verb)
	case verb == "CONNECT":
		return fmt.Errorf("method CONNECT opens a tunnel; it is no call")
	case path != "*" && path[0] != '/':
		return fmt.Errorf("path %q: expected it to start with a slash", path)
	case strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return fmt.Errorf("path %q holds white space; write it with %%20", path)
	}
	return nil
}

// checkField refuses what HTTP/2 does not carry. The name is in lower case.
func checkField(f wiregauge.Field) error {
	switch {
	case !validName(f.Name):
		return fmt.Errorf("header name %q is not a word that HTTP allows", f.Name)
	case hopByHop(f.Name):
		return fmt.Errorf("header %q belongs to one connection of HTTP/1.1 and is not allowed on HTTP/2 (RFC 9113, section 8.2.2); remove it", f.Name)
	case f.Name == "te" && f.Value != "trailers":
		return fmt.Errorf("header te: %q; HTTP/2 allows only \"trailers\" (RFC 9113, section 8.2.2)", f.Value)
	case !validValue(f.Value):
		return fmt.Errorf("header %s: value %q holds a line end or a zero byte, or a blank at an end", f.Name, f.Value)
	}
	return nil
}

// prepareBody sets the messages of r and the fields that describe them.
func prepareBody(r *wiregauge.Request, in protocol.Input) error {
	r.Messages = in.Bodies
	if len(r.Messages) == 0 && !r.Shape.StreamsOut() {
		r.Messages = [][]byte{{}}
	}
	kind := content.Type(in.Codec)
	if in.HasBody && kind != "" && !slices.ContainsFunc(r.Header, func(f wiregauge.Field) bool { return f.Name == "content-type" }) {
		r.Header = append([]wiregauge.Field{{Name: "content-type", Value: kind}}, r.Header...)
	}
	switch in.Compress {
	case "", "identity":
		return nil
	case "gzip":
		r.Messages, r.Encoding = content.Gzip(r.Messages), "gzip"
		return nil
	}
	return fmt.Errorf("compression %q is not known; write gzip", in.Compress)
}

// checkLength refuses a content-length that is not the body's; a right one is left to the session.
func checkLength(r *wiregauge.Request) error {
	n := 0
	for _, m := range r.Messages {
		n += len(m)
	}
	for _, f := range r.Header {
		if f.Name == "content-length" && f.Value != strconv.Itoa(n) {
			return fmt.Errorf("header content-length: %s, but the body has %d bytes; leave it out", f.Value, n)
		}
	}
	return nil
}
