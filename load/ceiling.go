package load

import (
	"context"
	"errors"
	"fmt"
	"math"

	"wiregauge/meter"
)

// ceilingStreams are as many calls on one connection as it takes to keep it busy.
const ceilingStreams = 64

// Ceiling is how many calls a second this client could make of p's requests on as many connections, were it given all
// the CPU it may use: measured for one turn over loopback against a far end that answers from memory, each connection's on a
// thread of its own whose CPU time is set apart. far is called once for each connection, appends answers to what
// came in. One connection is driven by one goroutine and so by one core at a time. Only our own
// client has a ceiling, with connections that stay and without TLS. It is unknown where the CPU time of a thread is.
func Ceiling(ctx context.Context, p Plan, far func() func(out, in []byte) []byte, s Spec) (float64, error) {
	if p.NewSession == nil || p.OneCall {
		return 0, errors.New("only our own client, with connections that stay, has a ceiling")
	}
	if _, known := meter.Thread(); !known {
		return 0, errors.New("the CPU time of a thread cannot be read on this system")
	}
	end, err := listenFar(far)
	if err != nil {
		return 0, err
	}
	defer end.close()
	p = Plan{Name: p.Name, Requests: p.Requests, NewSession: p.NewSession, Class: p.Class, Multiplexed: p.Multiplexed,
		Connections: p.Connections, Streams: min(max(p.Streams, 1), ceilingStreams)}
	p.Dialer.Address = end.address()
	p.Concurrency = p.Connections * p.Streams
	before := meter.Own()
	calls, err := ceilingTurn(ctx, p, s)
	if err != nil {
		return 0, err
	}
	used := meter.Own().Total() - before.Total() - end.close()
	if used <= 0 {
		return 0, fmt.Errorf("the client's CPU time cannot be told from the far end's: %v", used)
	}
	return float64(calls) / used.Seconds() * math.Min(meter.Cores(), float64(p.Connections)), nil
}

// ceilingTurn makes calls and counts them.
func ceilingTurn(ctx context.Context, p Plan, s Spec) (calls int64, err error) {
	e, err := Open(ctx, p)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	t, err := e.Turn(ctx, s)
	switch {
	case err != nil:
		return 0, err
	case t.Partial:
		return 0, context.Cause(ctx)
	case t.Failed > 0 || t.OK == 0:
		return 0, fmt.Errorf("of %d calls to an end in memory %d failed", t.Sent, t.Failed)
	}
	return t.OK, nil
}
