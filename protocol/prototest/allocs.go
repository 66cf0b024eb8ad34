package prototest

import (
	"net"
	"testing"

	"wiregauge"
)

// Allocs is how many allocations one call costs the session: Start, the Receive of a recorded answer and the
// Flush behind it, averaged over the later half of n calls. The request must not be kept. It feeds the session
// straight, without a Driver's own bookkeeping.
func Allocs(t *testing.T, conn func(testing.TB) net.Conn, open NewSession, r *wiregauge.Request, n int) float64 {
	t.Helper()
	requests := make([]*wiregauge.Request, n)
	for i := range requests {
		requests[i] = r
	}
	rec := Record(t, conn(t), open, requests...)
	ev := &counter{}
	s := open(ev)
	out := s.Flush(make([]byte, 0, 1<<20))
	in := append(make([]byte, 0, 1<<20), rec.Hello...)
	c := NewCall(r)
	i := 0
	step := func() {
		used, reply, err := s.Receive(in, out[:0])
		if err != nil {
			t.Fatalf("call %d: receive: %v", i, err)
		}
		in = in[:copy(in, in[used:])]
		s.Flush(reply)
	}
	call := func() {
		slot := c.Slot
		c.Reset(r)
		c.Slot = slot
		var err error
		if out, err = s.Start(out[:0], c); err != nil {
			t.Fatalf("call %d: start: %v", i, err)
		}
		in = append(in, rec.Answers[i]...)
		step()
		if i++; ev.done != i || c.Outcome != wiregauge.OK {
			t.Fatalf("call %d: %d done, outcome %s %s; expected ok", i-1, ev.done, c.Outcome, c.Text)
		}
	}
	step()
	for range n/2 - 1 {
		call()
	}
	return testing.AllocsPerRun(n/2, call) // which calls once more, to warm up
}

// counter is Events that only counts.
type counter struct{ done int }

func (*counter) Sent(*wiregauge.Call)            {}
func (*counter) First(*wiregauge.Call)           {}
func (*counter) Message(*wiregauge.Call, []byte) {}
func (*counter) Room(*wiregauge.Call)            {}
func (*counter) Closing()                        {}
func (e *counter) Done(*wiregauge.Call)          { e.done++ }
