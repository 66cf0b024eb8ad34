package story

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wiregauge/hist"
	"wiregauge/report/number"
	"wiregauge/result"
)

// percentilesOf are those asked for, else those of the result, else the defaults.
func percentilesOf(f *result.File, opt Options) []float64 {
	switch {
	case len(opt.Percentiles) > 0:
		return opt.Percentiles
	case len(f.Plan.Percentiles) > 0:
		return f.Plan.Percentiles
	case len(f.Arms) > 0 && len(f.Arms[0].Latency.Percentiles) > 0:
		var ps []float64
		for _, p := range f.Arms[0].Latency.Percentiles {
			ps = append(ps, p.P)
		}
		return ps
	default:
		return result.DefaultPercentiles
	}
}

// A row of a latency table before units are chosen.
type latencyRow struct {
	name    string
	d       *result.Distribution
	partial func(p float64) bool // whether percentile p leaves out too many calls; nil: never
	void    func(string) bool    // whether a number must not be used; nil: none is known to be so
}

// latencyTable tells distributions by percentiles; mean and max stand beside n and are over the same calls.
func latencyTable(first string, rows []latencyRow, ps []float64) Table {
	t := Table{Columns: []Column{{Name: first, Text: true}}}
	for _, p := range ps {
		t.Columns = append(t.Columns, Column{Name: number.Percentile(p)})
	}
	t.Columns = append(t.Columns, Column{Name: "max"}, Column{Name: "mean", Rank: 1}, Column{Name: "calls"})
	for _, r := range rows {
		t.Rows = append(t.Rows, make([]Cell, len(t.Columns)))
		t.Rows[len(t.Rows)-1][0] = plain(r.name)
	}
	for c, p := range ps {
		var told []result.Percentile
		for _, r := range rows {
			told = append(told, r.d.Percentile(p))
		}
		fillPercentiles(&t, 1+c, told, rows)
	}
	n := len(ps) + 1
	fillColumn(&t, n, "max", rows, func(d *result.Distribution) *int64 { return d.Max })
	fillColumn(&t, n+1, "mean", rows, func(d *result.Distribution) *int64 { return d.Mean })
	for i, r := range rows {
		t.Rows[i][n+2] = plain(number.Count(r.d.N))
	}
	t.Notes = latencyNotes(&t, ps)
	return t
}

func fillPercentiles(t *Table, col int, told []result.Percentile, rows []latencyRow) {
	var values []int64
	for _, p := range told {
		if p.NS != nil {
			values = append(values, *p.NS)
		}
	}
	in := columnUnit(values)
	for i, p := range told {
		cell := &t.Rows[i][col]
		switch {
		case rows[i].d.N == 0:
			*cell = plain(number.None)
		case p.NS == nil:
			*cell = Cell{"—", Needs}
		default:
			*cell = Cell{Text: in(*p.NS)}
			if p.Few {
				cell.Mark = Few
			}
			if rows[i].partial != nil && rows[i].partial(p.P) {
				cell.Mark = Partial
			}
			if rows[i].void != nil && rows[i].void(number.Percentile(p.P)) {
				cell.Mark = Void
			}
		}
	}
}

func fillColumn(t *Table, col int, metric string, rows []latencyRow, pick func(*result.Distribution) *int64) {
	var values []int64
	for _, r := range rows {
		if v := pick(r.d); v != nil {
			values = append(values, *v)
		}
	}
	in := columnUnit(values)
	for i, r := range rows {
		t.Rows[i][col] = plain(number.None)
		if v := pick(r.d); v != nil {
			t.Rows[i][col] = plain(in(*v))
			if r.void != nil && r.void(metric) {
				t.Rows[i][col].Mark = Void
			}
		}
	}
}

