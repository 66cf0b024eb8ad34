package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Permeability of the human amnion at term and at 12 to 26 weeks (Hollander and Wolfe, table 4.1). R's wilcox.test gives
// W = 35, p = 0.2544, and a shift of 0.305.
var (
	term  = []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	early = []float64{1.15, 0.88, 0.90, 0.74, 1.21}
)

func TestRankSumAgainstPublishedValues(t *testing.T) {
	var roots, logs []float64
	for i := 1.0; i <= 45; i++ {
		if i <= 40 {
			roots = append(roots, math.Sqrt(i))
		}
		logs = append(logs, math.Log(i)+1)
	}
	for _, c := range []struct {
		name      string
		x, y      []float64
		p, within float64
	}{
		{"permeability", term, early, 0.2544122544, 1e-9},
		{"days of diabetes in men and women, U = 3 of 20", []float64{19, 22, 16, 29, 24}, []float64{20, 11, 17, 12}, 0.1111111111, 1e-9},
		{"complete separation of 3 and 3", []float64{1, 2, 3}, []float64{4, 5, 6}, 0.1, 1e-12},
		{"one against one", []float64{1}, []float64{2}, 1, 0},
		{"nothing against one", nil, []float64{2}, 1, 0},
		{"all equal", []float64{1, 1, 1}, []float64{1, 1, 1}, 1, 0},
		{"ties, by enumeration of all draws", []float64{1, 2, 2, 3, 5}, []float64{2, 4, 5, 6, 6, 7}, 0.0670995671, 1e-9},
		{"ties on unequal tails, by enumeration", []float64{1, 1, 2}, []float64{1, 2, 2, 2, 9}, 0.3392857143, 1e-9},
		{"40 and 45 values, normal (SciPy 1.17)", roots, logs, 0.0583607025, 1e-9},
	} {
		close(t, c.name, RankSum(c.x, c.y), c.p, c.within)
		close(t, c.name+", exchanged", RankSum(c.y, c.x), c.p, c.within)
	}
}

func TestTheNormalApproximationContinuesTheExactRankSum(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		x, y := make([]float64, 30), make([]float64, 30)
		for i := range x {
			x[i], y[i] = random.NormFloat64(), 0.5+random.NormFloat64()
		}
		exact := RankSum(x, y)
		ranks, sum := doubledJointRanks(x, y)
		all := 30 * 61
		approximate := normalRankSum(ranks, 30, min(sum, 2*all-sum), all)
		close(t, "approximation", approximate, exact, 0.001+0.01*exact)
	}
}

// The critical values of U at 5 % two-sided as printed in every table.
func TestRankSumQuantileAgainstPrintedTables(t *testing.T) {
	for _, c := range []struct{ n, m, u int }{
		{3, 3, -1}, {3, 5, 0}, {4, 4, 0}, {5, 5, 2}, {5, 8, 6}, {6, 6, 5}, {8, 8, 13}, {10, 10, 23}, {10, 20, 55}, {20, 20, 127}, {1, 1, -1}, {0, 5, -1},
	} {
		if got := rankSumQuantile(c.n, c.m, 0.025); got != c.u {
			t.Errorf("n = %d, m = %d: %d, printed %d", c.n, c.m, got, c.u)
		}
	}
}

func TestShift(t *testing.T) {
	estimate, lo, hi := Shift(early, term, 0.95)
	close(t, "estimate", estimate, 0.305, 1e-12)
	close(t, "low, R conf.int", lo, -0.15, 1e-12)
	close(t, "high, R conf.int", hi, 0.76, 1e-12)
	if estimate, lo, hi := Shift([]float64{1}, []float64{3}, 0.95); estimate != 2 || !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("one against one gives %v, %v to %v", estimate, lo, hi)
	}
	if estimate, _, _ := Shift(nil, early, 0.95); estimate != 0 {
		t.Errorf("nothing against five gives %v", estimate)
	}
}
