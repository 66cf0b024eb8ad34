package stat

import (
	"math"
	"sort"
)

// Holm adjusts the p values of one family of tests, in the order given: the i-th smallest of m is multiplied
// by m - i + 1, never falls below a smaller one's, and is at most 1 (Holm 1979). Comparing an adjusted value
// with alpha keeps the chance of any false rejection in the family at alpha.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return p[order[a]] < p[order[b]] })
	adjusted := make([]float64, len(p))
	floor := 0.0
	for rank, i := range order {
		floor = math.Max(floor, math.Min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = floor
	}
	return adjusted
}