// columnUnit writes the times of one column in one unit: that of the largest, or that of the smallest where it would
// read as nearly nothing. Where no one unit suits all, each has its own.
func columnUnit(values []int64) func(int64) string {
	if len(values) == 0 {
		return number.Duration
	}
	unit := number.TimeUnit(values...)
	least := slices.Min(values)
	switch {
	case least == 0 || float64(least)/unit.Size >= 0.01:
	case float64(slices.Max(values))/float64(least) > 1e5:
		return number.Duration
	default:
		unit = number.TimeUnit(least)
	}
	return func(ns int64) string { return number.DurationIn(unit, ns) }
}

// latencyNotes explains the marks that the table uses.
func latencyNotes(t *Table, ps []float64) []string {
	var notes []string
	var few, partial, void bool
	needs := map[float64]bool{}
	for _, row := range t.Rows {
		for c, cell := range row {
			few, partial = few || cell.Mark == Few, partial || cell.Mark == Partial
			void = void || cell.Mark == Void
			if cell.Mark == Needs {
				needs[ps[c-1]] = true
			}
		}
	}
	if few {
		notes = append(notes, "~ few samples: fewer than 100 calls lie beyond")
	}
	var wants []string
	for _, p := range ps {
		if n := result.NewPercentile(nil, p).Needs; needs[p] && n > 0 {
			wants = append(wants, number.Percentile(p)+" needs n ≥ "+number.Count(n))
		}
	}
	if len(wants) > 0 {
		notes = append(notes, "— too few calls: "+strings.Join(wants, ", "))
	}
	if partial {
		notes = append(notes, "* leaves out calls that would belong to its slow end: they timed out, never finished or were never sent")
	}
	if void {
		notes = append(notes, voidNote)
	}
	return notes
}

// voidNote explains the mark of numbers that must not be used.
const voidNote = "! must not be used: a check failed, see Checks"

// leftOut reports which percentiles of the OK calls no longer describe the load.
func leftOut(c result.Counts) func(p float64) bool { return c.LeavesOut }

// allCalls is a row over every call that was due: a call that failed, never finished or was never sent counts as
// never answered. It is nil when the OK calls are all there are.
func allCalls(a *result.Arm, t *Table, ps []float64) []Cell {
	if a.Latency.Hist == nil || a.Due == a.OK {
		return nil
	}
	row := []Cell{plain("every call due")}
	for _, p := range ps {
		row = append(row, allCallsCell(a.Latency.Hist, p, a.Due))
	}
	return append(row, plain("never"), plain(number.None), plain(number.Count(a.Due)))[:len(t.Columns)]
}

func allCallsCell(ok *hist.Histogram, p float64, due int64) Cell {
	rank := hist.Rank(p, due)
	if due-rank < result.Tail {
		return Cell{"—", Needs}
	}
	return plain(allCallsText(ok, rank))
}

func allCallsText(ok *hist.Histogram, rank int64) string {
	if rank > ok.Count() {
		return "never"
	}
	return number.Duration(int64(ok.AtRank(rank)))
}

// headlineLatency is the latency to name in a sentence. Where the OK calls' p99 leaves too many calls out it is that
// of every call due.
func headlineLatency(a *result.Arm) string {
	if !leftOut(a.Counts)(99) || a.Latency.Hist == nil {
		return best(&a.Latency)
	}
	p50 := allCallsText(a.Latency.Hist, hist.Rank(50, a.Due))
	p99 := allCallsText(a.Latency.Hist, hist.Rank(99, a.Due))
	return "of every call due, p50 " + p50 + ", p99 " + p99
}

// best is the percentile to name in a sentence: p99, else the highest told one, else the maximum.
func best(d *result.Distribution) string {
	if d.N == 0 {
		return ""
	}
	if p := d.Percentile(99); p.NS != nil {
		return "p99 " + number.Duration(*p.NS)
	}
	name, highest := "", math.Inf(-1)
	for _, told := range d.Percentiles {
		if told.NS != nil && told.P > highest {
			highest, name = told.P, fmt.Sprintf("%s %s", number.Percentile(told.P), number.Duration(*told.NS))
		}
	}
	if name == "" && d.Max != nil {
		name = "max " + number.Duration(*d.Max)
	}
	return name
}
