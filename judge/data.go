package judge

import (
	"math"
	"strings"
	"time"

	"wiregauge/result"
)

// Data is what one comparison measured, as far as verdicts depend on it. Verdicts never change it.
type Data struct {
	Arms    []Arm
	Metrics []Metric
	// Launches are those that were played, in order. One that ended before its last round by Ctrl-C is marked Cut.
	Launches []Launch
	Exact    []Exact
	Ended    Ended
	Open     bool    // an open loop
	Invalid  float64 // share of the rounds that could not be used, 0 to 1
	// InvalidReason is why the first of them could not be used; it may be empty.
	InvalidReason string
	// Checked says that the trust checks have run. Without them no confidence is above MEDIUM.
	Checked bool
	Doubts  []Doubt
	// LaunchTime is how long one launch took, with its start and its warm-up; 0 when it is not known.
	LaunchTime time.Duration
}

// An Arm is one of the things compared; series hold its values at its index.
type Arm struct {
	Name string
	// Floor arms are reference rows and are never judged.
	Floor bool
	// Limited says that the client had no CPU left while this arm was measured, so that it may be faster.
	Limited bool
}

// A Metric is one quantity; launches hold its series at its index. All are positive where they exist.
type Metric struct {
	Name   string // "rate", "p50", "p99", "cpu"
	Larger bool   // larger is better
	// Pooled metrics need many calls (tails, CPU per call): the value of a launch is taken over all its rounds at once.
	Pooled bool
	// Cost marks CPU time per call, which is true also when the client was the limit.
	Cost bool
}

// A Launch is what was measured between one start of the servers and their stop.
type Launch struct {
	Cut    bool
	Series []Series // one per metric
}

// A Series is one metric in one launch. A value of 0 or less stands for "there is none".
type Series struct {
	Rounds [][]float64 // [round][arm]
	// Whole is the value per arm over the whole launch; it is used for pooled metrics when there are several launches.
	Whole []float64
	// Block is the most rounds that were taken together as one row of Rounds, because one had too few calls for the
	// metric; 0 and 1 say that each round is a row.
	Block int
	// Missing counts rounds that made no row, for want of calls.
	Missing int
}

// Exact is a metric that is counted and needs no test, such as bytes per call: one value per arm, smaller is better.
type Exact struct {
	Metric string
	Values []float64
}

// Ended says how a comparison came to its end.
type Ended int

// The ways to end.
const (
	Finished    Ended = iota // all planned launches were played
	AtLook                   // Stop said so at a planned look
	Interrupted              // Ctrl-C, or an arm that was lost: fewer launches than planned
)

// A Doubt is a reason to believe a verdict less, and which verdicts it concerns.
type Doubt struct {
	Code   string // of the check, "V14"; several doubts of one code count once
	Level  string // result.TrustSuspect, result.TrustNotTrustworthy or result.TrustUnknown
	Metric string // empty: every metric
	A, B   string // the arms, in either order; B empty: every pair with A; both empty: every pair
	Reason string // in words, for the verdict that it voids
}

// capping are the checks that must have been read for the highest confidence.
var capping = map[string]bool{"V2": true, "V7": true, "V13": true, "V14": true}

// absoluteOnly are the checks of what interleaving protects ratios from.
var absoluteOnly = map[string]bool{"V1": true, "V4": true, "V5": true, "V6": true, "V11": true, "V12": true}

// warm is the check whether the end of warm-up was found. Where it was not, ratios stand, with less confidence.
const warm = "V9"

// DoubtsOf takes from the trust of a result what concerns ratios. checked is false when no check has run.
func DoubtsOf(t result.Trust) (doubts []Doubt, checked bool) {
	for _, r := range t.Reasons {
		switch {
		case absoluteOnly[r.Code]:
		case r.Affects == result.AffectsAbsolute && r.Code != warm && r.Level != result.TrustUnknown:
		case r.Level == "" || r.Level == result.TrustNote:
		default:
			doubts = append(doubts, doubtOf(r))
		}
	}
	return doubts, t.Level != "" && t.Level != result.TrustUnchecked
}

func doubtOf(r result.Reason) Doubt {
	d := Doubt{Code: r.Code, Level: r.Level, A: r.Arm, Reason: r.Measured}
	if r.Affects != result.AffectsAbsolute && r.Affects != result.AffectsRatio {
		d.Metric = strings.TrimPrefix(r.Affects, result.AffectsRatioOf)
	}
	if r.Name != "" {
		d.Reason = r.Name + ": " + r.Measured
	}
	if r.Limit != "" {
		d.Reason += " (limit " + r.Limit + ")"
	}
	return d
}

// concerns reports whether the doubt is about this metric of this pair.
func (d *Doubt) concerns(metric, a, b string) bool {
	if d.Metric != "" && d.Metric != metric {
		return false
	}
	is := func(name string) bool { return name == "" || name == a || name == b }
	return is(d.A) && is(d.B)
}

// used are the launches that count: whole ones, or the one that was cut short when it is all there is.
func (d *Data) used() []Launch {
	var whole []Launch
	for _, l := range d.Launches {
		if !l.Cut {
			whole = append(whole, l)
		}
	}
	if len(whole) == 0 {
		return d.Launches
	}
	return whole
}

// done is how many launches were played to their end.
func (d *Data) done() int {
	n := 0
	for _, l := range d.Launches {
		if !l.Cut {
			n++
		}
	}
	return n
}

// LogRatio is positive when b is better; ok is false when one of the two does not exist.
func (m Metric) LogRatio(a, b float64) (ratio float64, ok bool) {
	if !(a > 0) || !(b > 0) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return 0, false
	}
	if quotient := b / a; quotient > 0 && !math.IsInf(quotient, 0) {
		ratio = math.Log(quotient)
	} else { // beyond the range of a float64
		ratio = math.Log(b) - math.Log(a)
	}
	if m.Larger {
		return ratio, true
	}
	return -ratio, true
}
