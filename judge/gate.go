package judge

import (
	"fmt"
	"math"
	"strings"

	"wiregauge/result"
)

// Answer is what a gate says.
type Answer int

// The answers.
const (
	Unknown Answer = iota // it cannot be judged; why says what is missing
	Pass
	Fail
)

// Bound is a gate on the ratio of an arm to the baseline, such as p99<+10%.
type Bound struct {
	// Change is how far the metric may move from the baseline's value, as a share: 0.10 for +10 %, -0.05 for -5 %. It
	// must be above -1.
	Change float64
	Larger bool // larger is better: the value must stay above the bound, else below it
}

// Judge holds the whole 95 % interval against the bound: Pass when all of it is good, Fail when all of it is bad. With
// fewer than 6 launches, and so for targets that were already running, a gate passes and fails nothing.
func (b Bound) Judge(v result.Verdict) (answer Answer, why string) {
	switch {
	case v.Outcome == result.NotFair:
		return Unknown, "the comparison is not fair: " + strings.Join(v.Reasons, "; ")
	case v.Unit != "launch":
		return Unknown, "one launch only: a gate against an arm needs 6 launches or more, and start: commands for them"
	case v.Units < fewestForExact:
		return Unknown, fmt.Sprintf("%d %s with enough calls for %s: a gate against an arm needs %d or more", v.Units, plural(v.Units, "launch", "launches"), v.Metric, fewestForExact)
	case v.Look == 0:
		return Unknown, "its launches were not judged at a planned look: it ended too early, or one side was measured at another time"
	case v.Low == nil || v.High == nil:
		return Unknown, "there is no interval for " + v.Metric
	}
	least, most := b.changes(*v.Low, *v.High)
	switch {
	case b.Larger && least > b.Change, !b.Larger && most < b.Change:
		return Pass, ""
	case b.Larger && most < b.Change, !b.Larger && least > b.Change:
		return Fail, ""
	}
	return Unknown, fmt.Sprintf("the 95 %% interval of the change, %+.3g %% to %+.3g %%, reaches over the bound of %+.3g %%",
		100*least, 100*most, 100*b.Change)
}

// Value is the change of the metric from the baseline's value, as a share; ok is false when it was not measured.
func (b Bound) Value(v result.Verdict) (change float64, ok bool) {
	if v.Ratio == nil {
		return 0, false
	}
	change, _ = b.changes(*v.Ratio, *v.Ratio)
	return change, !math.IsInf(change, 0)
}

// changes turns an interval of the ratio, where more than 1 is better, into that of the metric's change.
func (b Bound) changes(low, high float64) (least, most float64) {
	if b.Larger {
		return low - 1, high - 1
	}
	return 1/high - 1, 1/low - 1
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
