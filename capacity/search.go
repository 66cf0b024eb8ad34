package capacity

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"wiregauge/result"
	"wiregauge/stat"
)

// A Target is what is loaded. Both methods return when the time is over and what was in flight has ended, or been given
// up.
type Target interface {
	// Step calls at a rate, on a schedule, for d. The turn keeps its trajectory.
	Step(ctx context.Context, rate float64, d time.Duration) (result.Turn, error)
	// Alone calls with one call in flight, for d.
	Alone(ctx context.Context, d time.Duration) (result.Turn, error)
}

// A Search looks for the capacity of one target. The fields are its plan; the zero value of every optional one is its
// default.
type Search struct {
	Target Target
	Goal   string // as the user wrote it
	// Missed names the metrics of the goal that a turn does not meet, none when it meets all. unknown says why one of
	// them cannot be told; the turn is then taken again, for longer.
	Missed func(t *result.Turn) (metrics []string, unknown string)
	// Tail is the highest percentile in the goal, in percent: probes are so long that about 100 calls lie beyond it.
	Tail     float64
	Ceiling  float64       // of this client without a server, calls/s; 0: not known
	Budget   time.Duration // for all of it; 0: 4 minutes
	Arrivals string        // told in the result
	Seed     uint64
	Tell     func(Progress)   // is told before every probe; may be nil
	Now      func() time.Time // nil: time.Now

	began   time.Time
	alone   time.Duration // p50 at one call in flight
	found   result.Capacity
	late    int             // probes that missed a percentile while the client sent late
	between *stat.Threshold // the rates that may be the capacity, once they are bracketed
}

// Progress is what is about to be tried.
type Progress struct {
	Stage   string
	Rate    float64 // 0: one call in flight
	Number  int     // of probes so far
	Elapsed time.Duration
	Length  time.Duration // of the probe
	// Low and High hold the capacity with 90 % probability; 0 while nothing is known.
	Low, High float64
}

// The stages, as probes name them.
const (
	stageBase    = "base"
	stageBracket = "bracket"
	stageRefine  = "refine"
	stageConfirm = "confirm"
)

const (
	defaultBudget = 4 * time.Minute
	searchShare   = 0.45 // of the budget, for everything before the confirming stage
	closely       = 0.025
	credible      = 0.9
	mostProbes    = 60 // of the refining stage
)

// errEnough ends the search early: its outcome is known.
var errEnough = errors.New("the search is over")

// Run searches, and then verifies. The result holds what is known also when ctx ends early, and then err is the
// context's; other errors are those of the target.
func (s *Search) Run(ctx context.Context) (*result.Capacity, error) {
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Budget <= 0 {
		s.Budget = defaultBudget
	}
	s.began = s.Now()
	s.found = result.Capacity{Goal: s.Goal, Outcome: result.CapacityUnfinished, Arrivals: s.Arrivals, Probes: []result.Probe{}}
	if s.Ceiling > 0 {
		s.found.Ceiling = &s.Ceiling
	}
	err := s.stages(ctx)
	if errors.Is(err, errEnough) {
		err = nil
	}
	s.conclude()
	return &s.found, err
}

func (s *Search) stages(ctx context.Context) error {
	if err := s.base(ctx); err != nil {
		return err
	}
	low, high, err := s.bracket(ctx)
	if err != nil {
		return err
	}
	if err := s.refine(ctx, low, high); err != nil {
		return err
	}
	return s.confirm(ctx)
}

func (s *Search) elapsed() time.Duration { return s.Now().Sub(s.began) }

// base measures what a call takes when nothing else is in flight. A goal that is missed even then can never be met.
func (s *Search) base(ctx context.Context) error {
	p, err := s.probe(ctx, stageBase, 0, 2*time.Second)
	if err != nil {
		return err
	}
	if !p.Passed || s.alone <= 0 {
		s.found.Outcome, s.found.Bound = result.CapacityNever, firstMetric(p.Why)
		return errEnough
	}
	return nil
}

