package main

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"

	"wiregauge/capacity"
	"wiregauge/hist"
	"wiregauge/internal/gate"
	"wiregauge/internal/option"
	"wiregauge/load"
	"wiregauge/report/number"
	"wiregauge/result"
)

// FindOptions are the search for the highest rate that meets a goal.
type FindOptions struct {
	FindMax     string        `flag:"find-max" value:"'p99<50ms, errors<0.1%'" help:"search for the highest rate at which all of this holds, then test that rate again; Poisson arrivals unless --arrivals says otherwise"`
	MaxDuration time.Duration `flag:"max-duration" value:"TIME" default:"4m" min:"10s" help:"with --find-max: how long search and tests may take in all"`
}

// searchMetrics are what a goal may be about; what is offered is no goal of a search for it.
var searchMetrics = map[string]bool{"mean": true, "max": true, "ttfb": true, "errors": true, "unfinished": true}

// goal reads --find-max and refuses what does not go with it.
func (t *test) goal() (err error) {
	o, set := t.o, t.set
	if o.FindMax == "" {
		if set.Given("max-duration") {
			return usage("--max-duration goes with --find-max; the length of a run is --duration")
		}
		return nil
	}
	for _, flag := range []string{"rate", "ramp", "total", "duration", "warmup", "think", "against", "users", "rates", "sizes"} {
		if set.Given(flag) {
			return usage("--find-max chooses rates and times itself; --%s does not go with it", flag).with("limit", "--max-duration is how long it may take")
		}
	}
	gates, err := gate.ParseAll([]string{o.FindMax})
	if err != nil {
		return usage("--find-max %w", err)
	}
	for i := range gates {
		g := &gates[i]
		switch {
		case g.Arm != "":
			return usage("--find-max %q names the arm %q, and run has no arms", g.Expr, g.Arm)
		case g.Relative:
			return usage("--find-max %q is a change from a baseline; a goal is a bound such as p99<50ms", g.Expr)
		case g.Percent() == 0 && !searchMetrics[g.Metric]:
			return usage("--find-max %q: a goal is about latency or failures, such as p99<50ms, mean<5ms or errors<0.1%%", g.Expr)
		}
	}
	t.goals = gates
	o.search = o.MaxDuration
	if !set.Given("arrivals") {
		o.Arrivals = "poisson"
	}
	return nil
}

// A searcher is the engine as the search sees it. It keeps the turns of every rate until the end.
type searcher struct {
	engine turner
	plan   *plan
	seed   uint64
	alone  []result.Turn
	turns  []result.Turn // of rates
	rates  []float64
}

// searchDrain is how long calls in flight at the end of a probe may still finish: its latencies are those of all calls.
const searchDrain = 2 * time.Second

// Step calls at a rate.
func (s *searcher) Step(ctx context.Context, rate float64, d time.Duration) (result.Turn, error) {
	s.seed++
	rate = math.Max(math.Round(rate*1000), 1) / 1000
	pacer := newPacer(big.NewRat(int64(math.Round(rate*1000)), 1000), s.plan.record.Arrivals, s.seed)
	t, err := s.play(ctx, load.Spec{Duration: d, Pacer: pacer, Seed: s.seed, Trajectory: true})
	if err == nil && !t.Partial {
		s.turns, s.rates = append(s.turns, t), append(s.rates, rate)
	}
	return t, err
}

// Alone calls with one call in flight.
func (s *searcher) Alone(ctx context.Context, d time.Duration) (result.Turn, error) {
	t, err := s.play(ctx, load.Spec{Duration: d, Concurrency: 1, Seed: s.seed})
	if err == nil && !t.Partial {
		s.alone = append(s.alone, t)
	}
	return t, err
}

func (s *searcher) play(ctx context.Context, spec load.Spec) (result.Turn, error) {
	drain := max(searchDrain, s.plan.load.Drain)
	spec.Drain = &drain
	return s.engine.Turn(ctx, spec)
}

// search looks for the capacity, and gives the turns that the result is about: those of the rate that was verified or,
// where none was, of the highest that mostly passed, or of the lowest that was tried.
func (t *test) search(ctx context.Context, engine turner) ([]result.Turn, error) {
	s := &searcher{engine: engine, plan: t.plan, seed: t.o.Seed}
	find := capacity.Search{
		Target: s, Goal: goalWords(t.goals), Missed: t.missed, Budget: t.o.MaxDuration,
		Arrivals: t.o.Arrivals, Seed: t.o.Seed, Tell: t.tellProbe,
	}
	for i := range t.goals {
		find.Tail = max(find.Tail, t.goals[i].Percent())
	}
	if t.target.Client != "stack" {
		if ceiling := ceilingOf(ctx, t.target.Protocol, t.plan.load, 0, ceilingTurn); ceiling != nil {
			find.Ceiling = *ceiling
		}
	}
	found, err := find.Run(ctx)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	t.found, t.stopped = found, ctx.Err() != nil
	return s.about(t.plan, found), nil
}

