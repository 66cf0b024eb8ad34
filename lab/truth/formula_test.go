package truth

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"wiregauge/lab/plant"
)

// The quantiles were computed independently of this package, to four digits, in milliseconds.
func TestFormulas(t *testing.T) {
	rows := []struct {
		name string
		at   func(p float64) time.Duration
		p    []float64
		want []float64
	}{
		{"a stall", stalled, []float64{.5, .95, .99, .999}, []float64{5, 505, 905, 995}},
		{"a stall at a single server", stalledQueue, []float64{.5, .9, .99, .999}, []float64{5, 505, 955, 1000}},
		{"a stall in a closed loop", stalledCallers, []float64{.5, .99, .999, .9999}, []float64{5, 5, 5, 1005}},
		{"two values", bimodal, []float64{.5, .95, .99, .999}, []float64{1, 1, 100, 100}},
		{"exponential", law("exp:5ms"), []float64{.5, .9, .99, .999}, []float64{3.466, 11.513, 23.026, 34.539}},
		{"Pareto", law("pareto:1.5:1ms"), []float64{.5, .9, .99, .999}, []float64{1.587, 4.642, 21.544, 100}},
		{"lognormal", law("lognormal:1ms:1"), []float64{.5, .9, .99, .999}, []float64{1, 3.602, 10.240, 21.982}},
		{"M/M/1 at 0.5", func(p float64) time.Duration { return MM1(500, ms, p) }, []float64{.5, .9, .99, .999}, []float64{1.386, 4.605, 9.210, 13.816}},
		{"M/M/1 at 0.8", func(p float64) time.Duration { return MM1(800, ms, p) }, []float64{.5, .9, .99, .999}, []float64{3.466, 11.513, 23.026, 34.539}},
		{"ten callers at one exponential slot", func(p float64) time.Duration { return Erlang(10, ms, p) }, []float64{.5, .9, .99, .999}, []float64{9.669, 14.206, 18.783, 22.657}},
		{"four callers at one exponential slot", func(p float64) time.Duration { return Erlang(4, ms, p) }, []float64{.5, .9, .99, .999}, []float64{3.672, 6.681, 10.045, 13.062}},
		{"M/D/1 at 0.5", func(p float64) time.Duration { return MD1(500, ms, p) }, []float64{.5, .9, .99, .999}, []float64{1, 2.516, 4.336, 6.168}},
		{"M/D/1 at 0.7", func(p float64) time.Duration { return MD1(700, ms, p) }, []float64{.5, .9, .99, .999}, []float64{1.730, 4.077, 7.485, 10.894}},
		{"M/D/1 at 0.8", func(p float64) time.Duration { return MD1(800, ms, p) }, []float64{.5, .9, .99, .999}, []float64{2.276, 6.012, 11.356, 16.700}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			for i, p := range row.p {
				if got := float64(row.at(p)) / 1e6; math.Abs(got/row.want[i]-1) > 5e-4 {
					t.Errorf("p%g is %.4f ms, want %.3f", 100*p, got, row.want[i])
				}
			}
		})
	}
}

func TestPeakAndSettling(t *testing.T) {
	if got := Peak(0.05, 0.001); math.Abs(got-30.8) > 0.05 {
		t.Errorf("the peak is at %.2f calls, want 30.8", got)
	}
	if got := Contended(2*ms, 0.05, 0.001, 30); got != 6640*time.Microsecond {
		t.Errorf("30 calls take %v each, want 6.64ms", got)
	}
	if got := Settled(10, 20_000, 0.03); got != 19_744 {
		t.Errorf("10 to 1 over 20,000 calls is within 3 %% from call %d, want 19,744", got)
	}
}

// The simulator with one slot is M/D/1, and with so many slots that nobody waits every call takes d.
func TestSimulator(t *testing.T) {
	one := MDk(1, ms, 800, 400_000, 1)
	for _, p := range []float64{50, 90, 99} {
		want := MD1(800, ms, p/100)
		if got := NearestRank(one, p); math.Abs(float64(got)/float64(want)-1) > 0.05 {
			t.Errorf("p%g of one slot is %v, by formula %v", p, got, want)
		}
	}
	if many := MDk(1000, ms, 800, 1000, 1); many[0] != ms || many[len(many)-1] != ms {
		t.Errorf("without a queue calls take %v to %v, want 1ms", many[0], many[len(many)-1])
	}
	if !slices.Equal(MDk(4, 2*ms, 1600, 1000, 7), MDk(4, 2*ms, 1600, 1000, 7)) {
		t.Error("the same seed gives another simulation")
	}
}

