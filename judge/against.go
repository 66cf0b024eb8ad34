package judge

import (
	"math"
	"slices"

	"wiregauge/result"
	"wiregauge/stat"
)

// Saved is an arm that was measured now beside one that was measured at another time. Nothing pairs their launches,
// and whatever changed between the two times is part of the difference, so that no confidence is above LOW.
type Saved struct {
	A, B     string // the saved arm and the new one
	Metrics  []Metric
	Old, New [][]float64 // [metric][launch]; a value of 0 or less stands for "there is none"
	Voids    []string    // reasons why nothing may be concluded, such as failure shares that differ
}

// unpairedAlpha is the level of the tests against something saved.
const unpairedAlpha = 0.05

// Against judges the new arm against the saved one: Mann-Whitney tests over launches, with Holm's correction over the
// primary metrics. Metrics that the rules do not name as primary are shown without a word.
func Against(s Saved, r Rules) []result.Verdict {
	var verdicts []result.Verdict
	var logs [][2][]float64
	var p []float64
	for i, m := range s.Metrics {
		x, y := m.logs(s.Old[i]), m.logs(s.New[i])
		v := s.describe(m, x, y, &r)
		if v.Primary = slices.Contains(r.Primary, m.Name); v.Primary {
			p = append(p, stat.RankSum(x, y))
		}
		verdicts, logs = append(verdicts, v), append(logs, [2][]float64{x, y})
	}
	adjusted := stat.Holm(p)
	for i := range verdicts {
		if v := &verdicts[i]; v.Primary {
			s.judge(v, logs[i][0], logs[i][1], p[0], adjusted[0])
			p, adjusted = p[1:], adjusted[1:]
		}
	}
	return verdicts
}

// logs are the logarithms of the values that exist, larger when they are better.
func (m Metric) logs(values []float64) []float64 {
	var list []float64
	for _, v := range values {
		if l, ok := m.LogRatio(1, v); ok {
			list = append(list, l)
		}
	}
	return list
}

func (s *Saved) describe(m Metric, x, y []float64, r *Rules) result.Verdict {
	both := Rules{Launches: min(len(x), len(y)), MinEffect: r.MinEffect}
	v := result.Verdict{
		Metric: m.Name, A: s.A, B: s.B, Alpha: unpairedAlpha, Limit: both.Limit(), Band: both.Band(),
		Unit: "launch", Units: len(y), Reasons: []string{},
	}
	if len(x) == 0 || len(y) == 0 {
		return v
	}
	estimate, lo, hi := stat.Shift(x, y, 0.95)
	v.Ratio, v.Low, v.High = ratio(estimate), ratio(lo), ratio(hi)
	v.Agree = beyond(stat.Median(x), y, estimate)
	return v
}

// beyond counts the values on the side of the middle that the estimate points to.
func beyond(middle float64, values []float64, estimate float64) int {
	n := 0
	for _, v := range values {
		if (v-middle)*estimate > 0 {
			n++
		}
	}
	return n
}

func (s *Saved) judge(v *result.Verdict, x, y []float64, p, adjusted float64) {
	estimate, lo95, hi95 := stat.Shift(x, y, 0.95)
	_, lo90, hi90 := stat.Shift(x, y, 0.90)
	v.Outcome, v.Confidence = Decide(Evidence{
		Void: len(s.Voids) > 0, Final: true, Estimate: estimate, Low95: lo95, High95: hi95, Low90: lo90, High90: hi90,
		P: adjusted, Alpha: unpairedAlpha, Limit: math.Log1p(v.Limit), Band: math.Log1p(v.Band), Units: min(len(x), len(y)),
	})
	v.P, v.PAdjusted = &p, &adjusted
	if v.Confidence != "" {
		v.Confidence = Low
	}
	switch v.Outcome {
	case result.NotFair:
		v.Reasons = append(v.Reasons, s.Voids...)
	case result.Inconclusive:
		v.Reasons = append(v.Reasons, "both arms measured in one comparison, in turns (--against BRANCH, or name=url name=url)")
	}
}
