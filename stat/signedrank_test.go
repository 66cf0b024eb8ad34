package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Hamilton's depression scale of nine patients before and after a therapy (Hollander and Wolfe, Nonparametric
// Statistical Methods, table 3.1). R's wilcox.test(conf.int = TRUE) gives p 0.03906, 0.46 and 0.010 to 0.786.
var depression = []float64{0.952, -0.147, 1.022, 0.43, 0.62, 0.59, 0.49, -0.08, 0.01}

func TestSignedRankAgainstPublishedValues(t *testing.T) {
	for _, c := range []struct {
		name string
		x    []float64
		p    float64
	}{
		{"depression, T = 5 of 9", depression, 0.0390625},
		{"1 to 9 and -10", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, -10}, 0.083984375},
		{"six values, T = 3", []float64{0.3, -0.1, 0.5, 0.7, -0.2, 0.9}, 0.15625},
		{"no value", nil, 1},
		{"one value", []float64{3}, 1},
		{"two of one sign", []float64{3, 4}, 0.5},
		{"six equal ones, the least that can decide", []float64{2, 2, 2, 2, 2, 2}, 1.0 / 32},
		{"all zero", []float64{0, 0, 0}, 1},
		{"equal sizes on both sides", []float64{1, -1, 1, -1}, 1},
		// By enumeration of all signs over the middle ranks.
		{"ties", []float64{1, 1, -1, 2, 2, 3, 3, -3, 4, 5}, 0.0703125},
		{"ties and zeros", []float64{0, 0, 1, 2, 3, -1, 4, 5, 6}, 0.046875},
		{"many zeros", []float64{0, 0, 0, -2, 3, 3, 5, 5, 8, 9, -1, 12}, 0.03125},
		{"Student's sleep data, one zero", []float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, .8, 4.6, 1.4}, 0.00390625},
	} {
		close(t, c.name, SignedRank(c.x), c.p, 1e-12)
	}
}

// The critical values of the two-sided test at 5 % and 1 % as printed in every table: the largest T that rejects.
func TestSignedRankQuantileAgainstPrintedTables(t *testing.T) {
	for _, c := range []struct{ n, five, one int }{
		{5, -1, -1}, {6, 0, -1}, {7, 2, -1}, {8, 3, 0}, {9, 5, 1}, {10, 8, 3}, {11, 10, 5}, {12, 13, 7}, {15, 25, 15},
		{20, 52, 37}, {25, 89, 68}, {30, 137, 109}, {50, 434, 373}, {100, 1955, 1779},
	} {
		if got := Walsh(make([]float64, c.n)).quantile(0.025); got != c.five {
			t.Errorf("n = %d at 5 %%: %d, printed %d", c.n, got, c.five)
		}
		if got := Walsh(make([]float64, c.n)).quantile(0.005); got != c.one {
			t.Errorf("n = %d at 1 %%: %d, printed %d", c.n, got, c.one)
		}
	}
}

func TestHodgesLehmannAndItsInterval(t *testing.T) {
	w := Walsh(depression)
	close(t, "estimate", w.Median(), 0.46, 1e-12)
	lo, hi := w.Interval(0.95)
	close(t, "low", lo, 0.01, 1e-12)
	close(t, "high", hi, 0.786, 1e-12)

	close(t, "estimate of no value", Walsh(nil).Median(), 0, 0)
	close(t, "estimate of one", Walsh([]float64{7}).Median(), 7, 0)
	lo, hi = Walsh([]float64{1, 2, 3, 4, 5}).Interval(0.95)
	if !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("five values bound a centre at 95 %% by %v and %v", lo, hi)
	}
	lo, hi = Walsh([]float64{1, 2, 3, 4, 5, 9}).Interval(0.95)
	if lo != 1 || hi != 9 {
		t.Errorf("six values give %v to %v, want their range", lo, hi)
	}
}

// Without ties the interval leaves 0 out exactly when the test rejects.
func TestTheIntervalAndTheTestAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		x := make([]float64, 6+random.IntN(12))
		for i := range x {
			x[i] = 0.5 + random.NormFloat64()
		}
		lo, hi := Walsh(x).Interval(0.95)
		if p := SignedRank(x); (p <= 0.05) != (lo > 0 || hi < 0) {
			t.Fatalf("p = %g, but the interval is %g to %g of %v", p, lo, hi, x)
		}
	}
}

// At the size where the normal approximation takes over, both must say the same.
func TestTheNormalApproximationContinuesTheExactTest(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, shift := range []float64{0, 0.05, 0.1, 0.15} {
		x := make([]float64, exactSignedRank)
		for i := range x {
			x[i] = shift + random.NormFloat64()
		}
		ranks, positive := doubledRanks(x)
		all := len(x) * (len(x) + 1)
		exact, approximate := SignedRank(x), normalSignedRank(ranks, min(positive, all-positive), all)
		close(t, "approximation over exact", approximate/exact, 1, 0.02)
	}
	k := Walsh(make([]float64, exactSignedRank)).quantile(0.025)
	next := Walsh(make([]float64, exactSignedRank+1)).quantile(0.025)
	if step := next - k; step < 150 || step > 250 { // a new rank of 401 raises it by a little less than half of that
		t.Errorf("the quantile jumps from %d to %d", k, next)
	}
}
