package main

import (
	"math"

	"wiregauge/result"
	"wiregauge/stat"
)

// fewestSteps is the least number of concurrencies that say anything about a law with three unknowns.
const fewestSteps = 5

// scalability fits the universal scalability law to a ramp of concurrency; nil when there are too few steps, or steps
// that were cut short or answered nothing.
func scalability(concurrency func(step int) int, turns []result.Turn) *result.USL {
	if len(turns) < fewestSteps {
		return nil
	}
	var n, x []float64
	little := 0.0
	for i := range turns {
		t := &turns[i]
		rate := result.PerSecond(t.CompletedInside, t.Window)
		if t.Partial || rate == 0 || t.Latency == nil || t.Failed > 0 {
			return nil
		}
		inflight := float64(concurrency(i))
		n, x = append(n, inflight), append(x, rate)
		little = math.Max(little, math.Abs(rate*t.Latency.Mean().Seconds()/inflight-1))
	}
	fit, ok := stat.FitScalability(n, x)
	if !ok {
		return nil
	}
	u := &result.USL{Lambda: fit.Lambda, Sigma: fit.Sigma, Kappa: fit.Kappa, R2: fit.R2, Little: &little}
	if peak, ok := fit.Peak(); ok {
		u.Peak = &peak
	}
	return u
}