func goalWords(gates []gate.Gate) string {
	var words []string
	for i := range gates {
		words = append(words, gates[i].Expr)
	}
	return strings.Join(words, ", ")
}

// about chooses the turns that the result tells in full; all other calls count as made outside of them.
func (s *searcher) about(p *plan, found *result.Capacity) []result.Turn {
	rate := highestHeld(found)
	if rate == 0 && len(s.rates) > 0 {
		rate = s.rates[0]
	}
	var kept []result.Turn
	var outside result.Turn
	for i := range s.turns {
		if math.Abs(s.rates[i]-rate) < 0.001+rate*1e-6 {
			kept = append(kept, s.turns[i])
			p.rate = s.rates[i]
			continue
		}
		outside.AddDiscarded(&s.turns[i])
	}
	alone := s.alone
	if len(kept) == 0 && len(alone) > 0 {
		kept, alone = alone[:1], alone[1:]
	}
	for i := range alone {
		outside.AddDiscarded(&alone[i])
	}
	if outside.Warm != nil && len(kept) > 0 {
		kept[0].AddDiscarded(&result.Turn{Warm: outside.Warm, Connections: outside.Connections, Connect: outside.Connect})
	}
	return kept
}

// highestHeld is the rate that was verified, or the highest at which most tests met the goal.
func highestHeld(found *result.Capacity) (rate float64) {
	if found.Verified != nil {
		return *found.Verified
	}
	balance := map[float64]int{}
	for _, p := range found.Probes {
		if p.Passed {
			balance[p.Offered]++
		} else {
			balance[p.Offered]--
		}
	}
	for offered, n := range balance {
		if n > 0 {
			rate = max(rate, offered)
		}
	}
	return rate
}

// missed names the metrics of the goal that a turn does not meet.
func (t *test) missed(turn *result.Turn) (metrics []string, unknown string) {
	arm := result.Merge([]result.Turn{*turn}, nil)
	for i := range t.goals {
		g := &t.goals[i]
		if g.Percent() > 0 {
			if beyond(g, turn) {
				metrics = append(metrics, g.Metric)
			}
			continue
		}
		judged := gate.Judge(t.goals[i:i+1], []result.Arm{arm}, result.Trust{Level: result.TrustUnchecked})[0]
		switch {
		case judged.Unknown != "":
			unknown = judged.Unknown
		case !judged.Passed:
			metrics = append(metrics, g.Metric)
		}
	}
	return metrics, unknown
}

// beyond reports whether more calls are on the bad side of a percentile's bound than it leaves. Calls that never ended
// are; failed ones are the errors' matter.
func beyond(g *gate.Gate, t *result.Turn) bool {
	slow := t.TimedOut + t.Unfinished + t.Unsent
	n := t.OK + slow
	if t.Latency != nil {
		for _, b := range t.Latency.Buckets() {
			if !g.Good(float64(b.Value)) {
				slow += b.Count
			}
		}
	}
	return slow > n-hist.Rank(g.Percent(), n)
}

// tellProbe says on stderr what is tried next, a line each.
func (t *test) tellProbe(p capacity.Progress) {
	if t.o.Silent || t.o.Progress == "none" {
		return
	}
	line := fmt.Sprintf("%5.0fs/%s  %-7s  %s for %s", p.Elapsed.Seconds(), option.FormatDuration(t.o.MaxDuration), p.Stage, probeWords(p), number.Duration(int64(p.Length)))
	if p.Low > 0 {
		line += fmt.Sprintf("   so far between %s and %s calls/s", number.Significant(p.Low), number.Significant(p.High))
	}
	fmt.Fprintln(t.app.stderr, line)
}

func probeWords(p capacity.Progress) string {
	if p.Rate == 0 {
		return "one call in flight"
	}
	return number.Significant(p.Rate) + " calls/s"
}

// searchCode is what the exit code says of a search: 99 for a goal that is never met, 6 where no rate was verified.
func searchCode(c *result.Capacity) int {
	switch {
	case c == nil, c.Verified != nil:
		return exitOK
	case c.Outcome == result.CapacityNever:
		return exitGate
	}
	return exitUndecided
}