const (
	bracketProbe = 3 * time.Second
	mostDoubling = 40
	mostHalving  = 6
)

// bracket doubles the rate until it fails twice in a row, or halves it until it passes.
func (s *Search) bracket(ctx context.Context) (low, high float64, err error) {
	rate := 0.1 / s.alone.Seconds()
	for range mostDoubling {
		if s.Ceiling > 0 && rate > 0.7*s.Ceiling {
			return 0, 0, s.generator(low, fmt.Sprintf("%.0f calls/s are more than 70 %% of what this client sends without a server", rate))
		}
		passed, why, err := s.twice(ctx, rate)
		switch {
		case err != nil:
			return 0, 0, err
		case passed && high > 0:
			return rate, high, nil
		case passed:
			low = rate
			rate *= 2
		case why == "client":
			return 0, 0, s.generator(low, "")
		case low > 0:
			return low, rate, nil
		default:
			high = rate
			if rate /= 2; rate < 0.1/s.alone.Seconds()/(1<<mostHalving) {
				s.found.Outcome, s.found.Bound = result.CapacityNever, why
				return 0, 0, errEnough
			}
		}
		if s.elapsed() > s.Budget {
			s.note("the time was over before any rate failed: a longer --max-duration goes further")
			s.found.Low = positive(low)
			return 0, 0, errEnough
		}
	}
	return 0, 0, s.generator(low, "")
}

// twice takes a probe, and a second one when the first has failed.
func (s *Search) twice(ctx context.Context, rate float64) (passed bool, why string, err error) {
	for range 2 {
		p, err := s.probe(ctx, stageBracket, rate, bracketProbe)
		if err != nil {
			return false, "", err
		}
		if p.Passed {
			return true, "", nil
		}
		why = firstMetric(p.Why)
	}
	return false, why, nil
}

// generator ends the search because the client is the limit.
func (s *Search) generator(low float64, note string) error {
	s.found.Outcome, s.found.Bound, s.found.Low = result.CapacityGenerator, "client", positive(low)
	if note != "" {
		s.note(note)
	}
	return errEnough
}

// refine tries the rate that tells most, until the capacity is known closely or the time for it is over. The ends of the
// bracket may be wrong, so that the search may leave them a little.
func (s *Search) refine(ctx context.Context, low, high float64) error {
	s.between = stat.NewThreshold(low*0.8, high*1.25)
	for _, p := range s.found.Probes {
		if p.Stage == stageBracket {
			s.between.Add(p.Offered, p.Passed)
		}
	}
	for range mostProbes {
		if s.close() || s.elapsed() >= time.Duration(searchShare*float64(s.Budget)) {
			return nil
		}
		rate := s.between.Median()
		p, err := s.probe(ctx, stageRefine, rate, s.length(rate))
		if err != nil {
			return err
		}
		if p.Why == "client" {
			return s.generator(s.highestPassed(), "")
		}
		s.between.Add(rate, p.Passed)
	}
	return nil
}

func (s *Search) close() bool {
	low, high := s.between.Interval(credible)
	return high/low <= (1+closely)/(1-closely)
}

// length is how long a probe takes until about 100 calls lie beyond the goal's percentile, within 5 and 20 s, and
// never more than a twelfth of the time.
func (s *Search) length(rate float64) time.Duration {
	const least, most = 5 * time.Second, 20 * time.Second
	d := least
	if s.Tail > 0 {
		d = time.Duration(100 / (1 - s.Tail/100) / rate * float64(time.Second))
	}
	return min(max(d, least), most, s.Budget/12)
}

const (
	confirmLow, confirmHigh = 0.97, 1.05
	confirmEach             = 5
	confirmNeeds            = 4
	confirmMost             = 30 * time.Second
	confirmLeast            = time.Second
	retestLeast             = 3 * time.Second // for each test, when they begin anew
	mostConfirms            = 3
)

