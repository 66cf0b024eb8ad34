package http2

import (
	"strconv"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/stack"
)

func init() {
	protocol.Register(&protocol.Protocol{
		Name:  "http2",
		Title: "HTTP/2",
		Doc:   "HTTP/2 requests: many calls at once on one connection, plaintext with prior knowledge or over TLS",
		Schemes: []protocol.Scheme{
			{Name: "h2c", Port: 80, Unix: true},
			{Name: "h2", TLS: true, Port: 443, Unix: true},
			{Name: "https", TLS: true, Port: 443, Unix: true},
		},
		ALPN:        "h2",
		Multiplexed: true,
		Codec:       "json",
		Prepare:     Prepare,
		New:         NewHTTP,
		NewClient: func(o protocol.Options, d protocol.Dial) (wiregauge.Client, error) {
			return stack.NewHTTP(o, d, true)
		},
		Class:   Class,
		Canned:  canned,
		Explain: func() wiregauge.Explainer { return NewExplainer(Bare) },
	})
}

// Class names a failed call for the error table: the status, or the code of a reset.
func Class(o wiregauge.Outcome, status int) string {
	switch o {
	case wiregauge.Failed:
		return strconv.Itoa(status)
	case wiregauge.Reset:
		if status > 0 {
			return "reset " + Code(status).String()
		}
	}
	return ""
}
