package trust

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wiregauge/result"
	"wiregauge/stat"
)

const (
	failureGap, failureAlpha = 0.001, 0.01
	roundsBad                = 0.20 // of the rounds
	spreadSuspect            = 0.30 // standard deviation of the log ratios of rounds
)

// pairs are the arms of a comparison that are judged, each against the baseline.
type pairs struct {
	file   *result.File
	base   *result.Arm
	others []*result.Arm
	open   bool
}

func newPairs(f *result.File) *pairs {
	p := &pairs{file: f, open: f.Plan.Loop == "open"}
	for i := range f.Arms {
		a := &f.Arms[i]
		switch {
		case a.Floor, a.Control:
		case p.base == nil && (a.Baseline || !hasBaseline(f)):
			p.base = a
		default:
			p.others = append(p.others, a)
		}
	}
	return p
}

func hasBaseline(f *result.File) bool {
	return slices.ContainsFunc(f.Arms, func(a result.Arm) bool { return a.Baseline && !a.Floor })
}

// checkAllLimited (V3) names no winner when the client had no CPU left for any arm: then it was compared with itself.
func checkAllLimited(p *pairs) []result.Reason {
	if p.open || !limited(p.base) || slices.ContainsFunc(p.others, func(a *result.Arm) bool { return !limited(a) }) {
		return nil
	}
	return one(result.Reason{Code: "V3", Name: "client CPU", Level: result.TrustNotTrustworthy, Affects: result.AffectsRatio,
		Measured: "this client was the limit of every arm", Advice: "give the client more CPU than the servers"})
}

// metric is what rounds are compared by.
func (p *pairs) metric() string {
	if p.open {
		return "p50"
	}
	return "rate"
}

// series are the log ratios of the rounds of an arm to the baseline's, positive when the arm is better, launch by launch
// in the order in which they were played.
func (p *pairs) series(arm string) [][]float64 {
	type place struct {
		launch, round int
		requeued      bool
	}
	base, other := map[place]float64{}, map[place]float64{}
	var order []place
	for i := range p.file.Turns {
		r := &p.file.Turns[i]
		if r.Invalid != "" {
			continue
		}
		at := place{r.Launch, r.Round, r.Requeued}
		switch r.Arm {
		case p.base.Name:
			base[at] = p.value(r)
		case arm:
			other[at] = p.value(r)
			order = append(order, at)
		}
	}
	var launches [][]float64
	last := -1
	for _, at := range order {
		a, b := base[at], other[at]
		if a <= 0 || b <= 0 {
			continue
		}
		if at.launch != last {
			launches, last = append(launches, nil), at.launch
		}
		n := len(launches) - 1
		launches[n] = append(launches[n], math.Log(b/a))
	}
	return launches
}

// value is larger when it is better, 0 when there is none.
func (p *pairs) value(r *result.Row) float64 {
	if !p.open {
		return r.Rate
	}
	if r.P50 == nil || *r.P50 <= 0 {
		return 0
	}
	return 1 / float64(*r.P50)
}

// checkDrift (V8) asks whether one arm drifted against the other: what both do together is no harm. A launch has a level
// of its own, so that the trend is looked for within launches and their evidence is added up; each begins anew, and what
// grows in one grows in all.
func checkDrift(p *pairs) []result.Reason {
	const code, name = "V8", "steadiness"
	var all []result.Reason
	for _, a := range p.others {
		launches := p.series(a.Name)
		if n := len(slices.Concat(launches...)); n < fewestStrips {
			all = append(all, result.Reason{Code: code, Name: name, Level: result.TrustUnknown, Arm: a.Name, Affects: result.AffectsRatio,
				Measured: "too few rounds to tell: " + count(int64(n), "round")})
			continue
		}
		drift := driftWithin(launches)
		level := graded(math.Abs(drift), driftSuspect, driftBad)
		r := result.Reason{Code: code, Name: name, Level: level, Arm: a.Name, Affects: result.AffectsRatio,
			Measured: fmt.Sprintf("no trend against %s in %s", p.base.Name, p.metric()), Limit: percent(limit(level, driftSuspect, driftBad))}
		if drift != 0 {
			r.Measured = fmt.Sprintf("%s moved by %s against %s from beginning to end of a launch", p.metric(), signed(math.Expm1(drift)), p.base.Name)
		}
		if level != result.TrustOK {
			r.Advice = "one of the two grows or warms while it is measured: a longer warm-up, or a look at its memory"
		}
		all = append(all, r)
	}
	return all
}

// fewestRounds are those of a launch in which a trend can be looked for at all.
const fewestRounds = 4

// driftWithin is by how much the log ratio moves from the beginning of a launch to its end: the median over the
// launches, 0 where no trend is certain. The tests of the launches are independent, so that their normal scores add up
// (Stouffer 1949).
func driftWithin(launches [][]float64) float64 {
	var drifts []float64
	score := 0.0
	for _, d := range launches {
		if len(d) < fewestRounds {
			continue
		}
		s, chance := stat.MannKendall(d)
		score += math.Copysign(stat.NormalQuantile(1-max(chance, 1e-12)/2), float64(s))
		drifts = append(drifts, stat.TheilSen(d)*float64(len(d)-1))
	}
	if len(drifts) == 0 || math.Abs(score)/math.Sqrt(float64(len(drifts))) <= stat.NormalQuantile(1-driftAlpha/2) {
		return 0
	}
	return median(drifts)
}

