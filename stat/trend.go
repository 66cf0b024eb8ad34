package stat

import (
	"math"
	"slices"
)

// MannKendall tests a series, in order of time, for a trend up or down. s is the number of pairs that rise minus those
// that fall, and p the two-sided p value by the normal approximation with the corrections for ties and for continuity
// (Mann 1945, Kendall 1975), good from 8 values on. Fewer than 3 values, or equal ones, give p = 1. It takes time in
// the square of the length.
func MannKendall(x []float64) (s int, p float64) {
	for i := range x {
		for j := i + 1; j < len(x); j++ {
			s += cmpFloat(x[j], x[i])
		}
	}
	n := float64(len(x))
	variance := n * (n - 1) * (2*n + 5)
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && sorted[to] == sorted[from] {
			to++
		}
		k := float64(to - from)
		variance -= k * (k - 1) * (2*k + 5)
		from = to
	}
	variance /= 18
	distance := math.Abs(float64(s)) - 1
	if len(x) < 3 || variance <= 0 || distance <= 0 {
		return s, 1
	}
	return s, math.Erfc(distance / math.Sqrt(2*variance))
}

// mostSlopes is the length up to which TheilSen looks at all pairs.
const mostSlopes = 1500

// TheilSen is the median of the slopes between all pairs of a series, per step: a trend that single outliers do not
// bend (Theil 1950, Sen 1968). Fewer than 2 values give 0. A series above 1,500 values is first halved, as often as
// needed, by taking the mean of neighbours, since the pairs grow with the square.
func TheilSen(x []float64) float64 {
	step := 1.0
	for len(x) > mostSlopes {
		half := make([]float64, len(x)/2)
		for i := range half {
			half[i] = x[2*i]/2 + x[2*i+1]/2
		}
		x, step = half, 2*step
	}
	slopes := make([]float64, 0, len(x)*(len(x)-1)/2+1)
	for i := range x {
		for j := i + 1; j < len(x); j++ {
			slopes = append(slopes, (x[j]-x[i])/float64(j-i))
		}
	}
	slices.Sort(slopes)
	return medianOfSorted(slopes) / step
}

// Lag1 is the autocorrelation of a series with itself one step later, between -1 and 1: 0 for independent values. Fewer
// than 3 values, or equal ones, give 0.
func Lag1(x []float64) float64 {
	if len(x) < 3 {
		return 0
	}
	mean, _ := MeanVariance(x)
	product, square := 0.0, 0.0
	for i, v := range x {
		square += (v - mean) * (v - mean)
		if i > 0 {
			product += (v - mean) * (x[i-1] - mean)
		}
	}
	if square == 0 {
		return 0
	}
	return product / square
}
