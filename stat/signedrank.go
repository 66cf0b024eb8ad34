package stat

import (
	"math"
	"slices"
)

// exactSignedRank is the number of values up to which the distribution of the signed-rank sum is computed exactly;
// above it the normal approximation differs by less than a thousandth of the p value.
const exactSignedRank = 400

// SignedRank is the two-sided p value of Wilcoxon's signed-rank test that the values of x are symmetric about 0.
//
// Values of equal size share their middle rank, and the distribution is that of these very ranks: exact for any ties.
// Zeros are ranked with the others and then count for neither side (Pratt 1959), so that a zero never makes a
// difference look surer. Without any value but zeros p is 1. Above 400 values p is the normal approximation.
func SignedRank(x []float64) float64 {
	ranks, positive := doubledRanks(x)
	if len(ranks) == 0 {
		return 1
	}
	all := 0
	for _, r := range ranks {
		all += r
	}
	small := min(positive, all-positive)
	if len(ranks) > exactSignedRank {
		return normalSignedRank(ranks, small, all)
	}
	if !slices.ContainsFunc(ranks, func(r int) bool { return r%2 != 0 }) { // no middle rank
		for i := range ranks {
			ranks[i] /= 2
		}
		small /= 2
	}
	return math.Min(1, 2*signedRankCDF(ranks, small))
}

// doubledRanks are the ranks by size of the values that are not 0, times two so that middle ranks are whole, and the
// sum of those of positive values.
func doubledRanks(x []float64) (ranks []int, positive int) {
	sorted := slices.Clone(x)
	slices.SortFunc(sorted, func(a, b float64) int { return cmpFloat(math.Abs(a), math.Abs(b)) })
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && math.Abs(sorted[to]) == math.Abs(sorted[from]) {
			to++
		}
		rank := from + 1 + to // twice the mean of from+1 … to
		for _, v := range sorted[from:to] {
			if v == 0 {
				continue
			}
			ranks = append(ranks, rank)
			if v > 0 {
				positive += rank
			}
		}
		from = to
	}
	return ranks, positive
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// signedRankCDF is P(T <= most) for the sum T of ranks that each count with the chance 1/2.
func signedRankCDF(ranks []int, most int) float64 {
	sum := 0.0
	for _, w := range signedRankWays(ranks, most) {
		sum += w
	}
	return math.Ldexp(sum, -len(ranks))
}

// signedRankWays counts, for every sum up to most, the choices of ranks that have it, by the recurrence over ranks:
// ways(t with r) = ways(t) + ways(t - r). The number of all choices, 2^400 at most, is in the range of a float64.
func signedRankWays(ranks []int, most int) []float64 {
	ways := make([]float64, most+1)
	ways[0] = 1
	reached := 0
	for _, r := range ranks {
		reached = min(reached+r, most)
		for t := reached; t >= r; t-- {
			ways[t] += ways[t-r]
		}
	}
	return ways
}

func normalSignedRank(ranks []int, small, all int) float64 {
	variance := 0.0
	for _, r := range ranks {
		variance += float64(r) * float64(r) / 4
	}
	z := (float64(small) - float64(all)/2 + 1) / math.Sqrt(variance) // 1 is half a rank, doubled
	return math.Min(1, math.Erfc(-math.Min(z, 0)/math.Sqrt2))
}

// WalshAverages are the means of all pairs of values, each value with itself included, in rising order: n(n+1)/2 of
// n values. They turn the signed-rank test into an estimate and an interval (Hodges and Lehmann 1963).
type WalshAverages struct {
	sorted []float64
	n      int
	ways   []float64 // of the signed-rank sum without ties, up to its middle
}

// Walsh computes the averages of x; it takes time and memory in the square of their number.
func Walsh(x []float64) WalshAverages {
	w := WalshAverages{sorted: make([]float64, 0, len(x)*(len(x)+1)/2), n: len(x)}
	for i := range x {
		for j := i; j < len(x); j++ {
			w.sorted = append(w.sorted, x[i]/2+x[j]/2)
		}
	}
	slices.Sort(w.sorted)
	if w.n <= exactSignedRank {
		ranks := make([]int, w.n)
		for i := range ranks {
			ranks[i] = i + 1
		}
		w.ways = signedRankWays(ranks, len(w.sorted)/2)
	}
	return w
}

// Median is the Hodges-Lehmann estimate of the centre, 0 for no values.
func (w WalshAverages) Median() float64 { return medianOfSorted(w.sorted) }

// Interval holds the centre with at least the given level (0.95): the averages of ranks k+1 and M-k of M, for the
// largest k with 2 P(T <= k) <= 1 - level. With too few values for the level it is (-Inf, +Inf).
func (w WalshAverages) Interval(level float64) (lo, hi float64) {
	k := w.quantile((1 - level) / 2)
	if k < 0 {
		return math.Inf(-1), math.Inf(1)
	}
	return w.sorted[k], w.sorted[len(w.sorted)-1-k]
}

// quantile is the largest k with P(T <= k) <= tail for values without ties, -1 when there is none.
func (w WalshAverages) quantile(tail float64) int {
	if w.n < 1 {
		return -1
	}
	if w.n > exactSignedRank {
		all := len(w.sorted)
		sd := math.Sqrt(float64(all) * float64(2*w.n+1) / 12)
		return max(-1, int(math.Floor(float64(all)/2-0.5+sd*NormalQuantile(tail))))
	}
	sum := 0.0
	for k, v := range w.ways {
		if sum += v; math.Ldexp(sum, -w.n) > tail {
			return k - 1
		}
	}
	return len(w.ways) - 1
}

// Median is the middle of x, or the mean of the two middle ones; 0 for no values.
func Median(x []float64) float64 {
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	return medianOfSorted(sorted)
}

func medianOfSorted(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return sorted[(n-1)/2]/2 + sorted[n/2]/2
}
