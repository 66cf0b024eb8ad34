package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

func close(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s = %.8g, want %.8g within %g", what, got, want, tolerance)
	}
}

// The two-sided critical values that every printed t table holds.
func TestTQuantileAgainstPrintedTables(t *testing.T) {
	rows := []struct{ df, p90, p95, p975, p99, p995, p9995 float64 }{
		{1, 3.078, 6.314, 12.706, 31.821, 63.657, 636.619},
		{2, 1.886, 2.920, 4.303, 6.965, 9.925, 31.599},
		{3, 1.638, 2.353, 3.182, 4.541, 5.841, 12.924},
		{4, 1.533, 2.132, 2.776, 3.747, 4.604, 8.610},
		{5, 1.476, 2.015, 2.571, 3.365, 4.032, 6.869},
		{7, 1.415, 1.895, 2.365, 2.998, 3.499, 5.408},
		{9, 1.383, 1.833, 2.262, 2.821, 3.250, 4.781},
		{10, 1.372, 1.812, 2.228, 2.764, 3.169, 4.587},
		{20, 1.325, 1.725, 2.086, 2.528, 2.845, 3.850},
		{30, 1.310, 1.697, 2.042, 2.457, 2.750, 3.646},
		{60, 1.296, 1.671, 2.000, 2.390, 2.660, 3.460},
		{120, 1.289, 1.658, 1.980, 2.358, 2.617, 3.373},
		{1e7, 1.282, 1.645, 1.960, 2.326, 2.576, 3.291},
	}
	for _, r := range rows {
		for p, want := range map[float64]float64{.90: r.p90, .95: r.p95, .975: r.p975, .99: r.p99, .995: r.p995, .9995: r.p9995} {
			close(t, "quantile", TQuantile(p, r.df), want, 0.00051)
			close(t, "mirrored quantile", TQuantile(1-p, r.df), -want, 0.00051)
		}
	}
}

// For 1 and 2 degrees of freedom the distribution has a closed form.
func TestTCDFAgainstClosedForms(t *testing.T) {
	for _, x := range []float64{-50, -3, -1, -0.1, 0, 0.1, 0.5, 1, 2, 7, 100, 1e4} {
		close(t, "df 1", TCDF(x, 1), 0.5+math.Atan(x)/math.Pi, 1e-12)
		close(t, "df 2", TCDF(x, 2), 0.5+x/(2*math.Sqrt(2+x*x)), 1e-12)
	}
}

func TestTCDFAndTQuantileAreInverse(t *testing.T) {
	for _, df := range []float64{1, 2, 3, 7, 39, 239} {
		for _, p := range []float64{1e-9, .001, .025, .3, .5, .7, .975, .999} {
			close(t, "cdf of quantile", TCDF(TQuantile(p, df), df), p, 1e-12)
		}
	}
	if !math.IsInf(TQuantile(0, 5), -1) || !math.IsInf(TQuantile(1, 5), 1) {
		t.Error("the ends of the distribution are infinite")
	}
}

// Student's own data (Biometrika 1908, the additional hours of sleep of ten patients): t = 4.062, p = 0.00283.
func TestTIntervalOfStudentsSleepData(t *testing.T) {
	x := []float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4}
	mean, lo, hi, p := TInterval(x, 0.95)
	close(t, "mean", mean, 1.58, 1e-12)
	close(t, "low", lo, 0.7001142, 1e-6)
	close(t, "high", hi, 2.4598858, 1e-6)
	close(t, "p", p, 0.00283289, 1e-7)
}

func TestTIntervalOfTooFewOrEqualValues(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		x               []float64
		mean, lo, hi, p float64
	}{
		"no value":          {nil, 0, -inf, inf, 1},
		"one value":         {[]float64{0.3}, 0.3, -inf, inf, 1},
		"all zero":          {[]float64{0, 0, 0}, 0, 0, 0, 1},
		"all equal, not 0":  {[]float64{.25, .25}, .25, .25, .25, 0},
		"opposite, mean 0":  {[]float64{-1, 1}, 0, -12.7062047, 12.7062047, 1},
		"two, one apart, 1": {[]float64{0, 1}, .5, .5 - 6.35310236, .5 + 6.35310236, .5},
	} {
		mean, lo, hi, p := TInterval(c.x, 0.95)
		for i, pair := range [][2]float64{{mean, c.mean}, {lo, c.lo}, {hi, c.hi}, {p, c.p}} {
			if pair[0] != pair[1] && !(math.Abs(pair[0]-pair[1]) < 1e-6) {
				t.Errorf("%s: result %d is %v, want %v", name, i, pair[0], pair[1])
			}
		}
	}
}

// The interval must hold the truth as often as it says, whatever the number of values.
func TestTIntervalCoversTheTruth(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{2, 3, 8, 40} {
		covered, trials := 0, 4000
		for range trials {
			x := make([]float64, n)
			for i := range x {
				x[i] = 0.7 + 0.2*random.NormFloat64()
			}
			if _, lo, hi, _ := TInterval(x, 0.95); lo <= 0.7 && 0.7 <= hi {
				covered++
			}
		}
		close(t, "coverage", float64(covered)/float64(trials), 0.95, 0.012)
	}
}

