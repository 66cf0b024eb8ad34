package html

import (
	"fmt"
	"html/template"
	"math"
	"strings"
	"time"

	"wiregauge/report/number"
	"wiregauge/report/story"
	"wiregauge/report/svg"
	"wiregauge/result"
)

// A heat map has at most so many rows: fewer where it is lower because there are several.
const mostRows, fewRows = 44, 24

// fewerStrips joins strips until no more are left than a drawing shows: fewer where there are several drawings.
func fewerStrips(strips []result.Strip, drawings int) []result.Strip {
	most := 100
	if drawings > 4 {
		most = 48
	} else if drawings > 2 {
		most = 60
	}
	return result.FewerStrips(strips, most)
}

// heatLevels is how many shades counts have.
const heatLevels = 6

// A heat is the strips of some arms on the same scales.
type heat struct {
	arms        []heatArm
	low, high   int // the levels that occur
	step        int // levels in a row
	most        int64
	end         time.Duration
	h           float64
	title, unit string
}

type heatArm struct {
	name   string
	series int
	strips []result.Strip
	edges  []edge
}

// An edge is where a launch begins.
type edge struct {
	at   time.Duration
	name string
}

// overTime is latency over time: how many calls took how long, one map an arm, all on the same scales.
func overTime(s *story.Story, f *result.File) *figure {
	h := heat{low: math.MaxInt, title: "Latency over time", unit: "seconds of the measured windows"}
	for i, a := range s.Arms {
		one := heatArm{name: s.Names[i], series: i, strips: fewerStrips(a.Strips, len(s.Arms))}
		if len(one.strips) < 3 || !h.see(one.strips) {
			continue
		}
		if f != nil {
			one.edges = launchEdges(f, a.Name)
		}
		h.arms = append(h.arms, one)
	}
	if len(h.arms) == 0 || h.high < h.low {
		return nil
	}
	rows := mostRows
	h.h = height
	if len(h.arms) > 1 {
		rows, h.h = fewRows, 190
	}
	h.step = (h.high - h.low + rows) / rows
	h.shade()
	return h.figure()
}

// see widens the scales to what strips hold; it says no when they hold no levels.
func (h *heat) see(strips []result.Strip) bool {
	seen := false
	for _, s := range strips {
		if len(s.Counts) > 0 {
			seen = true
			h.low, h.high = min(h.low, s.First), max(h.high, s.First+len(s.Counts)-1)
		}
		h.end = max(h.end, s.At+s.Span())
	}
	return seen
}

// rows are the counts of a strip by row, the lowest latency first.
func (h *heat) rows(s *result.Strip) []int64 {
	rows := make([]int64, (h.high-h.low)/h.step+1)
	for i, n := range s.Counts {
		rows[(s.First+i-h.low)/h.step] += n
	}
	return rows
}

// shade finds the largest count a second, which is the darkest.
func (h *heat) shade() {
	for i := range h.arms {
		for k := range h.arms[i].strips {
			for _, n := range h.rows(&h.arms[i].strips[k]) {
				h.most = max(h.most, n)
			}
		}
	}
}

// level is the shade of n calls, 0 for none; each is about the same factor darker than the one before.
func (h *heat) level(n int64) int {
	if n <= 0 {
		return 0
	}
	return min(1+int(heatLevels*math.Log1p(float64(n-1))/math.Log1p(float64(max(h.most, 2)-1))*0.9999), heatLevels)
}

func (h *heat) figure() *figure {
	var b strings.Builder
	for i := range h.arms {
		title := h.title
		if len(h.arms) > 1 {
			title += ": " + h.arms[i].name
		}
		b.WriteString(string(h.draw(&h.arms[i]).Image(fmt.Sprintf("time-%d", i+1), title, h.words(&h.arms[i]))))
	}
	fig := &figure{ID: "time", Title: h.title, SVG: template.HTML(b.String()), Wide: len(h.arms) > 1,
		Note: "Lower is better. OK calls by when they ended and what they took from due; lines: p50 and p99."}
	for _, a := range h.arms {
		if a.failures() > 0 {
			fig.Note += " ✕: failures."
			break
		}
	}
	for _, a := range h.arms {
		if len(a.edges) > 1 {
			fig.Note += " Numbers at the top: launches."
			break
		}
	}
	if len(h.arms) == 1 {
		t := stripTable(h.arms[0].strips)
		fig.Table = &t
	}
	return fig
}

