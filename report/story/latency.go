package story

import (
	"fmt"
	"math"
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
	fillColumn(&t, n, rows, func(d *result.Distribution) *int64 { return d.Max })
	fillColumn(&t, n+1, rows, func(d *result.Distribution) *int64 { return d.Mean })
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
	unit := number.TimeUnit(values...)
	for i, p := range told {
		cell := &t.Rows[i][col]
		switch {
		case rows[i].d.N == 0:
			*cell = plain(number.None)
		case p.NS == nil:
			*cell = Cell{"—", Needs}
		default:
			*cell = Cell{Text: number.DurationIn(unit, *p.NS)}
			if p.Few {
				cell.Mark = Few
			}
			if rows[i].partial != nil && rows[i].partial(p.P) {
				cell.Mark = Partial
			}
		}
	}
}

func fillColumn(t *Table, col int, rows []latencyRow, pick func(*result.Distribution) *int64) {
	var values []int64
	for _, r := range rows {
		if v := pick(r.d); v != nil {
			values = append(values, *v)
		}
	}
	unit := number.TimeUnit(values...)
	for i, r := range rows {
		t.Rows[i][col] = plain(number.None)
		if v := pick(r.d); v != nil {
			t.Rows[i][col] = plain(number.DurationIn(unit, *v))
		}
	}
}

// latencyNotes explains the marks that the table uses.
func latencyNotes(t *Table, ps []float64) []string {
	var notes []string
	var few, partial bool
	needs := map[float64]bool{}
	for _, row := range t.Rows {
		for c, cell := range row {
			few, partial = few || cell.Mark == Few, partial || cell.Mark == Partial
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
	return notes
}

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
