package stat

import "math"

// NormalQuantile is the value that a standard normal variable stays below with probability p: -Inf at or below 0, +Inf
// at or above 1.
func NormalQuantile(p float64) float64 {
	switch {
	case p <= 0:
		return math.Inf(-1)
	case p >= 1:
		return math.Inf(1)
	case p < 0.5:
		return -math.Sqrt2 * math.Erfcinv(2*p)
	}
	return math.Sqrt2 * math.Erfinv(2*p-1)
}
