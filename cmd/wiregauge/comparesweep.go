package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"wiregauge/compare"
	"wiregauge/result"
)

// A setting is one point of a sweep and the comparison that is carried out there.
type setting struct {
	point
	judged bool
	c      *comparison
}

// sweep makes a comparison of every point, each checked before anything is sent. None without a sweep.
func (c *comparison) sweep(ctx context.Context) ([]setting, error) {
	points, err := c.o.points(c.set)
	switch {
	case err != nil:
		return nil, err
	case len(points) == 0 && c.o.VerdictAt != "":
		return nil, usage("--verdict-at names points of a sweep, and there is none")
	case len(points) == 0:
		return nil, nil
	case c.o.Against != "":
		return nil, usage("--against is about one load, and a sweep has several: one of them")
	}
	declared, err := c.declared(points)
	if err != nil {
		return nil, err
	}
	list := make([]setting, len(points))
	for i, p := range points {
		list[i] = setting{point: p, judged: declared[i]}
		if list[i].c, err = c.at(ctx, p); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// declared says which points get a verdict.
func (c *comparison) declared(points []point) ([]bool, error) {
	list := make([]bool, len(points))
	if c.o.VerdictAt == "" {
		return list, nil
	}
	given := SweepOptions{}
	switch {
	case c.o.Users != "":
		given.Users = c.o.VerdictAt
	case c.o.Rates != "":
		given.Rates = c.o.VerdictAt
	default:
		given.Sizes = c.o.VerdictAt
	}
	wanted, err := given.points(c.set)
	if err != nil {
		return nil, usage("--verdict-at: %w", err)
	}
	for _, w := range wanted {
		found := false
		for i, p := range points {
			if w.users == p.users && w.rate == p.rate && (w.size == p.size || w.size == 0) {
				list[i], found = true, true
			}
		}
		if !found {
			return nil, usage("--verdict-at %s: %s is no point of the sweep", c.o.VerdictAt, w.label())
		}
	}
	return list, nil
}

// roundsOfPoint is how many rounds a point of a sweep has when nothing is said.
const roundsOfPoint = 40

// at is the comparison at one point.
func (c *comparison) at(ctx context.Context, p point) (*comparison, error) {
	own := *c.o
	out := &comparison{app: c.app, o: &own, args: c.args, gates: c.gates, plan: compare.Plan{Launch: c.plan.Launch}}
	out.set = copied(c.set, out.o)
	if out.o.Rounds == 0 {
		out.o.Rounds = roundsOfPoint
	}
	if err := p.set(out.set); err != nil {
		return nil, err
	}
	for _, a := range c.arms {
		twin := a.again(a.name)
		twin.of = out
		if err := p.set(twin.set); err != nil {
			return nil, err
		}
		if err := p.fill(c.app, &twin.o.DataOptions, twin.set, c.o.SizeField); err != nil {
			return nil, c.named(a, err)
		}
		out.arms = append(out.arms, twin)
	}
	return out, out.settle(ctx)
}

// runSweep carries the points out and tells the result.
func (c *comparison) runSweep(ctx context.Context, list []setting, show *compareProgress) (*result.File, error) {
	settings := make([]compare.Setting, len(list))
	for i, s := range list {
		s.c.plan.Progress, s.c.plan.Played = show.show, c.lines.turn
		settings[i] = compare.Setting{Label: s.label(), Concurrency: s.users, Rate: s.rates, Payload: s.size, Judged: s.judged, Plan: s.c.plan}
	}
	f, err := compare.Sweep(ctx, settings)
	if f == nil {
		return nil, err
	}
	main := slices.IndexFunc(list[:len(f.Sweep)], func(s setting) bool { return s.judged })
	if main < 0 {
		main = len(f.Sweep) - 1
	}
	list[main].c.fillPlan(f)
	if len(c.gates) > 0 {
		f.Notes = append(f.Notes, "the gates are judged at "+list[main].label())
	}
	return f, err
}

// sweepWords say what the sweep is, before it starts.
func sweepWords(list []setting) string {
	var long time.Duration
	judged := 0
	for _, s := range list {
		at := *s.c
		if s.judged {
			judged++
		} else {
			at.plan.Launches = 1
		}
		long += at.length()
	}
	words := fmt.Sprintf("%s from %s to %s, %d with a verdict", countOf(len(list), "point", "points"), list[0].label(), list[len(list)-1].label(), judged)
	if judged < len(list) {
		words += ", one launch at each of the others"
	}
	if long > 0 {
		words += ", about " + clock(long)
	}
	return words
}
