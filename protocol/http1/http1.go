// Package http1 is HTTP/1.1 (RFC 9110, RFC 9112) as a client session without I/O: keep-alive, Content-Length,
// chunked and read-until-close bodies, trailers, interim answers, and pipelining where it is asked for.
//
// One answer is one message, or a stream of them for a server stream (package lines). Without Request.Keep bodies are only counted, and nothing is allocated per call.
// It is strict where leniency would let two answers be confused (RFC 9112, section 11): a message that is not
// exactly one answer ends the connection. Start reading at session.
package http1

import (
	"strconv"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/stack"
)

func init() {
	protocol.Register(&protocol.Protocol{
		Name:  "http1",
		Title: "HTTP/1.1",
		Doc:   "HTTP/1.1 requests with keep-alive; one call per connection unless pipelined",
		Schemes: []protocol.Scheme{
			{Name: "http", Port: 80, Unix: true},
			{Name: "https", TLS: true, Port: 443, Unix: true},
		},
		ALPN:    "http/1.1",
		Codec:   "json",
		Prepare: Prepare,
		New:     New,
		NewClient: func(o protocol.Options, d protocol.Dial) (wiregauge.Client, error) {
			return stack.NewHTTP(o, d, false)
		},
		Class:   class,
		Canned:  canned,
		Explain: NewExplainer,
	})
}

// class names an answered failure by its status: "404".
func class(o wiregauge.Outcome, status int) string {
	if o == wiregauge.Failed && status > 0 {
		return strconv.Itoa(status)
	}
	return ""
}
