package stat

import (
	"math"
	"slices"
)

// exactRankSum is the most values in both samples together for which the distribution of the rank sum is exact; the
// normal approximation above it is within a hundredth of the p value where that is near 5 %.
const exactRankSum = 60

// RankSum is the two-sided p value of the Mann-Whitney (Wilcoxon rank sum) test that x and y come from one
// distribution. The samples are not paired. Equal values share their middle rank, and the distribution is that of
// drawing these very ranks, by the distance of their sum from its mean: exact for any ties up to 60 values in all, then
// a normal approximation with the correction for ties and for continuity. An empty sample gives 1.
func RankSum(x, y []float64) float64 {
	if len(x) == 0 || len(y) == 0 {
		return 1
	}
	ranks, sum := doubledJointRanks(x, y)
	n, m := len(x), len(y)
	all := n * (n + m + 1) // the doubled rank sum of x and its mirror image add up to twice this
	small := min(sum, 2*all-sum)
	if n+m > exactRankSum {
		return normalRankSum(ranks, n, small, all)
	}
	// As far above the mean as small is below it: there the sum of y is as far below its own. With ties the two tails differ.
	other := (m-n)*(n+m+1) + small
	return math.Min(1, rankSumCDF(ranks, n, small)+rankSumCDF(ranks, m, other))
}

// doubledJointRanks are the ranks of all values, times two so that middle ranks are whole, and the sum of those of x.
func doubledJointRanks(x, y []float64) (ranks []int, sum int) {
	type value struct {
		v   float64
		own bool
	}
	list := make([]value, 0, len(x)+len(y))
	for _, v := range x {
		list = append(list, value{v, true})
	}
	for _, v := range y {
		list = append(list, value{v, false})
	}
	slices.SortFunc(list, func(a, b value) int { return cmpFloat(a.v, b.v) })
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].v == list[from].v {
			to++
		}
		for _, v := range list[from:to] {
			ranks = append(ranks, from+1+to)
			if v.own {
				sum += from + 1 + to
			}
		}
		from = to
	}
	return ranks, sum
}

// rankSumCDF is P(sum <= most) for the sum of n ranks drawn without replacement: ways[k][s] counts the choices of k
// ranks with the sum s.
func rankSumCDF(ranks []int, n, most int) float64 {
	ways := make([][]float64, n+1)
	for k := range ways {
		ways[k] = make([]float64, most+1)
	}
	ways[0][0] = 1
	for i, r := range ranks {
		for k := min(n, i+1); k >= 1; k-- {
			for s := most; s >= r; s-- {
				ways[k][s] += ways[k-1][s-r]
			}
		}
	}
	total := 0.0
	for _, w := range ways[n] {
		total += w
	}
	return total / math.Exp(logChoose(int64(len(ranks)), int64(n)))
}

func normalRankSum(ranks []int, n, small, all int) float64 {
	size := float64(len(ranks))
	mean := (size + 1) / 2
	scatter := 0.0
	for _, r := range ranks {
		scatter += (float64(r)/2 - mean) * (float64(r)/2 - mean)
	}
	variance := float64(n) * (size - float64(n)) / (size * (size - 1)) * scatter
	if variance == 0 {
		return 1
	}
	z := (float64(small-all)/2 + 0.5) / math.Sqrt(variance)
	return math.Min(1, math.Erfc(-math.Min(z, 0)/math.Sqrt2))
}

// Shift is the Hodges-Lehmann estimate of how far y lies above x, the median of all differences, and its interval of
// at least the given level by the order of the differences. An empty sample gives 0; where the samples are too small
// for the level the interval is (-Inf, +Inf).
func Shift(x, y []float64, level float64) (estimate, lo, hi float64) {
	differences := make([]float64, 0, len(x)*len(y))
	for _, a := range x {
		for _, b := range y {
			differences = append(differences, b-a)
		}
	}
	slices.Sort(differences)
	k := rankSumQuantile(len(x), len(y), (1-level)/2)
	if k < 0 {
		return medianOfSorted(differences), math.Inf(-1), math.Inf(1)
	}
	return medianOfSorted(differences), differences[k], differences[len(differences)-1-k]
}

// rankSumQuantile is the largest u with P(U <= u) <= tail for the Mann-Whitney count U of n and m values without
// ties, -1 when there is none.
func rankSumQuantile(n, m int, tail float64) int {
	if n < 1 || m < 1 {
		return -1
	}
	if n+m > exactRankSum {
		sd := math.Sqrt(float64(n) * float64(m) * float64(n+m+1) / 12)
		return max(-1, int(math.Floor(float64(n)*float64(m)/2-0.5+sd*NormalQuantile(tail))))
	}
	ranks := make([]int, n+m)
	for i := range ranks {
		ranks[i] = i + 1
	}
	least := n * (n + 1) / 2 // the rank sum at U = 0
	lo, hi := -1, n*m/2+1    // P(U <= lo) <= tail
	for lo+1 < hi {
		u := lo + (hi-lo)/2
		if rankSumCDF(ranks, n, least+u) <= tail {
			lo = u
		} else {
			hi = u
		}
	}
	return lo
}