func (h *heat) words(a *heatArm) string {
	words := fmt.Sprintf("%s, %d strips of time, from %s to %s", a.name, len(a.strips),
		number.Duration(int64(result.LevelStart(h.low))), number.Duration(int64(result.LevelStart(h.high+1))))
	if n := a.failures(); n > 0 {
		words += fmt.Sprintf("; failures in %d of them", n)
	}
	return words + "."
}

func (a *heatArm) failures() int {
	n := 0
	for _, s := range a.strips {
		if s.Failed > 0 {
			n++
		}
	}
	return n
}

// draw is one map.
func (h *heat) draw(a *heatArm) *svg.Canvas {
	f := frame{c: svg.New(width, h.h), x: svg.Scale{D1: h.end.Seconds(), R0: 58, R1: width - 52},
		y:     svg.Scale{Log: true, D0: result.LevelStart(h.low), D1: result.LevelStart(h.high + 1), R0: h.h - 40, R1: 26},
		xName: h.unit, yName: "latency"}
	if len(h.arms) > 1 {
		f.yName = ""
		f.c.Mark(a.series, 10, 10, 4, class("fill", a.series), "")
		f.c.Text(20, 14, svg.Start, "panel", shorten(a.name, 40))
	}
	f.yAxis(f.y.Ticks(4), timeTick)
	h.cells(f, a)
	f.xAxis(f.x.Ticks(6), numberTick)
	h.key(f)
	for _, e := range a.edges {
		x := f.x.At(e.at.Seconds())
		f.c.Line(x, f.y.R1, x, f.y.R0, "edge")
		if e.name != "" {
			f.c.Text(x+3, f.y.R1+9, svg.Start, "small", e.name)
		}
	}
	h.lines(f, a)
	h.hits(f, a)
	return f.c
}

// cells are drawn as one path a shade, neighbours of one shade as one box: a rectangle each would be many times as
// large.
func (h *heat) cells(f frame, a *heatArm) {
	levels := make([][]int, len(a.strips))
	for k := range a.strips {
		for _, n := range h.rows(&a.strips[k]) {
			levels[k] = append(levels[k], h.level(n))
		}
	}
	var shades [heatLevels + 1]svg.Path
	for r := range (h.high-h.low)/h.step + 1 {
		top, bottom := f.y.At(result.LevelStart(h.low+(r+1)*h.step)), f.y.At(result.LevelStart(h.low+r*h.step))
		for k := 0; k < len(levels); {
			level, first := levels[k][r], k
			for k < len(levels) && levels[k][r] == level {
				k++
			}
			if level > 0 {
				x0, last := f.x.At(a.strips[first].At.Seconds()), &a.strips[k-1]
				shades[level].Box(x0, top, f.x.At((last.At+last.Span()).Seconds())-x0, bottom-top)
			}
		}
	}
	for level := range shades {
		if !shades[level].Empty() {
			f.c.Path(&shades[level], fmt.Sprintf("heat h%d", level))
		}
	}
}

// key says what the shades are.
func (h *heat) key(f frame) {
	x := f.x.R1 - heatLevels*12 - 7*float64(len(number.Count(h.most)))
	f.c.Text(x-5, 13, svg.End, "small", "calls: 1")
	for i := range heatLevels {
		f.c.Rect(x+12*float64(i), 5, 12, 9, fmt.Sprintf("heat h%d", i+1), "")
	}
	f.c.Text(x+heatLevels*12+5, 13, svg.Start, "small", number.Count(h.most))
}

