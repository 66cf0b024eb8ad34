package pace

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

const (
	perBlock = 1024
	held     = 4 // blocks kept: the one being sent, the next, and some for readers that lag
)

// Poisson spaces calls by independent exponential gaps of mean 1/perSecond, which is how many independent users
// arrive. The schedule is a function of rate and seed alone: call n is due at the sum of the first n+1 gaps, each
// rounded to a nanosecond. perSecond must be above 0.
//
// Gaps are drawn in blocks of 1,024, each from a generator of its own, and a block ahead of its use. Memory grows by
// 8 bytes per block.
func Poisson(perSecond *big.Rat, seed uint64) Pacer {
	rate, _ := perSecond.Float64()
	p := &poisson{mean: float64(time.Second) / rate, seed: seed, starts: []time.Duration{0},
		text: "poisson " + rateString(perSecond)}
	for i := range p.blocks {
		p.blocks[i].index.Store(math.MaxUint64)
	}
	p.fill(0)
	return p
}

type poisson struct {
	mean   float64 // ns
	seed   uint64
	text   string
	blocks [held]block

	mu     sync.Mutex
	starts []time.Duration // of each block so far, and of the one after
}

// A block is 1,024 due times. It is written again for a later index while others may read: they look at the index
// before and after.
type block struct {
	index atomic.Uint64
	due   [perBlock]atomic.Int64
}

// Due is the sum of the first n+1 gaps.
func (p *poisson) Due(n uint64) time.Duration {
	index, place := n/perBlock, n%perBlock
	b := &p.blocks[index%held]
	if place == perBlock/2 && p.blocks[(index+1)%held].index.Load() != index+1 {
		go p.fill(index + 1)
	}
	for {
		if b.index.Load() == index {
			due := b.due[place].Load()
			if b.index.Load() == index {
				return time.Duration(due)
			}
		}
		p.fill(index)
	}
}

// fill computes a block, and the sums of those before it that nobody has asked for.
func (p *poisson) fill(index uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := &p.blocks[index%held]
	if b.index.Load() == index {
		return
	}
	for uint64(len(p.starts)) <= index {
		last := uint64(len(p.starts) - 1)
		p.starts = append(p.starts, p.walk(last, func(int, time.Duration) {}))
	}
	b.index.Store(math.MaxUint64)
	end := p.walk(index, func(i int, due time.Duration) { b.due[i].Store(int64(due)) })
	if uint64(len(p.starts)) == index+1 {
		p.starts = append(p.starts, end)
	}
	b.index.Store(index)
}

// walk draws the gaps of a block and returns the due time of its last call.
func (p *poisson) walk(index uint64, each func(i int, due time.Duration)) time.Duration {
	rng := rand.New(rand.NewPCG(p.seed, index))
	due := p.starts[index]
	for i := range perBlock {
		gap := math.Round(rng.ExpFloat64() * p.mean)
		if due += time.Duration(min(gap, math.MaxInt64/4)); due < 0 {
			due = math.MaxInt64 / 2
		}
		each(i, due)
	}
	return due
}

// String names the process and the rate.
func (p *poisson) String() string { return p.text }

var _ Pacer = (*poisson)(nil)
