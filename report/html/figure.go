package html

import (
	"fmt"
	"html/template"
	"strings"

	"wiregauge/report/number"
	"wiregauge/report/story"
	"wiregauge/report/svg"
)

// A figure is a drawing with the words and the table that say the same.
type figure struct {
	ID, Title string
	Note      string
	SVG       template.HTML // one drawing, or several that share their scales
	Wide      bool          // as wide as the page
	Table     *story.Table  // the numbers behind it
	Again     bool          // the table is also on the page by itself: print leaves this one out
}

// seriesCount is how many series have a colour of their own; later ones are grey.
const seriesCount = 6

// class is the class of series i for a kind of shape: "line s1", "fill s1".
func class(kind string, i int) string {
	if i < 0 || i >= seriesCount {
		return kind + " s0"
	}
	return fmt.Sprintf("%s s%d", kind, i+1)
}

// swatch is a series' marker in its colour, to stand before its name.
func swatch(i int) template.HTML {
	c := svg.New(12, 12)
	c.Mark(i, 6, 6, 4, class("fill", i), "")
	return c.Icon()
}

// frame draws axes: grid lines and labels at the ticks of both scales.
type frame struct {
	c            *svg.Canvas
	x, y         svg.Scale
	xName, yName string
}

func (f frame) yAxis(ticks []float64, label func(float64) string) {
	for _, v := range ticks {
		y := f.y.At(v)
		f.c.Line(f.x.R0, y, f.x.R1, y, "grid")
		f.c.Text(f.x.R0-6, y+4, svg.End, "tick", label(v))
	}
	f.c.Text(4, f.y.R1-10, svg.Start, "axis", f.yName)
}

func (f frame) xAxis(ticks []float64, label func(float64) string) {
	for _, v := range ticks {
		x := f.x.At(v)
		f.c.Line(x, f.y.R0, x, f.y.R0+4, "grid")
		f.c.Text(x, f.y.R0+17, svg.Middle, "tick", label(v))
	}
	f.c.Line(f.x.R0, f.y.R0, f.x.R1, f.y.R0, "base")
	f.c.Text(f.x.R1, f.y.R0+33, svg.End, "axis", f.xName)
}

// timeTick is a round time on an axis: "2 ms".
func timeTick(ns float64) string {
	u := number.TimeUnit(int64(ns))
	return trim(number.Significant(ns/u.Size)) + " " + u.Name
}

// numberTick is a round number on an axis.
func numberTick(v float64) string {
	if v >= 1e6 {
		return trim(number.Significant(v/1e6)) + "M"
	}
	return trim(number.Significant(v))
}

// trim drops zeros behind the point.
func trim(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// a label stands at the end of a line.
type label struct {
	series int
	x, y   float64
	text   string
}

// labels writes the names of lines beside their ends, right of all of them and moved apart where they would touch.
func labels(c *svg.Canvas, all []label, low, high float64) {
	at := make([]float64, len(all))
	right := 0.0
	for i, l := range all {
		at[i] = l.y
		right = max(right, l.x)
	}
	for i, y := range svg.Spread(at, 15, low, high) {
		l := all[i]
		if right-l.x > 3 || y-l.y > 3 || l.y-y > 3 {
			c.Line(l.x+5, l.y, right+11, y, class("lead", l.series))
		}
		c.Mark(l.series, right+17, y, 3.5, class("fill", l.series), "")
		c.Text(right+25, y+4, svg.Start, "name", l.text)
	}
}

// longestName is how many letters a name beside a line takes at most.
func longestName(names []string) float64 {
	long := 3
	for _, n := range names {
		long = max(long, len([]rune(shorten(n, nameLength))))
	}
	return float64(long)
}

// shorten cuts a name for a drawing; the table beside it has the whole.
func shorten(name string, most int) string {
	r := []rune(name)
	if len(r) <= most {
		return name
	}
	return string(r[:most-1]) + "…"
}
