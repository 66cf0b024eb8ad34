package capacity

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"wiregauge/hist"
	"wiregauge/result"
)

// simulated is a server of some slots that are served in order of arrival, and the client that loads it, on a clock of
// their own. What is in flight at the end of a step has two more seconds.
type simulated struct {
	slots   []time.Duration // when each is free
	service func() time.Duration
	poisson bool
	rng     *rand.Rand
	clock   time.Duration
	fails   func(start time.Duration) bool // that a call which starts then fails; nil: none does
	most    float64                        // calls/s that the client can send; 0: any
	steps   int
	stop    func(step int) // called before each step
}

const simulatedDrain = 2 * time.Second

func newSimulated(slots int, service func() time.Duration, poisson bool, seed uint64) *simulated {
	return &simulated{slots: make([]time.Duration, slots), service: service, poisson: poisson, rng: rand.New(rand.NewPCG(seed, 11))}
}

func (s *simulated) now() time.Time { return time.Unix(0, 0).Add(s.clock) }

// serve is when a call that arrives then is done.
func (s *simulated) serve(at time.Duration) (start, done time.Duration) {
	first := 0
	for i, free := range s.slots {
		if free < s.slots[first] {
			first = i
		}
	}
	start = max(at, s.slots[first])
	s.slots[first] = start + s.service()
	return start, s.slots[first]
}

// Step plays an open loop.
func (s *simulated) Step(ctx context.Context, rate float64, d time.Duration) (result.Turn, error) {
	s.before()
	v := newVisit(s, d)
	if s.most > 0 && rate > s.most {
		v.turn.Limited = "client"
	}
	gap := float64(time.Second) / rate
	for due := 0.0; due < float64(d); due += gap {
		start, done := s.serve(v.from + time.Duration(due))
		v.call(v.from+time.Duration(due), start, done)
		if s.poisson {
			gap = s.rng.ExpFloat64() * float64(time.Second) / rate
		}
	}
	return v.end(), ctx.Err()
}

// Alone plays a closed loop of one.
func (s *simulated) Alone(ctx context.Context, d time.Duration) (result.Turn, error) {
	s.before()
	v := newVisit(s, d)
	for at := v.from; at < v.from+d; {
		start, done := s.serve(at)
		v.call(at, start, done)
		at = done
	}
	return v.end(), ctx.Err()
}

func (s *simulated) before() {
	if s.steps++; s.stop != nil {
		s.stop(s.steps)
	}
}

// visit is one turn while it is played.
type visit struct {
	s          *simulated
	from, till time.Duration
	turn       result.Turn
	strips     [][]time.Duration
	last       time.Duration
}

func newVisit(s *simulated, d time.Duration) *visit {
	v := &visit{s: s, from: s.clock, till: s.clock + d, strips: make([][]time.Duration, d/(200*time.Millisecond)+1)}
	v.turn.Window, v.turn.Latency = d, new(hist.Histogram)
	return v
}

func (v *visit) call(due, start, done time.Duration) {
	t := &v.turn
	t.Due++
	t.Sent++
	v.last = max(v.last, done)
	switch {
	case done > v.till+simulatedDrain:
		t.Unfinished++
		return
	case v.s.fails != nil && v.s.fails(start):
		t.Failed++
	default:
		t.OK++
		t.Latency.Record(done - due)
	}
	if done <= v.till {
		t.FinishedInside++
		strip := (done - v.from) / (200 * time.Millisecond)
		v.strips[strip] = append(v.strips[strip], done-due)
	}
}

func (v *visit) end() result.Turn {
	for i, calls := range v.strips {
		if len(calls) < 200 {
			continue
		}
		slices.Sort(calls)
		p50 := int64(calls[len(calls)/2])
		v.turn.Trajectory = append(v.turn.Trajectory, result.WarmStrip{At: int64(i) * 2e8, Length: 2e8, Calls: int64(len(calls)), P50: &p50})
	}
	v.s.clock = min(max(v.till, v.last), v.till+simulatedDrain)
	return v.turn
}
