package svg

import "math"

// A Scale maps values to pixels, evenly or by their logarithm.
type Scale struct {
	Log    bool
	D0, D1 float64 // the values at both ends
	R0, R1 float64 // the pixels at both ends
}

// At is the pixel of v, kept within the ends.
func (s Scale) At(v float64) float64 {
	share := s.share(v)
	return s.R0 + min(max(share, 0), 1)*(s.R1-s.R0)
}

func (s Scale) share(v float64) float64 {
	if s.D1 == s.D0 {
		return 0.5
	}
	if s.Log {
		if v <= 0 {
			return 0
		}
		return math.Log(v/s.D0) / math.Log(s.D1/s.D0)
	}
	return (v - s.D0) / (s.D1 - s.D0)
}

// LogScale spans the values with a little room at both ends; it needs values above 0.
func LogScale(low, high, r0, r1 float64) Scale {
	low = max(low, 1e-9)
	high = max(high, low)
	if high/low < 2 {
		middle := math.Sqrt(low * high)
		low, high = middle/1.5, middle*1.5
	}
	room := math.Pow(high/low, 0.05)
	return Scale{Log: true, D0: low / room, D1: high * room, R0: r0, R1: r1}
}

// LinearScale spans 0 to a round value at or above high.
func LinearScale(high, r0, r1 float64) Scale {
	if high <= 0 {
		high = 1
	}
	step := niceStep(high / 5)
	return Scale{D0: 0, D1: math.Ceil(high/step*(1-1e-9)) * step, R0: r0, R1: r1}
}

// Ticks are round values inside the scale, about want of them.
func (s Scale) Ticks(want int) []float64 {
	if s.Log {
		return s.logTicks(want)
	}
	step := niceStep((s.D1 - s.D0) / float64(max(want, 1)))
	var ticks []float64
	for i := math.Ceil(s.D0 / step); i*step <= s.D1*(1+1e-9); i++ {
		ticks = append(ticks, i*step)
	}
	return ticks
}

// logTicks prefers whole decades, then 1-2-5, then more.
func (s Scale) logTicks(want int) []float64 {
	var best []float64
	for _, digits := range [][]float64{{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 5, 7}, {1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}} {
		var ticks []float64
		for decade := math.Floor(math.Log10(s.D0)); decade <= math.Ceil(math.Log10(s.D1)); decade++ {
			for _, d := range digits {
				if v := d * math.Pow(10, decade); v >= s.D0*(1-1e-9) && v <= s.D1*(1+1e-9) {
					ticks = append(ticks, v)
				}
			}
		}
		if len(ticks) > want+3 && len(best) >= 3 || len(ticks) > 2*want && len(best) >= 2 {
			return best
		}
		best = ticks
		if len(best) >= want {
			return best
		}
	}
	return best
}

// niceStep is the next of 1, 2, 5 times a power of ten.
func niceStep(x float64) float64 {
	if x <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, d := range []float64{1, 2, 5} {
		if x <= d*power*(1+1e-9) {
			return d * power
		}
	}
	return 10 * power
}

// Spread moves labels that lie nearer than gap apart, in the order they have, within low..high.
func Spread(at []float64, gap, low, high float64) []float64 {
	order := make([]int, len(at))
	for i := range order {
		order[i] = i
	}
	for i := 1; i < len(order); i++ { // few labels: insertion sort keeps equal ones in order
		for k := i; k > 0 && at[order[k]] < at[order[k-1]]; k-- {
			order[k], order[k-1] = order[k-1], order[k]
		}
	}
	out := make([]float64, len(at))
	last := low - gap
	for _, i := range order {
		last = max(at[i], last+gap)
		out[i] = last
	}
	limit := high + gap
	for k := len(order) - 1; k >= 0; k-- {
		limit = min(out[order[k]], limit-gap)
		out[order[k]] = limit
	}
	return out
}
