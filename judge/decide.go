package judge

import (
	"math"

	"wiregauge/result"
)

// The confidence words.
const (
	High   = "HIGH"
	Medium = "MEDIUM"
	Low    = "LOW"
)

// Evidence is all that an outcome and its confidence depend on. Effects, limit and band are on the log scale, and
// effects are positive when the second arm is better.
type Evidence struct {
	Void     bool // not the same work, or numbers that cannot be believed
	Early    bool // before the first planned look: nothing may be said yet
	Final    bool // the last look: only then may two arms be called the same
	Estimate float64
	Low95    float64
	High95   float64
	Low90    float64
	High90   float64
	P        float64 // adjusted for the family
	Alpha    float64 // of the look
	Limit    float64 // a smaller difference is not worth a word
	Band     float64 // within it two arms are the same for all practical purposes
	Launches bool    // the unit is the launch, not the round
	Units    int
	// Suspects counts the checks that are in doubt for this pair and metric.
	Suspects    int
	Capped      bool // no more than MEDIUM: never warm, or a check that could not be read
	Interrupted bool
}

// Decide says what may be said: the first row that fits.
//
//	not_fair            the pair is void
//	faster, slower      significant, large enough to matter, and so is the near end of its 95 % interval
//	probably_…          significant and large enough to matter
//	same                the 90 % interval lies inside the band, at the last look
//	inconclusive        otherwise
//
// and how sure that is; not_fair has no confidence.
//
//	HIGH     different or the same, on 6 launches or more, without a doubt
//	MEDIUM   probably, on launches and without a doubt; different or the same with one check in doubt, or after an
//	         interruption; different on fewer than 6 launches
//	LOW      everything else
func Decide(e Evidence) (outcome, confidence string) {
	outcome = e.outcome()
	return outcome, e.confidence(outcome)
}

func (e *Evidence) outcome() string {
	switch {
	case e.Void:
		return result.NotFair
	case e.Early || e.Units < 2:
		return result.Inconclusive
	}
	better := e.Estimate > 0
	if e.P <= e.Alpha && math.Abs(e.Estimate) >= e.Limit {
		near := e.Low95
		if !better {
			near = -e.High95
		}
		if near > e.Limit {
			return pick(better, result.Faster, result.Slower)
		}
		return pick(better, result.ProbablyFaster, result.ProbablySlower)
	}
	if e.Final && e.Low90 > -e.Band && e.High90 < e.Band {
		return result.Same
	}
	return result.Inconclusive
}

func (e *Evidence) confidence(outcome string) string {
	enough := e.Launches && e.Units >= fewestForExact
	switch outcome {
	case result.NotFair:
		return ""
	case result.Faster, result.Slower:
		return e.ofClear(enough, Medium)
	case result.Same:
		return e.ofClear(enough, Low)
	case result.ProbablyFaster, result.ProbablySlower:
		return pick(e.Launches && e.Suspects == 0, Medium, Low)
	}
	return Low
}

// ofClear is the confidence of a clear outcome; few is what fewer than 6 launches give.
func (e *Evidence) ofClear(enough bool, few string) string {
	switch {
	case e.Suspects > 1:
		return Low
	case !enough:
		return few
	case e.Suspects == 1 || e.Capped || e.Interrupted:
		return Medium
	}
	return High
}

// different reports whether an outcome names a winner, surely or probably.
func different(outcome string) bool {
	switch outcome {
	case result.Faster, result.Slower, result.ProbablyFaster, result.ProbablySlower:
		return true
	}
	return false
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
