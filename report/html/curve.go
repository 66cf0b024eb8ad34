package html

import (
	"fmt"
	"math"
	"strings"

	"wiregauge/report/number"
	"wiregauge/report/story"
	"wiregauge/report/svg"
	"wiregauge/result"
)

// nines is the place of percentile p (in percent) on an axis that gives each further nine the same room.
func nines(p float64) float64 { return -math.Log10(1 - p/100) }

// curveStart is the first percentile drawn: below it a line would only fall straight down.
const curveStart = 10

// curveEnd is the last place of an arm's curve: fewer than FewTail calls lie beyond it.
func curveEnd(n int64) float64 { return math.Log10(float64(n) / result.FewTail) }

// percentileCurve is latency by percentile: one step line an arm, which stops where the samples run out.
func percentileCurve(s *story.Story, file *result.File) *figure {
	const w, h = width, height
	var end float64
	low, high := math.Inf(1), 0.0
	for _, a := range s.Arms {
		if d := a.Latency; d.Hist != nil && curveEnd(d.N) > 0.25 {
			end = max(end, curveEnd(d.N))
			low = min(low, float64(d.Hist.Percentile(curveStart)))
			high = max(high, float64(d.Hist.Percentile(lastPercentile(curveEnd(d.N)))))
		}
	}
	if end == 0 || high == 0 {
		return nil
	}
	f := frame{c: svg.New(w, h), x: svg.Scale{D0: nines(curveStart), D1: end, R0: 58, R1: w - 40 - 7*longestName(s.Names)}, y: svg.LogScale(low, high, h-40, 24),
		xName: "percentile of OK calls, from due", yName: "latency"}
	f.yAxis(f.y.Ticks(5), timeTick)
	var ticks []float64
	for _, p := range []float64{50, 90, 99, 99.9, 99.99, 99.999, 99.9999} {
		if nines(p) <= end+1e-9 {
			ticks = append(ticks, nines(p))
		}
	}
	f.xAxis(ticks, func(x float64) string { return number.Percentile(math.Round(lastPercentile(x)*1e6) / 1e6) })
	f.goalLines(file)
	var ends []label
	for i := range s.Arms {
		if l := f.curve(s, i); l != nil {
			l.text = shorten(s.Names[i], nameLength)
			ends = append(ends, *l)
		}
	}
	labels(f.c, ends, f.y.R1, f.y.R0)
	title := "Latency by percentile"
	return &figure{ID: "curve", Title: title, SVG: f.c.Image("curve", title, curveWords(s)),
		Note: "Lower is better. Each line stops where fewer than 100 calls lie beyond it."}
}

// goalLines draw the gates on percentiles, each as far as its percentile.
func (f frame) goalLines(file *result.File) {
	if file == nil {
		return
	}
	seen := map[string]bool{}
	for _, g := range file.Gates {
		for _, goal := range goals(g.Expr) {
			if y := f.y.At(goal.at); !seen[goal.name] && y > f.y.R1 && y < f.y.R0 {
				f.c.Line(f.x.R0, y, f.x.R1, y, "limit")
				f.c.Text(f.x.R0+6, y-4, svg.Start, "axis", goal.name)
				seen[goal.name] = true
			}
		}
	}
}

// lastPercentile is the percentile at a place of the axis.
func lastPercentile(x float64) float64 { return 100 * (1 - math.Pow(10, -x)) }

// curve draws an arm at 240 places of the axis and returns its end.
func (f frame) curve(s *story.Story, i int) *label {
	a := s.Arms[i]
	h := a.Latency.Hist
	if h == nil || curveEnd(a.Latency.N) <= 0.25 {
		return nil
	}
	const points = 240
	end := curveEnd(a.Latency.N)
	var p svg.Path
	var x, y float64
	for k := range points + 1 {
		at := f.x.D0 + (end-f.x.D0)*float64(k)/points
		x, y = f.x.At(at), f.y.At(float64(h.Percentile(lastPercentile(at))))
		if k == 0 {
			p.Move(x, y)
			continue
		}
		p.Step(x, y)
	}
	f.c.Path(&p, class("line", i))
	for _, q := range []float64{50, 90, 99, 99.9, 99.99} {
		if nines(q) <= end {
			v := int64(h.Percentile(q))
			f.c.Mark(0, f.x.At(nines(q)), f.y.At(float64(v)), 7, class("hit", i), s.Names[i]+" "+number.Percentile(q)+" "+number.Duration(v))
		}
	}
	f.c.Mark(i, x, y, 3.5, class("fill", i), "")
	return &label{series: i, x: x, y: y}
}

// curveWords says what the curve shows.
func curveWords(s *story.Story) string {
	var parts []string
	for i, a := range s.Arms {
		words := s.Names[i]
		for _, p := range []float64{50, 99, 99.9} {
			if told := a.Latency.Percentile(p); told.NS != nil {
				words += fmt.Sprintf(" %s %s", number.Percentile(p), number.Duration(*told.NS))
			}
		}
		parts = append(parts, words)
	}
	return s.Headline + " " + strings.Join(parts, "; ") + "."
}
