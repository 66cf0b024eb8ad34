// Package svg writes the few shapes that charts need, as text. Colours are classes, so that one drawing serves the
// light theme, the dark theme and print. It knows nothing of results.
package svg

import (
	"html/template"
	"math"
	"strconv"
	"strings"
)

// A Canvas collects shapes; its units are pixels at full size, and it scales with the page.
type Canvas struct {
	W, H float64
	b    strings.Builder
}

// New is an empty canvas.
func New(w, h float64) *Canvas { return &Canvas{W: w, H: h} }

// Line draws a straight line.
func (c *Canvas) Line(x1, y1, x2, y2 float64, class string) {
	c.open("line", class)
	c.attr("x1", x1)
	c.attr("y1", y1)
	c.attr("x2", x2)
	c.attr("y2", y2)
	c.b.WriteString("/>")
}

// Rect draws a box; title, when not empty, is shown by pointing at it.
func (c *Canvas) Rect(x, y, w, h float64, class, title string) {
	c.open("rect", class)
	c.attr("x", x)
	c.attr("y", y)
	c.attr("width", w)
	c.attr("height", h)
	c.close("rect", title)
}

// Path draws what p collected.
func (c *Canvas) Path(p *Path, class string) {
	c.open("path", class)
	c.b.WriteString(` d="` + p.b.String() + `"/>`)
}

// The anchors of a text.
const (
	Start  = "start"
	Middle = "middle"
	End    = "end"
)

// Text writes s with its baseline at y.
func (c *Canvas) Text(x, y float64, anchor, class, s string) {
	c.open("text", class)
	c.attr("x", x)
	c.attr("y", y)
	if anchor != Start {
		c.b.WriteString(` text-anchor="` + anchor + `"`)
	}
	c.b.WriteString(">" + template.HTMLEscapeString(s) + "</text>")
}

// Mark draws the marker of a series: six shapes, so that a series is known without its colour.
func (c *Canvas) Mark(series int, x, y, r float64, class, title string) {
	var p Path
	switch series % 6 {
	case 0:
		c.circle(x, y, r, class, title)
		return
	case 1:
		p.polygon(x, y, r*0.9, -1, -1, 1, -1, 1, 1, -1, 1)
	case 2:
		p.polygon(x, y, r*1.3, 0, -1, 1, 0, 0, 1, -1, 0)
	case 3:
		p.polygon(x, y, r*1.2, 0, -1, 1, 0.8, -1, 0.8)
	case 4:
		p.polygon(x, y, r*1.2, 0, 1, 1, -0.8, -1, -0.8)
	case 5:
		p.polygon(x, y, r*1.2, -0.35, -1, 0.35, -1, 0.35, -0.35, 1, -0.35, 1, 0.35, 0.35, 0.35, 0.35, 1, -0.35, 1, -0.35, 0.35, -1, 0.35, -1, -0.35, -0.35, -0.35)
	}
	c.open("path", class)
	c.b.WriteString(` d="` + p.b.String() + `"`)
	c.close("path", title)
}

func (c *Canvas) circle(x, y, r float64, class, title string) {
	c.open("circle", class)
	c.attr("cx", x)
	c.attr("cy", y)
	c.attr("r", r)
	c.close("circle", title)
}

func (c *Canvas) open(name, class string) {
	c.b.WriteString("<" + name)
	if class != "" {
		c.b.WriteString(` class="` + template.HTMLEscapeString(class) + `"`)
	}
}

func (c *Canvas) attr(name string, v float64) {
	c.b.WriteString(" " + name + `="` + num(v) + `"`)
}

func (c *Canvas) close(name, title string) {
	if title == "" {
		c.b.WriteString("/>")
		return
	}
	c.b.WriteString("><title>" + template.HTMLEscapeString(title) + "</title></" + name + ">")
}

// Image is the drawing as one element that a screen reader announces by title and description.
func (c *Canvas) Image(id, title, desc string) template.HTML {
	id = template.HTMLEscapeString(id)
	return template.HTML(`<svg role="img" viewBox="0 0 ` + num(c.W) + " " + num(c.H) + `" aria-labelledby="` + id + "-t " + id + `-d">` +
		`<title id="` + id + `-t">` + template.HTMLEscapeString(title) + `</title>` +
		`<desc id="` + id + `-d">` + template.HTMLEscapeString(desc) + `</desc>` + c.b.String() + "</svg>")
}

// Icon is the drawing as decoration that a screen reader skips.
func (c *Canvas) Icon() template.HTML {
	return template.HTML(`<svg aria-hidden="true" class="icon" width="` + num(c.W) + `" height="` + num(c.H) + `" viewBox="0 0 ` + num(c.W) + " " + num(c.H) + `">` +
		c.b.String() + "</svg>")
}

// A Path is a line being drawn.
type Path struct{ b strings.Builder }

// Move lifts the pen to a point.
func (p *Path) Move(x, y float64) { p.b.WriteString("M" + num(x) + " " + num(y)) }

// Line draws to a point.
func (p *Path) Line(x, y float64) { p.b.WriteString("L" + num(x) + " " + num(y)) }

// Step draws level to x, then straight to y.
func (p *Path) Step(x, y float64) { p.b.WriteString("H" + num(x) + "V" + num(y)) }

// Box draws a closed rectangle.
func (p *Path) Box(x, y, w, h float64) {
	p.b.WriteString("M" + num(x) + " " + num(y) + "h" + num(w) + "v" + num(h) + "h" + num(-w) + "z")
}

// Empty reports whether nothing was drawn.
func (p *Path) Empty() bool { return p.b.Len() == 0 }

// polygon draws a closed shape from offsets in units of r.
func (p *Path) polygon(x, y, r float64, offsets ...float64) {
	for i := 0; i < len(offsets); i += 2 {
		px, py := x+offsets[i]*r, y+offsets[i+1]*r
		if i == 0 {
			p.Move(px, py)
		} else {
			p.Line(px, py)
		}
	}
	p.b.WriteString("Z")
}

// num writes a coordinate to a tenth of a pixel; one that is not finite becomes 0, so that a drawing stays valid.
func num(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	s := strconv.FormatFloat(v, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}
