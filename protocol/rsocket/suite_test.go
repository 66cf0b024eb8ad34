package rsocket

import (
	"bytes"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
	"wiregauge/protocol/rsocket/frame"
)

// echoOf makes calls that come back. A channel cannot begin without a message: an empty one stands for none.
func echoOf(shape wiregauge.Shape, bodies ...[]byte) (*wiregauge.Request, [][]byte) {
	r := &wiregauge.Request{Method: "echo", Messages: bodies, Shape: shape}
	if len(bodies) == 0 {
		r.Messages = [][]byte{{}}
	}
	if shape == wiregauge.ClientStream {
		r.Method = "join"
		return r, [][]byte{bytes.Join(bodies, nil)}
	}
	return r, r.Messages
}

func TestSuite(t *testing.T) {
	for name, tt := range map[string]struct {
		setup  protocol.Setup
		server Serving
	}{
		"tcp":            {},
		"awaited":        {setup: protocol.Setup{Await: true}},
		"leased":         {setup: protocol.Setup{Lease: true, Await: true}, server: Serving{Lease: Lease{Requests: 1 << 20, TimeToLive: 1e12}}},
		"fragments":      {setup: protocol.Setup{Fragment: 1000}, server: Serving{Fragment: 900}},
		"web":            {setup: protocol.Setup{Web: true}, server: Serving{WebSocket: true}},
		"web, fragments": {setup: protocol.Setup{Web: true, Await: true, Fragment: 300}, server: Serving{WebSocket: true, Fragment: 64}},
	} {
		t.Run(name, func(t *testing.T) {
			prototest.Suite(t, prototest.Config{
				New:      open(protocol.Options{Authority: "test", Setup: tt.setup}),
				Dial:     serve(tt.server),
				Echo:     echoOf,
				Shapes:   []wiregauge.Shape{wiregauge.Unary, wiregauge.ClientStream, wiregauge.ServerStream, wiregauge.Bidi},
				InFlight: 20,
				Hang:     &wiregauge.Request{Method: "hang", Messages: [][]byte{{}}},
				Failures: []prototest.Failure{
					{Name: "an error of the application", Request: &wiregauge.Request{Method: "fail", Messages: [][]byte{{}}},
						Outcome: wiregauge.Failed, Status: int(frame.ApplicationError), Text: "no, \"quoted\" ünicode"},
					{Name: "a refusal", Request: &wiregauge.Request{Method: "reject", Messages: [][]byte{{}}},
						Outcome: wiregauge.Refused, Status: int(frame.Rejected), Text: "too much"},
				},
			})
		})
	}
}

func TestAllocs(t *testing.T) {
	for name, web := range map[string]bool{"tcp": false, "web": true} {
		r, _ := echoOf(wiregauge.Unary, []byte("hello"))
		setup := protocol.Setup{Web: web, Await: true}
		if n := prototest.Allocs(t, serve(Serving{WebSocket: web}), open(protocol.Options{Setup: setup}), r, 200); n > 0 {
			t.Errorf("%s: %v allocations per call, expected 0", name, n)
		}
	}
}
