package warm

import (
	"time"

	"wiregauge/result"
)

// A Finder watches one arm, strip by strip, until it has settled. The zero value is ready, for a closed loop. It is used
// by one goroutine at a time.
type Finder struct {
	// Paced says that calls are due on a schedule: then throughput is the schedule's, and latency alone decides.
	Paced bool

	strips  []result.WarmStrip
	settled bool
	end     int           // strips before the steady ones, once settled
	until   time.Duration // how long it is watched if it goes on to look settled; 0 while it does not
}

// again is how much longer an arm is watched once it looks settled, as a share of how long it has looked steady: a slow
// swing has crests that look level.
const again = 0.5

// Add takes the next strip in, in order of time, and reports whether the arm has settled: whether it has been steady for
// 5 seconds and for 30 % of the time it was watched, and then for half of that again.
func (f *Finder) Add(s result.WarmStrip) (settled bool) {
	f.strips = append(f.strips, s)
	if len(f.strips)%leastSegment != 0 {
		return false // once a second is enough
	}
	f.judge()
	return f.settled
}

func (f *Finder) judge() {
	var steady bool
	f.end, steady = settle(f.strips, f.Paced)
	if !steady {
		f.until, f.settled = 0, false
		return
	}
	seen, level := watched(f.strips), watched(f.strips[f.end:])
	if f.until == 0 {
		f.until = seen + time.Duration(again*float64(level))
	}
	f.settled = seen >= f.until
}

// Settled reports what the last Add has said.
func (f *Finder) Settled() bool { return f.settled }

// WarmUp is what has been found so far: where the steady part begins, or that there is none.
func (f *Finder) WarmUp() result.WarmUp { return tell(f.strips, f.end, f.settled, f.Paced) }

// Find judges an arm that was watched to the end.
func Find(strips []result.WarmStrip, paced bool) result.WarmUp {
	end, settled := settle(strips, paced)
	return tell(strips, end, settled, paced)
}

// Enough reports whether strips are as many as it takes to find anything.
func Enough(strips []result.WarmStrip) bool {
	return len(strips) >= leastStrips && watched(strips) >= steadyFor
}

// tell is the outcome with its trajectory. What was never steady has been warming up all the time.
func tell(strips []result.WarmStrip, end int, settled, paced bool) result.WarmUp {
	w := result.WarmUp{Outcome: result.WarmFound, Observed: int64(watched(strips))}
	switch {
	case !Enough(strips):
		w.Outcome, end = result.WarmTooFew, len(strips)
	case !settled:
		w.Outcome, end = result.WarmUnsteady, len(strips)
	}
	for _, s := range strips[:end] {
		w.Calls += s.Calls
	}
	w.Length = int64(watched(strips[:end]))
	w.Trajectory = number(strips, paced)
	return w
}

// watched is how long the strips are in all.
func watched(strips []result.WarmStrip) time.Duration {
	if len(strips) == 0 {
		return 0
	}
	last := strips[len(strips)-1]
	return time.Duration(last.At + last.Length - strips[0].At)
}

// number is a copy of the strips with the number of their segment: one ends where any of the series changes.
func number(strips []result.WarmStrip, paced bool) []result.WarmStrip {
	starts := map[int]bool{}
	for _, x := range series(strips, paced) {
		for _, at := range x.changes() {
			starts[at] = true
		}
	}
	numbered := make([]result.WarmStrip, len(strips))
	segment := 0
	for i, s := range strips {
		if starts[i] {
			segment++
		}
		s.Segment = segment
		numbered[i] = s
	}
	return numbered
}
