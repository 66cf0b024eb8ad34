package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"wiregauge/result"
)

// used are the launches that count. After Ctrl-C the launch that was cut short does not, unless it is all there is.
func (c *comparison) used() []*launch {
	if last := len(c.launches) - 1; last > 0 && c.launches[last].cut {
		return c.launches[:last]
	}
	return c.launches
}

func (c *comparison) interrupted() bool {
	var lost *ArmError
	return c.ended != nil && !errors.As(c.ended, &lost)
}

// sumUp adds up all that was measured of each arm.
func (c *comparison) sumUp() {
	c.totals = make([]result.Turn, len(c.plan.Arms))
	for i := range c.totals {
		c.totals[i].Arm = c.plan.Arms[i].Name
		for _, l := range c.used() {
			c.totals[i].Add(&l.folded[i])
		}
	}
}

// file tells the comparison.
func (c *comparison) file(ended error) *result.File {
	f := c.measured()
	f.Elapsed = int64(time.Since(c.began))
	f.Partial = ended != nil
	c.judge(f)
	f.Notes = c.notes(ended)
	return f
}

// measured is what has been measured so far, without a judgement.
func (c *comparison) measured() *result.File {
	c.sumUp()
	f := result.NewFile("comparison")
	f.Plan = c.planRecord()
	for i := range c.plan.Arms {
		f.Arms = append(f.Arms, c.arm(i))
	}
	f.Turns = c.usedRows()
	f.Fair = c.fairTest()
	return f
}

// fairTest is the check of the calls before the first turn and of the failures in all turns.
func (c *comparison) fairTest() *result.Fair {
	fair := &result.Fair{Checks: []result.FairCheck{}, Differ: []string{}}
	if c.fair != nil {
		*fair = *c.fair
	}
	fair.Checks = append(slices.Clone(fair.Checks), c.failures())
	c.checkSizes(fair)
	return fair
}

func (c *comparison) planRecord() result.Plan {
	p := result.Plan{
		Loop: "closed", Seed: c.plan.Seed,
		Launches: c.plan.Launches, Rounds: c.plan.Rounds, Turn: int64(c.plan.Turn),
		Total: int64(c.plan.Spec.Total), Concurrency: c.plan.Spec.Concurrency,
		Baseline: c.plan.Baseline, Percentiles: c.plan.Percentiles,
	}
	if c.plan.Open {
		p.Loop = "open"
	}
	if c.plan.Spec.Pacer != nil {
		p.Rate = c.plan.Spec.Pacer.String()
	}
	return p
}

func (c *comparison) arm(i int) result.Arm {
	spec := &c.plan.Arms[i]
	var turns []result.Turn
	for _, l := range c.used() {
		turns = append(turns, l.folded[i])
	}
	a := result.Merge(turns, c.plan.Percentiles)
	a.Strips = result.FewerStrips(a.Strips, result.MaxArmStrips)
	a.Name, a.URL, a.Protocol, a.Client, a.Method = spec.Name, spec.URL, spec.Protocol, spec.Client, spec.Method
	a.Baseline, a.Floor, a.Control = spec.Name == c.plan.Baseline, spec.Floor, spec.Control
	a.WarmUp = c.warm[i]
	if c.ceilings != nil {
		a.Ceiling = c.ceilings[i]
	}
	for _, l := range c.used() {
		a.KeptAlive += l.keptAlive[i]
	}
	if !c.plan.Open && clientLimited(&c.totals[i]) {
		a.Limited = "client"
		a.Notes = append(a.Notes, "client-limited: the client had no CPU left, so this arm is at least that fast")
	}
	return a
}

// usedRows are the rows of the launches that count.
func (c *comparison) usedRows() []result.Row {
	used := c.used()
	return slices.DeleteFunc(slices.Clone(c.rows), func(r result.Row) bool {
		return !slices.ContainsFunc(used, func(l *launch) bool { return l.number == r.Launch })
	})
}

func (c *comparison) notes(ended error) []string {
	notes := append([]string{}, c.remarks...)
	if !c.perLaunch() {
		notes = append(notes, "one launch only: a difference may belong to this launch; give start commands for several")
	}
	for m := range c.metrics {
		if most := c.used()[0].pools[m].most; most > 1 {
			notes = append(notes, fmt.Sprintf("%s: one round has too few calls for it; up to %d rounds were taken together as one block", c.metrics[m].Name, most))
		}
	}
	if c.invalid+c.lost > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d rounds were invalid: %s", c.invalid+c.lost, c.played+c.lost, strings.Join(c.reasons, "; ")))
	}
	switch {
	case c.stopped:
		notes = append(notes, fmt.Sprintf("ended at the planned look after %d of %d launches: every verdict on the baseline was clear", len(c.launches), c.plan.Launches))
	case ended == nil:
	case c.interrupted():
		notes = append(notes, "stopped before the end: "+c.kept()+" counted")
	default:
		notes = append(notes, "ended early: "+ended.Error())
	}
	return notes
}

// kept says how much of a comparison that ended early counts.
func (c *comparison) kept() string {
	rounds := 0
	for _, l := range c.used() {
		rounds += len(l.rounds)
	}
	if c.perLaunch() {
		n := int64(len(c.used()))
		return fmt.Sprintf("%d %s of %d", n, plural(n, "launch", "launches"), c.plan.Launches)
	}
	return fmt.Sprintf("%d %s of %d", rounds, plural(int64(rounds), "round", "rounds"), c.plan.Rounds)
}

// findCeilings measures what the client could send at most, which an open loop's rates are compared with. The size of
// the answers is known now.
func (c *comparison) findCeilings(ctx context.Context) {
	if !c.plan.Open || ctx.Err() != nil {
		return
	}
	c.sumUp()
	c.ceilings = make([]*float64, len(c.plan.Arms))
	for i, a := range c.plan.Arms {
		if t := &c.totals[i]; a.Ceiling != nil && !a.Floor && t.OK > 0 {
			c.ceilings[i] = a.Ceiling(ctx, int(t.RecvBytes.Body/t.OK))
		}
	}
}
