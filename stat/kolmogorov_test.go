package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// K(10, 0.274) is the example of Marsaglia, Tsang and Wang (Journal of Statistical Software 8/18); the others are
// those of SciPy 1.17 (kstwo).
func TestKolmogorovCDF(t *testing.T) {
	close(t, "10 values", kolmogorovCDF(10, 0.274), 0.62847961545650427, 1e-13)
	close(t, "5 values", kolmogorovCDF(5, 0.5), 0.888, 1e-12)
	close(t, "100 values", kolmogorovCDF(100, 0.1), 0.7473072429936126, 1e-12)
	close(t, "140 values", kolmogorovCDF(140, 0.05), 0.14235197023438861, 1e-12)
	close(t, "the limit with 2000 values", 1-kolmogorovTail(0.04*(math.Sqrt(2000)+0.12+0.11/math.Sqrt(2000))), 0.9967694319, 1e-4)
	close(t, "all on one side", kolmogorovCDF(3, 1), 1, 0)
}

func TestKolmogorovSmirnov(t *testing.T) {
	uniform := func(x float64) float64 { return math.Min(1, math.Max(0, x)) }
	d, p := KolmogorovSmirnov([]float64{0.1, 0.3, 0.9}, uniform)
	close(t, "distance of three", d, 2.0/3-0.3, 1e-12)
	if p < 0.5 || p > 1 {
		t.Errorf("p = %v for three good values", p)
	}
	if d, p := KolmogorovSmirnov(nil, uniform); d != 0 || p != 1 {
		t.Errorf("no value gives %v and %v", d, p)
	}
	d, p = KolmogorovSmirnov([]float64{2, 2, 2, 2, 2, 2, 2, 2}, uniform)
	if d != 1 || p > 1e-6 {
		t.Errorf("values outside give %v and %v", d, p)
	}
	random := rand.New(rand.NewPCG(12, 13))
	for _, n := range []int{20, 1000} {
		rejected := 0
		for range 1000 {
			x := make([]float64, n)
			for i := range x {
				x[i] = random.ExpFloat64()
			}
			if _, p := KolmogorovSmirnov(x, func(v float64) float64 { return 1 - math.Exp(-v) }); p <= 0.05 {
				rejected++
			}
		}
		if rejected < 30 || rejected > 70 {
			t.Errorf("n = %d: %d of 1000 true samples rejected at 5 %%", n, rejected)
		}
	}
}

func TestQuantilesAgainstSciPy(t *testing.T) {
	for _, c := range []struct{ p, df, want float64 }{
		{.1, 1, 0.01579077409}, {.9, 1, 2.705543454}, {.1, 2, 0.2107210313}, {.025, 3, 0.2157952826}, {.1, 9, 4.168159008},
		{.9, 9, 14.68365657}, {.975, 19, 32.85232686}, {.5, .5, 0.08734760471}, {.999, 100, 149.4492528}, {1e-6, 4, 0.002829761323},
	} {
		close(t, "chi-squared", ChiSquaredQuantile(c.p, c.df), c.want, 1e-8*c.want+1e-11)
	}
	for p, want := range map[float64]float64{.001: -3.090232306, .025: -1.959963985, .2: -0.8416212336, .5: 0, .975: 1.959963985, 1 - 1e-9: 5.997807020} {
		close(t, "normal", NormalQuantile(p), want, 1e-7)
	}
	if !math.IsInf(NormalQuantile(0), -1) || !math.IsInf(NormalQuantile(1), 1) || ChiSquaredQuantile(0, 3) != 0 || !math.IsInf(ChiSquaredQuantile(1, 3), 1) {
		t.Error("the ends of the distributions")
	}
}
