package rsocket

import (
	"wiregauge"
	"wiregauge/protocol"
)

func init() {
	protocol.Register(&protocol.Protocol{
		Name:  "rsocket",
		Title: "RSocket",
		Doc:   "RSocket 1.0 over TCP and WebSocket: requests, streams, channels, fire-and-forget and metadata push",
		Schemes: []protocol.Scheme{
			{Name: "rsocket+tcp", Port: 7000, Unix: true},
			{Name: "rsocket+tls", TLS: true, Port: 7000, Unix: true},
			{Name: "rsocket+ws", Port: 7000},
			{Name: "rsocket+wss", TLS: true, Port: 7000},
		},
		Multiplexed: true,
		Codec:       "cbor",
		Prepare:     Prepare,
		New:         New,
		Class:       Class,
		Canned:      canned,
		Explain:     func() wiregauge.Explainer { return &explainer{} },
	})
}
