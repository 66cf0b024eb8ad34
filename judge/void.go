package judge

import (
	"fmt"
	"slices"
	"strings"

	"wiregauge/result"
)

// mostInvalid is the share of invalid rounds above which nothing may be concluded.
const mostInvalid = 0.20

// voids lists the reasons why nothing may be concluded about a pair in a metric.
func (j *judging) voids(s *sample) []string {
	list := []string{}
	a, b := j.data.Arms[s.a], j.data.Arms[s.b]
	for i := range j.data.Doubts {
		d := &j.data.Doubts[i]
		if d.Level == result.TrustNotTrustworthy && d.Code != warm && d.concerns(j.data.Metrics[s.metric].Name, a.Name, b.Name) &&
			!slices.Contains(list, d.Reason) {
			list = append(list, d.Reason)
		}
	}
	if j.data.Invalid > mostInvalid {
		why := fmt.Sprintf("%.0f %% of the rounds were invalid, more than %.0f %%", 100*j.data.Invalid, 100*mostInvalid)
		if j.data.InvalidReason != "" {
			why += ": " + j.data.InvalidReason
		}
		list = append(list, why)
	}
	if why := j.limitedVoid(s, a, b); why != "" {
		list = append(list, why)
	}
	return list
}

// limitedVoid refuses a closed-loop verdict that the client decided: both arms limited by it, or the loser. CPU per
// call tells the truth also then.
func (j *judging) limitedVoid(s *sample, a, b Arm) string {
	if j.data.Open || j.data.Metrics[s.metric].Cost {
		return ""
	}
	loser := a
	if s.estimate < 0 {
		loser = b
	}
	switch {
	case a.Limited && b.Limited:
		return fmt.Sprintf("the client was the limit of %s and %s: it had no CPU left", a.Name, b.Name)
	case loser.Limited:
		return fmt.Sprintf("the client was the limit of %s, the slower arm: it had no CPU left", loser.Name)
	}
	return ""
}

// atLeast marks a verdict whose winner could have been faster still with a stronger client.
func (j *judging) atLeast(v *result.Verdict, s *sample) {
	winner := j.data.Arms[s.b]
	if s.estimate < 0 {
		winner = j.data.Arms[s.a]
	}
	if j.data.Open || j.data.Metrics[s.metric].Cost || !winner.Limited {
		return
	}
	v.AtLeast = true
	v.Reasons = append(v.Reasons, fmt.Sprintf("client-limited: the client had no CPU left for %s, which is at least this fast", winner.Name))
}

// doubted counts the checks that are in doubt for a pair in a metric, and says whether one of them keeps the
// confidence from being the highest. Without any check there is one doubt.
func (j *judging) doubted(s *sample) (suspects int, capped bool, names []string) {
	var codes []string
	held := func(d *Doubt, why string) {
		name, _, _ := strings.Cut(d.Reason, ": ")
		if name += " " + why; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range j.data.Doubts {
		d := &j.data.Doubts[i]
		switch {
		case !d.concerns(j.data.Metrics[s.metric].Name, j.data.Arms[s.a].Name, j.data.Arms[s.b].Name):
		case d.Code == warm && d.Level != result.TrustUnknown:
			capped = true
			held(d, "not found to be over")
		case d.Level == result.TrustUnknown && capping[d.Code]:
			capped = true
			held(d, "unknown")
		case d.Level == result.TrustSuspect:
			held(d, "in doubt")
			if !slices.Contains(codes, d.Code) {
				codes = append(codes, d.Code)
			}
		}
	}
	suspects = len(codes)
	if !j.data.Checked {
		suspects = max(suspects, 1)
		names = append(names, "nothing was checked")
	}
	return suspects, capped, names
}

// held are the reasons why a clear outcome is not told with the highest confidence.
func (j *judging) held(v *result.Verdict, names []string) []string {
	if v.Outcome == result.Inconclusive || v.Outcome == result.NotFair || v.Confidence == High {
		return nil
	}
	var list []string
	if !j.perLaunch() {
		list = append(list, "rounds of one launch, not launches")
	} else if v.Units < fewestForExact {
		list = append(list, fmt.Sprintf("fewer than %d launches", fewestForExact))
	}
	if j.data.Ended == Interrupted {
		list = append(list, "stopped early")
	}
	if v.Outcome == result.ProbablyFaster || v.Outcome == result.ProbablySlower {
		list = append(list, "the interval reaches into what makes no practical difference")
	}
	return append(list, names...)
}
