package compare

import (
	"math"
	"wiregauge/result"
)

// The confidence words. HIGH is not given before the full procedure with its trust checks.
const (
	Medium = "MEDIUM"
	Low    = "LOW"
)

// Evidence is all that a verdict depends on. Effects are on the log scale, positive when the second arm is better.
type Evidence struct {
	Void         bool // not the same work, or numbers that cannot be believed
	Estimate     float64
	Low95        float64
	High95       float64
	Low90        float64
	High90       float64
	P            float64 // adjusted for the family
	Alpha        float64
	Limit        float64 // a smaller difference is not worth a word
	Band         float64 // within it two arms are the same for all practical purposes
	Launches     bool    // the unit is the launch, not the round
	Units        int
	Interrupted  bool // Ctrl-C, or an arm that was lost: fewer units than planned
	PlannedUnits int
}

// fewestAfterInterrupt keeps a comparison that ended early from saying more than inconclusive on next to nothing.
const fewestAfterInterrupt = 6

// Judge says what may be said: the first row that fits.
//
//	not_fair            the pair is void
//	faster, slower      significant, large enough to matter, and so is the near end of its 95 % interval
//	probably_…          significant and large enough to matter
//	same                the 90 % interval lies inside the band, and the comparison ran to its end
//	inconclusive        otherwise
func Judge(e Evidence) (outcome, confidence string) {
	switch {
	case e.Void:
		return result.NotFair, ""
	case e.Units < 2 || e.Interrupted && e.Units < min(fewestAfterInterrupt, e.PlannedUnits):
		return result.Inconclusive, Low
	}
	better := e.Estimate > 0
	if e.P <= e.Alpha && math.Abs(e.Estimate) >= e.Limit {
		near := e.Low95
		if !better {
			near = -e.High95
		}
		if near > e.Limit {
			return pick(better, result.Faster, result.Slower), Medium
		}
		return pick(better, result.ProbablyFaster, result.ProbablySlower), Low
	}
	if e.Low90 > -e.Band && e.High90 < e.Band && !e.Interrupted {
		return result.Same, pick(e.Launches, Medium, Low)
	}
	return result.Inconclusive, Low
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
