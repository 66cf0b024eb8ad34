package pace

import (
	"math"
	"math/big"
	"sync"
	"testing"
	"time"
)

func TestRampIsDueWhereItsIntegralSays(t *testing.T) {
	rat := func(a, b int64) *big.Rat { return big.NewRat(a, b) }
	for _, c := range []struct {
		name  string
		steps []Step
		want  map[uint64]time.Duration
		text  string
	}{
		{"from 0 to 100 over 10 s: n = 5t²", []Step{{rat(0, 1), rat(100, 1), 10 * time.Second}},
			map[uint64]time.Duration{0: 0, 5: time.Second, 20: 2 * time.Second, 125: 5 * time.Second, 500: math.MaxInt64}, "0..100/s over 10s"},
		{"from 100 down to 0 over 10 s", []Step{{rat(100, 1), rat(0, 1), 10 * time.Second}},
			map[uint64]time.Duration{0: 0, 375: 5 * time.Second, 500: math.MaxInt64}, "100..0/s over 10s"},
		{"a plateau", []Step{{rat(10, 1), rat(10, 1), time.Second}}, map[uint64]time.Duration{0: 0, 5: 500 * time.Millisecond, 10: math.MaxInt64}, "10..10/s over 1s"},
		{"up and level", []Step{{rat(0, 1), rat(10, 1), 2 * time.Second}, {rat(10, 1), rat(10, 1), time.Second}},
			map[uint64]time.Duration{10: 2 * time.Second, 15: 2500 * time.Millisecond, 20: math.MaxInt64}, "0..10/s over 2s, 10..10/s over 1s"},
		{"a fraction", []Step{{rat(1, 2), rat(1, 2), 10 * time.Second}}, map[uint64]time.Duration{4: 8 * time.Second}, "0.5..0.5/s over 10s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Ramp(c.steps)
			for n, want := range c.want {
				if got := p.Due(n); (got - want).Abs() > time.Nanosecond {
					t.Errorf("call %d is due at %v, want %v", n, got, want)
				}
			}
			if p.String() != c.text {
				t.Errorf("it is called %q", p.String())
			}
			neverDecreases(t, p, 600)
		})
	}
}

func neverDecreases(t *testing.T, p Pacer, calls uint64) {
	t.Helper()
	before := time.Duration(0)
	for n := range calls {
		due := p.Due(n)
		if due < before {
			t.Fatalf("call %d is due at %v, before call %d at %v", n, due, n-1, before)
		}
		before = due
	}
}

// TestPoissonHasTheRateAndTheSpread compares mean and distribution of the gaps with the exponential law; the seed is
// fixed, so the test cannot fail by chance.
func TestPoissonHasTheRateAndTheSpread(t *testing.T) {
	const n = 200_000
	p := Poisson(big.NewRat(1000, 1), 7)
	neverDecreases(t, p, n)
	if seconds := p.Due(n - 1).Seconds(); math.Abs(seconds-n/1000) > 2 {
		t.Errorf("%d calls at 1000/s take %v s", n, seconds)
	}
	below := [4]int{} // gaps below 0.5, 1, 2, 4 times the mean
	before := time.Duration(0)
	for i := range uint64(n) {
		gap := p.Due(i) - before
		before = p.Due(i)
		for k, m := range []float64{0.5, 1, 2, 4} {
			if gap.Seconds()*1000 < m {
				below[k]++
			}
		}
	}
	for k, m := range []float64{0.5, 1, 2, 4} {
		if got, want := float64(below[k])/n, 1-math.Exp(-m); math.Abs(got-want) > 0.005 {
			t.Errorf("%.4f of the gaps are below %v means, want %.4f", got, m, want)
		}
	}
}

func TestPoissonDependsOnSeedAndIndexOnly(t *testing.T) {
	rate := big.NewRat(5000, 1)
	forward, backward, other := Poisson(rate, 1), Poisson(rate, 1), Poisson(rate, 2)
	const n = 300_000
	for i := uint64(n); i > 0; i -= 997 {
		backward.Due(i)
		if i < 997 {
			break
		}
	}
	same := 0
	for i := uint64(0); i < n; i += 101 {
		if a, b := forward.Due(i), backward.Due(i); a != b {
			t.Fatalf("call %d is due at %v or at %v", i, a, b)
		}
		if forward.Due(i) == other.Due(i) {
			same++
		}
	}
	if same > 2 {
		t.Errorf("%d calls are due at the same time under another seed", same)
	}
}

func TestPoissonIsSafeForConcurrentUse(t *testing.T) {
	p := Poisson(big.NewRat(100_000, 1), 3)
	want := Poisson(big.NewRat(100_000, 1), 3)
	var wg sync.WaitGroup
	for k := range uint64(4) {
		wg.Go(func() {
			for n := k; n < 50_000; n += 4 {
				if p.Due(n) != want.Due(n) {
					t.Errorf("call %d differs", n)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestDueDoesNotAllocate(t *testing.T) {
	for _, p := range []Pacer{
		Constant(big.NewRat(1000, 1)), Poisson(big.NewRat(1000, 1), 1),
		Ramp([]Step{{big.NewRat(0, 1), big.NewRat(1e6, 1), time.Minute}}),
	} {
		n := uint64(0)
		if got := testing.AllocsPerRun(900, func() { p.Due(n); n++ }); got != 0 {
			t.Errorf("%v: %v allocations per call", p, got)
		}
	}
}

func TestPoissonAtTheSlowestRates(t *testing.T) {
	p := Poisson(big.NewRat(1, 1e9), 1)
	neverDecreases(t, p, 10)
	if p.Due(0) <= 0 {
		t.Errorf("the first call is due at %v", p.Due(0))
	}
}
