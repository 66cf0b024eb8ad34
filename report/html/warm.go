package html

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"wiregauge/report/number"
	"wiregauge/report/story"
	"wiregauge/report/svg"
	"wiregauge/result"
)

// warmUps is how each arm came to its pace: calls/s over time, what was discarded shaded.
func warmUps(s *story.Story) *figure {
	var most float64
	var end int64
	drawn := 0
	for _, a := range s.Arms {
		if !watched(a) {
			continue
		}
		drawn++
		for _, t := range a.WarmUp.Trajectory {
			most, end = max(most, t.Rate), max(end, t.At+t.Length)
		}
	}
	if drawn == 0 {
		return nil
	}
	var b strings.Builder
	for i, a := range s.Arms {
		if !watched(a) {
			continue
		}
		title := "Warm-up"
		if len(s.Arms) > 1 {
			title += ": " + s.Names[i]
		}
		b.WriteString(string(warmUp(a, i, s.Names[i], most, end).Image(fmt.Sprintf("warm-%d", i+1), title, s.Names[i]+": "+story.WarmUpText(a)+".")))
	}
	t := warmTable(s)
	fig := &figure{ID: "warm", Title: "Warm-up", SVG: template.HTML(b.String()), Wide: drawn > 1, Table: &t,
		Note: "Shaded: before it was steady, in none of the other numbers. Dashed: where the pace changed."}
	if slices.ContainsFunc(s.Arms, func(a *result.Arm) bool { return watched(a) && a.WarmUp.Measured }) {
		fig.Title = "The start"
		fig.Note = "Shaded: not like the rest, and part of the numbers. Dashed: where the pace changed."
	}
	return fig
}

// watched reports whether there is something to draw of an arm's warm-up. A measured window that was steady from its
// start is told by the checks.
func watched(a *result.Arm) bool {
	w := a.WarmUp
	return w != nil && len(w.Trajectory) >= 3 && !(w.Measured && w.Outcome == result.WarmFound && w.Length == 0)
}

func warmUp(a *result.Arm, series int, name string, most float64, end int64) *svg.Canvas {
	w := a.WarmUp
	c := svg.New(width, 180)
	f := frame{c: c, x: svg.Scale{D1: float64(end) / 1e9, R0: 64, R1: width - 20}, y: svg.LinearScale(most, 140, 30), xName: "seconds"}
	c.Mark(series, 10, 12, 4, class("fill", series), "")
	c.Text(20, 16, svg.Start, "panel", shorten(name, 18))
	c.Text(f.x.R1, 16, svg.End, "small", shorten(story.WarmUpText(a), 72))
	cut := f.x.At(float64(w.Length) / 1e9)
	c.Rect(f.x.R0, f.y.R1, cut-f.x.R0, f.y.R0-f.y.R1, "band", "before it was steady: "+number.Count(w.Calls)+" calls")
	f.yAxis(f.y.Ticks(4), numberTick)
	var p svg.Path
	segment := 0
	for i, t := range w.Trajectory {
		x0, x1, y := f.x.At(float64(t.At)/1e9), f.x.At(float64(t.At+t.Length)/1e9), f.y.At(t.Rate)
		if i == 0 {
			p.Move(x0, y)
		} else {
			p.Line(x0, y)
		}
		p.Line(x1, y)
		if t.Segment != segment {
			segment = t.Segment
			c.Line(x0, f.y.R1, x0, f.y.R0, "edge dashed")
		}
	}
	c.Path(&p, strings.Replace(class("line", series), "line", "line solid", 1))
	for _, t := range w.Trajectory {
		words := trim(number.Significant(float64(t.At)/1e9)) + " s: " + number.Significant(t.Rate) + " calls/s"
		if t.P50 != nil {
			words += ", p50 " + number.Duration(*t.P50)
		}
		x0, x1 := f.x.At(float64(t.At)/1e9), f.x.At(float64(t.At+t.Length)/1e9)
		c.Rect(x0, f.y.R1, x1-x0, f.y.R0-f.y.R1, "hit", words)
	}
	f.xAxis(f.x.Ticks(6), numberTick)
	return c
}

// warmTable is the warm-ups in numbers.
func warmTable(s *story.Story) story.Table {
	t := story.Table{Columns: []story.Column{{Name: "target", Text: true}, {Name: "warm-up", Text: true}, {Name: "calls before"}, {Name: "time before"},
		{Name: "watched for"}, {Name: "first calls/s"}, {Name: "last calls/s"}}}
	for i, a := range s.Arms {
		if w := a.WarmUp; watched(a) {
			t.Series = append(t.Series, i)
			t.Rows = append(t.Rows, []story.Cell{{Text: s.Names[i]}, {Text: story.WarmUpText(a)}, {Text: number.Count(w.Calls)}, {Text: number.Duration(w.Length)},
				{Text: number.Duration(w.Observed)}, {Text: number.Significant(w.Trajectory[0].Rate)}, {Text: number.Significant(w.Trajectory[len(w.Trajectory)-1].Rate)}})
		}
	}
	return t
}
