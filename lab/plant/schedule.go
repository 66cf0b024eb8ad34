package plant

import (
	"container/heap"
	"math"
	"sync"
	"time"
)

// A schedule says when calls are to be answered. It is the server as arithmetic: nothing in it waits.
type schedule struct {
	plant *Plant

	mu     sync.Mutex
	free   moments // when each slot becomes free
	served moments // when the calls being served are answered; kept only when the delay depends on how many they are
	tokens float64
	filled time.Duration
}

func (s *schedule) init(p *Plant, now time.Duration) {
	s.plant, s.free, s.tokens, s.filled = p, make(moments, p.Slots), p.bucketSize(), now
}

// longest bounds a delay, in nanoseconds: about 146 years.
const longest = math.MaxInt64 / 2

// add takes the nth call in and says when it is to be answered and how.
func (s *schedule) add(n uint64, f Fate, arrived time.Duration) (due time.Duration, act Act, code Code) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plant.Bucket > 0 && !s.takeToken(arrived) {
		return arrived, Fail, tooMany
	}
	begun := arrived
	if len(s.free) > 0 {
		begun = max(begun, s.free[0])
	}
	begun += s.plant.stallLeft(begun)
	due = begun + min(s.service(n, f, begun), longest-begun)
	if len(s.free) > 0 {
		s.free[0] = due
		heap.Fix(&s.free, 0)
	}
	return due, f.Act, f.Code
}

// service is how long the nth call takes once it is being served.
func (s *schedule) service(n uint64, f Fate, begun time.Duration) time.Duration {
	if f.Act == Fail {
		return s.plant.StatusAfter
	}
	busy := 1
	if s.plant.contended() {
		for len(s.served) > 0 && s.served[0] <= begun {
			heap.Pop(&s.served)
		}
		busy += len(s.served)
	}
	d := time.Duration(min(float64(s.plant.delay(n))*s.plant.factor(n, busy, begun), longest))
	if s.plant.contended() {
		heap.Push(&s.served, begun+min(d, longest-begun))
	}
	return d
}

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

// contended reports whether a delay depends on how many calls are being served.
func (p *Plant) contended() bool { return p.Sigma > 0 || p.Kappa > 0 }

// delay is what the law says for the nth call.
func (p *Plant) delay(n uint64) time.Duration {
	if p.Random > 0 {
		return p.Delay.Quantile(uniform(uint64(p.Random), n))
	}
	return p.Delay.At(n)
}

// factor is how much longer the delay is for the nth call, begun at a moment, when that many are being served.
func (p *Plant) factor(n uint64, busy int, begun time.Duration) float64 {
	x := 1.0
	if p.WarmCalls > 0 && n < uint64(p.WarmCalls) {
		x = math.Pow(p.Warm, 1-float64(n)/float64(p.WarmCalls))
	}
	if p.StepCalls > 0 && n >= uint64(p.StepCalls) {
		x *= p.Step
	}
	if p.Wave > 0 {
		x *= 1 + p.Swing*math.Sin(2*math.Pi*begun.Seconds()/p.Wave.Seconds())
	}
	b := float64(busy)
	return x * (1 + p.Sigma*(b-1) + p.Kappa*b*(b-1))
}

// bucketSize is how many tokens a bucket holds: a hundredth of a second's worth, at least one.
func (p *Plant) bucketSize() float64 { return math.Max(1, p.Bucket/100) }

// takeToken lets a call through the bucket.
func (s *schedule) takeToken(now time.Duration) bool {
	if now > s.filled {
		s.tokens = math.Min(s.tokens+s.plant.Bucket*(now-s.filled).Seconds(), s.plant.bucketSize())
		s.filled = now
	}
	if s.tokens < 1 {
		return false
	}
	s.tokens--
	return true
}

// uniform is the nth number of a seed in [0, 1), a function of both alone: SplitMix64 (Steele, Lea and Flood, Fast
// Splittable Pseudorandom Number Generators, 2014).
func uniform(seed, n uint64) float64 {
	z := seed*0xd1342543de82ef95 + (n+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) / (1 << 53)
}

// moments has the earliest first, for package heap.
type moments []time.Duration

func (m moments) Len() int           { return len(m) }
func (m moments) Less(i, j int) bool { return m[i] < m[j] }
func (m moments) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }

// Push is for package heap.
func (m *moments) Push(x any) { *m = append(*m, x.(time.Duration)) }

// Pop is for package heap.
func (m *moments) Pop() any {
	last := len(*m) - 1
	x := (*m)[last]
	*m = (*m)[:last]
	return x
}
