package main

import (
	"testing"

	"wiregauge"
	"wiregauge/load"
	"wiregauge/protocol"
)

// Every protocol's client has a ceiling: each of its calls is answered well from memory.
func TestCeiling(t *testing.T) {
	for _, p := range protocol.All() {
		for _, body := range []int{0, 15, 100_000} {
			r, err := p.Prepare(protocol.Input{Procedure: "/a.B/C", Path: "/x", Bodies: [][]byte{[]byte("{}")}, HasBody: true, Codec: p.Codec})
			if err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			l := load.Plan{Requests: []*wiregauge.Request{r}, Connections: 3, Streams: 1, Multiplexed: p.Multiplexed,
				NewSession: func(ev wiregauge.Events) wiregauge.Session {
					return p.New(protocol.Options{Scheme: "http", Authority: "memory"}, ev)
				}}
			if p.Multiplexed {
				l.Streams = 1000
			}
			rate := ceilingOf(t.Context(), p, l, body, load.Spec{Total: 200})
			if rate == nil || *rate <= 0 {
				t.Errorf("%s, answers of %d bytes: no ceiling", p.Name, body)
				continue
			}
			t.Logf("%s, answers of %d bytes: %.0f calls/s", p.Name, body, *rate)
		}
	}
}

// What is not measured is unknown, not 0.
func TestNoCeiling(t *testing.T) {
	unary, stream := &wiregauge.Request{Messages: [][]byte{{1}}}, &wiregauge.Request{Messages: [][]byte{{1}}, Shape: wiregauge.ServerStream}
	session := func(ev wiregauge.Events) wiregauge.Session { panic("nobody connects") }
	for _, row := range []struct {
		name, protocol string
		request        *wiregauge.Request
		plan           load.Plan
		body           int
	}{
		{"a library client", "grpc", unary, load.Plan{Connections: 1}, 1},
		{"a stream over gRPC", "grpc", stream, load.Plan{Connections: 1, NewSession: session}, 1},
		{"a stream over HTTP/1.1", "http1", stream, load.Plan{Connections: 1, NewSession: session}, 1},
		{"answers that would have to wait for window", "http2", unary, load.Plan{Connections: 1, NewSession: session}, 1 << 20},
		{"a connection per call", "http1", unary, load.Plan{Connections: 1, NewSession: session, OneCall: true}, 1},
	} {
		p, err := protocol.Lookup(row.protocol)
		if err != nil {
			t.Fatal(err)
		}
		row.plan.Requests = []*wiregauge.Request{row.request}
		if rate := ceilingOf(t.Context(), p, row.plan, row.body, load.Spec{Total: 1}); rate != nil {
			t.Errorf("%s: %v calls a second", row.name, *rate)
		}
	}
}
