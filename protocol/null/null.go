// Package null is the protocol without a network: what is written can be read back at once. It speaks as tcp does
// and costs what the engine itself costs.
package null

import (
	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/tcp"
)

func init() {
	protocol.Register(&protocol.Protocol{
		Name:        "null",
		Title:       "no network",
		Doc:         "no network at all: the engine's own cost",
		Schemes:     []protocol.Scheme{{Name: "null"}},
		Multiplexed: true,
		Codec:       "binary",
		Floor:       true,
		Prepare:     tcp.Prepare,
		New:         New,
		Canned:      tcp.Canned,
	})
}

// New makes the session of one connection, whatever framing the options name.
func New(opt protocol.Options, ev wiregauge.Events) wiregauge.Session {
	opt.Framing = tcp.Len32.String()
	return tcp.New(opt, ev)
}
