package html

import (
	"fmt"
	"strings"
	"time"

	"wiregauge/report/number"
	"wiregauge/report/story"
	"wiregauge/report/svg"
	"wiregauge/result"
)

// A stack is one horizontal bar of parts.
type stack struct {
	name  string
	parts []part
}

type part struct {
	kind  int // which part it is: its pattern and its place in the key
	value float64
	words string
}

func (s stack) total() float64 {
	var sum float64
	for _, p := range s.parts {
		sum += p.value
	}
	return sum
}

// stacked draws bars of parts on one scale, with a key above and each bar's total at its end.
func stacked(id, title, desc string, kinds []string, bars []stack, tick func(float64) string) *figure {
	most := 0.0
	for _, b := range bars {
		most = max(most, b.total())
	}
	if most == 0 {
		return nil
	}
	const w, top, rowHeight = 620, 40, 26
	h := top + rowHeight*float64(len(bars)) + 34
	c := svg.New(w, h)
	f := frame{c: c, x: svg.LinearScale(most, 150, w-70), y: svg.Scale{D0: 0, D1: 1, R0: h - 30, R1: top}}
	drawKey(c, kinds, bars)
	for _, v := range f.x.Ticks(5) {
		c.Line(f.x.At(v), top-4, f.x.At(v), h-28, "grid")
		c.Text(f.x.At(v), h-13, svg.Middle, "tick", tick(v))
	}
	for i, b := range bars {
		y := top + rowHeight*float64(i)
		c.Text(f.x.R0-8, y+15, svg.End, "name", shorten(b.name, 22))
		at := 0.0
		for _, p := range b.parts {
			from, to := f.x.At(at), f.x.At(at+p.value)
			c.Rect(from, y+3, to-from, rowHeight-8, fmt.Sprintf("part k%d", p.kind+1), b.name+", "+kinds[p.kind]+": "+p.words)
			if len(p.words)*7 < int(to-from) {
				c.Text((from+to)/2, y+16, svg.Middle, fmt.Sprintf("onpart k%d", p.kind+1), p.words)
			}
			at += p.value
		}
		c.Text(f.x.At(at)+6, y+15, svg.Start, "value", tick(at))
	}
	return &figure{ID: id, Title: title, SVG: c.Image(id, title, desc), Note: "Lower is better."}
}

func drawKey(c *svg.Canvas, kinds []string, bars []stack) {
	used := map[int]bool{}
	for _, b := range bars {
		for _, p := range b.parts {
			used[p.kind] = used[p.kind] || p.value > 0
		}
	}
	x := 150.0
	for i, k := range kinds {
		if used[i] {
			c.Rect(x, 8, 12, 12, fmt.Sprintf("part k%d", i+1), "")
			c.Text(x+17, 18, svg.Start, "tick", k)
			x += 34 + 7*float64(len(k))
		}
	}
}

// bytesPerCall is one bar an arm and direction.
func bytesPerCall(s *story.Story) *figure {
	kinds := make([]string, len(story.ByteKinds))
	for i, k := range story.ByteKinds {
		kinds[i] = k.Name
	}
	var bars []stack
	var words []string
	for i, a := range s.Arms {
		if a.SentBytes.Wire+a.RecvBytes.Wire == 0 {
			continue
		}
		sent := byteStack(s.Names[i]+" →", a.SentBytes, func(n int64) float64 { return story.SentPerCall(a, n) })
		received := byteStack(s.Names[i]+" ←", a.RecvBytes, func(n int64) float64 { return story.ReceivedPerCall(a, n) })
		bars = append(bars, sent, received)
		words = append(words, fmt.Sprintf("%s sends %s and receives %s bytes per call", s.Names[i],
			number.Significant(sent.total()), number.Significant(received.total())))
	}
	fig := stacked("bytes-chart", "Bytes per call on the wire", strings.Join(words, "; ")+".", kinds, bars, numberTick)
	if fig != nil {
		fig.Note = "Lower is better. → request, ← answer; steady state, the cost of connecting spread over all calls."
	}
	return fig
}

func byteStack(name string, b result.Bytes, per func(int64) float64) stack {
	s := stack{name: name}
	for i, k := range story.ByteKinds {
		if v := per(k.Of(b)); v > 0 {
			s.parts = append(s.parts, part{i, v, trim(number.Significant(v))})
		}
	}
	return s
}

// cpuPerCall is one bar an arm and side, user and system apart.
func cpuPerCall(s *story.Story) *figure {
	var bars []stack
	var words []string
	for i, a := range s.Arms {
		n := a.Finished()
		if n == 0 {
			continue
		}
		if a.ClientCPU.Total() > 0 {
			bars = append(bars, cpuStack(s.Names[i]+" client", a.ClientCPU, n))
			words = append(words, fmt.Sprintf("%s client %s per call", s.Names[i], number.Duration(int64(a.ClientCPU.Total())/n)))
		}
		if a.Server != nil {
			bars = append(bars, cpuStack(s.Names[i]+" server", *a.Server, n))
			words = append(words, fmt.Sprintf("%s server %s per call", s.Names[i], number.Duration(int64(a.Server.Total())/n)))
		}
	}
	return stacked("cpu-chart", "CPU per call", strings.Join(words, "; ")+".", []string{"user", "system"}, bars, timeTick)
}

// cpuTable is the same in numbers.
func cpuTable(s *story.Story) *story.Table {
	t := &story.Table{Columns: []story.Column{{Name: "CPU per call", Text: true}, {Name: "user"}, {Name: "system"}, {Name: "total"}}}
	add := func(name string, c result.CPU, n int64) {
		row := []story.Cell{{Text: name}}
		for _, d := range []time.Duration{c.User, c.System, c.Total()} {
			row = append(row, story.Cell{Text: number.Duration(int64(d) / n)})
		}
		t.Rows = append(t.Rows, row)
	}
	for i, a := range s.Arms {
		if n := a.Finished(); n > 0 {
			add(s.Names[i]+" client", a.ClientCPU, n)
			if a.Server != nil {
				add(s.Names[i]+" server", *a.Server, n)
			}
		}
	}
	return t
}

func cpuStack(name string, c result.CPU, n int64) stack {
	s := stack{name: name}
	for i, v := range []int64{int64(c.User) / n, int64(c.System) / n} {
		if v > 0 {
			s.parts = append(s.parts, part{i, float64(v), number.Duration(v)})
		}
	}
	return s
}
