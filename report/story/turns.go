package story

import (
	"fmt"
	"math"
	"slices"

	"wiregauge/report/number"
	"wiregauge/result"
)

// mostRounds bounds the table of rounds: a page of thousands of rows is of no use, and -o csv has all of them.
const mostRounds = 100

// A round is the turns of one round by arm; nil where an arm had none that counts.
type round struct {
	launch, round int
	rows          []*result.Row
	invalid       string
}

// rounds are the turns of a comparison by round, in the order they were played.
func rounds(f *result.File) []round {
	var all []round
	places := map[[2]int]int{}
	for i := range f.Turns {
		r := &f.Turns[i]
		key := [2]int{r.Launch, r.Round}
		at, known := places[key]
		if !known {
			at = len(all)
			places[key] = at
			all = append(all, round{launch: r.Launch, round: r.Round, rows: make([]*result.Row, len(f.Arms))})
		}
		arm := slices.IndexFunc(f.Arms, func(a result.Arm) bool { return a.Name == r.Arm })
		switch {
		case r.Invalid != "":
			all[at].invalid = r.Invalid
		case arm >= 0:
			all[at].rows[arm] = r
		}
	}
	return all
}

// A measure is the number of a turn that its tables tell, and its ratio to the base: above 1 is better.
type measure struct {
	name string
	of   func(*result.Row) (float64, bool)
	text func(float64) string
	more bool // more is better
}

// measureOf is calls/s in a closed loop. In an open one the rate is given, so that p50 is told.
func measureOf(f *result.File) measure {
	if f.Plan.Loop == "open" {
		return measure{"p50", func(r *result.Row) (float64, bool) {
			if r.P50 == nil {
				return 0, false
			}
			return float64(*r.P50), true
		}, func(ns float64) string { return number.Duration(int64(ns)) }, false}
	}
	return measure{"calls/s", func(r *result.Row) (float64, bool) { return r.Rate, true }, number.Significant, true}
}

func (m measure) ratio(base, other float64) float64 {
	if m.more {
		return other / base
	}
	return base / other
}

// turnSections are the launches and rounds one by one: what the ratios are made of.
func turnSections(f *result.File) (launches, single Section) {
	launches = Section{ID: "launches", Title: "Launches", Detail: true}
	single = Section{ID: "rounds", Title: "Rounds", Detail: true, Page: true}
	base := slices.IndexFunc(f.Arms, func(a result.Arm) bool { return a.Baseline })
	all := rounds(f)
	if base < 0 || len(all) == 0 {
		return launches, single
	}
	m := measureOf(f)
	launches.Tables = []Table{launchTable(f, all, m, base)}
	single.Tables = []Table{roundTable(f, all, m, base)}
	return launches, single
}

// turnColumns are the base's number, then each other arm's with its ratio.
func turnColumns(f *result.File, first string, m measure, base int) []Column {
	columns := []Column{{Name: first, Text: true}, {Name: f.Arms[base].Name + " " + m.name}}
	for i := range f.Arms {
		if i != base {
			columns = append(columns, Column{Name: armName(&f.Arms[i]) + " " + m.name}, Column{Name: "ratio"})
		}
	}
	return columns
}

// launchTable has a row a launch: the median of the rounds, and the geometric mean of their ratios.
func launchTable(f *result.File, all []round, m measure, base int) Table {
	t := Table{Columns: turnColumns(f, "launch", m, base)}
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].launch == all[0].launch {
			n++
		}
		row := []Cell{plain(number.Count(int64(all[0].launch) + 1)), medianCell(all[:n], m, base)}
		for i := range f.Arms {
			if i != base {
				row = append(row, medianCell(all[:n], m, i), meanRatioCell(all[:n], m, base, i))
			}
		}
		t.Rows = append(t.Rows, row)
		all = all[n:]
	}
	if len(t.Rows) < 2 {
		return Table{} // the summary says the same
	}
	t.Notes = []string{"Each number is the median of the launch's rounds, each ratio the geometric mean of theirs; above 1 is better than the base."}
	return t
}

func medianCell(all []round, m measure, arm int) Cell {
	var values []float64
	for _, r := range all {
		if r.rows[arm] != nil {
			if v, known := m.of(r.rows[arm]); known {
				values = append(values, v)
			}
		}
	}
	if len(values) == 0 {
		return plain(number.None)
	}
	slices.Sort(values)
	return plain(m.text((values[(len(values)-1)/2] + values[len(values)/2]) / 2))
}

func meanRatioCell(all []round, m measure, base, arm int) Cell {
	var sum float64
	n := 0
	for _, r := range all {
		if v, known := ratioOf(r, m, base, arm); known {
			sum += math.Log(v)
			n++
		}
	}
	if n == 0 {
		return plain(number.None)
	}
	return plain(number.Significant(math.Exp(sum/float64(n))) + "x")
}

// ratioOf is an arm's ratio to the base within one round.
func ratioOf(r round, m measure, base, arm int) (float64, bool) {
	if r.rows[base] == nil || r.rows[arm] == nil {
		return 0, false
	}
	a, known := m.of(r.rows[base])
	b, also := m.of(r.rows[arm])
	if !known || !also || a <= 0 || b <= 0 {
		return 0, false
	}
	return m.ratio(a, b), true
}

// roundTable has a row a round, up to a bound.
func roundTable(f *result.File, all []round, m measure, base int) Table {
	t := Table{Columns: turnColumns(f, "launch.round", m, base)}
	for _, r := range all[:min(len(all), mostRounds)] {
		name := fmt.Sprintf("%d.%d", r.launch+1, r.round+1)
		if r.invalid != "" {
			name += " (invalid: " + Clean(r.invalid) + ")"
		}
		row := []Cell{plain(name), medianCell([]round{r}, m, base)}
		for i := range f.Arms {
			if i == base {
				continue
			}
			cell := plain(number.None)
			if v, known := ratioOf(r, m, base, i); known {
				cell = plain(number.Significant(v) + "x")
			}
			row = append(row, medianCell([]round{r}, m, i), cell)
		}
		t.Rows = append(t.Rows, row)
	}
	if len(all) > mostRounds {
		t.Notes = []string{fmt.Sprintf("The first %s of %s rounds; -o csv has all of them.", number.Count(mostRounds), number.Count(int64(len(all))))}
	}
	return t
}
