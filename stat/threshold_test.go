package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestThresholdStartsFlat(t *testing.T) {
	th := NewThreshold(100, 400)
	if m := th.Median(); math.Abs(m-200) > 1e-9 {
		t.Errorf("median %v, want 200: the middle of the logarithms", m)
	}
	low, high := th.Interval(0.9)
	if math.Abs(low*high-200*200) > 1e-6 || low < 100 || high > 400 {
		t.Errorf("interval %v to %v, want one around 200 within the ends", low, high)
	}
}

// With a chance of 0.9 one failed trial leaves a tenth of the probability above it, by Bayes' rule.
func TestThresholdFollowsBayes(t *testing.T) {
	th := NewThreshold(100, 400)
	if q := th.Certainty(); math.Abs(q-0.9) > 1e-12 {
		t.Fatalf("certainty %v before any trial, want 0.9", q)
	}
	th.Add(200, false)
	above := 0.0
	for i, p := range th.posterior() {
		if th.places[i] > 200 {
			above += p
		}
	}
	if math.Abs(above-0.1) > 1e-9 {
		t.Errorf("%v of the probability above a trial that failed, want 0.1", above)
	}
}

func TestThresholdLearnsFromRepeats(t *testing.T) {
	agree, differ := NewThreshold(100, 400), NewThreshold(100, 400)
	for i := range 6 {
		agree.Add(200, true)
		differ.Add(200, i%2 == 0)
	}
	if a, d := agree.Certainty(), differ.Certainty(); a <= 0.9 || d >= 0.8 {
		t.Errorf("certainty %v after six trials that agree and %v after six that do not", a, d)
	}
}

func TestThresholdIsFoundAmongNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	inside, close := 0, 0
	for range 200 {
		truth := 100 * math.Exp(rng.Float64()*math.Log(4))
		th := NewThreshold(100, 400)
		for range 60 {
			level := th.Median()
			right := rng.Float64() < 0.9
			th.Add(level, (level < truth) == right)
		}
		if low, high := th.Interval(0.9); low*0.985 <= truth && truth <= high*1.015 {
			inside++
		}
		if m := th.Median(); math.Abs(m/truth-1) < 0.05 {
			close++
		}
	}
	if close < 190 {
		t.Errorf("%d of 200 thresholds are found within 5 %%, want 190 at least", close)
	}
	if inside < 170 {
		t.Errorf("the interval holds the truth in %d of 200 searches, want 170 at least", inside)
	}
}
