package compare

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"wiregauge/result"
)

// used are the launches that count. After Ctrl-C the launch that was cut short does not, unless it is all there is.
func (c *comparison) used() []*launch {
	if !c.interrupted() || len(c.launches) < 2 {
		return c.launches
	}
	if last := len(c.launches) - 1; !c.launches[last].whole {
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
	c.sumUp()
	f := result.NewFile("comparison")
	f.Elapsed = int64(time.Since(c.began))
	f.Partial = ended != nil
	f.Plan = c.planRecord()
	f.Trust = result.Trust{Level: "unchecked", Reasons: []result.Reason{}}
	for i := range c.plan.Arms {
		f.Arms = append(f.Arms, c.arm(i))
	}
	f.Turns = c.usedRows()
	c.checkFailures()
	f.Fair = c.fair
	f.Verdicts = c.verdicts()
	f.Notes = c.notes(ended)
	return f
}

func (c *comparison) planRecord() result.Plan {
	p := result.Plan{
		Loop: pick(c.plan.Open, "open", "closed"), Seed: c.plan.Seed,
		Launches: c.plan.Launches, Rounds: c.plan.Rounds, Turn: int64(c.plan.Turn),
		Total: int64(c.plan.Spec.Total), Concurrency: c.plan.Spec.Concurrency,
		Baseline: c.plan.Baseline, Percentiles: c.plan.Percentiles,
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
	a.Name, a.URL, a.Protocol, a.Client, a.Method = spec.Name, spec.URL, spec.Protocol, spec.Client, spec.Method
	a.Baseline, a.Floor = spec.Name == c.plan.Baseline, spec.Floor
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
	notes := []string{}
	if !c.perLaunch() {
		notes = append(notes, "one launch only: a difference may belong to this launch; give start commands for several")
	}
	for m := range c.metrics {
		if c.unit(c.metrics[m]) == "block" {
			notes = append(notes, fmt.Sprintf("%s: one round has too few calls for it; up to %d rounds were taken together as one block", c.metrics[m].name, c.used()[0].pools[m].most))
		}
	}
	if c.invalid+c.lost > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d rounds were invalid: %s", c.invalid+c.lost, c.played+c.lost, joinReasons(c.reasons)))
	}
	switch {
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

func joinReasons(reasons []string) string {
	text := ""
	for i, r := range reasons {
		if i > 0 {
			text += "; "
		}
		text += r
	}
	return text
}
