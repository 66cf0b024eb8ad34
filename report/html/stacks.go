package html

import (
	"fmt"
	"time"

	"wiregauge/report/number"
	"wiregauge/report/story"
	"wiregauge/report/svg"
	"wiregauge/result"
)

// A stack is one horizontal bar of parts.
type stack struct {
	name    string
	parts   []part
	unknown bool // it could not be measured
}

type part struct {
	kind  int // which part it is: its colour and its place in the key
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

// bars is a drawing of stacks on one scale, with a key above and each bar's total at its end.
type bars struct {
	id, title, desc, note string
	kinds                 []string
	stacks                []stack
	tick                  func(float64) string
	sum                   func(float64) string // the total; nil: the parts add up to nothing
}

func (b bars) draw() *figure {
	most := 0.0
	for _, s := range b.stacks {
		most = max(most, s.total())
	}
	if most == 0 {
		return nil
	}
	const top, rowHeight, left = 40, 26, 150
	h := top + rowHeight*float64(len(b.stacks)) + 34
	c := svg.New(width, h)
	f := frame{c: c, x: svg.LinearScale(most, left, width-80), y: svg.Scale{D0: 0, D1: 1, R0: h - 30, R1: top}}
	b.key(c, left)
	for _, v := range f.x.Ticks(5) {
		c.Line(f.x.At(v), top-4, f.x.At(v), h-28, "grid")
		c.Text(f.x.At(v), h-13, svg.Middle, "tick", b.tick(v))
	}
	c.Line(f.x.R0, top-4, f.x.R0, h-28, "base")
	for i, s := range b.stacks {
		b.stack(f, s, top+rowHeight*float64(i), rowHeight-8)
	}
	return &figure{ID: b.id, Title: b.title, SVG: c.Image(b.id, b.title, b.desc), Note: b.note}
}

func (b bars) stack(f frame, s stack, y, thick float64) {
	f.c.Text(f.x.R0-8, y+15, svg.End, "name", shorten(s.name, 20))
	if s.unknown {
		f.c.Rect(f.x.R0, y+3, 70, thick, "unknown", s.name+": unknown")
		f.c.Text(f.x.R0+35, y+16, svg.Middle, "small", "unknown")
		return
	}
	at := 0.0
	for _, p := range s.parts {
		from, to := f.x.At(at), f.x.At(at+p.value)
		f.c.Rect(from, y+3, to-from, thick, fmt.Sprintf("part k%d", p.kind+1), s.name+", "+b.kinds[p.kind]+": "+p.words)
		if 7*float64(len([]rune(p.words)))+4 < to-from {
			f.c.Text((from+to)/2, y+16, svg.Middle, fmt.Sprintf("onpart k%d", p.kind+1), p.words)
		}
		at += p.value
	}
	if b.sum != nil {
		f.c.Text(f.x.At(at)+6, y+15, svg.Start, "value", b.sum(at))
	}
}

// key names the kinds that occur.
func (b bars) key(c *svg.Canvas, x float64) {
	used := map[int]bool{}
	for _, s := range b.stacks {
		for _, p := range s.parts {
			used[p.kind] = used[p.kind] || p.value > 0
		}
	}
	drawKey(c, x, b.kinds, func(i int) bool { return used[i] })
}

// drawKey names kinds by their colour.
func drawKey(c *svg.Canvas, x float64, kinds []string, used func(int) bool) {
	for i, k := range kinds {
		if used(i) {
			name := shorten(story.Clean(k), 22)
			c.Rect(x, 8, 12, 12, fmt.Sprintf("part k%d", i+1), "")
			c.Text(x+17, 18, svg.Start, "tick", name)
			x += 34 + 6.6*float64(len([]rune(name)))
		}
	}
}

// bytesPerCall is one bar an arm and direction.
func bytesPerCall(s *story.Story) *figure {
	b := bars{id: "bytes-chart", title: "Bytes per call on the wire", tick: numberTick, sum: number.Significant,
		note: "Lower is better. → request, ← answer; the cost of connecting is spread over all calls."}
	for _, k := range story.ByteKinds {
		b.kinds = append(b.kinds, k.Name)
	}
	var words []string
	for i, a := range s.Arms {
		if a.SentBytes.Wire+a.RecvBytes.Wire == 0 {
			continue
		}
		sent := byteStack(s.Names[i]+" →", a.SentBytes, func(n int64) float64 { return story.SentPerCall(a, n) })
		received := byteStack(s.Names[i]+" ←", a.RecvBytes, func(n int64) float64 { return story.ReceivedPerCall(a, n) })
		b.stacks = append(b.stacks, sent, received)
		words = append(words, fmt.Sprintf("%s sends %s and receives %s bytes per call", s.Names[i],
			number.Significant(sent.total()), number.Significant(received.total())))
	}
	b.desc = sentence(words)
	return b.draw()
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

// cpuPerCall is one bar an arm and side, user and system apart; a server that could not be seen is unknown.
func cpuPerCall(s *story.Story) *figure {
	b := bars{id: "cpu-chart", title: "CPU per call", kinds: []string{"user", "system"}, tick: timeTick, sum: timeSum, note: "Lower is better."}
	var words []string
	add := func(name string, c *result.CPU, n int64) {
		if c == nil || c.Total() <= 0 {
			b.stacks = append(b.stacks, stack{name: name, unknown: true})
			words = append(words, name+" unknown")
			return
		}
		b.stacks = append(b.stacks, cpuStack(name, *c, n))
		words = append(words, name+" "+number.Duration(int64(c.Total())/n))
	}
	for i, a := range s.Arms {
		if n := a.Finished(); n > 0 {
			add(s.Names[i]+" client", &a.ClientCPU, n)
			add(s.Names[i]+" server", a.Server, n)
		}
	}
	b.desc = sentence(words)
	return b.draw()
}

func timeSum(ns float64) string { return number.Duration(int64(ns)) }

func cpuStack(name string, c result.CPU, n int64) stack {
	s := stack{name: name}
	for i, v := range []int64{int64(c.User) / n, int64(c.System) / n} {
		if v > 0 {
			s.parts = append(s.parts, part{i, float64(v), number.Duration(v)})
		}
	}
	return s
}

// cpuTable is the same in numbers.
func cpuTable(s *story.Story) *story.Table {
	t := &story.Table{Columns: []story.Column{{Name: "CPU per call", Text: true}, {Name: "user"}, {Name: "system"}, {Name: "total"}}}
	add := func(name string, c *result.CPU, n int64) {
		row := []story.Cell{{Text: name}, {Text: "unknown"}, {Text: "unknown"}, {Text: "unknown"}}
		if c != nil && c.Total() > 0 {
			for i, d := range []time.Duration{c.User, c.System, c.Total()} {
				row[i+1].Text = number.Duration(int64(d) / n)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	for i, a := range s.Arms {
		if n := a.Finished(); n > 0 {
			add(s.Names[i]+" client", &a.ClientCPU, n)
			add(s.Names[i]+" server", a.Server, n)
		}
	}
	return t
}

// phaseKinds are the parts of a call in their order, and the one of a connection.
var phaseKinds = []string{"late send", "wait for a place", "to first byte", "connect"}

// phases are the medians of the parts of a call that were seen apart.
func phases(s *story.Story) *figure {
	b := bars{id: "phases", title: "Where the time goes: medians of OK calls", kinds: phaseKinds, tick: timeTick,
		note: "Lower is better. Medians do not add up to the median of the whole, which is in the table. A connection connects once."}
	t := &story.Table{Columns: []story.Column{{Name: "median", Text: true}}}
	for _, k := range phaseKinds {
		t.Columns = append(t.Columns, story.Column{Name: k})
	}
	t.Columns = append(t.Columns, story.Column{Name: "latency"})
	var words []string
	for i, a := range s.Arms {
		if a.FirstByte.Percentile(50).NS == nil {
			continue
		}
		one := stack{name: s.Names[i]}
		connect := stack{name: s.Names[i] + " connect"}
		row := []story.Cell{{Text: s.Names[i]}}
		for k, d := range []*result.Distribution{&a.Lateness, &a.SlotWait, &a.FirstByte, &a.Connect} {
			v := middle(d)
			row = append(row, story.Cell{Text: number.None})
			if v == nil {
				continue
			}
			row[k+1].Text = number.Duration(*v)
			p := part{k, float64(*v), number.Duration(*v)}
			if d == &a.Connect {
				connect.parts = append(connect.parts, p)
			} else if *v > 0 {
				one.parts = append(one.parts, p)
				words = append(words, s.Names[i]+" "+phaseKinds[k]+" "+p.words)
			}
		}
		whole := number.None
		if p := a.Latency.Percentile(50); p.NS != nil {
			whole = number.Duration(*p.NS)
		}
		t.Rows = append(t.Rows, append(row, story.Cell{Text: whole}))
		b.stacks = append(b.stacks, one)
		if len(connect.parts) > 0 {
			b.stacks = append(b.stacks, connect)
		}
	}
	if !seenApart(b.stacks) {
		return nil
	}
	b.desc = sentence(words)
	return b.draw().with(t).alone()
}

// seenApart reports whether more than one phase was seen: a single one is told by the tables.
func seenApart(stacks []stack) bool {
	kinds := map[int]bool{}
	for _, s := range stacks {
		for _, p := range s.parts {
			kinds[p.kind] = true
		}
	}
	return len(kinds) > 1
}

// middle is the median of a distribution, also of few values: a run opens few connections.
func middle(d *result.Distribution) *int64 {
	if d.N == 0 || d.Hist == nil {
		return nil
	}
	v := int64(d.Hist.Percentile(50))
	return &v
}
