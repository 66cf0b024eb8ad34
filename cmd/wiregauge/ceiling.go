package main

import (
	"context"
	"time"

	"wiregauge/load"
	"wiregauge/protocol"
	"wiregauge/result"
)

// ceilingTurn is how long the client is measured.
var ceilingTurn = load.Spec{Duration: 150 * time.Millisecond}

// ceilingOf is how many calls a second the client makes of l's requests with all the CPU it may use, when each
// is answered from memory with a body of that many bytes; nil where that cannot be measured (library clients, streams, large answers).
func ceilingOf(ctx context.Context, p *protocol.Protocol, l load.Plan, body int, s load.Spec) *float64 {
	if p.Canned == nil || p.Canned(l.Requests[0], body) == nil {
		return nil
	}
	far := func() func(out, in []byte) []byte { return p.Canned(l.Requests[0], body) }
	rate, err := load.Ceiling(ctx, l, far, s)
	if err != nil {
		return nil
	}
	return &rate
}

// bodyOf is the mean size of an arm's answers.
func bodyOf(a *result.Arm) int {
	if a.OK == 0 {
		return 0
	}
	return int(a.RecvBytes.Body / a.OK)
}
