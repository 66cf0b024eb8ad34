package html

import (
	"fmt"
	"math"
	"strings"
	"time"

	"wiregauge/report/number"
	"wiregauge/report/story"
	"wiregauge/report/svg"
	"wiregauge/result"
)

// overTime is latency by the second: p50, p99 and the maximum of one arm, with a tick below each second that had
// failures.
func overTime(s *story.Story) *figure {
	strips := s.Arms[0].Strips
	if len(strips) < 3 {
		return nil
	}
	low, high := math.Inf(1), 0.0
	for _, st := range strips {
		if st.P50 != nil && st.Max != nil {
			low, high = min(low, float64(*st.P50)), max(high, float64(*st.Max))
		}
	}
	if high == 0 {
		return nil
	}
	const w, h = 620, 280
	last := strips[len(strips)-1].At + time.Second
	f := frame{c: svg.New(w, h), x: svg.Scale{D0: 0, D1: last.Seconds(), R0: 58, R1: w - 84}, y: svg.LogScale(low*0.85, high, h-40, 24),
		xName: "seconds of the measured window", yName: "latency"}
	f.yAxis(f.y.Ticks(5), timeTick)
	f.xAxis(f.x.Ticks(6), numberTick)
	var ends []label
	for i, line := range []struct {
		name string
		of   func(result.Strip) *time.Duration
	}{
		{"p50", func(s result.Strip) *time.Duration { return s.P50 }},
		{"p99", func(s result.Strip) *time.Duration { return s.P99 }},
		{"max", func(s result.Strip) *time.Duration { return s.Max }},
	} {
		if end := f.strips(i, strips, line.of); end != nil {
			end.text = line.name
			ends = append(ends, *end)
		}
	}
	labels(f.c, ends, f.y.R1, f.y.R0)
	failed := f.failures(strips)
	title := "Latency over time"
	note := "OK calls by the second they ended in; latency counts from when each was due."
	if failed > 0 {
		note += fmt.Sprintf(" ✕ marks %d seconds with failures.", failed)
	}
	table := stripTable(strips)
	return &figure{ID: "time", Title: title, Note: note, Table: &table,
		SVG: f.c.Image("time", title, fmt.Sprintf("%d seconds; the lines are p50, p99 and maximum; %d seconds had failures.", len(strips), failed))}
}

// strips draws one line; a second without OK calls breaks it.
func (f frame) strips(series int, strips []result.Strip, of func(result.Strip) *time.Duration) *label {
	var p svg.Path
	var end *label
	drawing := false
	for _, s := range strips {
		d := of(s)
		if d == nil {
			drawing = false
			continue
		}
		x, y := f.x.At(s.At.Seconds()+0.5), f.y.At(float64(*d))
		if drawing {
			p.Line(x, y)
		} else {
			p.Move(x, y)
		}
		drawing = true
		end = &label{series: series, x: x, y: y}
	}
	f.c.Path(&p, class("line", series))
	return end
}

func (f frame) failures(strips []result.Strip) int {
	n := 0
	for _, s := range strips {
		if s.Failed > 0 {
			n++
			f.c.Text(f.x.At(s.At.Seconds()+0.5), f.y.R0-4, svg.Middle, "failure", "✕")
		}
	}
	return n
}

// stripTable has every second, up to a bound; beyond it every n-th.
func stripTable(strips []result.Strip) story.Table {
	t := story.Table{Columns: []story.Column{{Name: "second", Text: true}, {Name: "due"}, {Name: "ok"}, {Name: "failed"}, {Name: "p50"}, {Name: "p99"}, {Name: "max"}}}
	const most = 120
	every := (len(strips) + most - 1) / most
	for i := 0; i < len(strips); i += every {
		s := strips[i]
		row := []story.Cell{{Text: number.Significant(s.At.Seconds())}, {Text: number.Count(s.Due)}, {Text: number.Count(s.OK)}, {Text: number.Count(s.Failed)}}
		for _, d := range []*time.Duration{s.P50, s.P99, s.Max} {
			text := number.None
			if d != nil {
				text = number.Duration(int64(*d))
			}
			row = append(row, story.Cell{Text: text})
		}
		t.Rows = append(t.Rows, row)
	}
	if every > 1 {
		t.Notes = append(t.Notes, fmt.Sprintf("Every %d seconds one is shown; -o jsonl has all.", every))
	}
	return t
}

