package stat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The slopes are those of SciPy 1.17 (theilslopes), s is that of its Kendall tau, and p follows from s by the formula
// in Gilbert, Statistical Methods for Environmental Pollution Monitoring, section 16.4.
func TestMannKendallAndTheilSen(t *testing.T) {
	rising := []float64{2.1, 2.5, 2.4, 2.9, 3.3, 3.1, 3.6, 3.8, 3.7, 4.2}
	ties := []float64{5, 3, 3, 4, 4, 4, 2, 2, 6, 1, 1, 0}
	for _, c := range []struct {
		name     string
		x        []float64
		s        int
		p, slope float64
	}{
		{"rising", rising, 39, 0.0006772, 0.216666667},
		{"ties, falling", ties, -32, 0.03078255323, -0.333333333},
		{"no value", nil, 0, 1, 0},
		{"one value", []float64{4}, 0, 1, 0},
		{"two values", []float64{4, 6}, 1, 1, 2},
		{"all equal", []float64{4, 4, 4, 4, 4}, 0, 1, 0},
	} {
		s, p := MannKendall(c.x)
		if s != c.s {
			t.Errorf("%s: s = %d, want %d", c.name, s, c.s)
		}
		close(t, c.name+", p", p, c.p, 1e-6)
		close(t, c.name+", slope", TheilSen(c.x), c.slope, 1e-8)
	}
}

func TestTheilSenOfALongSeriesKeepsItsUnit(t *testing.T) {
	x := make([]float64, 7001)
	for i := range x {
		x[i] = 5 + 0.25*float64(i)
	}
	close(t, "slope", TheilSen(x), 0.25, 1e-12)
}

func TestLag1(t *testing.T) {
	close(t, "too few", Lag1([]float64{1, 2}), 0, 0)
	close(t, "all equal", Lag1([]float64{2, 2, 2, 2}), 0, 0)
	close(t, "1 to 5", Lag1([]float64{1, 2, 3, 4, 5}), 0.4, 1e-12) // R: acf(1:5)
	close(t, "alternating", Lag1([]float64{1, -1, 1, -1, 1, -1, 1, -1}), -0.875, 1e-12)
	random := rand.New(rand.NewPCG(9, 9))
	close(t, "autoregressive", Lag1(autoregressive(random, 20000, 0.6)), 0.6, 0.02)
}

// autoregressive is a series of n values with the correlation phi of neighbours and standard deviation 1.
func autoregressive(random *rand.Rand, n int, phi float64) []float64 {
	x := make([]float64, n)
	v := random.NormFloat64()
	for i := range x {
		x[i] = v
		v = phi*v + math.Sqrt(1-phi*phi)*random.NormFloat64()
	}
	return x
}

// Where neighbours are alike, the interval of single values is too narrow and that of blocks holds the truth.
func TestBlockBootstrapCoversTheMeanOfACorrelatedSeries(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 11))
	const trials, n = 300, 200
	blocks, singles := 0, 0
	for trial := range uint64(trials) {
		x := autoregressive(random, n, 0.5)
		mean := func(indices []int) float64 {
			sum := 0.0
			for _, i := range indices {
				sum += x[i]
			}
			return sum / n
		}
		if lo, hi := BlockBootstrap(n, BlockLength(n, Lag1(x)), 300, 0.95, trial, mean); lo <= 0 && 0 <= hi {
			blocks++
		}
		if lo, hi := BlockBootstrap(n, 1, 300, 0.95, trial, mean); lo <= 0 && 0 <= hi {
			singles++
		}
	}
	if blocks < trials*88/100 || singles > trials*82/100 {
		t.Errorf("of %d intervals %d with blocks and %d without hold the truth", trials, blocks, singles)
	}
}

func TestBlockBootstrapEdges(t *testing.T) {
	calls := 0
	inOrder := func(indices []int) float64 {
		calls++
		for i := 1; i < len(indices); i++ {
			if i%5 != 0 && indices[i] != indices[i-1]+1 {
				t.Fatalf("blocks of 5 are torn: %v", indices)
			}
		}
		return float64(indices[0])
	}
	lo, hi := BlockBootstrap(12, 5, 200, 0.9, 1, inOrder)
	if calls != 200 || lo < 0 || hi > 7 || lo >= hi {
		t.Errorf("%d calls, %v to %v", calls, lo, hi)
	}
	again, _ := BlockBootstrap(12, 5, 200, 0.9, 1, inOrder)
	if again != lo {
		t.Error("the same seed gives another interval")
	}
	if lo, hi := BlockBootstrap(3, 99, 10, 0.9, 1, func(i []int) float64 { return float64(len(i)) }); lo != 3 || hi != 3 {
		t.Errorf("blocks longer than the series: %v to %v", lo, hi)
	}
	if lo, hi := BlockBootstrap(0, 1, 10, 0.9, 1, nil); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("no value: %v to %v", lo, hi)
	}
}

func TestMedian(t *testing.T) {
	x := []float64{5, 1, 3}
	close(t, "odd", Median(x), 3, 0)
	close(t, "even", Median([]float64{4, 1, 3, 2}), 2.5, 0)
	close(t, "none", Median(nil), 0, 0)
	if !slices.Equal(x, []float64{5, 1, 3}) {
		t.Error("the values were moved")
	}
}
