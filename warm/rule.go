package warm

import (
	"math"
	"slices"
	"time"

	"wiregauge/result"
	"wiregauge/stat"
)

// The rule: warm-up ends at the start of the first segment from which at least 5 s and 30 % of the time watched follow,
// and in which every segment is within 3 % of what they have in common.
const (
	steadyFor   = 5 * time.Second
	steadyShare = 0.3
	within      = 0.03
	// leastSegment is the least number of strips in a segment, about a second: what is over sooner interrupts a state
	// and is none.
	leastSegment = 5
	// leastStrips is the least number of strips that segments can be told in.
	leastStrips = 2 * leastSegment
	// sure is how many standard errors two levels must differ by, beyond the 3 %, before noise cannot explain it.
	sure = 3
	// medianError is how much wider a median of normal values spreads than their mean.
	medianError = 1.2533
)

// settle finds how many strips come before the steady ones.
func settle(strips []result.WarmStrip, paced bool) (end int, settled bool) {
	if !Enough(strips) {
		return 0, false
	}
	end = 0
	for _, x := range series(strips, paced) {
		from, steady := x.steadyFrom(strips, end)
		if !steady {
			return 0, false
		}
		end = max(end, from)
	}
	return end, true
}

// A line is one number of all strips, as its logarithm, so that a distance is a share.
type line []float64

// series are the lines that decide. The client's CPU per call is kept and shown with them, and decides nothing: it says
// how the client batches, and the client is no part of what warms up.
func series(strips []result.WarmStrip, paced bool) []line {
	p50, rate := make(line, len(strips)), make(line, len(strips))
	for i, s := range strips {
		rate[i] = math.Log(math.Max(s.Rate, 1e-9))
		switch {
		case s.P50 != nil:
			p50[i] = math.Log(float64(max(*s.P50, 1)))
		case i > 0:
			p50[i] = p50[i-1]
		}
	}
	if paced {
		return []line{p50}
	}
	return []line{p50, rate}
}

func (x line) changes() []int { return stat.ChangePoints(x, leastSegment) }

// steadyFrom is the first place, at strip least or later, from which the line is steady for long enough: the start of a
// segment or, where a slow approach ends inside one, the strip at which it does.
func (x line) steadyFrom(strips []result.WarmStrip, least int) (start int, steady bool) {
	need := max(steadyFor, time.Duration(steadyShare*float64(watched(strips))))
	changes := x.changes()
	noise := x.noise()
	for from := least; from < len(x) && watched(strips[from:]) >= need; from++ {
		for len(changes) > 0 && changes[0] <= from {
			changes = changes[1:]
		}
		if x.stays(from, changes, noise) {
			return from, true
		}
	}
	return 0, false
}

// stays reports whether the line keeps its level from a strip on, with changes behind it: every segment, and every second or so within
// one, so that a rise too slow for a change point is seen too. Each is within 3 %, and what the noise of single strips
// leaves open.
func (x line) stays(from int, changes []int, noise float64) bool {
	level := stat.Median(x[from:])
	for _, to := range append(slices.Clone(changes), len(x)) {
		pieces := max((to-from)/leastSegment, 1)
		for k := range pieces {
			piece := x[from+k*(to-from)/pieces : from+(k+1)*(to-from)/pieces]
			open := noise * medianError / math.Sqrt(float64(len(piece)))
			if math.Abs(stat.Median(piece)-level) > math.Log1p(within)+sure*open {
				return false
			}
		}
		from = to
	}
	return true
}

// noise is the standard deviation of a strip around its level, from the distances of neighbours, so that levels and
// their changes are not in it: the median distance over what it is for a normal law of deviation 1.
func (x line) noise() float64 {
	var apart []float64
	for i := 1; i < len(x); i++ {
		apart = append(apart, math.Abs(x[i]-x[i-1]))
	}
	if len(apart) == 0 {
		return 0
	}
	return stat.Median(apart) / (math.Sqrt2 * 0.6745)
}