// throughputSteps is calls/s by the steps of a ramp, every arm that has them.
func throughputSteps(s *story.Story) *figure {
	steps, most := longestRamp(s.Arms)
	if len(steps) < 2 {
		return nil
	}
	const w, h = 620, 280
	f := frame{c: svg.New(w, h), x: svg.Scale{D0: 0, D1: float64(len(steps) - 1), R0: 70, R1: w - 112}, y: svg.LinearScale(most, h-40, 24),
		xName: "step", yName: "goodput, calls/s"}
	f.yAxis(f.y.Ticks(5), numberTick)
	f.stepAxis(steps)
	var ends []label
	var words []string
	for i, a := range s.Arms {
		if len(a.Steps) == 0 {
			continue
		}
		var p svg.Path
		var x, y float64
		for k, st := range a.Steps {
			x, y = f.x.At(float64(k)), f.y.At(st.Goodput)
			if k == 0 {
				p.Move(x, y)
			} else {
				p.Line(x, y)
			}
			f.c.Mark(i, x, y, 3.5, class("fill", i), fmt.Sprintf("%s, %s: %s calls/s", s.Names[i], st.Label, number.Significant(st.Goodput)))
			words = append(words, fmt.Sprintf("%s at %s: %s", s.Names[i], st.Label, number.Significant(st.Goodput)))
		}
		f.c.Path(&p, class("line", i))
		ends = append(ends, label{i, x, y, shorten(s.Names[i], 12)})
	}
	labels(f.c, ends, f.y.R1, f.y.R0)
	title := "Throughput by step"
	return &figure{ID: "steps-chart", Title: title, Note: "Higher is better.", SVG: f.c.Image("steps-chart", title, strings.Join(words, "; ")+".")}
}

func longestRamp(arms []*result.Arm) (steps []result.Step, most float64) {
	for _, a := range arms {
		if len(a.Steps) > len(steps) {
			steps = a.Steps
		}
		for _, s := range a.Steps {
			most = max(most, s.Goodput)
		}
	}
	return steps, most
}

// stepAxis labels steps, every n-th where there are many.
func (f frame) stepAxis(steps []result.Step) {
	every := (len(steps) + 11) / 12
	var ticks []float64
	for i := 0; i < len(steps); i += every {
		ticks = append(ticks, float64(i))
	}
	f.xAxis(ticks, func(v float64) string { return steps[int(v)].Label })
}

// latencySteps is p50 and p99 of one arm by the steps of its ramp.
func latencySteps(s *story.Story) *figure {
	if len(s.Arms) != 1 || len(s.Arms[0].Steps) < 2 {
		return nil
	}
	steps := s.Arms[0].Steps
	low, high := math.Inf(1), 0.0
	for _, st := range steps {
		for _, v := range []*int64{st.P50, st.P99} {
			if v != nil {
				low, high = min(low, float64(*v)), max(high, float64(*v))
			}
		}
	}
	if high == 0 {
		return nil
	}
	const w, h = 620, 280
	f := frame{c: svg.New(w, h), x: svg.Scale{D0: 0, D1: float64(len(steps) - 1), R0: 70, R1: w - 84}, y: svg.LogScale(low, high, h-40, 24),
		xName: "step", yName: "latency"}
	f.yAxis(f.y.Ticks(5), timeTick)
	f.stepAxis(steps)
	var ends []label
	for i, pick := range []func(result.Step) *int64{func(s result.Step) *int64 { return s.P50 }, func(s result.Step) *int64 { return s.P99 }} {
		var p svg.Path
		var end *label
		for k, st := range steps {
			v := pick(st)
			if v == nil {
				continue
			}
			x, y := f.x.At(float64(k)), f.y.At(float64(*v))
			if end == nil {
				p.Move(x, y)
			} else {
				p.Line(x, y)
			}
			f.c.Mark(i, x, y, 3.5, class("fill", i), st.Label+": "+number.Duration(*v))
			end = &label{i, x, y, []string{"p50", "p99"}[i]}
		}
		if end != nil {
			f.c.Path(&p, class("line", i))
			ends = append(ends, *end)
		}
	}
	labels(f.c, ends, f.y.R1, f.y.R0)
	title := "Latency by step"
	return &figure{ID: "latency-steps", Title: title, SVG: f.c.Image("latency-steps", title, "p50 and p99 of OK calls at each step of the ramp; the table has the numbers."), Note: "Lower is better."}
}
