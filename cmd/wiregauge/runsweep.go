package main

import (
	"context"
	"fmt"
	"time"

	"wiregauge/internal/gate"
	"wiregauge/result"
)

// sweep measures every point of a sweep, one after the other, and tells one result. What can be wrong at any of them is
// found before the first.
func (t *test) sweep(ctx context.Context, url string, points []point) error {
	if len(t.logs) > 0 {
		return usage("-o %s keeps single calls of one run, and a sweep is several", t.logs[0].Format)
	}
	if t.saved != nil {
		return usage("--against is about one load, and a sweep has several: one of them")
	}
	parts := make([]*test, len(points))
	for i, p := range points {
		var err error
		if parts[i], err = t.at(ctx, url, p); err != nil {
			return err
		}
	}
	if t.o.DryRun {
		for _, p := range points {
			fmt.Fprintf(t.app.stdout, "point        %s\n", p.label())
		}
		return parts[0].describe()
	}
	if !t.o.Silent {
		fmt.Fprintf(t.app.stderr, "sweep: %s from %s to %s\n", countOf(len(points), "point", "points"), points[0].label(), points[len(points)-1].label())
	}
	parts[0].announce()
	started := time.Now()
	for i, part := range parts {
		if err := part.measure(ctx); err != nil {
			if t.file == nil {
				return err
			}
			fmt.Fprintf(t.app.stderr, "error: at %s: %v\n", points[i].label(), err)
			t.file.Partial = true
			t.failed = exitUnreachable
			break
		}
		t.take(part, points[i])
		if ctx.Err() != nil {
			break
		}
	}
	t.file.Partial = t.file.Partial || len(t.file.Sweep) < len(points)
	t.file.Elapsed = int64(time.Since(started))
	t.file.Notes = append([]string{fmt.Sprintf("the tables are those of %s, one of %d points", points[len(t.file.Sweep)-1].label(), len(points))}, t.file.Notes...)
	return t.finish(ctx)
}

// at is the test of one point.
func (t *test) at(ctx context.Context, url string, p point) (*test, error) {
	own := *t.o
	part := &test{app: t.app, o: &own, gates: t.gates, labels: t.labels}
	part.set = copied(t.set, part.o)
	if err := p.set(part.set); err != nil {
		return nil, err
	}
	if err := p.fill(t.app, &part.o.DataOptions, part.set, t.o.SizeField); err != nil {
		return nil, err
	}
	part.o.stream = part.o.Take > 0 || part.o.Slow.open()
	var err error
	if part.target, part.payload, err = t.app.prepare(ctx, url, &part.o.ConnOptions, &part.o.DataOptions, told(part.o.Timeout)); err != nil {
		return nil, err
	}
	if part.plan, err = newPlan(&part.o.LoadOptions, part.set, part.target, part.payload); err != nil || t.o.DryRun {
		return part, err
	}
	if err := t.app.mayLoad(ctx, part.target, part.plan, part.o.Own); err != nil {
		return nil, err
	}
	return part, part.target.pin(ctx)
}

// take adds what was measured at a point. The result as a whole is that of the last one.
func (t *test) take(part *test, p point) {
	var points []result.Point
	partial := false
	if t.file != nil {
		points, partial = t.file.Sweep, t.file.Partial
	}
	arm := part.file.Arms[0]
	t.file, t.target = part.file, part.target
	t.file.Partial = t.file.Partial || partial
	t.file.Sweep = append(points, result.Point{Label: p.label(), Concurrency: p.users, Rate: p.rates, Payload: p.size,
		Arms: []result.PointArm{result.NewPointArm(&arm)}})
	arm.Name = p.label()
	t.swept = append(t.swept, arm)
	for _, r := range part.file.Trust.Reasons {
		r.Arm = p.label()
		t.doubts = append(t.doubts, r)
	}
}

// arms are those that gates and limits are about: of a sweep the arm at each point, under the point's name.
func (t *test) arms() []result.Arm {
	if len(t.swept) > 0 {
		return t.swept
	}
	return t.file.Arms
}

// judge judges the gates: of a sweep at every point.
func (t *test) judge() []result.Gate {
	if len(t.swept) > 0 {
		return gate.Judge(t.gates, t.swept, result.Trust{Level: result.TrustOK, Reasons: t.doubts})
	}
	return judgeGates(t.gates, t.file)
}