// The worked example of the correction: 0.01, 0.04, 0.03, 0.005 become 0.03, 0.06, 0.06, 0.02.
func TestHolm(t *testing.T) {
	for name, c := range map[string]struct{ p, want []float64 }{
		"four, out of order":     {[]float64{.01, .04, .03, .005}, []float64{.03, .06, .06, .02}},
		"never above 1":          {[]float64{.6, .7}, []float64{1, 1}},
		"never below a smaller":  {[]float64{.02, .021, .022}, []float64{.06, .06, .06}},
		"one test is left alone": {[]float64{.04}, []float64{.04}},
		"no test":                {nil, nil},
	} {
		got := Holm(c.p)
		for i := range c.want {
			close(t, name, got[i], c.want[i], 1e-12)
		}
	}
}

// The lady tasting tea (Fisher 1935) and a table that textbooks work out; then sizes of a load test.
func TestFisherAgainstPublishedTables(t *testing.T) {
	close(t, "three of four cups", Fisher(3, 1, 1, 3), 0.4857143, 1e-6)
	close(t, "all four cups", Fisher(4, 0, 0, 4), 0.0285714, 1e-6)
	close(t, "1 9 / 11 3", Fisher(1, 9, 11, 3), 0.002759456, 1e-8)
	close(t, "no failure anywhere", Fisher(0, 1000, 0, 900), 1, 0)
	close(t, "the same share", Fisher(100, 9900, 100, 9900), 1, 1e-6)
	close(t, "nothing but failures", Fisher(10, 0, 20, 0), 1, 0)
	if p := Fisher(500, 99500, 5, 99995); p > 1e-100 {
		t.Errorf("0.5 %% against 0.005 %% of 100,000 has p = %g, want next to nothing", p)
	}
	close(t, "symmetric", Fisher(9, 100, 3, 120), Fisher(3, 120, 9, 100), 1e-12)
}

// Ranks as printed in tables of distribution-free intervals for the median (Conover, table A3).
func TestOrderIntervalOfTheMedian(t *testing.T) {
	for _, c := range []struct{ n, lo, hi int64 }{
		{6, 1, 6}, {7, 1, 7}, {8, 1, 8}, {9, 2, 8}, {10, 2, 9}, {15, 4, 12}, {20, 6, 15}, {25, 8, 18}, {30, 10, 21}, {50, 18, 33}, {100, 40, 61},
	} {
		lo, hi, ok := OrderInterval(c.n, 50, 0.95)
		if !ok || lo != c.lo || hi != c.hi {
			t.Errorf("n = %d: ranks %d and %d (%v), want %d and %d", c.n, lo, hi, ok, c.lo, c.hi)
		}
	}
	if _, _, ok := OrderInterval(5, 50, 0.95); ok {
		t.Error("five values cannot bound a median at 95 %")
	}
}

func TestOrderIntervalReachesItsLevel(t *testing.T) {
	for _, n := range []int64{20, 1000, 60_000, 10_000_000} {
		for _, p := range []float64{10, 50, 90, 99, 99.9} {
			lo, hi, ok := OrderInterval(n, p, 0.95)
			if !ok {
				continue
			}
			if level := BinomialCDF(hi-1, n, p/100) - BinomialCDF(lo-1, n, p/100); level < 0.95 || level > 0.999 {
				t.Errorf("n = %d, p%v: ranks %d to %d hold %.5f", n, p, lo, hi, level)
			}
		}
	}
	for _, bad := range []struct {
		n int64
		p float64
	}{{0, 50}, {100, 0}, {100, 100}, {-1, 50}} {
		if _, _, ok := OrderInterval(bad.n, bad.p, 0.95); ok {
			t.Errorf("n = %d, p = %v has no interval", bad.n, bad.p)
		}
	}
}

func TestBinomialCDF(t *testing.T) {
	close(t, "3 of 10 at 1/2", BinomialCDF(3, 10, 0.5), 176.0/1024, 1e-12)
	close(t, "2 of 20 at 0.1", BinomialCDF(2, 20, 0.1), 0.6769268, 1e-7)
	close(t, "below 0", BinomialCDF(-1, 10, 0.5), 0, 0)
	close(t, "all", BinomialCDF(10, 10, 0.5), 1, 0)
}

func TestChiSquaredQuantileAgainstPrintedTables(t *testing.T) {
	for _, r := range []struct{ df, p10, p50, p90 float64 }{
		{3, 0.584, 2.366, 6.251}, {5, 1.610, 4.351, 9.236}, {7, 2.833, 6.346, 12.017}, {9, 4.168, 8.343, 14.684},
		{19, 11.651, 18.338, 27.204}, {39, 28.196, 38.335, 50.660}, {100, 82.358, 99.334, 118.498},
	} {
		for p, want := range map[float64]float64{.1: r.p10, .5: r.p50, .9: r.p90} {
			close(t, "chi-squared", ChiSquaredQuantile(p, r.df), want, 0.0006)
		}
	}
}
