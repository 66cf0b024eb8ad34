package stat

import (
	"math"
	"math/rand/v2"
	"slices"
)

// BlockBootstrap is the interval of a statistic of a series whose neighbours are alike, such as the seconds of a run:
// the moving-block bootstrap (Künsch 1989), percentile method. Each resample joins blocks of consecutive indices,
// drawn with replacement from all n - block + 1 places, until n indices are there, and statistic is called with them;
// the slice is reused. block is held between 1 and n. The same seed gives the same interval. Without values or
// resamples it is (-Inf, +Inf).
func BlockBootstrap(n, block, resamples int, level float64, seed uint64, statistic func(indices []int) float64) (lo, hi float64) {
	if n < 1 || resamples < 1 {
		return math.Inf(-1), math.Inf(1)
	}
	block = min(max(block, 1), n)
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	indices := make([]int, n)
	values := make([]float64, resamples)
	for r := range values {
		for at := 0; at < n; at += block {
			from := random.IntN(n - block + 1)
			for i := 0; i < block && at+i < n; i++ {
				indices[at+i] = from + i
			}
		}
		values[r] = statistic(indices)
	}
	slices.Sort(values)
	tail := (1 - level) / 2
	rank := func(p float64) int { return min(max(int(math.Ceil(p*float64(resamples)))-1, 0), resamples-1) }
	return values[rank(tail)], values[rank(1-tail)]
}

// BlockLength is a length of blocks for n values with the autocorrelation lag1 of neighbours: long enough to hold what
// an autoregressive series of that correlation remembers, by the rule for the mean (Carlstein 1986), at most n/4.
func BlockLength(n int, lag1 float64) int {
	if lag1 <= 0 || n < 8 {
		return 1
	}
	lag1 = math.Min(lag1, 0.99)
	length := math.Pow(2*lag1/(1-lag1*lag1), 2.0/3) * math.Cbrt(float64(n))
	return min(max(int(math.Ceil(length)), 1), n/4)
}
