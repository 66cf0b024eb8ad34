package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"wiregauge/lab/truth"
)

// subsetCases are what `make test-all` runs; those of whole periods keep their length, the others are shortened.
var subsetCases = []string{"S1", "S2", "S3", "S4", "S7", "S7b", "S7c", "S7d", "S8", "S9", "S11", "S12", "S15", "S17"}

// runSubset measures wiregauge alone on short loads and prints what it is off. It fails only on what noise cannot cause.
func (b *bench) runSubset(ctx context.Context) error {
	fmt.Println("accuracy, shortened: error against the formula (and against the server's own log); only counts can fail")
	runs, wrong := 0, 0
	for _, c := range truth.Cases() {
		if !slices.Contains(subsetCases, c.Name) {
			continue
		}
		for _, l := range c.Loads {
			l, ok := shortened(c, l)
			if !ok {
				continue
			}
			for _, t := range tools() {
				if !t.ours || !b.wants(c, l, t) || t.client == "stack" && l.Truth.Failed == 0 && l.Calls == 0 || c.Name == "S7" && l.Rate > 0 {
					continue
				}
				one, err := b.carryOut(ctx, c, l, t, 0)
				if err != nil {
					return err
				}
				runs++
				wrong += len(one.Report.Wrong)
				fmt.Println(one.line(c, l, t))
			}
		}
	}
	fmt.Printf("accuracy: %d runs, %d things that no noise can cause\n", runs, wrong)
	if wrong > 0 || runs == 0 {
		return fmt.Errorf("%d of %d runs said what cannot be", wrong, runs)
	}
	return nil
}

// shortened leaves out closed loops without exact counts and random arrivals, and cuts loads to two seconds where that
// keeps whole periods.
func shortened(c truth.Case, l truth.Load) (truth.Load, bool) {
	if l.Poisson || l.Callers > 0 && l.Calls == 0 {
		return l, false
	}
	switch c.Name {
	case "S2":
	case "S8":
		l.Duration = 3 * time.Second
	default:
		l.Duration = min(l.Duration, 2*time.Second)
	}
	if l.Calls > 0 {
		l.Calls = 2000
	}
	return l, true
}

// line tells one run: "S2 200/s constant for 10s, wiregauge wire grpc: p50 +1.2 % (+0.4 %), p99 …".
func (t *trial) line(c truth.Case, l truth.Load, by tool) string {
	text := fmt.Sprintf("  %-4s %-26s %-20s", c.Name, l, by.id())
	if t.Lost != "" {
		return text + "not measured: " + t.Lost
	}
	for _, p := range l.Truth.Tested {
		name := truth.Name(p)
		got, ok := t.Report.Percentiles[name]
		want, known := t.right(l.Truth, p)
		if !ok || !known {
			continue
		}
		text += fmt.Sprintf(" %s %s (%s)", name, percent(share(got, want)), percent(share(got, t.Took[name])))
	}
	if l.Truth.Failed > 0 || l.Calls > 0 {
		text += fmt.Sprintf(" %d of %d failed, %d sent again, %d retried, server received %d",
			t.Report.Failed, t.Report.OK+t.Report.Failed, t.Report.Resent, t.Report.Hidden, t.Calls)
	}
	for _, w := range t.Report.Wrong {
		text += "\n       WRONG: " + w
	}
	return text
}

// share is how far got is from want, as a share of it.
func share(got, want int64) float64 {
	if want == 0 {
		return 0
	}
	return float64(got)/float64(want) - 1
}

// percent is a share with its sign: "+1.2 %", "−99 %", "+6,900 %".
func percent(x float64) string {
	p := 100 * x
	switch {
	case p >= 10 || p <= -10:
		return fmt.Sprintf("%+.0f %%", p)
	case p >= 1 || p <= -1:
		return fmt.Sprintf("%+.1f %%", p)
	}
	return fmt.Sprintf("%+.2f %%", p)
}
