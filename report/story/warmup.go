package story

import (
	"fmt"

	"wiregauge/report/number"
	"wiregauge/result"
)

// checkWarm says whether the target had come to its pace when it was measured.
func checkWarm(_ *result.File, a *result.Arm) (Fact, bool) {
	w := a.WarmUp
	if w == nil {
		return Fact{}, false
	}
	fact := Fact{Name: "warm-up", State: OK}
	watched := number.Duration(w.Observed)
	switch w.Outcome {
	case result.WarmFound:
		fact.Text = "steady from the start, watched for " + watched
		if w.Length > 0 {
			fact.Text = fmt.Sprintf("steady after %s and %s, watched for %s", number.Duration(w.Length), plural(w.Calls, "call"), watched)
		}
		if w.Measured {
			return startOf(w, fact), true
		}
	case result.WarmFixed:
		fact.Text = plural(w.Calls, "call") + " before, as asked for"
	case result.WarmTooFew:
		fact.State, fact.Text = Unknown, fmt.Sprintf("%s in %s are too few to tell", plural(w.Calls, "call"), watched)
	case result.WarmUnsteady:
		fact.State, fact.Text = Bad, "no steady state in "+watched
		fact.Advice = "these numbers are of a target that was still changing"
		if w.Measured {
			fact.State, fact.Advice = Note, "--warmup auto waits until it is steady, and says so if it never is"
		}
	default:
		fact.State, fact.Text = Unknown, Clean(w.Outcome)
	}
	return fact, true
}

// WarmUpText is how an arm came to its pace, in words; empty when nobody watched.
func WarmUpText(a *result.Arm) string {
	fact, _ := checkWarm(nil, a)
	return fact.Text
}

// startOf tells of a measured window whose own beginning was watched.
func startOf(w *result.WarmUp, fact Fact) Fact {
	if w.Length == 0 {
		fact.Text = "the beginning is like the rest"
		return fact
	}
	fact.State = Note
	fact.Text = fmt.Sprintf("the first %s (%s) were not like the rest", number.Duration(w.Length), plural(w.Calls, "call"))
	if first, rest := startMedians(w); first != nil && rest != nil {
		fact.Text += fmt.Sprintf(": p50 %s, then %s", number.Duration(*first), number.Duration(*rest))
	}
	fact.Advice = "--warmup auto leaves them out"
	return fact
}

// startMedians are the medians of the first strip and of the middle one of those that are steady.
func startMedians(w *result.WarmUp) (first, rest *int64) {
	var steady []*int64
	for _, s := range w.Trajectory {
		if s.At >= w.Length && s.P50 != nil {
			steady = append(steady, s.P50)
		}
	}
	if len(w.Trajectory) == 0 || len(steady) == 0 {
		return nil, nil
	}
	return w.Trajectory[0].P50, steady[len(steady)/2]
}
