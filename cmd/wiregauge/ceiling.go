package main

import (
	"context"
	"time"

	"wiregauge/load"
	"wiregauge/protocol"
	"wiregauge/result"
	"wiregauge/trust"
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

// trust says how far the numbers of the run may be believed. What an open loop asks of the client is compared with what
// the client can send, which is measured now that the size of the answers is known.
func (t *test) trust(ctx context.Context) {
	if arm := &t.file.Arms[0]; t.plan.open && arm.OK > 0 && interruptOf(ctx) == nil && t.target.Client != "stack" {
		arm.Ceiling = ceilingOf(ctx, t.target.Protocol, t.plan.load, bodyOf(arm), ceilingTurn)
	}
	t.file.Trust = trust.Of(t.file)
}
