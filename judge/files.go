package judge

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"wiregauge/result"
	"wiregauge/stat"
)

// savedMinEffect is the smallest difference between two saved results that is worth a word.
const savedMinEffect = 0.01

// What failure shares of two results may differ by before their numbers belong to different work.
const (
	failureShares = 0.001
	failureAlpha  = 0.01
)

// Between judges the arms of a result against those of an earlier one: arms of one name, or the only arm of each. Both
// were measured at their own time, so that no confidence is above LOW; with fewer than two launches on a side there is
// no test at all, and only ratios are told. Arms are named after their result.
func Between(before, after *result.File) []result.Verdict {
	var all []result.Verdict
	for i := range before.Arms {
		a := &before.Arms[i]
		b := partner(before, after, a)
		if b == nil || a.Floor || b.Floor || a.Control || b.Control {
			continue
		}
		all = append(all, betweenArms(before, after, a, b)...)
	}
	return all
}

// partner is the arm of after that a is compared with; nil when there is none.
func partner(before, after *result.File, a *result.Arm) *result.Arm {
	if len(before.Arms) == 1 && len(after.Arms) == 1 {
		return &after.Arms[0]
	}
	i := slices.IndexFunc(after.Arms, func(b result.Arm) bool { return b.Name == a.Name })
	if i < 0 {
		return nil
	}
	return &after.Arms[i]
}

func nameIn(f *result.File, a *result.Arm) string {
	return f.ArmName(slices.IndexFunc(f.Arms, func(b result.Arm) bool { return b.Name == a.Name }))
}

func betweenArms(before, after *result.File, a, b *result.Arm) []result.Verdict {
	s := Saved{A: nameIn(before, a), B: nameIn(after, b), Voids: voidsBetween(before, after, a, b)}
	rules := Rules{MinEffect: savedMinEffect, Primary: []string{"rate"}}
	if before.Plan.Loop == "open" {
		rules.Primary = []string{"p50"}
	}
	var plain []result.Verdict
	for _, m := range []Metric{{Name: "rate", Larger: true}, {Name: "p50"}, {Name: "p99"}, {Name: "cpu", Pooled: true}} {
		x, y := perLaunch(before, a, m), perLaunch(after, b, m)
		if len(x) > 1 && len(y) > 1 {
			s.Metrics, s.Old, s.New = append(s.Metrics, m), append(s.Old, x), append(s.New, y)
			continue
		}
		if v, ok := s.ratioOnly(m, whole(a, m), whole(b, m)); ok {
			plain = append(plain, v)
		}
	}
	rules.Launches = launchesOf(before, after)
	return append(Against(s, rules), plain...)
}

func launchesOf(files ...*result.File) int {
	least := math.MaxInt
	for _, f := range files {
		least = min(least, max(1, f.Plan.Launches))
	}
	return least
}

// ratioOnly tells a metric without a verdict; ok is false when one of its values does not exist.
func (s *Saved) ratioOnly(m Metric, x, y float64) (v result.Verdict, ok bool) {
	d, ok := m.LogRatio(x, y)
	if !ok {
		return v, false
	}
	return result.Verdict{Metric: m.Name, A: s.A, B: s.B, Ratio: ratio(d), Reasons: []string{}}, true
}

// voidsBetween are the reasons why two results cannot be judged at all: another load, numbers that are not trustworthy
// (nothing protects them here, as taking turns protects ratios), or another share of failures.
func voidsBetween(before, after *result.File, a, b *result.Arm) []string {
	var voids []string
	if differs := result.NotAlike(before, after); len(differs) > 0 {
		voids = append(voids, "not the same work: "+strings.Join(differs, "; "))
	}
	for _, side := range []struct {
		f *result.File
		a *result.Arm
	}{{before, a}, {after, b}} {
		if side.f.Trust.Of(side.a.Name, "latency") == result.TrustNotTrustworthy {
			voids = append(voids, "the numbers of "+side.f.ID+" are not trustworthy")
		}
	}
	if math.Abs(a.ErrorShare()-b.ErrorShare()) > failureShares && stat.Fisher(a.Failed, a.OK, b.Failed, b.OK) < failureAlpha {
		voids = append(voids, fmt.Sprintf("the shares of failed calls differ: %.2g %% and %.2g %%", a.ErrorShare()*100, b.ErrorShare()*100))
	}
	return voids
}

// perLaunch is a metric of an arm by launch, of valid turns only. A tail is not told by launch: it would take their
// histograms, and those of a launch's turns do not average to it.
func perLaunch(f *result.File, a *result.Arm, m Metric) []float64 {
	if m.Name == "p99" {
		return nil
	}
	type sum struct{ value, weight float64 }
	byLaunch := map[int]*sum{}
	var order []int
	for i := range f.Turns {
		r := &f.Turns[i]
		value, weight := ofRow(r, m)
		if r.Arm != a.Name || r.Invalid != "" || !(weight > 0) {
			continue
		}
		if byLaunch[r.Launch] == nil {
			byLaunch[r.Launch], order = &sum{}, append(order, r.Launch)
		}
		byLaunch[r.Launch].value += value * weight
		byLaunch[r.Launch].weight += weight
	}
	var values []float64
	for _, launch := range order {
		v := byLaunch[launch].value / byLaunch[launch].weight
		if m.Name == "p50" {
			v = math.Exp(v)
		}
		values = append(values, v)
	}
	return values
}

// ofRow is what a turn adds to its launch: rates weigh by time, CPU by calls, and of p50 the logarithms are averaged,
// as they are where arms take turns.
func ofRow(r *result.Row, m Metric) (value, weight float64) {
	switch {
	case m.Name == "rate" && r.Rate > 0:
		return r.Rate, time.Duration(r.Window).Seconds()
	case m.Name == "p50" && r.P50 != nil && *r.P50 > 0:
		return math.Log(float64(*r.P50)), 1
	case m.Name == "cpu" && r.CPU != nil && *r.CPU > 0:
		return float64(*r.CPU), float64(r.OK + r.Failed)
	}
	return 0, 0
}

// whole is a metric over all that was measured of an arm; 0 when it does not exist.
func whole(a *result.Arm, m Metric) float64 {
	switch m.Name {
	case "rate":
		return a.Goodput
	case "cpu":
		if cpu := a.ClientCPU.PerCall(a.Finished()); cpu != nil {
			return float64(*cpu)
		}
		return 0
	}
	p := map[string]float64{"p50": 50, "p99": 99}[m.Name]
	if ns := a.Latency.Percentile(p).NS; ns != nil && !a.Counts.LeavesOut(p) {
		return float64(*ns)
	}
	return 0
}
