package null

import (
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

// What the session writes is its own answer.
func TestReadsBackWhatItWrote(t *testing.T) {
	d := prototest.NewDriver(func(ev wiregauge.Events) wiregauge.Session { return New(protocol.Options{Framing: "raw"}, ev) })
	var calls []*wiregauge.Call
	for _, size := range []int{0, 1, 1000, 1 << 20} {
		c := prototest.NewCall(&wiregauge.Request{Messages: [][]byte{prototest.Pattern(size)}, Keep: true})
		if err := d.Start(c); err != nil {
			t.Fatal(err)
		}
		for p := d.Take(10_000); len(p) > 0; p = d.Take(10_000) {
			if err := d.Feed(p); err != nil {
				t.Fatal(err)
			}
		}
		calls = append(calls, c)
	}
	for _, c := range calls {
		got := d.Events.Messages(c)
		if c.Outcome != wiregauge.OK || len(got) != 1 || string(got[0]) != string(c.Messages[0]) {
			t.Errorf("%d bytes: outcome %s, %d messages back", len(c.Messages[0]), c.Outcome, len(got))
		}
	}
	d.Check(t)
}

func TestRegistered(t *testing.T) {
	found, as := protocol.ByScheme("null")
	if len(found) != 1 || !found[0].Floor || as.TLS || as.Port != 0 {
		t.Errorf("null:// leads to %v, %+v; expected one floor protocol without port and TLS", found, as)
	}
}
