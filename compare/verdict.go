package compare

import (
	"fmt"
	"math"

	"wiregauge/result"
	"wiregauge/stat"
)

const alpha = 0.05

// verdicts judges every pair of arms that get a verdict: those with the baseline in the primary metrics are one
// family, the other pairs another; the other metrics of the baseline pairs are shown without a word.
func (c *comparison) verdicts() []result.Verdict {
	pairs, others := c.pairs()
	primary := len(c.plan.Primary)
	list := c.family(pairs, c.metrics[:primary], true)
	for _, p := range pairs {
		for _, m := range c.metrics[primary:] {
			if v, ok := c.shown(p, m); ok {
				list = append(list, v)
			}
		}
		if v, ok := c.bytes(p); ok {
			list = append(list, v)
		}
	}
	return append(list, c.family(others, c.metrics[:primary], false)...)
}

// A pair is two arms by index; b is judged against a.
type pair struct{ a, b int }

// pairs lists those with the baseline, and all others.
func (c *comparison) pairs() (baseline, others []pair) {
	arms := c.plan.Arms
	for a := range arms {
		for b := range arms {
			switch {
			case a == b || arms[a].Floor || arms[b].Floor:
			case arms[a].Name == c.plan.Baseline:
				baseline = append(baseline, pair{a, b})
			case b > a && arms[b].Name != c.plan.Baseline:
				others = append(others, pair{a, b})
			}
		}
	}
	return baseline, others
}

// family judges pairs x metrics with Holm's correction over all of them.
func (c *comparison) family(pairs []pair, metrics []metric, primary bool) []result.Verdict {
	var samples []sample
	var p []float64
	for _, pr := range pairs {
		for i := range metrics {
			s := c.sample(pr, metrics[i])
			samples = append(samples, s)
			p = append(p, s.p)
		}
	}
	adjusted := stat.Holm(p)
	list := make([]result.Verdict, 0, len(samples))
	for i := range samples {
		list = append(list, c.judge(&samples[i], adjusted[i], primary))
	}
	return list
}

// A sample is the log ratios of one pair in one metric, and what they say.
type sample struct {
	pair
	metric         metric
	d              []float64
	mean, lo, hi   float64 // 95 %
	lo90, hi90     float64
	p              float64
	missing, agree int
}

func (c *comparison) sample(pr pair, m metric) sample {
	s := sample{pair: pr, metric: m}
	s.d, s.missing = c.logRatios(pr, m)
	s.mean, s.lo, s.hi, s.p = stat.TInterval(s.d, 0.95)
	_, s.lo90, s.hi90, _ = stat.TInterval(s.d, 0.90)
	for _, d := range s.d {
		if d*s.mean > 0 {
			s.agree++
		}
	}
	return s
}

// perLaunch reports whether the launch is the unit.
func (c *comparison) perLaunch() bool { return c.plan.Launches > 1 }

// logRatios are the units: one per launch, or one per round (or block of rounds) when there is one launch.
func (c *comparison) logRatios(pr pair, m metric) (d []float64, missing int) {
	index := c.indexOf(m)
	for _, l := range c.used() {
		switch {
		case c.perLaunch() && m.pooled:
			add(&d, &missing, m, m.value(&l.folded[pr.a]), m.value(&l.folded[pr.b]))
		case c.perLaunch():
			rounds, _ := l.perRound(pr, m, index)
			if len(rounds) == 0 {
				missing++
				continue
			}
			mean, _ := stat.MeanVariance(rounds)
			d = append(d, mean)
		case m.pooled:
			missing += l.pools[index].open
			for _, block := range l.pools[index].blocks {
				add(&d, &missing, m, block[pr.a], block[pr.b])
			}
		default:
			d, missing = l.perRound(pr, m, index)
		}
	}
	return d, missing
}

func (l *launch) perRound(pr pair, m metric, index int) (d []float64, missing int) {
	for _, r := range l.rounds {
		add(&d, &missing, m, r.values[pr.a][index], r.values[pr.b][index])
	}
	return d, missing
}

func add(d *[]float64, missing *int, m metric, a, b float64) {
	if v, ok := m.logRatio(a, b); ok {
		*d = append(*d, v)
		return
	}
	*missing++
}

func (c *comparison) indexOf(m metric) int {
	for i := range c.metrics {
		if c.metrics[i].name == m.name {
			return i
		}
	}
	return -1
}

func (c *comparison) judge(s *sample, adjusted float64, primary bool) result.Verdict {
	void := c.voids(s)
	limit := math.Log1p(c.limit())
	band := math.Log1p(c.band())
	outcome, confidence := Judge(Evidence{
		Void: len(void) > 0, Estimate: s.mean, Low95: s.lo, High95: s.hi, Low90: s.lo90, High90: s.hi90,
		P: adjusted, Alpha: alpha, Limit: limit, Band: band,
		Launches: c.perLaunch(), Units: len(s.d), Interrupted: c.ended != nil, PlannedUnits: c.plannedUnits(),
	})
	v := c.describe(s)
	v.Outcome, v.Confidence, v.Primary = outcome, confidence, primary
	if len(s.d) > 1 {
		v.P, v.PAdjusted = &s.p, &adjusted
	}
	v.Reasons = append(v.Reasons, void...)
	switch outcome {
	case result.Inconclusive:
		v.Reasons = append(v.Reasons, c.settle(s)...)
	case result.NotFair:
	default:
		v.AtLeast, v.Reasons = c.atLeast(s, v.Reasons)
	}
	return v
}