// The queue of a planted server is the recursion.
func TestQueue(t *testing.T) {
	rows := []struct {
		name                   string
		slots                  int
		arrived, service, want []time.Duration
	}{
		{"one slot", 1, []time.Duration{0, 1, 2, 20}, []time.Duration{5, 5, 5, 5}, []time.Duration{5, 9, 13, 5}},
		{"two slots", 2, []time.Duration{0, 0, 0, 0}, []time.Duration{10, 4, 4, 1}, []time.Duration{10, 4, 8, 9}},
		{"nobody", 1, nil, nil, nil},
	}
	for _, row := range rows {
		if got := Queue(row.slots, row.arrived, row.service); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}

func TestNearestRank(t *testing.T) {
	ten := []time.Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for p, want := range map[float64]time.Duration{0: 1, 50: 5, 51: 6, 90: 9, 90.1: 10, 99.9: 10, 100: 10} {
		if got := NearestRank(ten, p); got != want {
			t.Errorf("p%g of 1 to 10 is %d, want %d", p, got, want)
		}
	}
	if NearestRank(nil, 50) != 0 {
		t.Error("none have a percentile")
	}
}

// Exponential gaps pass at one in a hundred, evenly spaced ones do not.
func TestKolmogorovSmirnov(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	var drawn, even []time.Duration
	for range 5000 {
		drawn = append(drawn, time.Duration(r.ExpFloat64()/1000*1e9))
		even = append(even, ms)
	}
	if d, limit := KolmogorovSmirnov(drawn, 1000, 0.01); d > limit {
		t.Errorf("exponential gaps are %.4f away, the limit is %.4f", d, limit)
	}
	if d, limit := KolmogorovSmirnov(even, 1000, 0.01); d < limit || d > 0.7 {
		t.Errorf("even gaps are %.4f away, the limit is %.4f", d, limit)
	}
}

func TestCases(t *testing.T) {
	for _, c := range Cases() {
		p, err := plant.Parse(c.Plant)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if len(c.Loads) == 0 {
			t.Errorf("%s has no load", c.Name)
		}
		for _, l := range c.Loads {
			if (l.Rate > 0) == (l.Callers > 0) || l.Duration <= 0 {
				t.Errorf("%s: the load %v is neither open nor closed, or endless", c.Name, l)
			}
			if p.Every > 0 && l.Duration%p.Every != 0 {
				t.Errorf("%s: %v are no whole periods of %v", c.Name, l.Duration, p.Every)
			}
			checkTested(t, c, l)
		}
	}
}

// checkTested wants ten calls beyond each tested percentile, and percentiles in rising order.
func checkTested(t *testing.T, c Case, l Load) {
	calls := l.Rate
	if l.Rate == 0 {
		calls = l.Truth.Goodput
	}
	calls *= l.Duration.Seconds() * (1 - max(l.Truth.Failed, 0))
	last := time.Duration(0)
	for _, p := range l.Truth.Tested {
		if beyond := calls * (1 - p/100); beyond < 9.99 {
			t.Errorf("%s, %v: %.1f calls are beyond %s", c.Name, l, beyond, Name(p))
		}
		if at := l.Truth.Latency(p / 100); at < last {
			t.Errorf("%s: %s is %v, below the one before it", c.Name, Name(p), at)
		} else {
			last = at
		}
	}
}

func TestParse(t *testing.T) {
	if c, err := Parse("s2b"); err != nil || c.Name != "S2b" {
		t.Errorf("s2b: %v, %v", c, err)
	}
	c, err := Parse("delay=exp:5ms")
	if err != nil || len(c.Loads) != 1 || c.Loads[0].Truth.Latency(0.5) != law("exp:5ms")(0.5) {
		t.Errorf("a law of one's own: %+v, %v", c, err)
	}
	if c, err = Parse("delay=5ms,slots=2"); err != nil || len(c.Loads) != 0 {
		t.Errorf("a queue has no formula: %+v, %v", c, err)
	}
	for spec, want := range map[string]string{
		"S99":      `no case "S99"`,
		"":         "there are S1, S2",
		"delay=5":  "is not a time with its unit",
		"S22":      "did you mean S2",
		"delayed=": "no key",
	} {
		if _, err := Parse(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", spec, err, want)
		}
	}
}
