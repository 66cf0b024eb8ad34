package stat

import "math"

// TCDF is the probability that a Student t variable of df degrees of freedom is at most t. df must be at least 1.
func TCDF(t, df float64) float64 {
	tail := regularizedBeta(df/(df+t*t), df/2, 0.5) / 2
	if t > 0 {
		return 1 - tail
	}
	return tail
}

// TQuantile is the t with TCDF(t, df) = p, for 0 < p < 1: -Inf at or below 0, +Inf at or above 1.
func TQuantile(p, df float64) float64 {
	switch {
	case p <= 0:
		return math.Inf(-1)
	case p >= 1:
		return math.Inf(1)
	case p == 0.5:
		return 0
	case p < 0.5:
		return -upperT(p, df)
	}
	return upperT(1-p, df)
}

// upperT is the positive t with probability tail beyond it, found by bisection to the last bit or two: the
// tail is a monotone function and no formula is exact for all df.
func upperT(tail, df float64) float64 {
	beyond := func(t float64) float64 { return regularizedBeta(df/(df+t*t), df/2, 0.5) / 2 }
	lo, hi := 0.0, 1.0
	for beyond(hi) > tail {
		lo, hi = hi, hi*2
	}
	for range 200 {
		mid := (lo + hi) / 2
		if mid == lo || mid == hi {
			break
		}
		if beyond(mid) > tail {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// TInterval is the mean of x, its two-sided Student t interval at the level (0.95), and the p value of the test
// that the true mean is 0. With fewer than 2 values the interval is (-Inf, +Inf) and p is 1; values that are
// all equal give an interval of no width, and p is 0 unless they are all 0.
func TInterval(x []float64, level float64) (mean, lo, hi, p float64) {
	n := float64(len(x))
	if len(x) == 0 {
		return 0, math.Inf(-1), math.Inf(1), 1
	}
	mean, variance := MeanVariance(x)
	if len(x) == 1 {
		return mean, math.Inf(-1), math.Inf(1), 1
	}
	se := math.Sqrt(variance / n)
	if se == 0 {
		if mean == 0 {
			return 0, 0, 0, 1
		}
		return mean, mean, mean, 0
	}
	half := upperT((1-level)/2, n-1) * se
	t := mean / se
	p = regularizedBeta((n-1)/(n-1+t*t), (n-1)/2, 0.5)
	return mean, mean - half, mean + half, math.Min(p, 1)
}

// MeanVariance is the mean of x and its sample variance (n - 1 below the line), 0 and 0 for no value.
func MeanVariance(x []float64) (mean, variance float64) {
	if len(x) == 0 {
		return 0, 0
	}
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for _, v := range x {
		variance += (v - mean) * (v - mean)
	}
	if len(x) > 1 {
		variance /= float64(len(x) - 1)
	}
	return mean, variance
}
