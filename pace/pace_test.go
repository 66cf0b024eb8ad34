package pace

import (
	"math"
	"math/big"
	"slices"
	"sync"
	"testing"
	"time"
)

func rate(t testing.TB, s string) *big.Rat {
	t.Helper()
	r, err := ParseRate(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParseRate(t *testing.T) {
	for _, row := range []struct {
		in, want string // want as a fraction of calls per second, "" for an error
	}{
		{"500", "500"}, {"500/s", "500"}, {"0.2/s", "1/5"}, {"12/min", "1/5"}, {"10k", "10000"}, {"1.5k/min", "25"},
		{"2m/h", "5000/9"}, {"3/hour", "1/1200"}, {"90/m", "3/2"}, {"0.000001", "1/1000000"},
		{"0", ""}, {"0.0/s", ""}, {"-5", ""}, {"1e3", ""}, {"5/day", ""}, {"", ""}, {"/s", ""}, {"5 /s", ""}, {"NaN", ""},
	} {
		got, err := ParseRate(row.in)
		if row.want == "" {
			if err == nil {
				t.Errorf("%q is %v, want an error", row.in, got)
			}
			continue
		}
		want, _ := new(big.Rat).SetString(row.want)
		if err != nil || got.Cmp(want) != 0 {
			t.Errorf("%q is %v (%v), want %v", row.in, got, err, want)
		}
	}
	if got, err := ParseRate("max"); got != nil || err != nil {
		t.Errorf("max is %v, %v", got, err)
	}
}

func TestConstant(t *testing.T) {
	for _, row := range []struct {
		rate string
		n    uint64
		want time.Duration
	}{
		{"1/s", 0, 0}, {"1/s", 2, 2 * time.Second}, {"0.2/s", 1, 5 * time.Second}, {"12/min", 1, 5 * time.Second},
		{"150000", 150000, time.Second}, {"3", 1, 333333333}, {"3", 3_000_000_000, 1_000_000_000 * time.Second},
		{"10000k", 50_000_000, 5 * time.Second}, {"7/h", 7, time.Hour},
		{"0.3", 3, 10 * time.Second}, {"1", math.MaxUint64, math.MaxInt64},
		{"0.000001", 100, 100_000_000 * time.Second},
		{"123.456789012345678901234567890", 1, 8100000}, // a fraction beyond 64 bits
	} {
		if got := Constant(rate(t, row.rate)).Due(row.n); got != row.want {
			t.Errorf("call %d at %s is due at %d ns, want %d", row.n, row.rate, got, row.want)
		}
	}
}

func TestStrings(t *testing.T) {
	for _, row := range []struct {
		p    Pacer
		want string
	}{
		{Constant(rate(t, "500")), "500/s"}, {Constant(rate(t, "0.2/s")), "0.2/s"}, {Constant(rate(t, "20/min")), "20/min"},
		{Constant(big.NewRat(1, 7)), "0.143/s"},
		{Poisson(rate(t, "500"), 1), "poisson 500/s"},
	} {
		if got := row.p.String(); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}

func TestNeverDecreases(t *testing.T) {
	for _, p := range []Pacer{
		Constant(rate(t, "333333")), Poisson(rate(t, "1000k"), 7),
		Ramp([]Step{{rate(t, "5"), rate(t, "100k"), time.Second}, {rate(t, "1"), rate(t, "1"), time.Second}}),
	} {
		last := time.Duration(-1)
		for n := range uint64(20_000) {
			due := p.Due(n)
			if due < last {
				t.Fatalf("%s: call %d is due at %v, the one before at %v", p, n, due, last)
			}
			last = due
		}
	}
}

// Poisson is a function of (seed, n), in whatever order it is asked, by however many.
func TestPoissonIsAFunction(t *testing.T) {
	const n = 20_000
	want := make([]time.Duration, n)
	first := Poisson(rate(t, "1000"), 42)
	for i := range want {
		want[i] = first.Due(uint64(i))
	}
	backwards := Poisson(rate(t, "1000"), 42)
	for i := n - 1; i >= 0; i -= 97 {
		if got := backwards.Due(uint64(i)); got != want[i] {
			t.Fatalf("call %d is due at %v or %v", i, got, want[i])
		}
	}
	shared := Poisson(rate(t, "1000"), 42)
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			for i := k; i < n; i += 3 {
				if got := shared.Due(uint64(i)); got != want[i] {
					t.Errorf("call %d is due at %v or %v", i, got, want[i])
					return
				}
			}
		})
	}
	wg.Wait()
	if Poisson(rate(t, "1000"), 43).Due(5) == want[5] {
		t.Error("another seed gives the same schedule")
	}
}

// The gaps are exponential: a Kolmogorov-Smirnov test at 1 %, on fixed seeds.
func TestPoissonGaps(t *testing.T) {
	const n = 10_000
	for seed := range uint64(5) {
		p := Poisson(rate(t, "2000"), seed)
		gaps := make([]float64, n)
		last := time.Duration(0)
		for i := range gaps {
			due := p.Due(uint64(i))
			gaps[i] = (due - last).Seconds() * 2000
			last = due
		}
		slices.Sort(gaps)
		distance := 0.0
		for i, g := range gaps {
			f := 1 - math.Exp(-g)
			distance = max(distance, math.Abs(f-float64(i)/n), math.Abs(f-float64(i+1)/n))
		}
		if limit := 1.628 / math.Sqrt(n); distance > limit {
			t.Errorf("seed %d: distance %.4f from the exponential law, limit %.4f", seed, distance, limit)
		}
		if seconds := last.Seconds(); math.Abs(seconds-5) > 0.2 { // 4 standard deviations of the sum
			t.Errorf("seed %d: %d calls in %v s, want 5", seed, n, seconds)
		}
	}
}

func FuzzParseRate(f *testing.F) {
	for _, s := range []string{"500/s", "0.2/s", "12/min", "10k", "1.5m/h", "max", "-1", "9999999999999999999999/s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseRate(s)
		if err != nil || r == nil {
			return
		}
		p := Constant(r)
		if p.Due(0) != 0 || p.Due(1) > p.Due(2) || p.String() == "" {
			t.Errorf("%q: %v, %v, %v", s, p.Due(0), p.Due(1), p.Due(2))
		}
	})
}
