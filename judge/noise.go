package judge

import (
	"fmt"
	"math"
	"slices"

	"wiregauge/result"
)

// NoiseFloor compares the baseline with its control, the same arm once more, by the full rule: every metric's half
// width of the 95 % interval is what this comparison cannot tell from noise. It is nil without a control.
func NoiseFloor(d Data, r Rules) *result.NoiseFloor {
	named := func(name string) int {
		return slices.IndexFunc(d.Arms, func(a Arm) bool { return a.Name == name })
	}
	a, b := named(r.Baseline), named(r.Control)
	if r.Control == "" || a < 0 || b < 0 {
		return nil
	}
	j := newJudging(&d, &r)
	p := pair{a, b}
	floor := &result.NoiseFloor{Arm: r.Control, HalfWidth: map[string]float64{}, Verdicts: j.family([]pair{p}, false)}
	for m := range d.Metrics {
		s := j.sample(p, m)
		if width := math.Expm1((s.hi95 - s.lo95) / 2); len(s.d) > 1 && !math.IsInf(width, 0) {
			floor.HalfWidth[d.Metrics[m].Name] = width
		}
	}
	return floor
}

// noiseCode is the check of the noise floor.
const noiseCode = "V17"

// NoiseDoubts are the doubts that a noise floor casts on verdicts: all are void when the baseline was called different
// from itself, and one is in doubt when its difference is smaller than the half width of the baseline against itself.
// floor may be nil.
func NoiseDoubts(floor *result.NoiseFloor, verdicts []result.Verdict) []Doubt {
	if floor == nil {
		return nil
	}
	var doubts []Doubt
	for _, v := range floor.Verdicts {
		if different(v.Outcome) {
			doubts = append(doubts, Doubt{
				Code: noiseCode, Level: result.TrustNotTrustworthy, Metric: v.Metric,
				Reason: fmt.Sprintf("%s was called different from itself in %s", v.A, v.Metric),
			})
		}
	}
	for _, v := range verdicts {
		width, ok := floor.HalfWidth[v.Metric]
		if !ok || v.Ratio == nil || math.Abs(math.Log(*v.Ratio)) >= math.Log1p(width) {
			continue
		}
		doubts = append(doubts, Doubt{
			Code: noiseCode, Level: result.TrustSuspect, Metric: v.Metric, A: v.A, B: v.B,
			Reason: fmt.Sprintf("the difference in %s is smaller than the noise floor of %.2g %%", v.Metric, 100*width),
		})
	}
	return doubts
}