// confirm tests a rate just below and one just above the estimate five times each, in random order. Once the tests say
// that the estimate was wrong, they begin anew with a better one, if there is time.
func (s *Search) confirm(ctx context.Context) error {
	for again := range mostConfirms {
		m := s.between.Median()
		if s.slice(2*confirmEach) < confirmLeast {
			s.note("no time was left to verify a rate: a longer --max-duration would")
			return nil
		}
		last := again == mostConfirms-1
		tests, err := s.test(ctx, m, last)
		if err != nil {
			return err
		}
		if tests.done() || last || s.slice(2*confirmEach) < retestLeast {
			s.judge(m, tests)
			return nil
		}
	}
	return nil
}

// slice is the time for each of some tests in what is left; a tenth is kept for recovering.
func (s *Search) slice(tests int) time.Duration {
	return (s.Budget - s.elapsed()) / time.Duration(tests) * 9 / 10
}

// tests is how the confirming tests of one estimate went.
type tests struct{ low, lowPassed, high, highFailed int }

// lost reports whether the rest of the tests cannot make it right any more.
func (t *tests) lost() bool {
	const spare = confirmEach - confirmNeeds
	return t.low-t.lowPassed > spare || t.high-t.highFailed > spare
}

func (t *tests) done() bool { return t.low == confirmEach && t.high == confirmEach && !t.lost() }

// test makes the confirming tests of an estimate, until they are lost and there is time for others; the last ones
// are all made.
func (s *Search) test(ctx context.Context, m float64, last bool) (tests, error) {
	var t tests
	rates := make([]float64, 0, 2*confirmEach)
	for range confirmEach {
		rates = append(rates, m*confirmLow, m*confirmHigh)
	}
	rng := rand.New(rand.NewPCG(s.Seed, 0xca9ac17e))
	rng.Shuffle(len(rates), func(i, j int) { rates[i], rates[j] = rates[j], rates[i] })
	for i, rate := range rates {
		p, err := s.probe(ctx, stageConfirm, rate, min(max(s.slice(len(rates)-i), confirmLeast), confirmMost))
		if err != nil {
			return t, err
		}
		s.between.Add(rate, p.Passed)
		t.count(rate < m, p.Passed)
		if t.lost() && !last && s.slice(2*confirmEach) >= retestLeast {
			return t, nil
		}
	}
	return t, nil
}

func (t *tests) count(low, passed bool) {
	switch {
	case low:
		t.low++
		if passed {
			t.lowPassed++
		}
	default:
		t.high++
		if !passed {
			t.highFailed++
		}
	}
}

// judge says what the confirming stage has shown.
func (s *Search) judge(m float64, t tests) {
	low, high := m*confirmLow, m*confirmHigh
	c := &s.found
	if t.lowPassed >= confirmNeeds {
		c.Verified = &low
	}
	if t.done() {
		c.Outcome, c.Low, c.High, c.Estimate = result.CapacityVerified, &low, &high, &m
		return
	}
	c.Outcome = result.CapacityWidened
	wideLow, wideHigh := s.between.Interval(credible)
	if t.lowPassed < confirmNeeds {
		wideLow = min(wideLow, low*(2*confirmLow-1))
		s.note(fmt.Sprintf("%d of %d tests at %.4g calls/s met the goal, %d are needed: the range is wider than the search had it", t.lowPassed, t.low, low, confirmNeeds))
	}
	if t.highFailed < confirmNeeds {
		wideHigh = max(wideHigh, high*(2*confirmHigh-1))
		s.note(fmt.Sprintf("%d of %d tests at %.4g calls/s missed the goal, %d are needed: the range is wider than the search had it", t.highFailed, t.high, high, confirmNeeds))
	}
	wideLow, wideHigh = min(wideLow, low), max(wideHigh, high)
	middle := s.between.Median()
	c.Low, c.High, c.Estimate = &wideLow, &wideHigh, &middle
}

func (s *Search) note(text string) { s.found.Notes = append(s.found.Notes, text) }

func positive(x float64) *float64 {
	if x <= 0 {
		return nil
	}
	return &x
}
