package story

import (
	"fmt"
	"slices"

	"wiregauge/report/number"
	"wiregauge/report/verdict"
	"wiregauge/result"
)

// sweepSection has every setting of a sweep with every arm, and the verdicts at the settings that were to have one.
func sweepSection(f *result.File) Section {
	sec := Section{ID: "sweep", Title: "Sweep"}
	t := Table{Columns: []Column{{Name: "setting", Text: true}, {Name: "target", Text: true}, {Name: "calls/s"}, {Name: "95 % interval", Rank: 2},
		{Name: "p50"}, {Name: "p99"}, {Name: "errors"}, {Name: "bytes/call", Rank: 3}, {Name: "CPU/call", Rank: 4}, {Name: "server CPU/call", Rank: 5}, {Name: "limit", Text: true, Rank: 1}}}
	for i := range f.Sweep {
		p := &f.Sweep[i]
		for k := range p.Arms {
			a := &p.Arms[k]
			t.Series = append(t.Series, slices.IndexFunc(f.Arms, func(x result.Arm) bool { return x.Name == a.Name }))
			t.Rows = append(t.Rows, pointRow(p, a))
		}
		for _, v := range p.Verdicts {
			if v.Primary {
				sec.Lines = append(sec.Lines, Clean(p.Label)+": "+verdict.Sentence(v, verdict.Context{Fair: f.Fair}))
			}
		}
	}
	sec.Tables = []Table{t}
	return sec
}

// sweepSentence is what a sweep of one target is made for: where it answers most, or the highest rate it kept up with.
func sweepSentence(f *result.File) string {
	first, last := f.Sweep[0], f.Sweep[len(f.Sweep)-1]
	span := fmt.Sprintf(" (%d points from %s to %s).", len(f.Sweep), first.Label, last.Label)
	best, arm := -1, result.PointArm{}
	offered := first.Rate > 0 && last.Rate > 0
	for i, p := range f.Sweep {
		if len(p.Arms) == 0 {
			continue
		}
		a := p.Arms[0]
		if offered && a.Rate < keptUp*p.Rate {
			continue
		}
		if best < 0 || offered && p.Rate >= f.Sweep[best].Rate || !offered && a.Goodput > arm.Goodput {
			best, arm = i, a
		}
	}
	switch {
	case best < 0:
		return "Kept up with none of the rates" + span
	case offered:
		s := "Kept up with " + number.Significant(f.Sweep[best].Rate) + " calls/s"
		if arm.P99 != nil {
			s += ", p99 " + number.Duration(*arm.P99) + " there"
		}
		return s + span
	default:
		return "Most calls/s: " + number.Significant(arm.Goodput) + " at " + f.Sweep[best].Label + span
	}
}

// keptUp is the share of an offered rate from which it counts as achieved.
const keptUp = 0.99

func pointRow(p *result.Point, a *result.PointArm) []Cell {
	interval, bytes := "-", number.None
	if a.Low != nil && a.High != nil {
		interval = number.Significant(*a.Low) + " - " + number.Significant(*a.High)
	}
	if a.Bytes != nil {
		bytes = number.Significant(*a.Bytes)
	}
	server := "unknown"
	if a.ServerCPU != nil {
		server = number.Duration(*a.ServerCPU)
	}
	limit := "-"
	if a.Limited != "" {
		limit = limitWords(a.Limited)
	}
	row := []Cell{plain(Clean(p.Label)), plain(Clean(a.Name)), plain(number.Significant(a.Goodput)), plain(interval)}
	for _, ns := range []*int64{a.P50, a.P99} {
		row = append(row, ownUnit(ns))
	}
	return append(row, plain(number.Percent(a.Errors)), plain(bytes), ownUnit(a.ClientCPU), plain(server), plain(limit))
}

// ownUnit is a time in the unit that suits it: over a sweep no one unit suits all.
func ownUnit(ns *int64) Cell {
	if ns == nil {
		return Cell{"—", Needs}
	}
	return plain(number.Duration(*ns))
}
