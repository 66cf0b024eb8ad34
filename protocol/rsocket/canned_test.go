package rsocket

import (
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
	"wiregauge/protocol/rsocket/frame"
)

// The far end of the ceiling answers our client, whatever the pieces of what it is sent.
func TestCanned(t *testing.T) {
	for name, setup := range map[string]protocol.Setup{"tcp": {Await: true}, "web": {Web: true}, "fragments": {Fragment: 64}} {
		for _, size := range []int{1, 5, 1 << 20} {
			for _, body := range []int{0, 44, 200_000} {
				r := &wiregauge.Request{Method: "echo", Messages: [][]byte{prototest.Pattern(100)}, Keep: true}
				peer := canned(r, body)
				d := prototest.NewDriver(open(protocol.Options{Setup: setup, Authority: "x"}))
				exchange := func() {
					for p := d.Take(1 << 20); len(p) > 0; {
						n := min(size, len(p))
						d.Feed(peer(nil, p[:n]))
						if p = p[n:]; len(p) == 0 {
							p = d.Take(1 << 20)
						}
					}
				}
				exchange()
				calls := []*wiregauge.Call{prototest.NewCall(r), prototest.NewCall(r), prototest.NewCall(r)}
				for _, c := range calls {
					if err := d.Start(c); err != nil {
						t.Fatalf("%s: start: %v", name, err)
					}
				}
				if exchange(); d.Err != nil {
					t.Fatalf("%s: %v", name, d.Err)
				}
				for i, c := range calls {
					if got := d.Events.Messages(c); c.Outcome != wiregauge.OK || len(got) != 1 || len(got[0]) != body {
						t.Errorf("%s in pieces of %d: call %d: %s, %d messages", name, size, i, c.Outcome, len(got))
					}
				}
				d.Check(t)
			}
		}
	}
	for name, r := range map[string]*wiregauge.Request{"a stream": {Shape: wiregauge.ServerStream}, "a channel": {Shape: wiregauge.Bidi}, "an open call": {Open: true}} {
		if canned(r, 1) != nil {
			t.Errorf("%s has an answer from memory", name)
		}
	}
	if canned(&wiregauge.Request{}, mostCanned+1) != nil {
		t.Error("an answer of any size is from memory")
	}
}

func TestCannedAllocatesNothing(t *testing.T) {
	peer := canned(&wiregauge.Request{}, 44)
	in, out := wire(frame.Frame{Type: frame.RequestResponse, Stream: 1, Data: make([]byte, 14)}), make([]byte, 0, 1000)
	if n := testing.AllocsPerRun(100, func() { out = peer(out[:0], in) }); n > 0 || len(out) != 53 {
		t.Errorf("%v allocations, %d bytes", n, len(out))
	}
}
