package stat

import "math"

// Fisher is the two-sided p value of Fisher's exact test on the table
//
//	failed1  ok1
//	failed2  ok2
//
// that both rows have the same share of failures: the sum over all tables with the same margins that are no
// more likely than this one. An empty row or column gives 1.
func Fisher(failed1, ok1, failed2, ok2 int64) float64 {
	row1, row2, failed := failed1+ok1, failed2+ok2, failed1+failed2
	lo, hi := max(0, failed-row2), min(failed, row1)
	if lo == hi {
		return 1
	}
	logP := func(k int64) float64 {
		return logChoose(row1, k) + logChoose(row2, failed-k) - logChoose(row1+row2, failed)
	}
	here := logP(failed1) + 1e-7 // ties count as no more likely
	sum := 0.0
	all := float64(row1 + row2)
	mean := float64(failed) * float64(row1) / all
	far := int64(40*math.Sqrt(mean*float64(row2)/all)) + 40 // beyond it the terms vanish, also added up
	for k := max(lo, int64(mean)-far); k <= min(hi, int64(mean)+far); k++ {
		lp := logP(k)
		if lp <= here {
			sum += math.Exp(lp)
		}
	}
	return math.Min(sum, 1)
}

func logChoose(n, k int64) float64 {
	return lgamma(float64(n)+1) - lgamma(float64(k)+1) - lgamma(float64(n-k)+1)
}
