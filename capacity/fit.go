package capacity

import (
	"cmp"
	"math"
	"slices"
	"time"

	"wiregauge/result"
	"wiregauge/stat"
)

// fit is latency over the offered rate: a curve that never falls, through the logarithms of what was measured, each
// probe weighted by its length.
func fit(probes []result.Probe) []result.FitPoint {
	used := slices.DeleteFunc(slices.Clone(probes), func(p result.Probe) bool { return p.Offered <= 0 || p.P50 == nil })
	slices.SortStableFunc(used, func(a, b result.Probe) int { return cmp.Compare(a.Offered, b.Offered) })
	p50 := rising(used, func(p *result.Probe) *int64 { return p.P50 })
	p99 := rising(used, func(p *result.Probe) *int64 { return p.P99 })
	points := make([]result.FitPoint, 0, len(used))
	for i := range used {
		points = append(points, result.FitPoint{Offered: used[i].Offered, P50: p50[i], P99: p99[i]})
	}
	return points
}

// rising fits one percentile; probes in which it is not known have none.
func rising(probes []result.Probe, of func(*result.Probe) *int64) []*int64 {
	var y, weights []float64
	for i := range probes {
		if v := of(&probes[i]); v != nil {
			y = append(y, math.Log(float64(max(*v, 1))))
			weights = append(weights, math.Max(time.Duration(probes[i].Window).Seconds(), 1e-3))
		}
	}
	smooth := stat.Isotonic(y, weights)
	out := make([]*int64, len(probes))
	for i := range probes {
		if of(&probes[i]) != nil {
			ns := int64(math.Round(math.Exp(smooth[0])))
			out[i], smooth = &ns, smooth[1:]
		}
	}
	return out
}
