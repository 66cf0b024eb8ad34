package judge

import (
	"math"
	"slices"

	"wiregauge/result"
	"wiregauge/stat"
)

// Verdicts judges every pair of arms that are no floor and no control. The pairs with the baseline in the primary
// metrics are one family of tests, first in the list, Primary set; then come the other metrics of these pairs,
// shown without a word; then all other pairs in the primary metrics, a family of their own that decides no gate.
func Verdicts(d Data, r Rules) []result.Verdict {
	j := newJudging(&d, &r)
	baseline, others := j.pairs()
	list := j.family(baseline, true)
	for _, p := range baseline {
		list = append(list, j.shown(p)...)
	}
	return append(list, j.family(others, false)...)
}

// Stop reports whether a comparison that is to go on may end now: its finished launches are a planned look before the
// last, and every pair with the baseline is different in every primary metric. It never stops for want of a
// difference, nor because two arms look the same.
func Stop(d Data, r Rules) bool {
	looks := Looks(r.Launches)
	done := d.done()
	at := slices.IndexFunc(looks, func(l Look) bool { return l.Launches == done })
	if at < 0 || at == len(looks)-1 {
		return false
	}
	d.Ended = AtLook
	j := newJudging(&d, &r)
	baseline, _ := j.pairs()
	list := j.family(baseline, true)
	return len(list) > 0 && !slices.ContainsFunc(list, func(v result.Verdict) bool { return !different(v.Outcome) })
}

// judging is one comparison being judged.
type judging struct {
	data     *Data
	rules    *Rules
	launches []Launch
	primary  []int // metrics, in the order of the rules
	alpha    float64
	look     int
	judged   bool
}

func newJudging(d *Data, r *Rules) *judging {
	j := &judging{data: d, rules: r, launches: d.used()}
	for _, name := range r.Primary {
		if i := slices.IndexFunc(d.Metrics, func(m Metric) bool { return m.Name == name }); i >= 0 {
			j.primary = append(j.primary, i)
		}
	}
	j.alpha, j.look, j.judged = r.level(d)
	return j
}

// perLaunch reports whether the launch is the unit.
func (j *judging) perLaunch() bool { return j.rules.Launches > 1 }

// pairs lists those with the baseline, and all others.
func (j *judging) pairs() (baseline, others []pair) {
	arms := j.data.Arms
	out := func(a Arm) bool { return a.Floor || a.Name == j.rules.Control }
	for a := range arms {
		for b := range arms {
			switch {
			case a == b || out(arms[a]) || out(arms[b]):
			case arms[a].Name == j.rules.Baseline:
				baseline = append(baseline, pair{a, b})
			case b > a && arms[b].Name != j.rules.Baseline:
				others = append(others, pair{a, b})
			}
		}
	}
	return baseline, others
}

// family judges pairs in the primary metrics, with Holm's correction over all of them.
func (j *judging) family(pairs []pair, primary bool) []result.Verdict {
	samples := j.samples(pairs)
	p := make([]float64, len(samples))
	for i := range samples {
		p[i] = samples[i].p
	}
	adjusted := stat.Holm(p)
	list := make([]result.Verdict, 0, len(samples))
	for i := range samples {
		list = append(list, j.verdict(&samples[i], adjusted[i], len(samples), primary))
	}
	return list
}

// samples are those of pairs in the primary metrics.
func (j *judging) samples(pairs []pair) []sample {
	var list []sample
	for _, pr := range pairs {
		for _, m := range j.primary {
			list = append(list, j.sample(pr, m))
		}
	}
	return list
}

func (j *judging) verdict(s *sample, adjusted float64, tests int, primary bool) result.Verdict {
	void := j.voids(s)
	suspects, capped, names := j.doubted(s)
	v := j.describe(s)
	v.Primary = primary
	v.Outcome, v.Confidence = Decide(Evidence{
		Void: len(void) > 0, Early: !j.judged, Final: j.data.Ended != AtLook,
		Estimate: s.estimate, Low95: s.lo95, High95: s.hi95, Low90: s.lo90, High90: s.hi90,
		P: adjusted, Alpha: j.alpha, Limit: math.Log1p(v.Limit), Band: math.Log1p(v.Band),
		Launches: j.perLaunch(), Units: len(s.d),
		Suspects: suspects, Capped: capped, Interrupted: j.data.Ended == Interrupted,
	})
	if len(s.d) > 1 {
		p := s.p
		v.P, v.PAdjusted = &p, &adjusted
	}
	v.Doubts = j.held(&v, names)
	switch v.Outcome {
	case result.NotFair:
		v.Reasons = void
	case result.Inconclusive:
		j.settle(&v, s, tests)
	default:
		j.atLeast(&v, s)
	}
	return v
}

// describe is the ratio and its interval, without a judgement.
func (j *judging) describe(s *sample) result.Verdict {
	v := j.blank(j.data.Metrics[s.metric].Name, s.pair)
	v.Unit, v.Units, v.Agree = j.unit(s.metric), len(s.d), s.agree
	if len(s.d) > 0 {
		v.Ratio = ratio(s.estimate)
	}
	if len(s.d) > 1 {
		v.Low, v.High = ratio(s.lo95), ratio(s.hi95)
	}
	return v
}

func (j *judging) blank(metric string, p pair) result.Verdict {
	v := result.Verdict{
		Metric: metric, A: j.data.Arms[p.a].Name, B: j.data.Arms[p.b].Name,
		Alpha: j.alpha, Limit: j.rules.Limit(), Band: j.rules.Band(), Unit: pick(j.perLaunch(), "launch", "round"),
		Reasons: []string{},
	}
	if j.perLaunch() && j.judged {
		v.Look = j.look
	}
	return v
}

// unit is what one observation of a metric is.
func (j *judging) unit(metric int) string {
	if j.perLaunch() {
		return "launch"
	}
	for i := range j.launches {
		if j.launches[i].Series[metric].Block > 1 {
			return "block"
		}
	}
	return "round"
}

// shown are the metrics beside the primary ones: ratio and interval, no word. What was not measured is left out.
func (j *judging) shown(p pair) []result.Verdict {
	var list []result.Verdict
	for m := range j.data.Metrics {
		if slices.Contains(j.primary, m) {
			continue
		}
		if s := j.sample(p, m); len(s.d) > 0 {
			list = append(list, j.describe(&s))
		}
	}
	for _, e := range j.data.Exact {
		if p.a >= len(e.Values) || p.b >= len(e.Values) {
			continue
		}
		a, b := e.Values[p.a], e.Values[p.b]
		if r := a / b; a > 0 && b > 0 && r > 0 && !math.IsInf(r, 0) {
			v := j.blank(e.Metric, p)
			v.Ratio = &r
			list = append(list, v)
		}
	}
	return list
}