// lines are p50 and p99, each over a wider one in the colour of the page, so that they show on every shade.
func (h *heat) lines(f frame, a *heatArm) {
	var ends []float64
	names := []string{"p99", "p50"}
	for i, of := range []func(*result.Strip) *time.Duration{
		func(s *result.Strip) *time.Duration { return s.P99 },
		func(s *result.Strip) *time.Duration { return s.P50 },
	} {
		var p svg.Path
		drawing, y := false, f.y.R0
		for k := range a.strips {
			s := &a.strips[k]
			d := of(s)
			if d == nil {
				drawing = false
				continue
			}
			var x float64
			x, y = f.x.At((s.At + s.Span()/2).Seconds()), f.y.At(float64(*d))
			if drawing {
				p.Line(x, y)
			} else {
				p.Move(x, y)
			}
			drawing = true
		}
		f.c.Path(&p, "halo")
		f.c.Path(&p, "trace "+names[i])
		ends = append(ends, y)
	}
	for i, y := range svg.Spread(ends, 13, f.y.R1, f.y.R0) {
		f.c.Text(f.x.R1+6, y+4, svg.Start, "name", names[i])
	}
}

// hits are what is shown by pointing at a column, and marks where calls failed.
func (h *heat) hits(f frame, a *heatArm) {
	for k := range a.strips {
		s := &a.strips[k]
		x0, x1 := f.x.At(s.At.Seconds()), f.x.At((s.At + s.Span()).Seconds())
		words := fmt.Sprintf("%s s: %s ok", trim(number.Significant(s.At.Seconds())), number.Count(s.OK))
		if s.P50 != nil && s.P99 != nil && s.Max != nil {
			words += fmt.Sprintf(", p50 %s, p99 %s, max %s", number.Duration(int64(*s.P50)), number.Duration(int64(*s.P99)), number.Duration(int64(*s.Max)))
		}
		if s.Failed > 0 {
			words += ", " + number.Count(s.Failed) + " failed"
			f.c.Text((x0+x1)/2, f.y.R0-3, svg.Middle, "failure", "✕")
		}
		f.c.Rect(x0, f.y.R1, x1-x0, f.y.R0-f.y.R1, "hit", words)
	}
}

// launchEdges are where the launches of an arm begin, on the clock of its summed windows.
func launchEdges(f *result.File, arm string) []edge {
	var edges []edge
	var at time.Duration
	last := -1
	for _, r := range f.Turns {
		if r.Arm != arm || r.Invalid != "" {
			continue
		}
		if r.Launch != last {
			edges = append(edges, edge{at, fmt.Sprint(r.Launch + 1)})
			last = r.Launch
		}
		at += time.Duration(r.Window)
	}
	if len(edges) < 2 {
		return nil
	}
	if len(edges) > 20 { // no room for their numbers
		for i := range edges {
			if i%5 != 0 {
				edges[i].name = ""
			}
		}
	}
	return edges
}

// stripTable has every strip of time, up to a bound; beyond it every n-th.
func stripTable(strips []result.Strip) story.Table {
	t := story.Table{Columns: []story.Column{{Name: "from", Text: true}, {Name: "for"}, {Name: "due"}, {Name: "ok"}, {Name: "failed"}, {Name: "p50"}, {Name: "p99"}, {Name: "max"}}}
	for i := range strips {
		s := &strips[i]
		row := []story.Cell{{Text: trim(number.Significant(s.At.Seconds())) + " s"}, {Text: number.Duration(int64(s.Span()))},
			{Text: number.Count(s.Due)}, {Text: number.Count(s.OK)}, {Text: number.Count(s.Failed)}}
		for _, d := range []*time.Duration{s.P50, s.P99, s.Max} {
			text := number.None
			if d != nil {
				text = number.Duration(int64(*d))
			}
			row = append(row, story.Cell{Text: text})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
