package judge

import (
	"fmt"
	"math"
	"time"

	"wiregauge/result"
	"wiregauge/stat"
)

// mostTimes is how many times the plan is still practical: the lower end of a range above it is not.
const mostTimes = 4

// fewestToForesee is the fewest units whose scatter says anything about further ones.
const fewestToForesee = 3

// settle says what would settle an inconclusive pair.
func (j *judging) settle(v *result.Verdict, s *sample, tests int) {
	switch {
	case !j.judged:
		v.Reasons = append(v.Reasons, "the comparison run to its end")
		return
	case len(s.d) < fewestToForesee && s.missing > 0:
		v.Reasons = append(v.Reasons, fmt.Sprintf("longer turns (--turn): %d of %d %s had too few calls for %s",
			s.missing, s.missing+len(s.d), pick(j.perLaunch(), "launches", "rounds"), v.Metric))
		return
	case len(s.d) < fewestToForesee:
		v.Reasons = append(v.Reasons, pick(j.perLaunch(), "more launches (--launches)", "more rounds (--rounds)"))
		return
	}
	low, high, ok := j.needed(s, tests)
	if j.perLaunch() {
		v.Settle = j.launchesNeeded(low, high, ok)
		return
	}
	v.Reasons = append(v.Reasons, j.roundsNeeded(low, high, ok, len(s.d)))
}

func (j *judging) launchesNeeded(low, high int, ok bool) *result.Settle {
	most := mostTimes * j.rules.Launches
	if !ok || low > most {
		return &result.Settle{Low: low, High: high, Practical: false}
	}
	low = max(low, j.look+1)
	high = max(high, low+1)
	return &result.Settle{
		Low: low, High: high, Practical: true,
		LowNS: int64(time.Duration(low) * j.data.LaunchTime), HighNS: int64(time.Duration(high) * j.data.LaunchTime),
	}
}

// roundsNeeded counts in rounds, also where a unit is a block of several.
func (j *judging) roundsNeeded(low, high int, ok bool, units int) string {
	planned := j.rules.Rounds
	perUnit := math.Max(1, float64(planned)/float64(units))
	low, high = int(math.Ceil(float64(low)*perUnit)), int(math.Ceil(float64(high)*perUnit))
	if most := mostTimes * planned; !ok || low > most {
		return fmt.Sprintf("not practical here (more than %d rounds)", most)
	}
	low = max(low, planned+1)
	return fmt.Sprintf("%d to %d rounds in all, started again with --rounds", low, max(high, low+1))
}

// needed is the 80 % range of the number of units after which an interval like this one settles the matter: by
// leaving 0 out, or by fitting into the band, whichever comes first. The range is that of the true scatter, which so
// few units tell within a factor only.
func (j *judging) needed(s *sample, tests int) (low, high int, ok bool) {
	_, variance := stat.MeanVariance(s.d)
	variance = math.Max(variance, s.within)
	df := float64(len(s.d) - 1)
	limit, band := math.Log1p(j.rules.Limit()), math.Log1p(j.rules.Band())
	units := func(q float64) int {
		sd := math.Sqrt(variance * df / math.Max(stat.ChiSquaredQuantile(q, df), 1e-9))
		return effort(sd, math.Abs(s.estimate), limit, band)
	}
	low, high = units(0.9), units(0.1)
	if j.perLaunch() {
		for low < high && !canDecide(tests, low) {
			low++
		}
	}
	return low, high, low < mostUnits
}

// mostUnits bounds what is worth counting.
const mostUnits = 1_000_000

// effort is the smallest number of units with the scatter sd for which the half width of the 95 % interval is below
// the estimate, where that matters, or that of the 90 % interval is below what separates it from the band's edge.
func effort(sd, estimate, limit, band float64) int {
	n := mostUnits
	if estimate >= limit {
		n = unitsFor(sd, estimate, 0.975)
	}
	if room := band - estimate; room > 0 {
		n = min(n, unitsFor(sd, room, 0.95))
	}
	return n
}

// unitsFor is the smallest n with quantile(p, n-1) sd / sqrt(n) below half. The normal quantile is below that of t,
// so the search starts from what it asks for and ends a few steps above.
func unitsFor(sd, half, p float64) int {
	if half <= 0 {
		return mostUnits
	}
	least := math.Pow(stat.NormalQuantile(p)*sd/half, 2)
	if least >= mostUnits {
		return mostUnits
	}
	n := max(2, int(least))
	for stat.TQuantile(p, float64(n-1))*sd/math.Sqrt(float64(n)) >= half {
		n++
	}
	return n
}