// checkFailures (V10) refuses ratios between arms of which one fails more: who fails fast is not fast.
func checkFailures(p *pairs) []result.Reason {
	arms := append([]*result.Arm{p.base}, p.others...)
	for i, b := range arms {
		for _, a := range arms[:i] {
			gap := math.Abs(a.ErrorShare() - b.ErrorShare())
			if gap <= failureGap || stat.Fisher(a.Failed, a.OK, b.Failed, b.OK) >= failureAlpha {
				continue
			}
			return one(result.Reason{Code: "V10", Name: "failures", Level: result.TrustNotTrustworthy, Affects: result.AffectsRatio,
				Measured: fmt.Sprintf("%s failed %s of its calls, %s %s", a.Name, percent(a.ErrorShare()), b.Name, percent(b.ErrorShare())),
				Limit:    "0.1 points"})
		}
	}
	return one(result.Reason{Code: "V10", Name: "failures", Level: result.TrustOK, Affects: result.AffectsRatio,
		Measured: "the arms fail alike", Limit: "0.1 points"})
}

// checkSame (V13) repeats what the fair-test check found: whether the arms did the same work.
func checkSame(p *pairs) []result.Reason {
	const code, name = "V13", "same work"
	if p.file.Fair == nil {
		return unread(code, name, result.AffectsRatio, "the arms' work was not compared")
	}
	r := result.Reason{Code: code, Name: name, Level: result.TrustOK, Affects: result.AffectsRatio, Measured: "the arms did the same work"}
	var faults, unknown []string
	for _, c := range p.file.Fair.Checks {
		switch text := c.Name + ": " + c.Detail; {
		case c.Name == "failures": // judged by itself
		case !c.Passed:
			faults = append(faults, text)
		case c.Unknown:
			unknown = append(unknown, text)
		}
	}
	if len(faults) > 0 {
		r.Level, r.Measured = result.TrustNotTrustworthy, strings.Join(faults, "; ")
	}
	all := one(r)
	if len(unknown) > 0 {
		all = append(all, unread(code, name, result.AffectsRatio, strings.Join(unknown, "; "))...)
	}
	return all
}

// checkRounds (V16) counts the rounds that could not be used.
func checkRounds(p *pairs) []result.Reason {
	type round struct {
		launch, round int
		requeued      bool
	}
	invalid := map[round]bool{}
	for i := range p.file.Turns {
		r := &p.file.Turns[i]
		at := round{r.Launch, r.Round, r.Requeued}
		invalid[at] = invalid[at] || r.Invalid != ""
	}
	if len(invalid) == 0 {
		return nil
	}
	bad := 0
	for _, v := range invalid {
		if v {
			bad++
		}
	}
	share := float64(bad) / float64(len(invalid))
	r := result.Reason{Code: "V16", Name: "rounds", Level: result.TrustOK, Affects: result.AffectsRatio, Limit: percent(roundsBad),
		Measured: fmt.Sprintf("%d of %s invalid", bad, count(int64(len(invalid)), "round"))}
	if share > roundsBad {
		r.Level, r.Advice = result.TrustNotTrustworthy, "see the notes for what made them invalid"
	}
	return one(r)
}

// checkSpread (V16) asks how far the rounds of one pair lie apart.
func checkSpread(p *pairs) []result.Reason {
	var all []result.Reason
	for _, a := range p.others {
		d := slices.Concat(p.series(a.Name)...)
		if len(d) < 2 {
			continue
		}
		_, variance := stat.MeanVariance(d)
		spread := math.Sqrt(variance)
		r := result.Reason{Code: "V16", Name: "rounds", Level: result.TrustOK, Arm: a.Name, Affects: result.AffectsRatio, Limit: percent(spreadSuspect),
			Measured: fmt.Sprintf("its %s against %s differs by %s from round to round", p.metric(), p.base.Name, past(spread, spreadSuspect))}
		if spread > spreadSuspect {
			r.Level, r.Advice = result.TrustSuspect, "longer turns, or a quieter machine"
		}
		all = append(all, r)
	}
	return all
}

// checkFloor (V17) compares verdicts with the noise floor: the baseline against itself.
func checkFloor(p *pairs) []result.Reason {
	const code, name = "V17", "noise floor"
	floor := p.file.NoiseFloor
	if floor == nil {
		return nil
	}
	var all []result.Reason
	for _, v := range floor.Verdicts {
		switch v.Outcome {
		case result.Faster, result.Slower, result.ProbablyFaster, result.ProbablySlower:
			all = append(all, result.Reason{Code: code, Name: name, Level: result.TrustNotTrustworthy, Affects: result.AffectsRatioOf + v.Metric,
				Measured: fmt.Sprintf("%s was called different from itself in %s", v.A, v.Metric)})
		}
	}
	for _, v := range p.file.Verdicts {
		width, ok := floor.HalfWidth[v.Metric]
		if !ok || !v.Primary || v.Ratio == nil || *v.Ratio <= 0 || math.Abs(math.Log(*v.Ratio)) >= math.Log1p(width) {
			continue
		}
		all = append(all, result.Reason{Code: code, Name: name, Level: result.TrustSuspect, Arm: v.B, Affects: result.AffectsRatioOf + v.Metric,
			Measured: fmt.Sprintf("%s and %s differ in %s by less than the noise floor of %s", v.A, v.B, v.Metric, percent(width))})
	}
	if len(all) > 0 {
		return all
	}
	return one(result.Reason{Code: code, Name: name, Level: result.TrustOK, Affects: result.AffectsRatio,
		Measured: "the baseline against itself is no different"})
}

// median is that of values in any order; 0 of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
