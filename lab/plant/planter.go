package plant

import (
	"context"
	"math"
	"sync"
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
	Code Code     // of Fail
	Size int      // bytes to add to the answer
	Body SlowBody // how the answer comes
}

// A Planter carries out one plant. It is safe for concurrent use.
type Planter struct {
	plant *Plant
	clock Clock
	calls atomic.Uint64
	slots chan struct{} // holds a token per call being served; nil without a limit
	busy  atomic.Int64  // calls in their delay

	mu     sync.Mutex // of the bucket
	tokens float64
	filled time.Duration
}

// New makes the Planter of a plant; clock nil means the real one.
func New(p *Plant, clock Clock) *Planter {
	if clock == nil {
		clock = Real()
	}
	pl := &Planter{plant: p, clock: clock, tokens: math.Max(1, p.Bucket/100), filled: clock.Now()}
	if p.Slots > 0 {
		pl.slots = make(chan struct{}, p.Slots)
	}
	return pl
}

// Plant is what the Planter carries out.
func (p *Planter) Plant() *Plant { return p.plant }

// Clock is what it lives by.
func (p *Planter) Clock() Clock { return p.clock }

// Call is to be called once for each call, when it has arrived. It waits as long as the plant says and returns
// what is to happen then. It fails only when ctx ends before.
func (p *Planter) Call(ctx context.Context) (Fate, error) {
	n, f := p.Draw()
	return p.Wait(ctx, n, f)
}

// Draw says what becomes of the next call, for servers that have to know before its request was read. Wait is
// then to be called with what it returns, except for a call that is refused.
func (p *Planter) Draw() (n uint64, f Fate) {
	n = p.calls.Add(1) - 1
	return n, p.fate(n)
}

// Wait sits through what is planted for the nth call. Its fate may have changed when it returns.
func (p *Planter) Wait(ctx context.Context, n uint64, f Fate) (Fate, error) {
	if f.Act == Refuse {
		return f, nil
	}
	if p.plant.Bucket > 0 && !p.takeToken() {
		return Fate{Act: Fail, Code: tooMany}, nil
	}
	if p.slots != nil {
		select {
		case p.slots <- struct{}{}:
			defer func() { <-p.slots }()
		case <-ctx.Done():
			return f, ctx.Err()
		}
	}
	return f, p.wait(ctx, n, f)
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

// wait sits through the stall and then the delay of the nth call.
func (p *Planter) wait(ctx context.Context, n uint64, f Fate) error {
	d := p.plant.stallLeft(p.clock.Now())
	if f.Act == Fail {
		d += p.plant.StatusAfter
	} else {
		busy := p.busy.Add(1)
		defer p.busy.Add(-1)
		d += time.Duration(min(float64(p.plant.Delay.At(n))*p.plant.factor(n, busy), longest))
	}
	if d <= 0 {
		return nil
	}
	return p.clock.Sleep(ctx, d)
}

// longest bounds a delay, in nanoseconds: about 146 years.
const longest = math.MaxInt64 / 2

// stallLeft is how much of a stall is still to come at a moment: stalls take the last part of each period.
func (p *Plant) stallLeft(now time.Duration) time.Duration {
	if p.Stall == 0 {
		return 0
	}
	left := p.Every - now%p.Every
	if left > p.Stall {
		return 0
	}
	return left
}

// factor is how much longer the delay is for the nth call when that many are being served.
func (p *Plant) factor(n uint64, busy int64) float64 {
	x := 1.0
	if p.WarmCalls > 0 && n < uint64(p.WarmCalls) {
		x = math.Pow(p.Warm, 1-float64(n)/float64(p.WarmCalls))
	}
	b := float64(busy)
	return x * (1 + p.Sigma*(b-1) + p.Kappa*b*(b-1))
}

// takeToken lets a call through the bucket, which holds a hundredth of a second's worth, at least one.
func (p *Planter) takeToken() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	p.tokens = math.Min(p.tokens+p.plant.Bucket*(now-p.filled).Seconds(), math.Max(1, p.plant.Bucket/100))
	p.filled = now
	if p.tokens < 1 {
		return false
	}
	p.tokens--
	return true
}
