package main

import (
	"cmp"
	"fmt"
	"math"
	"os"

	"wiregauge/judge"
	"wiregauge/result"
	"wiregauge/stat"
)

// A yardstick is what --against names: a saved result, or a commit of the repository whose server is started beside.
type yardstick struct {
	name string
	file *result.File // nil: a commit
}

// readYardstick finds out what --against names: a file that is there is a result, anything else a commit.
func (a *app) readYardstick(name string) (*yardstick, error) {
	if name == "" {
		return nil, nil
	}
	if info, err := os.Stat(name); err != nil || info.IsDir() {
		return &yardstick{name: name}, nil
	}
	files, err := a.savedResult(name)
	switch {
	case err != nil:
		return nil, usage("--against %s: %w", name, err)
	case len(files) != 1:
		return nil, usage("--against %s holds %d results, and one is compared with", name, len(files))
	}
	return &yardstick{name, files[0]}, nil
}

// savedMetrics are those that every result keeps per launch, tails taken per turn.
var savedMetrics = []struct {
	judge.Metric
	of func(*result.Row) float64
}{
	{judge.Metric{Name: "rate", Larger: true}, func(r *result.Row) float64 { return r.Rate }},
	{judge.Metric{Name: "p50"}, func(r *result.Row) float64 { return known(r.P50) }},
	{judge.Metric{Name: "p99"}, func(r *result.Row) float64 { return known(r.P99) }},
	{judge.Metric{Name: "cpu", Cost: true}, func(r *result.Row) float64 { return known(r.CPU) }},
}

func known(ns *int64) float64 {
	if ns == nil {
		return 0
	}
	return float64(*ns)
}

// against compares every arm with the one of its name in a saved result, or with its only one. Nothing pairs the two
// measurements, so that it can be said in words only, and not surely.
func (y *yardstick) against(f *result.File, minEffect float64) {
	rules := judge.Rules{MinEffect: minEffect, Primary: []string{"rate"}}
	if f.Plan.Loop == "open" {
		rules.Primary = []string{"p50", "p99"}
	}
	f.Against = &result.Against{Name: y.name, ID: y.file.ID, Created: y.file.Created, Verdicts: []result.Verdict{}}
	for i := range f.Arms {
		arm := &f.Arms[i]
		if arm.Floor || arm.Control {
			continue
		}
		old := y.counterpart(arm, len(f.Arms))
		if old == nil {
			f.Notes = append(f.Notes, fmt.Sprintf("%s has no arm %q to compare with", y.name, arm.Name))
			continue
		}
		s := judge.Saved{A: old.Name + " in " + y.name, B: arm.Name, Voids: y.voids(f, old, arm)}
		for _, m := range savedMetrics {
			s.Metrics = append(s.Metrics, m.Metric)
			s.Old = append(s.Old, perLaunch(y.file, old, m.of))
			s.New = append(s.New, perLaunch(f, arm, m.of))
		}
		f.Against.Verdicts = append(f.Against.Verdicts, judge.Against(s, rules)...)
	}
}

func (y *yardstick) counterpart(arm *result.Arm, arms int) *result.Arm {
	for i := range y.file.Arms {
		if y.file.Arms[i].Name == arm.Name {
			return &y.file.Arms[i]
		}
	}
	if len(y.file.Arms) == 1 && arms == 1 {
		return &y.file.Arms[0]
	}
	return nil
}

// The least difference of failure shares that makes the two another work, and the p value it must have.
const (
	failureGap   = 0.001
	failureAlpha = 0.01
)

// voids says why the two measurements are not of the same work.
func (y *yardstick) voids(f *result.File, old, arm *result.Arm) []string {
	var list []string
	differ := func(what string, a, b any) {
		if a != b {
			list = append(list, fmt.Sprintf("%s: %v then, %v now", what, a, b))
		}
	}
	differ("loop", y.file.Plan.Loop, f.Plan.Loop)
	differ("rate", cmp.Or(y.file.Plan.Rate, "none"), cmp.Or(f.Plan.Rate, "none"))
	differ("calls in flight", y.file.Plan.Concurrency, f.Plan.Concurrency)
	differ("payload", y.file.Plan.Payload, f.Plan.Payload)
	differ("protocol", old.Protocol, arm.Protocol)
	differ("client", old.Client, arm.Client)
	differ("machine", y.file.Host.Name, f.Host.Name)
	if math.Abs(old.ErrorShare()-arm.ErrorShare()) > failureGap && stat.Fisher(old.Failed, old.OK, arm.Failed, arm.OK) < failureAlpha {
		list = append(list, fmt.Sprintf("failures: %.3g %% of the calls then, %.3g %% now", 100*old.ErrorShare(), 100*arm.ErrorShare()))
	}
	return list
}

// perLaunch are the values of an arm's launches: the geometric mean over the turns of each. A run is one launch.
func perLaunch(f *result.File, arm *result.Arm, of func(*result.Row) float64) []float64 {
	if len(f.Turns) == 0 {
		row := result.Row{Rate: arm.Goodput, P50: percentileOf(arm, 50), P99: percentileOf(arm, 99), CPU: arm.ClientCPU.PerCall(arm.Finished())}
		return []float64{of(&row)}
	}
	var sums []float64
	var counts []float64
	for i := range f.Turns {
		r := &f.Turns[i]
		v := of(r)
		if r.Arm != arm.Name || r.Invalid != "" || v <= 0 {
			continue
		}
		for len(sums) <= r.Launch {
			sums, counts = append(sums, 0), append(counts, 0)
		}
		sums[r.Launch] += math.Log(v)
		counts[r.Launch]++
	}
	var values []float64
	for l := range sums {
		if counts[l] > 0 {
			values = append(values, math.Exp(sums[l]/counts[l]))
		}
	}
	return values
}

func percentileOf(arm *result.Arm, p float64) *int64 {
	for _, q := range arm.Latency.Percentiles {
		if q.P == p {
			return q.NS
		}
	}
	return nil
}
