package html

import (
	"slices"
	"strings"

	"wiregauge/report/number"
	"wiregauge/report/story"
	"wiregauge/report/svg"
	"wiregauge/report/verdict"
	"wiregauge/result"
)

// pairedRatios draws every verdict as its ratio with the 95 % interval, 1 in the middle: the one chart that carries
// the verdict.
func pairedRatios(s *story.Story, f *result.File) *figure {
	var rows []result.Verdict
	reach := 1.2
	for _, v := range f.Verdicts {
		if v.Ratio == nil || *v.Ratio <= 0 || !isBase(f, v.A) {
			continue
		}
		rows = append(rows, v)
		for _, r := range []*float64{v.Ratio, v.Low, v.High} {
			if r != nil && *r > 0 {
				reach = max(reach, *r, 1 / *r)
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	const w, top, least = 620, 30, 280
	rowHeight := min(max((least-top-44)/float64(len(rows)), 15), 34)
	h := max(least, top+rowHeight*float64(len(rows))+44)
	reach = min(reach*1.08, 1000)
	x := svg.Scale{Log: true, D0: 1 / reach, D1: reach, R0: 168, R1: w - 120}
	c := svg.New(w, h)
	bottom := top + rowHeight*float64(len(rows)) + 6
	drawRatioAxis(c, x, top, bottom, rows)
	for i, v := range rows {
		y := top + rowHeight*(float64(i)+0.5)
		drawRatio(c, x, y, v, slices.IndexFunc(s.Arms, func(a *result.Arm) bool { return a.Name == v.B }))
	}
	title := "Ratios to the base, measured in the same round"
	return &figure{ID: "ratios", Title: title, SVG: c.Image("ratios", title, ratioWords(rows)),
		Note: "Dot: the ratio; bar: its 95 % interval; grey: no practical difference. Right of 1 is better."}
}

// isBase reports whether the ratios of an arm's pairs are to the base; pairs of two others are in the table only.
func isBase(f *result.File, name string) bool {
	i := slices.IndexFunc(f.Arms, func(a result.Arm) bool { return a.Baseline })
	return i < 0 || f.Arms[i].Name == name
}

func drawRatioAxis(c *svg.Canvas, x svg.Scale, top, bottom float64, rows []result.Verdict) {
	band := 0.0
	for _, v := range rows {
		band = max(band, v.Band)
	}
	if band > 0 && band < 1 {
		left, right := x.At(1/(1+band)), x.At(1+band)
		c.Rect(left, top-6, right-left, bottom-top+6, "band", "no practical difference: within ±"+number.Percent(band))
	}
	for _, tick := range ratioTicks(x.D1) {
		c.Line(x.At(tick), top-6, x.At(tick), bottom, "grid")
		c.Text(x.At(tick), bottom+15, svg.Middle, "tick", trim(number.Significant(tick))+"x")
	}
	c.Line(x.At(1), top-6, x.At(1), bottom, "base")
	c.Text(x.R0, bottom+31, svg.Start, "axis", "← worse than the base")
	c.Text(x.R1, bottom+31, svg.End, "axis", "better than the base →")
}

// ratioTicks are a few round ratios on both sides of 1.
func ratioTicks(reach float64) []float64 {
	steps := []float64{1.1, 1.2}
	switch {
	case reach > 100:
		steps = []float64{10, 100}
	case reach > 12:
		steps = []float64{3, 10}
	case reach > 3.2:
		steps = []float64{2, 4, 8}
	case reach > 1.6:
		steps = []float64{1.5, 2, 3}
	case reach > 1.25:
		steps = []float64{1.2, 1.5}
	}
	ticks := []float64{1}
	for _, s := range steps {
		if s <= reach {
			ticks = append(ticks, s, 1/s)
		}
	}
	return ticks
}

func drawRatio(c *svg.Canvas, x svg.Scale, y float64, v result.Verdict, series int) {
	c.Text(x.R0-10, y+4, svg.End, "name", shorten(v.B, 14)+" "+verdict.Name(v.Metric))
	words := verdict.Ratio(v)
	if iv := verdict.Interval(v); iv != "" {
		words += ", 95 % interval " + iv
	}
	if v.Low != nil && v.High != nil {
		from, to := x.At(*v.Low), x.At(*v.High)
		c.Line(from, y, to, y, class("whisker", series))
		c.Line(from, y-4, from, y+4, class("whisker", series))
		c.Line(to, y-4, to, y+4, class("whisker", series))
	}
	c.Mark(max(series, 0), x.At(*v.Ratio), y, 4.5, class("fill", series), words)
	c.Text(x.R1+10, y+4, svg.Start, "value", shortWords(v))
}

// shortWords fit beside a row.
func shortWords(v result.Verdict) string {
	switch v.Outcome {
	case result.Same:
		return "no difference"
	case result.NotFair:
		return "no winner"
	case "":
		if v.Metric != "bytes" {
			return verdict.Ratio(v)
		}
		return verdict.Amount(v)
	default:
		return strings.Replace(strings.TrimPrefix(verdict.Amount(v), "at least "), "probably ", "prob. ", 1)
	}
}

func ratioWords(rows []result.Verdict) string {
	var parts []string
	for _, v := range rows {
		parts = append(parts, strings.TrimSuffix(verdict.Sentence(v, verdict.Context{}), "."))
	}
	return strings.Join(parts, "; ") + "."
}
