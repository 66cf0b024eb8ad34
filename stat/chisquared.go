package stat

import "math"

// ChiSquaredQuantile is the value that a chi-squared variable of df degrees of freedom stays below with probability
// p, for df above 0: 0 at or below p = 0, +Inf at or above 1.
func ChiSquaredQuantile(p, df float64) float64 {
	switch {
	case p <= 0:
		return 0
	case p >= 1:
		return math.Inf(1)
	}
	lo, hi := 0.0, df
	for regularizedGamma(df/2, hi/2) < p {
		lo, hi = hi, hi*2
	}
	for range 200 {
		mid := (lo + hi) / 2
		if mid == lo || mid == hi {
			break
		}
		if regularizedGamma(df/2, mid/2) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// regularizedGamma is P(a, x), the distribution function of a gamma variable of shape a, for a > 0: the series of
// Abramowitz and Stegun 6.5.29 below a + 1, the continued fraction 6.5.31 above.
func regularizedGamma(a, x float64) float64 {
	if x <= 0 {
		return 0
	}
	front := math.Exp(a*math.Log(x) - x - lgamma(a))
	terms := 200 + int(20*math.Sqrt(a))
	if x < a+1 {
		term, sum := 1/a, 1/a
		for i := 1; i <= terms && term > sum*1e-16; i++ {
			term *= x / (a + float64(i))
			sum += term
		}
		return math.Min(1, sum*front)
	}
	const tiny = 1e-300
	b := x + 1 - a
	c, d := 1/tiny, 1/b
	f := d
	for i := 1; i <= terms; i++ {
		k := -float64(i) * (float64(i) - a)
		b += 2
		d = k*d + b
		if math.Abs(d) < tiny {
			d = tiny
		}
		c = b + k/c
		if math.Abs(c) < tiny {
			c = tiny
		}
		d = 1 / d
		step := d * c
		f *= step
		if math.Abs(step-1) < 1e-15 {
			break
		}
	}
	return math.Max(0, 1-front*f)
}
