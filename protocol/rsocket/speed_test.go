package rsocket

import (
	"encoding/binary"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
	"wiregauge/protocol/rsocket/frame"
)

// A treadmill makes the same call again and again on one session, with the answer that is due.
type treadmill struct {
	s      *session
	r      *wiregauge.Request
	c      wiregauge.Call
	out    []byte
	answer []byte // with stream id 0 in each frame
	ids    []int  // where those stand
	web    bool
}

func newTreadmill(tb testing.TB, web bool, r *wiregauge.Request, frames ...frame.Frame) *treadmill {
	b := bare(tb, web)
	m := &treadmill{s: b.s, r: r, web: web, out: make([]byte, 0, 1<<16)}
	m.s.ev = ignored{}
	for _, f := range frames {
		p := f.AppendPrefixed(nil)
		if web {
			p = append([]byte{0x82, byte(len(p) - frame.PrefixLen)}, p[frame.PrefixLen:]...)
			m.ids = append(m.ids, len(m.answer)+2)
		} else {
			m.ids = append(m.ids, len(m.answer)+frame.PrefixLen)
		}
		m.answer = append(m.answer, p...)
	}
	m.c.Reset(r)
	return m
}

// call makes one call.
func (m *treadmill) call(tb testing.TB) {
	m.c.Reset(m.r)
	id := m.s.nextID
	out, err := m.s.Start(m.out, &m.c)
	if err != nil {
		tb.Fatal(err)
	}
	for _, at := range m.ids {
		binary.BigEndian.PutUint32(m.answer[at:], id)
	}
	used, out, err := m.s.Receive(m.answer, m.s.Flush(out)[:0])
	if err != nil || used != len(m.answer) {
		tb.Fatalf("%d of %d bytes, %v", used, len(m.answer), err)
	}
	if m.s.Flush(out[:0]); m.c.Outcome != wiregauge.OK {
		tb.Fatalf("outcome %s", m.c.Outcome)
	}
}

// treadmills are the four ways to ask, and both transports.
func treadmills(tb testing.TB) map[string]*treadmill {
	body := prototest.Pattern(14)
	ask := func(shape wiregauge.Shape, messages ...[]byte) *wiregauge.Request {
		return &wiregauge.Request{Method: "inventory.check", Shape: shape, Messages: messages}
	}
	reply := frame.Frame{Type: frame.Payload, Flags: next | complete, Data: prototest.Pattern(44)}
	item := frame.Frame{Type: frame.Payload, Flags: next, Data: prototest.Pattern(44)}
	credit := frame.Frame{Type: frame.RequestN, N: frame.MaxN}
	return map[string]*treadmill{
		"request":            newTreadmill(tb, false, ask(wiregauge.Unary, body), reply),
		"request, web":       newTreadmill(tb, true, ask(wiregauge.Unary, body), reply),
		"fire and forget":    newTreadmill(tb, false, ask(wiregauge.OneWay, body)),
		"push":               newTreadmill(tb, false, ask(wiregauge.OneWay)),
		"stream of 3":        newTreadmill(tb, false, ask(wiregauge.ServerStream, body), item, item, reply),
		"channel of 3":       newTreadmill(tb, false, ask(wiregauge.Bidi, body, body, body), item, credit, item, reply),
		"fragments of reply": newTreadmill(tb, false, ask(wiregauge.Unary, body), frame.Frame{Type: frame.Payload, Flags: next | frame.Follows, Data: body}, reply),
	}
}

func TestNoAllocationPerCall(t *testing.T) {
	for name, m := range treadmills(t) {
		for range 100 {
			m.call(t)
		}
		if n := testing.AllocsPerRun(1000, func() { m.call(t) }); n > 0 {
			t.Errorf("%s: %v allocations per call, expected 0", name, n)
		}
	}
}

// Nothing is allocated for what the server asks in between either.
func TestNoAllocationPerKeepAlive(t *testing.T) {
	b := bare(t, false)
	p, out := keepAliveOf(frame.Respond, "data"), make([]byte, 0, 1000)
	if n := testing.AllocsPerRun(1000, func() {
		_, out, _ = b.s.Receive(p, out[:0])
		b.s.Flush(out)
	}); n > 0 {
		t.Errorf("%v allocations, expected 0", n)
	}
}

func BenchmarkSession(b *testing.B) {
	for name, m := range treadmills(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.call(b)
			}
		})
	}
}

// Requests of each kind for the fuzzers.
func fuzzed() []*wiregauge.Request {
	return []*wiregauge.Request{
		{Method: "a", Messages: [][]byte{[]byte("abc")}, Keep: true},
		{Method: "b", Index: 1, Messages: [][]byte{[]byte("abc")}, Shape: wiregauge.ServerStream, Credit: 2, MaxReply: 20},
		{Method: "c", Index: 2, Messages: [][]byte{{'a'}, {}, make([]byte, 70_000)}, Shape: wiregauge.Bidi, Keep: true},
		{Method: "d", Index: 3, Messages: [][]byte{{'a'}}, Shape: wiregauge.OneWay},
		{Method: "e", Index: 4, Messages: [][]byte{make([]byte, 80_000)}},
	}
}

func FuzzSession(f *testing.F) {
	var seeds [][]byte
	for _, c := range captures(f) {
		var all []byte
		for _, l := range c.lines {
			if !l.fromClient && !c.web {
				all = append(all, l.bytes...)
			}
		}
		seeds = append(seeds, all)
	}
	prototest.FuzzReceive(f, open(protocol.Options{Setup: protocol.Setup{MaxMessage: 1000, Fragment: 30_000}}), fuzzed(), seeds...)
}

func FuzzSessionOfWebSocket(f *testing.F) {
	hello := "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n\r\n"
	reply := "\x82\x08" + string(payload(1, next|complete, "hi")[3:])
	prototest.FuzzReceive(f, open(protocol.Options{Setup: protocol.Setup{Web: true, MaxMessage: 1000}}), fuzzed(),
		[]byte(hello+reply), []byte(hello+"\x89\x01x\x02\x03\x00\x00\x00\x80\x05\x01\x28\x60hi"+reply+"\x88\x00"))
}
