package main

import (
	"fmt"
	"slices"

	"wiregauge/internal/gate"
	"wiregauge/judge"
	"wiregauge/result"
)

// judgeGates judges every gate: bounds in numbers on the arms, bounds on a change on the verdicts against the baseline.
func judgeGates(gates []gate.Gate, f *result.File) []result.Gate {
	list := gate.Judge(gates, f.Arms, f.Trust)
	for i := range gates {
		if gates[i].Relative {
			list = append(list, relative(&gates[i], f)...)
		}
	}
	return list
}

// relative judges one gate for each arm that it is about.
func relative(g *gate.Gate, f *result.File) []result.Gate {
	verdicts, why := f.Verdicts, ""
	if f.Against != nil {
		verdicts = f.Against.Verdicts
		why = "measured against a file, at another time: a gate needs both in turns, --against BRANCH or two arms of compare"
	}
	var list []result.Gate
	for i := range f.Arms {
		arm := &f.Arms[i]
		asBaseline := arm.Baseline && f.Against == nil
		if arm.Floor || arm.Control || asBaseline || g.Arm != "" && g.Arm != arm.Name {
			continue
		}
		list = append(list, changeOf(g, verdicts, arm.Name, why))
	}
	if len(list) == 0 {
		list = append(list, g.Answer(g.Arm, nil, false, fmt.Sprintf("there is no arm %q beside the baseline", g.Arm)))
	}
	return list
}

// changeOf judges one gate for one arm; why, when it is set, is why nothing may be decided.
func changeOf(g *gate.Gate, verdicts []result.Verdict, arm, why string) result.Gate {
	name := comparedMetric(g.Metric)
	i := slices.IndexFunc(verdicts, func(v result.Verdict) bool { return v.Metric == name && v.B == arm })
	if i < 0 {
		if why == "" {
			why = fmt.Sprintf("%s of %s was not compared", g.Metric, arm)
		}
		return g.Answer(arm, nil, false, why)
	}
	v := verdicts[i]
	bound := judge.Bound{Change: g.Bound, Larger: g.Floor}
	var change *float64
	if c, ok := bound.Value(v); ok {
		change = &c
	}
	switch {
	case why != "":
		return g.Answer(arm, change, false, why)
	case name == "bytes" && change != nil: // counted: no interval, no doubt
		return g.Answer(arm, change, *change < g.Bound || g.Inclusive && *change == g.Bound, "")
	}
	answer, unknown := bound.Judge(v)
	return g.Answer(arm, change, answer == judge.Pass, unknown)
}

// comparedMetric is the name under which a comparison knows the metric of a gate.
func comparedMetric(metric string) string {
	if metric == "goodput" {
		return "rate"
	}
	return metric
}

// comparedMetrics are the metrics of the relative gates, which a comparison has to measure.
func comparedMetrics(gates []gate.Gate) []string {
	var list []string
	for i := range gates {
		if name := comparedMetric(gates[i].Metric); gates[i].Relative && name != "bytes" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
