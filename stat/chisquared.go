package stat

import "math"

// ChiSquaredQuantile is approximately the value that a chi-squared variable of df degrees of freedom stays below
// with probability p (Wilson and Hilferty 1931): within 1 % for df of 3 and more where 0.1 <= p <= 0.9, which is
// enough to say how much more work a comparison needs. It is never negative.
func ChiSquaredQuantile(p, df float64) float64 {
	z := TQuantile(p, 1e9) // the normal quantile
	c := 1 - 2/(9*df) + z*math.Sqrt(2/(9*df))
	return df * math.Pow(math.Max(c, 0), 3)
}
