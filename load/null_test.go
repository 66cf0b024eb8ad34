package load

import (
	"context"
	"testing"

	"wiregauge"
	"wiregauge/wire"
)

// echoPlan calls a null echo: request index 0 comes back as status 0.
func echoPlan(connections, callers int) Plan {
	return Plan{
		Name:        "null",
		Requests:    []*wiregauge.Request{{}},
		Dialer:      wire.Dialer{Network: "null"},
		NewSession:  func(ev wiregauge.Events) wiregauge.Session { return newFake(ev) },
		Connections: connections,
		Concurrency: callers,
	}
}

func open(t testing.TB, p Plan) *Engine {
	t.Helper()
	e, err := Open(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// K15: exactly n calls.
func TestExactlyNCalls(t *testing.T) {
	for _, row := range []struct{ n, callers, connections int }{
		{49, 50, 50}, {10, 50, 1}, {101, 10, 3}, {1, 1, 1}, {7, 3, 2}, {100_000, 8, 2},
	} {
		e := open(t, echoPlan(row.connections, row.callers))
		r, err := e.Turn(context.Background(), Spec{Total: uint64(row.n)})
		if err != nil {
			t.Fatal(err)
		}
		n := int64(row.n)
		if r.Due != n || r.Sent != n || r.OK != n || r.Failed+r.Unfinished+r.Unsent != 0 {
			t.Errorf("%+v: counts %+v", row, r.Counts)
		}
		if r.Latency.Count() != n || r.CompletedInside != n {
			t.Errorf("%+v: %d latencies, %d inside", row, r.Latency.Count(), r.CompletedInside)
		}
		if r.SentBytes.Body != 8*n || r.RecvBytes.Body != 8*n {
			t.Errorf("%+v: %d bytes sent, %d received", row, r.SentBytes.Body, r.RecvBytes.Body)
		}
	}
}

// The engine's own cost per call: without a network, and over TCP to an echo in this process.
func BenchmarkCall(b *testing.B) {
	address := echoServer(b, nil)
	for _, row := range []struct {
		name                 string
		connections, callers int
		network              string
	}{
		{"null 1x50", 1, 50, "null"}, {"tcp 1x50", 1, 50, "tcp"}, {"tcp 50x1", 50, 50, "tcp"}, {"tcp 1x1", 1, 1, "tcp"},
	} {
		b.Run(row.name, func(b *testing.B) {
			p := echoPlan(row.connections, row.callers)
			p.Dialer = wire.Dialer{Network: row.network, Address: address}
			e := open(b, p)
			b.ReportAllocs()
			b.ResetTimer()
			if _, err := e.Turn(context.Background(), Spec{Total: uint64(b.N)}); err != nil {
				b.Fatal(err)
			}
		})
	}
}
