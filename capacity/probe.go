package capacity

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"wiregauge/result"
	"wiregauge/stat"
)

// probe tries a rate, or one call in flight for rate 0, and judges what came back. After one that failed the target is
// given time to recover.
func (s *Search) probe(ctx context.Context, stage string, rate float64, d time.Duration) (result.Probe, error) {
	t, err := s.play(ctx, stage, rate, d)
	if err != nil {
		return result.Probe{}, err
	}
	missed, unknown := s.judgeTurn(&t, rate)
	if unknown != "" && len(missed) == 0 {
		if t, err = s.play(ctx, stage, rate, min(4*d, 20*time.Second, s.Budget/4)); err != nil {
			return result.Probe{}, err
		}
		missed, unknown = s.judgeTurn(&t, rate)
	}
	if unknown != "" && len(missed) == 0 {
		missed = []string{unknown}
	}
	if stage == stageBase && t.Latency != nil {
		s.alone = t.Latency.Percentile(50)
	}
	p := told(stage, rate, &t)
	p.Passed, p.Why = len(missed) == 0, strings.Join(missed, ", ")
	s.found.Probes = append(s.found.Probes, p)
	if p.Passed || stage == stageBase {
		return p, nil
	}
	return p, s.recover(ctx)
}

// play takes one turn. A turn that was cut short counts for nothing.
func (s *Search) play(ctx context.Context, stage string, rate float64, d time.Duration) (t result.Turn, err error) {
	if err := ctx.Err(); err != nil {
		return t, err
	}
	if s.Tell != nil {
		p := Progress{Stage: stage, Rate: rate, Number: len(s.found.Probes) + 1, Elapsed: s.elapsed(), Length: d}
		if s.between != nil {
			p.Low, p.High = s.between.Interval(credible)
		}
		s.Tell(p)
	}
	if rate == 0 {
		t, err = s.Target.Alone(ctx, d)
	} else {
		t, err = s.Target.Step(ctx, rate, d)
	}
	if err == nil {
		err = ctx.Err()
	}
	return t, err
}

func told(stage string, rate float64, t *result.Turn) result.Probe {
	p := result.Probe{Stage: stage, Offered: rate, Achieved: result.PerSecond(t.FinishedInside, t.Window), Window: int64(t.Window)}
	row := result.NewRow(*t)
	p.P50, p.P99 = row.P50, row.P99
	if n := t.OK + t.Failed; n > 0 {
		p.Errors = float64(t.Failed) / float64(n)
	}
	return p
}

// leastAchieved is the share of the offered rate that must be answered.
const leastAchieved = 0.99

// judgeTurn names what a turn has missed: the goal's metrics, "client", "slots" or "inflight" where that was the limit,
// and "backlog" where the target falls behind what is offered.
func (s *Search) judgeTurn(t *result.Turn, rate float64) (missed []string, unknown string) {
	if rate > 0 && (t.Limited == "client" || (t.Limited == "slots" || t.Limited == "inflight") && !s.slower(t)) {
		return []string{t.Limited}, ""
	}
	if t.OK == 0 {
		return []string{"errors"}, ""
	}
	missed, unknown = s.Missed(t)
	if len(missed) > 0 && sentLate(t) {
		s.late++
	}
	if rate > 0 && (s.achieved(t) < leastAchieved || s.grows(t)) {
		missed = append(missed, "backlog")
	}
	return missed, unknown
}

// slower reports whether a call takes twice as long as alone once it has its place. Where places run out then, it is the
// target that holds them; else more places would let it do more.
func (s *Search) slower(t *result.Turn) bool {
	return t.Service == nil || t.Service.Percentile(50) >= 2*s.alone
}

// achieved is the share of what was due that was answered in the window. Calls in flight at its end, as many as at an
// idle target, are no backlog.
func (s *Search) achieved(t *result.Turn) float64 {
	if t.Window <= 0 {
		return 0
	}
	due := float64(t.Due) * (1 - min(2*s.alone.Seconds()/t.Window.Seconds(), 0.5))
	return float64(t.FinishedInside) / math.Max(due, 1)
}

// lateShare is how much of a latency may be this client's own lateness.
const lateShare = 0.25

