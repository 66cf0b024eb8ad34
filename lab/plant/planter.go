package plant

import (
	"context"
	"sync/atomic"
	"time"
)

// An Act is what a server does with one call.
type Act uint8

// The acts. Answer is the zero value.
const (
	Answer Act = iota
	Fail       // with Fate.Code
	Reset      // after the request was read
	Cut        // inside the body of the answer
	Hang       // never answer; hold the call until the client gives up
	Refuse     // as unread
)

// A Fate is what becomes of one call. The zero value is a plain answer.
type Fate struct {
	Act  Act
	Code Code          // of Fail
	Size int           // bytes to add to the answer
	Body SlowBody      // how the answer comes
	Due  time.Duration // when it is to be answered, on the Planter's clock; known once Wait returns
}

// Chunk is when the ith piece of the body is to be sent, on the Planter's clock; piece -1 is the head. That of the last
// one is when the answer ends.
func (f Fate) Chunk(i int) time.Duration {
	b := f.Body
	if b.Chunks == 0 {
		return f.Due
	}
	return f.Due + b.First + (b.Last-b.First)*time.Duration(i+1)/time.Duration(b.Chunks)
}

// End is when the answer ends as planted.
func (f Fate) End() time.Duration { return f.Chunk(f.Body.Chunks - 1) }

// A Planter carries out one plant. It is safe for concurrent use.
//
// When a call is to be answered is computed from when it arrived, and so are the queue for slots and the number of
// calls being served: a sleeper that wakes late makes its own answer late and no other one.
type Planter struct {
	plant    *Plant
	clock    Clock
	calls    atomic.Uint64
	schedule schedule
}

// New makes the Planter of a plant; clock nil means the real one.
func New(p *Plant, clock Clock) *Planter {
	if clock == nil {
		clock = Real()
	}
	pl := &Planter{plant: p, clock: clock}
	pl.schedule.init(p, clock.Now())
	return pl
}

// Plant is what the Planter carries out.
func (p *Planter) Plant() *Plant { return p.plant }

// Clock is what it lives by.
func (p *Planter) Clock() Clock { return p.clock }

// Call is to be called once for each call, with the moment of its arrival on the Planter's clock. It waits as long as
// the plant says and returns what is to happen then. It fails only when ctx ends before; such a call keeps its slot
// for the time that it would have taken.
func (p *Planter) Call(ctx context.Context, arrived time.Duration) (Fate, error) {
	n, f := p.Draw()
	return p.Wait(ctx, n, f, arrived)
}

// Draw says what becomes of the next call, for servers that have to know before its request was read. Wait is
// then to be called with what it returns, except for a call that is refused.
func (p *Planter) Draw() (n uint64, f Fate) {
	n = p.calls.Add(1) - 1
	return n, p.fate(n)
}

// Wait sits through what is planted for the nth call. Its fate may have changed when it returns.
func (p *Planter) Wait(ctx context.Context, n uint64, f Fate, arrived time.Duration) (Fate, error) {
	f.Due = arrived
	if f.Act == Refuse {
		return f, nil
	}
	f.Due, f.Act, f.Code = p.schedule.add(n, f, arrived)
	left := f.Due - p.clock.Now()
	if f.Due == arrived || left <= 0 {
		return f, nil
	}
	return f, p.clock.Sleep(ctx, left)
}

// fate draws what becomes of the nth call.
func (p *Planter) fate(n uint64) Fate {
	pl := p.plant
	f := Fate{Size: pl.Size, Body: pl.Body}
	switch {
	case pl.Refuse.hits(n):
		f.Act = Refuse
	case pl.Hang.hits(n):
		f.Act = Hang
	case pl.Reset.hits(n):
		f.Act = Reset
	case pl.Cut.hits(n):
		f.Act = Cut
	case pl.Status.hits(n):
		f.Act, f.Code = Fail, pl.Code
	}
	return f
}
