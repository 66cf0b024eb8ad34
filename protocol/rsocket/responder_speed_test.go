package rsocket

import (
	"testing"
	"time"

	"wiregauge"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/websocket"
)

// echoes is a handler that answers with what it got, and keeps nothing.
type echoes struct {
	r     *Responder
	ids   []uint64
	ends  []int
	arena []byte
}

func (e *echoes) Request(id uint64, r *wiregauge.Incoming) error {
	if !r.Opening {
		e.arena = append(e.arena, r.Data...)
		e.ids, e.ends = append(e.ids, id), append(e.ends, len(e.arena))
	}
	return nil
}
func (e *echoes) Message(uint64, []byte, bool) {}
func (e *echoes) Room(uint64, int64)           {}
func (e *echoes) Cancel(uint64)                {}

// turn is one read and its answers.
func (e *echoes) turn(in, out []byte) []byte {
	e.ids, e.ends, e.arena = e.ids[:0], e.ends[:0], e.arena[:0]
	_, out, err := e.r.Receive(in, out)
	if err != nil {
		panic(err)
	}
	from := 0
	for i, id := range e.ids {
		out, _ = e.r.Answer(out, id, e.arena[from:e.ends[i]], true, nil)
		from = e.ends[i]
	}
	return out
}

func newEchoes(web bool) *echoes {
	e := &echoes{}
	e.r = NewResponder(Serving{WebSocket: web}, e)
	if web {
		e.turn(websocket.AppendRequest(nil, "/", "x", "dGhlIHNhbXBsZSBub25jZQ==", nil), nil)
		e.turn(masked(websocket.Binary, setUp()[3:]), nil)
		return e
	}
	e.turn(setUp(), nil)
	return e
}

func fifty(web bool) (all []byte) {
	for i := range uint32(50) {
		p := call(frame.RequestResponse, 1+2*i, "echo", "0123456789")
		if web {
			p = masked(websocket.Binary, p[3:])
		}
		all = append(all, p...)
	}
	return all
}

func TestAnEchoAllocatesNothing(t *testing.T) {
	for _, web := range []bool{false, true} {
		e, in := newEchoes(web), fifty(web)
		out := e.turn(in, nil)
		if n := testing.AllocsPerRun(100, func() { out = e.turn(in, out[:0]) }); n != 0 {
			t.Errorf("WebSocket %t: %v allocations for 50 calls", web, n)
		}
		if got := len(cutFrames(t, out, web)); got != 50 {
			t.Errorf("%d answers", got)
		}
	}
}

func BenchmarkResponder(b *testing.B) {
	for _, web := range []bool{false, true} {
		b.Run(map[bool]string{false: "tcp", true: "websocket"}[web], func(b *testing.B) {
			e, in := newEchoes(web), fifty(web)
			out := e.turn(in, nil)
			b.ReportAllocs()
			for b.Loop() {
				out = e.turn(in, out[:0])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/50, "ns/call")
		})
	}
}

func FuzzResponder(f *testing.F) {
	for _, c := range captures(f) {
		var all []byte
		for _, l := range c.lines {
			if l.fromClient {
				all = append(all, l.bytes...)
			}
		}
		f.Add(all, c.web, uint16(7))
	}
	for _, p := range probes(f) {
		f.Add(cat(p.chunks...), false, uint16(64))
	}
	f.Fuzz(func(t *testing.T, p []byte, web bool, piece uint16) {
		l := newPeerLab(t, Serving{WebSocket: web, MaxMessage: 1 << 16, Fragment: int(piece) % 200, Lease: Lease{Requests: int(piece) % 3, TimeToLive: time.Second}})
		for at := time.Duration(0); len(p) > 0 && len(l.out) < 1<<20; at += 100 * time.Millisecond {
			n := min(len(p), int(piece)+1)
			l.feed(at, p[:n])
			p = p[n:]
		}
		if l.r.held > 3<<16 || l.r.streams.n > maxServed {
			t.Errorf("%d bytes and %d calls are held", l.r.held, l.r.streams.n)
		}
		l.r.Next()
	})
}
