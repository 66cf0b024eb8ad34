package grpc

import (
	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/http2"
)

func init() {
	protocol.Register(&protocol.Protocol{
		Name:  "grpc",
		Title: "gRPC",
		Doc:   "gRPC over HTTP/2: unary calls and streams, protobuf or JSON messages",
		Schemes: []protocol.Scheme{
			{Name: "grpc", Port: 50051, Unix: true},
			{Name: "grpcs", TLS: true, Port: 443},
		},
		ALPN:        "h2",
		Multiplexed: true,
		Codec:       "protobuf",
		Prepare:     Prepare,
		New:         New,
		NewClient:   NewStackClient,
		Class:       Class,
		Canned:      canned,
		Explain:     func() wiregauge.Explainer { return http2.NewExplainer(http2.Prefixed) },
	})
}

// Class names a failed call for the error table.
func Class(o wiregauge.Outcome, status int) string {
	switch o {
	case wiregauge.Failed:
		return CodeName(status)
	case wiregauge.NoStatus:
		return "no grpc-status"
	}
	return ""
}
