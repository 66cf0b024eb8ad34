package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The value is that of scikit-learn's IsotonicRegression.
func TestIsotonicIsThatOfAnotherImplementation(t *testing.T) {
	got := Isotonic([]float64{3, 1, 2, 6, 5, 5.5, 9, 7}, []float64{1, 2, 1, 1, 3, 1, 1, 2})
	want := []float64{5. / 3, 5. / 3, 2, 5.25, 5.25, 5.5, 23. / 3, 23. / 3}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Fatalf("%v, want %v", got, want)
		}
	}
	if got := Isotonic(nil, nil); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
	if got := Isotonic([]float64{3, 2, 1}, nil); got[0] != 2 || got[2] != 2 {
		t.Errorf("of a falling series: %v, want its mean throughout", got)
	}
}

// The first row is the data set specsdm91 with the coefficients that the R package usl publishes for it; scipy's
// curve_fit gives those below to all digits. In the second κ would be negative, and σ alone is fitted.
func TestScalabilityFitsPublishedData(t *testing.T) {
	for _, row := range []struct {
		name   string
		n, x   []float64
		want   Scalability
		peak   float64
		noPeak bool
	}{
		{"SPEC SDM91", []float64{1, 18, 36, 72, 108, 144, 216}, []float64{64.9, 995.4, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2},
			Scalability{89.93502473, 0.02769581100, 0.0001043552976, 0.9895320463}, 96.525, false},
		{"ray tracer", []float64{1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64}, []float64{20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310},
			Scalability{21.84884274, 0.05777078018, 0, 0.990694925}, 0, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, ok := FitScalability(row.n, row.x)
			if !ok {
				t.Fatal("no fit")
			}
			for _, v := range [][2]float64{{got.Lambda, row.want.Lambda}, {got.Sigma, row.want.Sigma}, {got.Kappa, row.want.Kappa}} {
				if math.Abs(v[0]-v[1]) > 1e-6*math.Abs(v[1]) {
					t.Errorf("%+v, want %+v", got, row.want)
				}
			}
			if math.Abs(got.R2-row.want.R2) > 1e-8 {
				t.Errorf("R² %v, want %v", got.R2, row.want.R2)
			}
			if peak, has := got.Peak(); has == row.noPeak || has && math.Abs(peak-row.peak) > 0.01 {
				t.Errorf("peak %v %v, want %v", peak, has, row.peak)
			}
		})
	}
}

func TestScalabilityReturnsWhatMadeTheData(t *testing.T) {
	truth := Scalability{Lambda: 500, Sigma: 0.05, Kappa: 0.001}
	n := []float64{1, 2, 4, 8, 16, 32, 64}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		x := make([]float64, len(n))
		for i := range n {
			x[i] = truth.At(n[i]) * (1 + 0.005*rng.NormFloat64())
		}
		got, ok := FitScalability(n, x)
		if peak, has := got.Peak(); !ok || !has || math.Abs(peak/30.82-1) > 0.1 {
			t.Fatalf("%+v has its peak at %v, want 30.8 within 10 %%", got, peak)
		}
	}
}

func TestScalabilityNeedsThreeConcurrencies(t *testing.T) {
	for name, c := range map[string][2][]float64{
		"two":                  {{1, 2, 2}, {10, 19, 20}},
		"a throughput of none": {{1, 2, 4}, {10, 0, 30}},
		"lengths differ":       {{1, 2, 4}, {10, 20}},
		"below one":            {{0, 2, 4}, {10, 20, 30}},
	} {
		if fit, ok := FitScalability(c[0], c[1]); ok {
			t.Errorf("%s: %+v, want none", name, fit)
		}
	}
}

func TestScalabilityOfALine(t *testing.T) {
	got, ok := FitScalability([]float64{1, 2, 4, 8}, []float64{10, 20, 40, 80})
	if !ok || math.Abs(got.Lambda-10) > 1e-6 || got.Sigma > 1e-9 || got.Kappa > 1e-9 {
		t.Errorf("%+v %v, want λ = 10 and nothing in its way", got, ok)
	}
	if _, has := got.Peak(); has && got.Kappa == 0 {
		t.Error("a line has no peak")
	}
}
