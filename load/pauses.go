package load

import (
	"cmp"
	"slices"
	"time"
)

const (
	maxPauses  = 16
	leastPause = 10 * time.Millisecond // a shorter one is what any machine does
)

// A pause is a time in which no call of a lane ended.
type pause struct{ from, to time.Duration }

// pauses are the longest ones of a lane in one turn. They cost a subtraction per call.
type pauses struct {
	list    []pause
	least   time.Duration // shorter ones are not kept
	last    time.Duration // when a call ended last
	callers bool          // the lane has any
}

// begin forgets everything; where there are no callers, nothing is kept.
func (p *pauses) begin(now time.Duration, callers bool) {
	*p = pauses{list: p.list[:0], least: leastPause, last: now, callers: callers}
	if !callers {
		p.least = forever
	}
}

// ended notes that a call has ended.
func (p *pauses) ended(at time.Duration) {
	if at-p.last > p.least {
		p.keep(pause{p.last, at})
	}
	p.last = max(p.last, at)
}

// keep lets the shortest go when there are too many.
func (p *pauses) keep(x pause) {
	if p.list = append(p.list, x); len(p.list) <= maxPauses {
		return
	}
	shortest := 0
	for i, y := range p.list {
		if y.to-y.from < p.list[shortest].to-p.list[shortest].from {
			shortest = i
		}
	}
	p.least = p.list[shortest].to - p.list[shortest].from
	p.list = slices.Delete(p.list, shortest, shortest+1)
}

// blocked are the times between from and to in which no call of any lane ended, the longest first: those in which all
// callers waited.
func blocked(lanes []*lane, from, to time.Duration) []time.Duration {
	type edge struct {
		at   time.Duration
		step int
	}
	var edges []edge
	all := 0
	for _, l := range lanes {
		p := &l.tally.pauses
		if !p.callers {
			continue
		}
		all++
		for _, x := range p.list {
			edges = append(edges, edge{x.from, 1}, edge{x.to, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { // an end before a beginning
		return cmp.Or(cmp.Compare(a.at, b.at), a.step-b.step)
	})
	var spans []time.Duration
	paused := 0
	for i, e := range edges {
		paused += e.step
		if paused == all {
			if span := min(edges[i+1].at, to) - max(e.at, from); span > leastPause {
				spans = append(spans, span)
			}
		}
	}
	slices.Sort(spans)
	slices.Reverse(spans)
	return spans[:min(len(spans), maxPauses)]
}
