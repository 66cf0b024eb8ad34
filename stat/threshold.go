package stat

import "math"

// A Threshold is where, on a scale of positive levels, trials turn from passing to failing, as far as noisy trials tell:
// a probability for each of 60 places spread evenly over the logarithms between two ends. A trial below the threshold
// passes, and one above it fails, with the same chance, which is 0.9 until trials that were repeated say otherwise
// (Horstein 1963; Waeber, Frazier and Henderson 2013).
type Threshold struct {
	places []float64
	trials []trial
}

type trial struct {
	level  float64
	passed bool
}

// thresholdPlaces is how many places are told apart.
const thresholdPlaces = 60

// NewThreshold knows nothing but that the threshold lies between low and high, which are above 0.
func NewThreshold(low, high float64) *Threshold {
	t := &Threshold{places: make([]float64, thresholdPlaces)}
	low, high = math.Min(low, high), math.Max(low, high)
	step := math.Log(high/low) / (thresholdPlaces - 1)
	for i := range t.places {
		t.places[i] = low * math.Exp(float64(i)*step)
	}
	return t
}

// Add takes a trial in.
func (t *Threshold) Add(level float64, passed bool) {
	t.trials = append(t.trials, trial{level, passed})
}

// near is how far apart two trials are at most that count as the same one repeated.
const near = 0.015

// Certainty is the chance that a trial tells the truth: the mean of 9 truths in 10 and what pairs of repeated trials say.
// When a trial is right with the chance q, two agree with the chance q² + (1−q)². A pass just below a failure is what a
// threshold between them looks like, and says nothing. The chance is kept between 0.6 and 0.98.
func (t *Threshold) Certainty() float64 {
	agree, pairs := 0.82*10, 10.0 // of q = 0.9
	for i, a := range t.trials {
		for _, b := range t.trials[i+1:] {
			apart := math.Log(a.level / b.level)
			switch {
			case math.Abs(apart) > near:
			case a.passed == b.passed:
				agree++
				pairs++
			case a.passed == (apart >= 0): // the higher one has passed, or both are equal
				pairs++
			case apart == 0:
				pairs++
			}
		}
	}
	q := (1 + math.Sqrt(math.Max(2*agree/pairs-1, 0))) / 2
	return math.Min(math.Max(q, 0.6), 0.98)
}

// posterior is the probability of each place, in sum 1.
func (t *Threshold) posterior() []float64 {
	q := t.Certainty()
	right, wrong := math.Log(q), math.Log(1-q)
	p := make([]float64, len(t.places))
	most := math.Inf(-1)
	for i, place := range t.places {
		for _, x := range t.trials {
			if (x.level < place) == x.passed {
				p[i] += right
			} else {
				p[i] += wrong
			}
		}
		most = math.Max(most, p[i])
	}
	sum := 0.0
	for i := range p {
		p[i] = math.Exp(p[i] - most)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// Quantile is the level below which the threshold lies with probability p. Between two places it is interpolated on
// the logarithm.
func (t *Threshold) Quantile(p float64) float64 {
	sum := 0.0
	half := math.Log(t.places[1]/t.places[0]) / 2
	for i, share := range t.posterior() {
		if sum+share >= p && share > 0 {
			at := math.Log(t.places[i]) + (2*(p-sum)/share-1)*half
			return math.Exp(math.Min(math.Max(at, math.Log(t.places[0])), math.Log(t.places[len(t.places)-1])))
		}
		sum += share
	}
	return t.places[len(t.places)-1]
}

// Median is the level with as much probability below as above: where the next trial tells most.
func (t *Threshold) Median() float64 { return t.Quantile(0.5) }

// Interval holds the threshold with probability level, with equal tails.
func (t *Threshold) Interval(level float64) (low, high float64) {
	return t.Quantile((1 - level) / 2), t.Quantile((1 + level) / 2)
}
