package trust

import (
	"fmt"
	"math"
	"time"

	"wiregauge/result"
	"wiregauge/stat"
)

const (
	driftSuspect, driftBad = 0.03, 0.10
	driftAlpha             = 0.01 // of the Mann-Kendall test
	fewestStrips           = 10
)

// checkSteady (V8) asks whether a run drifted: the Mann-Kendall test on strips of one second says whether there is a
// trend, the slope of Theil and Sen how large it is from end to end. A closed loop's strips are its rate, an open loop's,
// which has its rate from outside, their median latency. In a comparison arms drift together, see checkDrift.
func checkSteady(s *subject) []result.Reason {
	const code, name = "V8", "steadiness"
	if s.file.Kind == "comparison" || len(s.arm.Steps) > 0 {
		return nil
	}
	series, what := s.strips()
	if len(series) < fewestStrips {
		return unread(code, name, result.AffectsAbsolute, fmt.Sprintf("too short to tell: %s of the %d that it takes", count(int64(len(series)), "second"), fewestStrips))
	}
	drift := driftOf(series)
	level := graded(math.Abs(drift), driftSuspect, driftBad)
	r := result.Reason{Code: code, Name: name, Level: level, Affects: result.AffectsAbsolute,
		Measured: "no trend in " + what, Limit: percent(limit(level, driftSuspect, driftBad))}
	if drift != 0 {
		r.Measured = fmt.Sprintf("%s moved by %s from beginning to end", what, signed(drift))
	}
	if level != result.TrustOK {
		r.Advice = "give it more --warmup, or look for what grows: a queue, a log, a heap"
	}
	return one(r)
}

// strips is one number for each whole second, and what it is.
func (s *subject) strips() (series []float64, what string) {
	what = "calls/s"
	if s.open {
		what = "the median latency"
	}
	for i := range s.arm.Strips {
		strip := &s.arm.Strips[i]
		switch {
		case strip.Span() < time.Second:
		case s.open && strip.P50 != nil:
			series = append(series, float64(*strip.P50))
		case !s.open:
			series = append(series, float64(strip.OK)/strip.Span().Seconds())
		}
	}
	return series, what
}

// driftOf is by how much a series moves from its beginning to its end, as a share of its median; 0 where no trend is
// certain.
func driftOf(series []float64) float64 {
	if _, p := stat.MannKendall(series); p >= driftAlpha {
		return 0
	}
	middle := median(series)
	if middle <= 0 {
		return 0
	}
	return stat.TheilSen(series) * float64(len(series)-1) / middle
}

func signed(share float64) string {
	if share < 0 {
		return "-" + percent(-share)
	}
	return "+" + percent(share)
}

// checkWarm (V9) asks whether the end of the warm-up is known.
func checkWarm(s *subject) []result.Reason {
	const code, name = "V9", "warm-up"
	w := s.arm.WarmUp
	if w == nil {
		return unread(code, name, result.AffectsAbsolute, "it was not watched")
	}
	r := result.Reason{Code: code, Name: name, Level: result.TrustOK, Affects: result.AffectsAbsolute}
	took := duration(float64(w.Length))
	if w.Measured && (w.Length > 0 || w.Outcome == result.WarmUnsteady) {
		r.Level, r.Measured = result.TrustNote, "none was asked for, and the beginning is not like the rest"
		r.Advice = "--warmup auto leaves the beginning out"
		return one(r)
	}
	switch w.Outcome {
	case result.WarmFound:
		r.Measured = "over after " + took
	case result.WarmFixed:
		r.Measured = "as asked for, " + took
	case result.WarmTooFew:
		return unread(code, name, result.AffectsAbsolute, "too few calls to tell")
	default:
		r.Level, r.Limit = result.TrustNotTrustworthy, "a steady state"
		r.Measured = "not over after " + duration(float64(w.Observed)) + ": there is no steady state"
		r.Advice = "look at the course over time; a longer --warmup-max may find one"
	}
	return one(r)
}