// describe is the ratio and its interval, without a judgement.
func (c *comparison) describe(s *sample) result.Verdict {
	v := result.Verdict{
		Metric: s.metric.name, A: c.plan.Arms[s.a].Name, B: c.plan.Arms[s.b].Name,
		Alpha: alpha, Limit: c.limit(), Band: c.band(), Unit: c.unit(s.metric),
		Units: len(s.d), Agree: s.agree, Reasons: []string{},
	}
	if len(s.d) > 0 {
		v.Ratio = ratio(s.mean)
	}
	if len(s.d) > 1 {
		v.Low, v.High = ratio(s.lo), ratio(s.hi)
	}
	return v
}

// unit is what one observation of a metric is.
func (c *comparison) unit(m metric) string {
	if c.perLaunch() {
		return "launch"
	}
	for _, l := range c.used() {
		if m.pooled && l.pools[c.indexOf(m)].most > 1 {
			return "block"
		}
	}
	return "round"
}

// shown is a metric beside the primary ones: ratio and interval, no word. ok is false when it was not measured.
func (c *comparison) shown(p pair, m metric) (result.Verdict, bool) {
	s := c.sample(p, m)
	return c.describe(&s), len(s.d) > 0
}

// bytes compares what a call costs on the wire, which is counted and needs no test.
func (c *comparison) bytes(p pair) (result.Verdict, bool) {
	a, b := c.wireBytes(p.a), c.wireBytes(p.b)
	if a <= 0 || b <= 0 {
		return result.Verdict{}, false
	}
	r := a / b
	return result.Verdict{
		Metric: "bytes", A: c.plan.Arms[p.a].Name, B: c.plan.Arms[p.b].Name, Ratio: &r,
		Alpha: alpha, Limit: c.limit(), Band: c.band(), Unit: pick(c.perLaunch(), "launch", "round"), Reasons: []string{},
	}, true
}

func (c *comparison) wireBytes(arm int) float64 {
	t := &c.totals[arm]
	if t.Finished() == 0 {
		return 0
	}
	return float64(t.SentBytes.Wire+t.RecvBytes.Wire) / float64(t.Finished())
}

// ratio leaves the log scale; nil for what no file can hold.
func ratio(log float64) *float64 {
	r := math.Exp(log)
	if math.IsInf(r, 0) || math.IsNaN(r) || r == 0 {
		return nil
	}
	return &r
}

// limit is the smallest effect worth a word. One launch has a bias of its own, which no number of rounds shows.
func (c *comparison) limit() float64 {
	if c.perLaunch() {
		return c.plan.MinEffect
	}
	return max(c.plan.MinEffect, 0.05)
}

func (c *comparison) band() float64 { return max(0.02, c.limit()) }

func (c *comparison) plannedUnits() int {
	if c.perLaunch() {
		return c.plan.Launches
	}
	return c.plan.Rounds
}

// settle says how much more would settle an inconclusive pair.
func (c *comparison) settle(s *sample) []string {
	unit, flag := "rounds", "--rounds"
	if c.perLaunch() {
		unit, flag = "launches", "--launches"
	}
	if c.interrupted() {
		return []string{"the comparison run to its end"}
	}
	if len(s.d) < 3 {
		if s.missing > 0 {
			return []string{fmt.Sprintf("longer turns (--turn): %d of %d %s had too few calls for %s", s.missing, s.missing+len(s.d), unit, s.metric.name)}
		}
		return []string{fmt.Sprintf("more %s (%s)", unit, flag)}
	}
	lo, hi, ok := needed(s.d, s.mean, math.Log1p(c.limit()), math.Log1p(c.band()))
	if c.unit(s.metric) == "block" {
		lo, hi = lo*c.plan.Rounds/len(s.d), hi*c.plan.Rounds/len(s.d)
	}
	planned := c.plannedUnits()
	if most := 4 * planned; !ok || lo > most {
		return []string{fmt.Sprintf("not practical here (more than %d %s)", most, unit)}
	}
	lo, hi = max(lo, planned+1), max(hi, planned+2)
	return []string{fmt.Sprintf("%d to %d %s in all, started again with %s", lo, hi, unit, flag)}
}

// needed is the 80 % range of the number of units after which an interval like this one settles the matter: by
// leaving 0 out, or by fitting into the band, whichever comes first.
func needed(d []float64, mean, limit, band float64) (lo, hi int, ok bool) {
	_, variance := stat.MeanVariance(d)
	n := float64(len(d))
	best := math.Inf(1)
	if math.Abs(mean) >= limit {
		best = math.Pow(stat.TQuantile(0.975, n-1)/math.Abs(mean), 2)
	}
	if room := band - math.Abs(mean); room > 0 {
		best = min(best, math.Pow(stat.TQuantile(0.95, n-1)/room, 2))
	}
	if math.IsInf(best, 1) {
		return 0, 0, false
	}
	bound := func(q float64) float64 {
		return best * variance * (n - 1) / max(stat.ChiSquaredQuantile(q, n-1), 1e-9)
	}
	const most = 1e9
	return int(math.Ceil(min(bound(0.9), most))), int(math.Ceil(min(bound(0.1), most))), true
}