// sentLate reports whether the client was so late that the tail of the latencies is not the target's alone.
func sentLate(t *result.Turn) bool {
	if t.Lateness == nil || t.Latency == nil {
		return false
	}
	return float64(t.Lateness.Percentile(99)) > lateShare*float64(t.Latency.Percentile(99))
}

const (
	surelyGrows = 0.01
	leastRise   = 0.5 // of the median
	leastPoints = 8
)

// grows reports whether latency rises through the turn, which is how a backlog looks: by the Mann-Kendall test, made
// stricter where what is left of the series without its slope hangs together, and by half of the median at least.
func (s *Search) grows(t *result.Turn) bool {
	x := medians(t)
	if len(x) < leastPoints {
		return false
	}
	slope := stat.TheilSen(x)
	if slope*float64(len(x)) < leastRise*stat.Median(x) {
		return false
	}
	_, p := stat.MannKendall(x)
	rest := make([]float64, len(x))
	for i := range x {
		rest[i] = x[i] - slope*float64(i)
	}
	z := -stat.NormalQuantile(max(p, 1e-15) / 2)
	if lag := min(stat.Lag1(rest), 0.9); lag > 0 {
		z *= math.Sqrt((1 - lag) / (1 + lag))
	}
	return z > -stat.NormalQuantile(surelyGrows/2)
}

// medians are those of the strips of a turn, in seconds.
func medians(t *result.Turn) (x []float64) {
	for _, s := range t.Trajectory {
		if s.P50 != nil {
			x = append(x, float64(*s.P50)/1e9)
		}
	}
	return x
}

const (
	recoverStep = 500 * time.Millisecond
	recoverMost = 30 * time.Second
	recovered   = 1.1
)

// recover waits until a call alone takes what it took at first, within 10 %, or does not get any faster.
func (s *Search) recover(ctx context.Context) error {
	from := s.Now()
	last, still := time.Duration(math.MaxInt64), 0
	for s.Now().Sub(from) < recoverMost {
		t, err := s.Target.Alone(ctx, recoverStep)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if t.Latency == nil {
			continue
		}
		p50 := t.Latency.Percentile(50)
		if float64(p50) <= recovered*float64(s.alone) {
			return nil
		}
		if still++; float64(p50) < 0.9*float64(last) {
			still = 0
		}
		if still >= 3 {
			return nil
		}
		last = min(last, p50)
	}
	return nil
}

// firstMetric is the first reason of a probe that failed.
func firstMetric(why string) string {
	first, _, _ := strings.Cut(why, ", ")
	return first
}

// highestPassed is the highest rate that has passed, 0 when none has.
func (s *Search) highestPassed() (rate float64) {
	for _, p := range s.found.Probes {
		if p.Passed {
			rate = max(rate, p.Offered)
		}
	}
	return rate
}

// conclude fills in what follows from the probes.
func (s *Search) conclude() {
	c := &s.found
	switch {
	case c.Outcome != result.CapacityUnfinished || c.Low != nil:
	case s.between == nil:
		c.Low = positive(s.highestPassed())
	default:
		low, high := s.between.Interval(credible)
		middle := s.between.Median()
		c.Low, c.High, c.Estimate = &low, &high, &middle
	}
	if c.Bound == "" {
		c.Bound = s.bound()
	}
	missed := 0
	for _, p := range c.Probes {
		if !p.Passed {
			missed++
		}
	}
	if s.late*3 > missed {
		s.note(fmt.Sprintf("in %d of %d tests that missed the goal this client sent calls late, as on a busy machine: the target itself may do more", s.late, missed))
	}
	c.Fit = fit(c.Probes)
}

// bound is what failed most of the probes just above the capacity.
func (s *Search) bound() string {
	c := &s.found
	if c.High == nil {
		return ""
	}
	count := map[string]int{}
	most := ""
	for _, p := range c.Probes {
		why := firstMetric(p.Why)
		if p.Passed || why == "" || p.Offered > *c.High*1.1 {
			continue
		}
		if count[why]++; most == "" || count[why] > count[most] {
			most = why
		}
	}
	return most
}

// String tells a probe's rate for progress.
func (p Progress) String() string {
	if p.Rate == 0 {
		return "one call in flight"
	}
	return fmt.Sprintf("%.4g calls/s", p.Rate)
}
