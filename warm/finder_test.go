package warm

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"wiregauge/result"
)

// watch plays a closed loop of some callers on a server whose service time is known for every call and moment, in
// strips of 200 ms and at least 200 calls each, with noise on every strip's median and rate.
func watch(callers int, length time.Duration, noise float64, rng *rand.Rand, service func(n int64, at time.Duration) time.Duration) []result.WarmStrip {
	var strips []result.WarmStrip
	free := make([]time.Duration, callers)
	var n int64
	const step = 200 * time.Millisecond
	calls, sum, began, edge := int64(0), 0.0, time.Duration(0), step
	shake := func() float64 { return math.Exp(noise * rng.NormFloat64()) }
	for at := time.Duration(0); at < length; {
		who := 0
		for i := range free {
			if free[i] < free[who] {
				who = i
			}
		}
		at = free[who]
		for ; at >= edge; edge += step {
			if calls < 200 {
				continue
			}
			p50 := int64(sum / float64(calls) * shake())
			strips = append(strips, result.WarmStrip{At: int64(began), Length: int64(edge - began), Calls: calls,
				Rate: float64(calls) / (edge - began).Seconds() * shake(), P50: &p50})
			calls, sum, began = 0, 0, edge
		}
		d := service(n, at)
		n++
		calls++
		sum += float64(d)
		free[who] = at + d
	}
	return strips
}

func slowStart(n int64, _ time.Duration) time.Duration {
	return time.Duration(math.Pow(10, 1-math.Min(float64(n), 20000)/20000) * 1e6)
}

// D(n) = 10^(1-n/20000) ms comes within 3 % of 1 ms at call 20000·(1-log10 1.03) = 19,743.
func TestAnExponentialStartEndsWhereItIsWithinThreePercent(t *testing.T) {
	for seed := range uint64(15) {
		rng := rand.New(rand.NewPCG(seed, 1))
		w := Find(watch(2, 70*time.Second, 0.01, rng, slowStart), false)
		if w.Outcome != result.WarmFound || math.Abs(float64(w.Calls)/19743-1) > 0.1 {
			t.Errorf("seed %d: %s after %d calls, want 19,743 within 10 %%", seed, w.Outcome, w.Calls)
		}
	}
}

// Watching ends by itself, as soon as the rule is met.
func TestTheFinderStopsWhenTheStartIsOver(t *testing.T) {
	for seed := range uint64(10) {
		var f Finder
		rng := rand.New(rand.NewPCG(seed, 2))
		for _, s := range watch(4, 60*time.Second, 0.01, rng, slowStart) {
			if f.Add(s) {
				break
			}
		}
		w := f.WarmUp()
		if !f.Settled() || math.Abs(float64(w.Calls)/19743-1) > 0.1 || w.Observed > int64(35*time.Second) {
			t.Errorf("seed %d: settled %v after %d calls, watched for %v", seed, f.Settled(), w.Calls, time.Duration(w.Observed))
		}
	}
}

func TestAStepIsFoundWhereItIs(t *testing.T) {
	step := func(n int64, _ time.Duration) time.Duration {
		if n < 30000 {
			return 4 * time.Millisecond
		}
		return time.Millisecond
	}
	for seed := range uint64(15) {
		rng := rand.New(rand.NewPCG(seed, 3))
		w := Find(watch(8, 25*time.Second, 0.02, rng, step), false)
		if w.Outcome != result.WarmFound || math.Abs(float64(w.Calls)/30000-1) > 0.1 {
			t.Errorf("seed %d: %s after %d calls, want 30,000 within 10 %%", seed, w.Outcome, w.Calls)
		}
	}
}

func TestWhatNeverSettlesIsAlwaysSaidSo(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 4))
		period := (4 + 16*rng.Float64()) * 1e9
		sine := func(_ int64, at time.Duration) time.Duration {
			return time.Duration((1 + 0.3*math.Sin(2*math.Pi*float64(at)/period)) * 1e6)
		}
		var f Finder
		for _, s := range watch(2, 60*time.Second, 0.02, rng, sine) {
			if f.Add(s) {
				break
			}
		}
		if w := f.WarmUp(); w.Outcome != result.WarmUnsteady || w.Calls == 0 || w.Length != w.Observed {
			t.Errorf("seed %d, period %v: %s after %v", seed, time.Duration(period), w.Outcome, time.Duration(w.Observed))
		}
	}
}

func TestWhatIsSteadyFromTheStartHasNoWarmUp(t *testing.T) {
	for _, noise := range []float64{0, 0.01, 0.05, 0.15} {
		good := 0
		const seeds = 200
		for seed := range uint64(seeds) {
			rng := rand.New(rand.NewPCG(seed, 5))
			var f Finder
			for i := range int64(300) {
				if f.Add(steady(i, noise, rng)) {
					break
				}
			}
			if w := f.WarmUp(); w.Outcome == result.WarmFound && w.Length <= int64(time.Second) {
				good++
			}
		}
		if good < seeds*98/100 {
			t.Errorf("noise %v: settled at the start in %d of %d seeds, want 98 %%", noise, good, seeds)
		}
	}
}

func steady(i int64, noise float64, rng *rand.Rand) result.WarmStrip {
	p50 := int64(1e6 * math.Exp(noise*rng.NormFloat64()))
	return result.WarmStrip{At: i * 2e8, Length: 2e8, Calls: 400, Rate: 2000 * math.Exp(noise*rng.NormFloat64()), P50: &p50}
}

// An open loop at a fixed rate shows a start in its latency only.
func TestARateOnAScheduleDecidesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	strips := make([]result.WarmStrip, 60)
	for i := range strips {
		strips[i] = steady(int64(i), 0.01, rng)
		if i < 20 {
			strips[i].Rate *= 2
		}
	}
	if w := Find(strips, true); w.Outcome != result.WarmFound || w.Length != 0 {
		t.Errorf("paced: %s after %v, want no warm-up", w.Outcome, time.Duration(w.Length))
	}
	if w := Find(strips, false); w.Length != int64(4*time.Second) {
		t.Errorf("not paced: ends after %v, want 4 s", time.Duration(w.Length))
	}
}

func TestTooLittleToTell(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	short := []result.WarmStrip{}
	for i := range int64(20) {
		short = append(short, steady(i, 0.01, rng))
	}
	slow := []result.WarmStrip{}
	for i := range int64(5) {
		s := steady(i, 0.01, rng)
		s.At, s.Length = i*10e9, 10e9
		slow = append(slow, s)
	}
	for name, strips := range map[string][]result.WarmStrip{"nothing": nil, "4 s": short, "five strips": slow} {
		if w := Find(strips, false); w.Outcome != result.WarmTooFew {
			t.Errorf("%s: %s", name, w.Outcome)
		}
	}
}

func TestSegmentsAreNumbered(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	strips := make([]result.WarmStrip, 60)
	for i := range strips {
		strips[i] = steady(int64(i), 0.01, rng)
		if i < 20 {
			p50 := 2 * *strips[i].P50
			strips[i].P50 = &p50
		}
	}
	w := Find(strips, true)
	for i, s := range w.Trajectory {
		if want := map[bool]int{true: 0, false: 1}[i < 20]; s.Segment != want {
			t.Fatalf("strip %d is in segment %d, want %d", i, s.Segment, want)
		}
	}
	if strips[59].Segment != 0 {
		t.Error("the strips that were given have been changed")
	}
}
