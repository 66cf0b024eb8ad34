package stat

import "math"

// OrderInterval gives the ranks lo and hi (from 1) whose values among n sorted independent ones hold the true
// percentile p (in percent) between them with at least the level asked for, by the binomial distribution of
// how many values lie below it. ok is false when n is too small: then a rank would have to be 0 or n + 1.
//
//	P(value of rank lo <= percentile <= value of rank hi) >= level
func OrderInterval(n int64, p, level float64) (lo, hi int64, ok bool) {
	if n < 1 || p <= 0 || p >= 100 {
		return 0, 0, false
	}
	tail, share := (1-level)/2, p/100
	lo = binomialQuantile(n, share, tail) // largest k with P(X < k) <= tail, found as the first k with P(X <= k) > tail
	hi = binomialQuantile(n, share, 1-tail) + 1
	if lo < 1 || hi > n {
		return lo, hi, false
	}
	return lo, hi, true
}

// BinomialCDF is P(X <= k) for X of n trials with the chance share each.
func BinomialCDF(k, n int64, share float64) float64 {
	if k < 0 {
		return 0
	}
	if k >= n {
		return 1
	}
	return regularizedBeta(1-share, float64(n-k), float64(k)+1)
}

// binomialQuantile is the smallest k with P(X <= k) > q, looked for around the mean where it must lie.
func binomialQuantile(n int64, share, q float64) int64 {
	mean, sd := float64(n)*share, math.Sqrt(float64(n)*share*(1-share))
	lo := max(-1, int64(mean-12*sd)-12)
	hi := min(n, int64(mean+12*sd)+12)
	for lo+1 < hi {
		mid := lo + (hi-lo)/2
		if BinomialCDF(mid, n, share) > q {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}
