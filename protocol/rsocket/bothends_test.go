package rsocket

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

// An encounter is our client and our answering end with nothing between but two buffers, of which a little is taken at a
// time, and a user who does anything at any moment.
type encounter struct {
	t      testing.TB
	rng    *rand.Rand
	d      *prototest.Driver
	far    *farEnd
	toFar  []byte
	toNear []byte
	web    bool
	calls  []*meeting
}

type meeting struct {
	*wiregauge.Call
	want      []byte // of all messages together
	open      bool   // more can be sent
	cancelled bool
}

func newEncounter(t testing.TB, seed uint64) *encounter {
	e := &encounter{t: t, rng: rand.New(rand.NewPCG(seed, 7))}
	e.web = e.rng.IntN(2) == 0
	fragment := []int{0, 0, 64, 1000, 70_000}
	setup := protocol.Setup{Web: e.web, Await: e.rng.IntN(2) == 0, Fragment: fragment[e.rng.IntN(5)]}
	e.d = prototest.NewDriver(open(protocol.Options{Setup: setup, Authority: "x"}))
	e.far = newFarEnd(Serving{WebSocket: e.web, Fragment: fragment[e.rng.IntN(5)]})
	return e
}

// body is mostly small, sometimes beyond each limit.
func (e *encounter) body() []byte {
	switch e.rng.IntN(12) {
	case 0:
		return prototest.Pattern(e.rng.IntN(1_200_000))
	case 1, 2:
		return prototest.Pattern(e.rng.IntN(100_000))
	}
	return prototest.Pattern(e.rng.IntN(300))
}

// act does one thing.
func (e *encounter) act() {
	switch e.rng.IntN(10) {
	case 0, 1:
		e.start()
	case 2:
		if m := e.any(); m != nil && m.open {
			e.send(m)
		}
	case 3:
		if m := e.any(); m != nil && m.Credit > 0 {
			e.d.Grant(m.Call, 1+e.rng.IntN(3))
		}
	case 4:
		if m := e.any(); m != nil && e.rng.IntN(4) == 0 {
			e.d.Cancel(m.Call)
			m.cancelled = true
		}
	case 5, 6, 7:
		e.toFar = append(e.toFar, e.d.Take(e.rng.IntN(200_000))...)
	default:
		e.exchange()
	}
}

// exchange moves some bytes.
func (e *encounter) exchange() {
	used, out, err := e.far.answer(e.toFar)
	if err != nil {
		e.t.Fatalf("the far end: %v", err)
	}
	e.toFar, e.toNear = e.toFar[used:], append(e.toNear, out...)
	n := e.rng.IntN(len(e.toNear) + 1)
	if n > 0 {
		if err := e.d.Feed(e.toNear[:n]); err != nil {
			e.t.Fatalf("our client: %v", err)
		}
		e.toNear = e.toNear[n:]
	}
}

// any is a call that is in flight.
func (e *encounter) any() *meeting {
	for range 5 {
		if len(e.calls) == 0 {
			return nil
		}
		m := e.calls[e.rng.IntN(len(e.calls))]
		if !m.cancelled && !e.d.Events.Ended(m.Call) {
			return m
		}
	}
	return nil
}

func (e *encounter) start() {
	shapes := []wiregauge.Shape{wiregauge.Unary, wiregauge.Unary, wiregauge.ServerStream, wiregauge.Bidi, wiregauge.ClientStream, wiregauge.OneWay}
	r := &wiregauge.Request{Index: e.rng.IntN(3), Method: "echo", Shape: shapes[e.rng.IntN(len(shapes))], Keep: true}
	m := &meeting{}
	if r.Shape.StreamsOut() {
		r.Open = e.rng.IntN(2) == 0
		m.open = r.Open
	}
	if r.Shape != wiregauge.Unary && e.rng.IntN(2) == 0 {
		r.Credit = 1 + e.rng.IntN(4)
	}
	for n := e.rng.IntN(3); n > 0 && r.Shape.StreamsOut() || len(r.Messages) == 0 && !r.Open; n-- {
		b := e.body()
		r.Messages, m.want = append(r.Messages, b), append(m.want, b...)
	}
	m.Call = prototest.NewCall(r)
	if e.d.Start(m.Call) == nil {
		e.calls = append(e.calls, m)
	}
}

func (e *encounter) send(m *meeting) {
	b, last := e.body(), e.rng.IntN(3) == 0
	if err := e.d.Send(m.Call, b, last); err == nil {
		m.want, m.open = append(m.want, b...), !last
	}
}

// settle lets everything end.
func (e *encounter) settle() {
	for round := 0; ; round++ {
		open := false
		for _, m := range e.calls {
			if m.cancelled || e.d.Events.Ended(m.Call) {
				continue
			}
			open = true
			if m.open && e.d.Send(m.Call, nil, true) == nil {
				m.open = false
			}
			if m.Credit > 0 && !e.d.Events.Ended(m.Call) {
				e.d.Grant(m.Call, 100)
			}
		}
		if !open {
			return
		}
		if round == 10_000 {
			e.t.Fatalf("%d calls do not end", e.d.Events.Open())
		}
		e.toFar = append(e.toFar, e.d.Take(1<<30)...)
		e.exchange()
	}
}

func (e *encounter) check() {
	e.d.Check(e.t)
	for i, m := range e.calls {
		if m.cancelled {
			continue
		}
		got := bytes.Join(e.d.Events.Messages(m.Call), nil)
		if m.Shape == wiregauge.OneWay {
			m.want = nil
		}
		if m.Outcome != wiregauge.OK || !bytes.Equal(got, m.want) {
			e.t.Errorf("call %d (%s): %s, %d bytes came back; expected ok, %d", i, m.Shape, m.Outcome, len(got), len(m.want))
		}
	}
}

func encounterOf(t testing.TB, seed uint64) {
	e := newEncounter(t, seed)
	for range 300 {
		e.act()
	}
	e.settle()
	e.check()
}

// Whatever is done when, every call ends well with all that it was sent, and nobody breaks a rule.
func TestBothEnds(t *testing.T) {
	for seed := range uint64(60) {
		encounterOf(t, seed)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzBothEnds(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { encounterOf(t, seed) })
}
