package html

import (
	"fmt"
	"slices"
	"strings"

	"wiregauge/report/number"
	"wiregauge/report/story"
	"wiregauge/report/svg"
	"wiregauge/report/verdict"
	"wiregauge/result"
)

// mostRatios is how many rows fit on the first screen.
const mostRatios = 14

// pairedRatios draws every verdict as its ratio with the 95 % interval, 1 in the middle: the one chart that carries
// the verdict. short keeps it to what fits on the first screen.
func pairedRatios(s *story.Story, f *result.File, short bool) *figure {
	rows := ratioRows(f)
	if short && len(rows) > mostRatios {
		rows = fewRatios(rows)
	}
	if len(rows) == 0 {
		return nil
	}
	id, title := "all-ratios", "All ratios to the base, measured in the same round"
	if short {
		id, title = "ratios", "Ratios to the base, measured in the same round"
	}
	d := newForest(rows, f.NoiseFloor)
	d.void = s.Struck
	for i, v := range rows {
		d.row(i, v, slices.IndexFunc(s.Arms, func(a *result.Arm) bool { return a.Name == v.B }))
	}
	note := "Right of 1 is better. Dot: ratio; bar: 95 % interval; grey: no practical difference"
	if f.NoiseFloor != nil {
		note += "; dotted box: the base against itself"
	}
	return &figure{ID: id, Title: title, SVG: d.c.Image(id, title, ratioWords(rows)), Note: note + ". Grey words: measured, not judged."}
}

// ratioRows are the verdicts on pairs with the base, all of one metric together, what the comparison was made for
// first. Pairs of two others are in the table only.
func ratioRows(f *result.File) []result.Verdict {
	var rows []result.Verdict
	order := map[string]int{}
	for _, primary := range []bool{true, false} {
		for _, v := range f.Verdicts {
			if _, seen := order[v.Metric]; !seen && v.Primary == primary {
				order[v.Metric] = len(order)
			}
		}
	}
	for _, v := range f.Verdicts {
		if v.Ratio != nil && *v.Ratio > 0 && isBase(f, v.A) {
			rows = append(rows, v)
		}
	}
	slices.SortStableFunc(rows, func(a, b result.Verdict) int { return order[a.Metric] - order[b.Metric] })
	return rows
}

// fewRatios keeps whole metrics, as many as fit.
func fewRatios(rows []result.Verdict) []result.Verdict {
	kept := 0
	for i := range rows {
		if i+1 == len(rows) || rows[i+1].Metric != rows[i].Metric {
			if i+1 > mostRatios && kept > 0 {
				break
			}
			kept = i + 1
		}
	}
	return rows[:kept]
}

// isBase reports whether the ratios of an arm's pairs are to the base.
func isBase(f *result.File, name string) bool {
	i := slices.IndexFunc(f.Arms, func(a result.Arm) bool { return a.Baseline })
	return i < 0 || f.Arms[i].Name == name
}

// A forest is the drawing of ratios.
type forest struct {
	c           *svg.Canvas
	x           svg.Scale
	top, height float64 // of the rows, and of one
	rows        []result.Verdict
	void        bool // no winner may be named
}

func newForest(rows []result.Verdict, floor *result.NoiseFloor) *forest {
	const top, foot = 18.0, 40.0
	d := &forest{top: top, rows: rows, height: min(max((height-top-foot)/float64(len(rows)), 14), 30)}
	h := max(height, top+d.height*float64(len(rows))+foot)
	d.c = svg.New(width, h)
	d.x = svg.Scale{Log: true, D0: 1 / reach(rows), D1: reach(rows), R0: 180, R1: width - 158}
	bottom := top + d.height*float64(len(rows))
	for i, v := range rows {
		d.bands(i, v, floor)
	}
	for _, tick := range ratioTicks(d.x.D1) {
		d.c.Line(d.x.At(tick), top, d.x.At(tick), bottom+4, "grid")
		d.c.Text(d.x.At(tick), bottom+17, svg.Middle, "tick", fmt.Sprintf("%.2gx", tick))
	}
	for i := 1; i < len(rows); i++ {
		if rows[i].Metric != rows[i-1].Metric {
			d.c.Line(4, top+d.height*float64(i), width-4, top+d.height*float64(i), "grid")
		}
	}
	d.c.Line(d.x.At(1), top, d.x.At(1), bottom+4, "base")
	d.c.Text(d.x.R0, bottom+33, svg.Start, "axis", "← worse than the base")
	d.c.Text(d.x.R1, bottom+33, svg.End, "axis", "better →")
	return d
}

