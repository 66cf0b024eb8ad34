package http1

import (
	"fmt"
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
	if in.Shape == wiregauge.Bidi || in.Shape == wiregauge.OneWay {
		return nil, fmt.Errorf("HTTP/1.1 carries unary calls, client streams and server streams, not %s calls; use grpc:// or h2c://", in.Shape)
	}
	r := &wiregauge.Request{Header: in.Header, Accept: in.Accept, Shape: in.Shape}
	if in.HasBody {
		if err := prepareBody(r, in); err != nil {
			return nil, err
		}
	}
	verb, path := in.Verb, in.Path
	if verb == "" && in.HasBody {
		verb = "POST"
	} else if verb == "" {
		verb = "GET"
	}
	if path == "" {
		path = "/"
	}
	r.Method = verb + " " + path
	if err := checkRequest(verb, path, r.Header); err != nil {
		return nil, err
	}
	return r, checkLength(r)
}

// prepareBody sets the messages of r and the fields that describe them.
func prepareBody(r *wiregauge.Request, in protocol.Input) error {
	r.Messages = in.Bodies
	if len(r.Messages) == 0 && !r.Shape.StreamsOut() {
		r.Messages = [][]byte{{}}
	}
	if kind := content.Type(in.Codec); kind != "" && !has(r.Header, "Content-Type") {
		r.Header = append([]wiregauge.Field{{Name: "Content-Type", Value: kind}}, r.Header...)
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

// checkLength refuses a Content-Length that is not the body's.
func checkLength(r *wiregauge.Request) error {
	n := 0
	for _, m := range r.Messages {
		n += len(m)
	}
	for _, f := range r.Header {
		if strings.EqualFold(f.Name, "Content-Length") && f.Value != strconv.Itoa(n) {
			return fmt.Errorf("header Content-Length: %s, but the body has %d bytes; leave it out", f.Value, n)
		}
	}
	return nil
}
