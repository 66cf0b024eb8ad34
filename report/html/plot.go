package html

import (
	"math"
	"strings"

	"wiregauge/report/svg"
)

// A plot is lines over the settings of a sweep, a ramp or a search.
type plot struct {
	id, title, note string
	desc            string // what it shows, in words
	xName, yName    string
	places          []place // of the settings on the X axis
	logX, logY      bool
	yTick           func(float64) string
	courses         []course
	limits          []limit // lines across
	marks           []limit // lines upwards
}

// A place is one labelled value of the X axis.
type place struct {
	x     float64
	label string
}

// A course is one line of a plot, in rising x.
type course struct {
	name   string
	series int
	thin   bool // a second line of the same series, such as its p50 beside its p99
	spots  []spot
}

// A spot is one measured point. Low and high are the ends of its interval, 0 when there is none.
type spot struct {
	x, y, low, high float64
	hollow          bool // less was achieved than was offered
	failed          bool // it missed the goal
	apart           bool // no line leads here from the one before
	words           string
}

// A limit is a line with a name: a goal, a capacity.
type limit struct {
	at   float64
	name string
}

// The size of a drawing that stands beside another one.
const (
	width  = 620.0
	height = 256.0
)

// draw is the plot as a figure; nil when no course has two points.
func (p plot) draw() *figure {
	long := false
	for _, c := range p.courses {
		long = long || len(c.spots) > 1
	}
	if !long || len(p.places) < 2 {
		return nil
	}
	f := p.frame()
	f.yAxis(f.y.Ticks(5), p.yTick)
	f.placeAxis(p.places)
	for _, l := range p.limits {
		y := f.y.At(l.at)
		f.c.Line(f.x.R0, y, f.x.R1, y, "limit")
		f.c.Text(f.x.R0+6, y-4, svg.Start, "axis", l.name)
	}
	for _, m := range p.marks {
		x := f.x.At(m.at)
		f.c.Line(x, f.y.R1, x, f.y.R0, "limit")
		anchor, side := svg.End, -6.0
		if x < (f.x.R0+f.x.R1)/2 {
			anchor, side = svg.Start, 6
		}
		f.c.Text(x+side, f.y.R1+8, anchor, "axis", m.name)
	}
	var ends []label
	for _, c := range p.courses {
		if l := f.course(c); l != nil {
			ends = append(ends, *l)
		}
	}
	labels(f.c, ends, f.y.R1, f.y.R0)
	return &figure{ID: p.id, Title: p.title, Note: p.note, SVG: f.c.Image(p.id, p.title, p.desc)}
}

// frame has room for everything that is drawn.
func (p plot) frame() frame {
	low, high := math.Inf(1), 0.0
	see := func(values ...float64) {
		for _, v := range values {
			if v > 0 {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	for _, c := range p.courses {
		for _, s := range c.spots {
			see(s.y, s.low, s.high)
		}
	}
	for _, l := range p.limits {
		see(l.at)
	}
	f := frame{c: svg.New(width, height), xName: p.xName, yName: p.yName}
	r1 := width - p.margin()
	f.x = svg.Scale{D0: p.places[0].x, D1: p.places[len(p.places)-1].x, R0: 64, R1: r1}
	if p.logX {
		f.x = svg.Scale{Log: true, D0: p.places[0].x, D1: p.places[len(p.places)-1].x, R0: 70, R1: r1}
	}
	f.y = svg.LinearScale(high, height-40, 24)
	if p.logY {
		f.y = svg.LogScale(low, high, height-40, 24)
	}
	return f
}

// margin is the room for the names at the ends of the lines.
func (p plot) margin() float64 {
	var names []string
	for _, c := range p.courses {
		names = append(names, c.name)
	}
	return 40 + 7*longestName(names)
}

// nameLength is how much of a name stands beside a line.
const nameLength = 14

// placeAxis labels the settings; where they are too near each other some stay without a label.
func (f frame) placeAxis(places []place) {
	half := func(p place) float64 { return 3.4 * float64(len([]rune(p.label))) }
	end := places[len(places)-1] // always has its label
	last := math.Inf(-1)
	for i, p := range places {
		x := f.x.At(p.x)
		f.c.Line(x, f.y.R0, x, f.y.R0+4, "grid")
		if i+1 < len(places) && (x-half(p) < last+6 || x+half(p)+6 > f.x.At(end.x)-half(end)) {
			continue
		}
		f.c.Text(x, f.y.R0+17, svg.Middle, "tick", p.label)
		last = x + half(p)
	}
	f.c.Line(f.x.R0, f.y.R0, f.x.R1, f.y.R0, "base")
	f.c.Text(f.x.R1, f.y.R0+33, svg.End, "axis", f.xName)
}

// course draws one line with its points and intervals, and tells where its name belongs.
func (f frame) course(c course) *label {
	if len(c.spots) == 0 {
		return nil
	}
	var p svg.Path
	var x, y float64
	for i, s := range c.spots {
		x, y = f.x.At(s.x), f.y.At(s.y)
		if i == 0 || s.apart {
			p.Move(x, y)
		} else {
			p.Line(x, y)
		}
	}
	line := class("line", c.series)
	if c.thin {
		line += " thin"
	}
	f.c.Path(&p, line)
	for _, s := range c.spots {
		f.spot(c, s)
	}
	return &label{series: c.series, x: x, y: y, text: shorten(c.name, nameLength)}
}

func (f frame) spot(c course, s spot) {
	x, y := f.x.At(s.x), f.y.At(s.y)
	if s.low > 0 && s.high > s.low {
		f.c.Line(x, f.y.At(s.low), x, f.y.At(s.high), class("whisker", c.series))
	}
	r, shape := 3.8, "fill"
	if c.thin {
		r = 2.6
	}
	if s.hollow {
		shape = "hollow"
	}
	f.c.Mark(c.series, x, y, r, class(shape, c.series), s.words)
	if s.failed {
		f.c.Text(x, y-7, svg.Middle, "failure", "✕")
	}
}

// sentence joins parts to a sentence; what is empty is left out.
func sentence(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}
