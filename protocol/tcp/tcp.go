// Package tcp is the floor under every number: messages that come back as they were sent, over a bare connection.
// Calls are answered in order and many may be in flight. It is also what lab serves (Framing.Echo).
package tcp

import (
	"fmt"

	"wiregauge"
	"wiregauge/protocol"
)

func init() {
	protocol.Register(&protocol.Protocol{
		Name:  "tcp",
		Title: "TCP echo",
		Doc:   "messages echoed over a bare connection: the floor under every number",
		Schemes: []protocol.Scheme{
			{Name: "tcp", Unix: true},
			{Name: "tls", TLS: true, Unix: true},
		},
		Multiplexed: true,
		Codec:       "binary",
		Floor:       true,
		Prepare:     Prepare,
		New:         New,
		Canned:      Canned,
	})
}

// Canned echoes what it is sent, whatever the size that is asked for.
func Canned(r *wiregauge.Request, _ int) func(out, in []byte) []byte {
	return func(out, in []byte) []byte { return append(out, in...) }
}

// Prepare makes the Request of what a user asked for: the bodies, each of which comes back. What belongs to other
// protocols is refused.
func Prepare(in protocol.Input) (*wiregauge.Request, error) {
	switch {
	case in.Shape == wiregauge.OneWay:
		return nil, fmt.Errorf("an echo comes back: %s calls are not possible", in.Shape)
	case in.Compress != "" && in.Compress != "identity":
		return nil, fmt.Errorf("an echo has no compression; leave %q out", in.Compress)
	case len(in.Header) > 0:
		return nil, fmt.Errorf("an echo has no headers; leave %q out", in.Header[0].Name)
	}
	r := &wiregauge.Request{Method: "echo", Messages: in.Bodies}
	if len(r.Messages) == 0 {
		r.Messages = [][]byte{{}}
	}
	if len(r.Messages) > 1 {
		r.Shape = wiregauge.Bidi
	}
	return r, nil
}
