package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"wiregauge/result"
)

// record turns what was measured into the result that is told and saved.
func (t *test) record(turns []result.Turn) *result.File {
	f := result.NewFile("run")
	f.ID = t.id
	f.Title, f.Labels, f.Command = t.o.Name, t.labels, redact(t.app.args)
	f.Plan = t.plan.record
	f.Plan.Percentiles, f.Plan.Contract, f.Plan.Payload = t.o.Percentiles, t.payload.Origin, t.payload.Summary
	arm := result.Merge(turns, t.o.Percentiles)
	t.identify(&arm)
	arm.WarmUp = t.plan.foundWarmUp(turns)
	for i := range turns {
		f.Partial = f.Partial || turns[i].Partial
		if len(t.plan.labels) > 0 {
			arm.Steps = append(arm.Steps, step(t.plan.labels[i], &turns[i]))
		}
	}
	if len(t.plan.labels) > 0 && !t.plan.open && t.plan.load.Think.Mean == 0 {
		arm.USL = scalability(t.o.Ramp.concurrency, turns)
	}
	f.Partial = f.Partial || len(turns) < len(t.plan.specs) || t.found != nil && t.stopped
	f.Arms = []result.Arm{arm}
	f.Capacity = t.found
	return f
}

// name is the arm's.
func (t *test) name() string { return cmp.Or(t.o.Name, "target") }

// identify says who the arm is.
func (t *test) identify(arm *result.Arm) {
	p := t.target
	arm.Name, arm.URL = t.name(), redactURL(p.Raw)
	arm.Protocol, arm.Client, arm.Method = p.Protocol.Title, p.Client, t.payload.Requests[0].Method
	if t.plan.open && !t.o.Ramp.given() && t.plan.rate > 0 {
		asked := t.plan.rate
		arm.AskedRate = &asked
	}
	if p.Probe != nil {
		arm.Notes = append(arm.Notes, fmt.Sprintf("ALPN chose %s; it was read once, on a connection before the run", p.Protocol.Title))
	}
}

// step is one step of a ramp.
func step(label string, t *result.Turn) result.Step {
	row := result.NewRow(*t)
	goodput := 0.0
	if t.Window > 0 {
		goodput = float64(t.CompletedInside) / t.Window.Seconds()
	}
	return result.Step{Label: label, Window: int64(t.Window), OK: t.OK, Failed: t.Failed, Goodput: goodput, P50: row.P50, P99: row.P99}
}

// conserve asks the server what it received and compares.
func (t *test) conserve(ctx context.Context, before *serverStats) error {
	if before == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	after, err := readServerStats(ctx, t.o.ServerStats)
	if err != nil {
		t.file.Notes = append(t.file.Notes, fmt.Sprintf("the server's own count could not be read after the run: %v", err))
		return nil
	}
	arm := &t.file.Arms[0]
	arm.ServerStats = compareStats(t.o.ServerStats, before, after, arm)
	return nil
}

// labels reads K=V pairs.
func labels(list []string) (map[string]string, error) {
	if len(list) == 0 {
		return nil, nil
	}
	m := map[string]string{}
	for _, l := range list {
		k, v, ok := strings.Cut(l, "=")
		if !ok || k == "" {
			return nil, usage("--label wants NAME=VALUE, got %q", l)
		}
		m[k] = v
	}
	return m, nil
}
