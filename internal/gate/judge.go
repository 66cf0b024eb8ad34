package gate

import (
	"fmt"
	"math"

	"wiregauge/hist"
	"wiregauge/report/number"
	"wiregauge/result"
)

// enough is how many values must lie beyond a percentile before it decides anything.
const enough = 10

// Judge evaluates gates against the arms of a result: one record per gate and arm, relative gates left out. A gate that
// names an arm is judged on that arm only; a gate whose arm does not exist is unknown, and so is one on a number that
// t says must not be used.
func Judge(gates []Gate, arms []result.Arm, t result.Trust) []result.Gate {
	var list []result.Gate
	for i := range gates {
		g := &gates[i]
		if g.Relative {
			continue
		}
		found := false
		for j := range arms {
			if g.Arm != "" && g.Arm != arms[j].Name || g.Arm == "" && (arms[j].Floor || arms[j].Control) && len(arms) > 1 {
				continue
			}
			found = true
			list = append(list, g.judge(&arms[j], &t, len(arms) > 1))
		}
		if !found {
			list = append(list, result.Gate{Expr: g.Expr, Words: g.Words(), Arm: g.Arm, Unit: g.unit, Unknown: fmt.Sprintf("there is no arm %q", g.Arm)})
		}
	}
	return list
}

func (g *Gate) judge(arm *result.Arm, t *result.Trust, name bool) result.Gate {
	out := result.Gate{Expr: g.Expr, Words: g.Words(), Unit: g.unit}
	if name {
		out.Arm = arm.Name
	}
	v, unknown := g.measure(arm)
	if unknown != "" {
		out.Unknown = unknown
		return out
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		out.Unknown = "no call finished"
		return out
	}
	out.Value = &v
	out.Passed = g.good(v)
	if out.Unknown = g.distrust(arm.Name, t, out.Passed); out.Unknown != "" {
		out.Passed = false
	}
	return out
}

func (g *Gate) good(v float64) bool {
	switch {
	case v == g.Bound:
		return g.Inclusive
	case g.Floor:
		return v > g.Bound
	}
	return v < g.Bound
}

// measure is the metric's value, or why there is none.
func (g *Gate) measure(arm *result.Arm) (v float64, unknown string) {
	finished := float64(arm.OK + arm.Failed)
	switch g.Metric {
	case "errors":
		if finished == 0 {
			return 0, "no call finished"
		}
		return float64(arm.Failed) / finished, ""
	case "unfinished":
		return float64(arm.Unfinished), ""
	case "rate":
		return arm.AchievedRate, ""
	case "goodput":
		return arm.Goodput, ""
	case "bytes":
		return float64(arm.SentBytes.Wire+arm.RecvBytes.Wire) / finished, ""
	case "cpu":
		return float64(arm.ClientCPU.Total()) / finished, ""
	case "mean":
		return value(arm.Latency.Mean)
	case "max":
		return value(arm.Latency.Max)
	case "ttfb":
		return g.percentile(arm, &arm.FirstByte, 99)
	}
	return g.percentile(arm, &arm.Latency, g.percent)
}

func value(ns *int64) (float64, string) {
	if ns == nil {
		return 0, "no call succeeded"
	}
	return float64(*ns), ""
}

// percentile refuses one that rests on too few calls, unless every call is on the good side, and one that leaves
// out the slowest calls because they never finished (truth: survivors only).
func (g *Gate) percentile(arm *result.Arm, d *result.Distribution, p float64) (float64, string) {
	if d.N == 0 || d.Max == nil {
		return 0, "no call succeeded"
	}
	if lost := arm.Unfinished + arm.TimedOut + arm.Unsent; float64(lost) > (1-p/100)/10*float64(arm.Due) {
		return 0, fmt.Sprintf("%d of %d calls did not finish, so p%g of the others is not p%g", lost, arm.Due, p, p)
	}
	if d.N-hist.Rank(p, d.N) < enough {
		if g.good(float64(*d.Max)) {
			return float64(*d.Max), ""
		}
		return 0, fmt.Sprintf("p%g needs %d calls, there are %d", p, needs(p), d.N)
	}
	if d.Hist != nil {
		return float64(d.Hist.Percentile(p)), ""
	}
	for _, q := range d.Percentiles {
		if q.P == p && q.NS != nil {
			return float64(*q.NS), ""
		}
	}
	return 0, fmt.Sprintf("p%g is not in the result", p)
}

// needs is how many values it takes for enough of them to lie beyond p.
func needs(p float64) int64 { return int64(math.Ceil(enough / (1 - p/100) * (1 - 1e-12))) }

// Say is one judged gate in words: "p99<50ms: passed (6.1 ms)".
func Say(g result.Gate) string {
	name := g.Expr
	if g.Arm != "" {
		name += " (" + g.Arm + ")"
	}
	if g.Unknown != "" {
		return fmt.Sprintf("gate %s: cannot be judged: %s", name, g.Unknown)
	}
	word := "FAILED"
	if g.Passed {
		word = "passed"
	}
	if g.Value == nil {
		return fmt.Sprintf("gate %s: %s", name, word)
	}
	return fmt.Sprintf("gate %s: %s, measured %s", name, word, measured(*g.Value, g.Unit))
}

func measured(v float64, unit string) string {
	switch {
	case unit == "ns":
		return number.Duration(int64(v))
	case unit == "ratio":
		return number.Percent(v)
	case unit == "change":
		return fmt.Sprintf("%+.3g %%", v*100)
	case math.Abs(v) >= 1000:
		return number.Count(int64(math.Round(v))) + " " + unit
	}
	return fmt.Sprintf("%.4g %s", v, unit)
}
