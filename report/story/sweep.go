package story

import (
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