// reach is how far the axis goes to both sides of 1.
func reach(rows []result.Verdict) float64 {
	far := 1.1
	for _, v := range rows {
		for _, r := range []*float64{v.Ratio, v.Low, v.High} {
			if r != nil && *r > 0 {
				far = max(far, *r, 1 / *r)
			}
		}
	}
	return min(far*1.06, 1000)
}

// bands are what is no practical difference, and what the base differs by from itself.
func (d *forest) bands(i int, v result.Verdict, floor *result.NoiseFloor) {
	y := d.top + d.height*float64(i)
	if v.Band > 0 && v.Band < 1 {
		left, right := d.x.At(1/(1+v.Band)), d.x.At(1+v.Band)
		d.c.Rect(left, y, right-left, d.height, "band", "no practical difference: within ±"+number.Percent(v.Band))
	}
	if floor == nil {
		return
	}
	if half := floor.HalfWidth[v.Metric]; half > 0 && half < 10 {
		left, right := d.x.At(1/(1+half)), d.x.At(1+half)
		d.c.Rect(left, y+2, right-left, d.height-4, "floor", "the base differs from itself by up to "+number.Percent(half))
	}
}

// ratioTicks are a few round ratios on both sides of 1.
func ratioTicks(reach float64) []float64 {
	steps := []float64{1.05, 1.1}
	switch {
	case reach > 100:
		steps = []float64{10, 100}
	case reach > 12:
		steps = []float64{3, 10, 50}
	case reach > 3.2:
		steps = []float64{2, 5, 10}
	case reach > 1.6:
		steps = []float64{1.5, 2.5}
	case reach > 1.25:
		steps = []float64{1.2, 1.5}
	case reach > 1.12:
		steps = []float64{1.1, 1.2}
	}
	ticks := []float64{1}
	for _, s := range steps {
		if s <= reach {
			ticks = append(ticks, s, 1/s)
		}
	}
	return ticks
}

func (d *forest) row(i int, v result.Verdict, series int) {
	y := d.top + d.height*(float64(i)+0.5)
	if i == 0 || d.rows[i-1].Metric != v.Metric {
		d.c.Text(6, y+4, svg.Start, "panel", verdict.Name(v.Metric))
	}
	d.c.Text(d.x.R0-10, y+4, svg.End, "name", shorten(story.Clean(v.B), 13))
	words := story.Clean(v.B) + ", " + verdict.Name(v.Metric) + ": " + verdict.Ratio(v)
	if iv := verdict.Interval(v); iv != "" {
		words += ", 95 % interval " + iv
	}
	if v.Low != nil && v.High != nil {
		from, to := d.x.At(*v.Low), d.x.At(*v.High)
		d.c.Line(from, y, to, y, class("whisker", series))
		d.c.Line(from, y-3.5, from, y+3.5, class("whisker", series))
		d.c.Line(to, y-3.5, to, y+3.5, class("whisker", series))
	}
	d.c.Mark(max(series, 0), d.x.At(*v.Ratio), y, 4.2, class("fill", series), words)
	text, look := ratioVerdict(v)
	if d.void {
		text, look = "no winner named", "value muted"
	}
	d.c.Text(d.x.R1+10, y+4, svg.Start, look, text)
}

// ratioVerdict are the words beside a row: always faster or slower, fewer or more, never a bare ratio. What was not
// judged is said in grey.
func ratioVerdict(v result.Verdict) (text, look string) {
	if v.Outcome != "" || v.Metric == "bytes" { // bytes are counted, not sampled
		return strings.Replace(verdict.Amount(v), "at least ", "≥ ", 1), "value"
	}
	v.Outcome = result.Faster
	if *v.Ratio < 1 {
		v.Outcome = result.Slower
	}
	return verdict.Amount(v), "value muted"
}

func ratioWords(rows []result.Verdict) string {
	var parts []string
	for _, v := range rows {
		s := verdict.Sentence(v, verdict.Context{})
		parts = append(parts, s[:len(s)-1])
	}
	return sentence(parts)
}
