package judge

import (
	"math"

	"wiregauge/stat"
)

// A pair is two arms by index; b is judged against a.
type pair struct{ a, b int }

// A sample is the log ratios of one pair in one metric, one per unit, and what they say.
type sample struct {
	pair
	metric int
	d      []float64
	// within is the mean variance of the rounds of a launch, divided by their number: what launches would scatter by
	// if they were all alike.
	within     float64
	missing    int // rounds or launches that gave no ratio
	estimate   float64
	lo95, hi95 float64
	lo90, hi90 float64
	p          float64
	agree      int
}

func (j *judging) sample(pr pair, metric int) sample {
	s := sample{pair: pr, metric: metric}
	if j.perLaunch() {
		j.byLaunch(&s)
	} else {
		j.byRound(&s)
	}
	s.test()
	for _, d := range s.d {
		if d*s.estimate > 0 {
			s.agree++
		}
	}
	return s
}

// byLaunch makes one unit of each launch.
func (j *judging) byLaunch(s *sample) {
	m := j.data.Metrics[s.metric]
	scatter, launches := 0.0, 0
	for i := range j.launches {
		series := &j.launches[i].Series[s.metric]
		if m.Pooled {
			s.add(m, series.Whole)
			continue
		}
		rounds, _ := roundsOf(series, m, s.pair)
		if len(rounds) == 0 {
			s.missing++
			continue
		}
		mean, variance := stat.MeanVariance(rounds)
		s.d = append(s.d, mean)
		if len(rounds) > 1 {
			scatter += variance / float64(len(rounds))
			launches++
		}
	}
	if launches > 0 {
		s.within = scatter / float64(launches)
	}
}

// byRound makes one unit of each round, or block of rounds, of the only launch.
func (j *judging) byRound(s *sample) {
	for i := range j.launches {
		series := &j.launches[i].Series[s.metric]
		rounds, missing := roundsOf(series, j.data.Metrics[s.metric], s.pair)
		s.d = append(s.d, rounds...)
		s.missing += missing + series.Missing
	}
}

func roundsOf(series *Series, m Metric, pr pair) (d []float64, missing int) {
	s := sample{pair: pr}
	for _, values := range series.Rounds {
		s.add(m, values)
	}
	return s.d, s.missing
}

func (s *sample) add(m Metric, values []float64) {
	if s.a < len(values) && s.b < len(values) {
		if d, ok := m.LogRatio(values[s.a], values[s.b]); ok {
			s.d = append(s.d, d)
			return
		}
	}
	s.missing++
}

// test fills in the estimate, the intervals and the p value.
func (s *sample) test() {
	if len(s.d) < fewestForExact {
		s.estimate = stat.Walsh(s.d).Median()
		_, s.lo95, s.hi95, s.p = stat.TInterval(s.d, 0.95)
		_, s.lo90, s.hi90, _ = stat.TInterval(s.d, 0.90)
		return
	}
	w := stat.Walsh(s.d)
	s.estimate = w.Median()
	s.lo95, s.hi95 = w.Interval(0.95)
	s.lo90, s.hi90 = w.Interval(0.90)
	s.p = stat.SignedRank(s.d)
}

// ratio leaves the log scale; nil for what no file can hold.
func ratio(log float64) *float64 {
	r := math.Exp(log)
	if math.IsInf(r, 0) || math.IsNaN(r) || r == 0 {
		return nil
	}
	return &r
}
