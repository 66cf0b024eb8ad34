package html

import (
	"fmt"
	"slices"
	"strings"

	"wiregauge/internal/gate"
	"wiregauge/report/number"
	"wiregauge/report/story"
	"wiregauge/result"
)

// keptUp is the share of the offered rate from which a point counts as achieved.
const keptUp = 0.99

// A dimension is one quantity that a sweep may change.
type dimension struct {
	name  string
	of    func(result.Point) float64
	label func(float64) string
}

var dimensions = []dimension{
	{"calls in flight", func(p result.Point) float64 { return float64(p.Concurrency) }, func(v float64) string { return number.Count(int64(v)) }},
	{"offered calls/s", func(p result.Point) float64 { return p.Rate }, numberTick},
	{"payload", func(p result.Point) float64 { return float64(p.Payload) }, sizeTick},
}

// sweepPlaces are the settings of a sweep on an axis, and what the axis is called. A sweep of one rising quantity has
// its values on a logarithmic axis; any other has its settings in their order.
func sweepPlaces(points []result.Point) (places []place, name string, log bool) {
	var varied []dimension
	for _, d := range dimensions {
		for _, p := range points {
			if d.of(p) != d.of(points[0]) {
				varied = append(varied, d)
				break
			}
		}
	}
	if len(varied) == 1 && rising(points, varied[0].of) {
		for _, p := range points {
			v := varied[0].of(p)
			places = append(places, place{v, varied[0].label(v)})
		}
		return places, varied[0].name, true
	}
	for i, p := range points {
		places = append(places, place{float64(i), story.Clean(p.Label)})
	}
	return places, "setting", false
}

// follows reports whether a setting goes on from the one before: nothing fell, as where an inner quantity begins anew.
func follows(before, p result.Point) bool {
	for _, d := range dimensions {
		if d.of(p) < d.of(before) {
			return false
		}
	}
	return true
}

// rising reports whether values are above 0 and each is above the one before.
func rising(points []result.Point, of func(result.Point) float64) bool {
	last := 0.0
	for _, p := range points {
		if of(p) <= last {
			return false
		}
		last = of(p)
	}
	return true
}

// sizeTick is a size on an axis: "1 kB".
func sizeTick(v float64) string {
	digits, unit, _ := strings.Cut(number.Bytes(v), " ")
	return trim(digits) + " " + unit
}

// eachPoint gives the course of every arm over a sweep.
func eachPoint(s *story.Story, f *result.File, places []place, at func(p result.Point, a result.PointArm) (spot, bool)) []course {
	var all []course
	for i, arm := range s.Arms {
		c := course{name: s.Names[i], series: i}
		for k, p := range f.Sweep {
			j := slices.IndexFunc(p.Arms, func(a result.PointArm) bool { return a.Name == arm.Name })
			if j < 0 {
				continue
			}
			if one, known := at(p, p.Arms[j]); known {
				one.x, one.apart = places[k].x, k > 0 && !follows(f.Sweep[k-1], p)
				one.words = s.Names[i] + ", " + p.Label + ": " + one.words
				c.spots = append(c.spots, one)
			}
		}
		all = append(all, c)
	}
	return all
}

// throughputSweep is calls/s over the settings, with intervals where they are known.
func throughputSweep(s *story.Story, f *result.File) *figure {
	if len(f.Sweep) < 2 {
		return nil
	}
	places, x, log := sweepPlaces(f.Sweep)
	courses := eachPoint(s, f, places, func(p result.Point, a result.PointArm) (spot, bool) {
		one := spot{y: a.Goodput, hollow: p.Rate > 0 && a.Rate < keptUp*p.Rate, words: number.Significant(a.Goodput) + " calls/s"}
		if a.Low != nil && a.High != nil {
			one.low, one.high = *a.Low, *a.High
			one.words += fmt.Sprintf(", 95 %% interval %s to %s", number.Significant(*a.Low), number.Significant(*a.High))
		}
		return one, a.Goodput > 0
	})
	return plot{id: "throughput-sweep", title: "Throughput by " + x, desc: lastWords(courses), xName: x, yName: "goodput, calls/s",
		places: places, logX: log, yTick: numberTick, courses: courses,
		note: "Higher is better. Bars: 95 % interval."}.draw()
}

// latencySweep is p50 and p99 over the settings.
func latencySweep(s *story.Story, f *result.File) *figure {
	if len(f.Sweep) < 2 {
		return nil
	}
	places, x, log := sweepPlaces(f.Sweep)
	var courses []course
	for _, q := range []struct {
		name string
		of   func(result.PointArm) *int64
	}{{"p99", func(a result.PointArm) *int64 { return a.P99 }}, {"p50", func(a result.PointArm) *int64 { return a.P50 }}} {
		for _, c := range eachPoint(s, f, places, func(p result.Point, a result.PointArm) (spot, bool) {
			v := q.of(a)
			if v == nil {
				return spot{}, false
			}
			return spot{y: float64(*v), hollow: p.Rate > 0 && a.Rate < keptUp*p.Rate, words: q.name + " " + number.Duration(*v)}, true
		}) {
			c.name, c.thin = q.name+" "+c.name, q.name == "p50"
			courses = append(courses, c)
		}
	}
	note := "Lower is better."
	if len(f.Sweep) > 0 && f.Sweep[0].Rate > 0 {
		note += " Hollow: less than 99 % of the offered rate was achieved."
	}
	return plot{id: "latency-sweep", title: "Latency by " + x, desc: lastWords(courses), xName: x, yName: "latency",
		places: places, logX: log, logY: true, yTick: timeTick, courses: courses, note: note}.draw()
}

// lastWords says where each course begins and ends.
func lastWords(courses []course) string {
	var parts []string
	for _, c := range courses {
		if n := len(c.spots); n > 0 {
			parts = append(parts, c.spots[0].words, c.spots[n-1].words)
		}
	}
	return sentence(parts)
}

// probes is latency against the offered rate, of a search for the capacity.
func probes(f *result.File) *figure {
	c := f.Capacity
	if c == nil || len(c.Probes) < 2 {
		return nil
	}
	tried := slices.Clone(c.Probes)
	slices.SortStableFunc(tried, func(a, b result.Probe) int { return int(a.Offered - b.Offered) })
	p := plot{id: "probes", title: "Latency by offered rate", xName: "offered calls/s", yName: "latency", logX: true, logY: true, yTick: timeTick,
		note: "Lower is better. ✕ missed the goal " + c.Goal + "; hollow: less than 99 % of the offered rate was achieved."}
	p99, p50 := course{name: "p99"}, course{name: "p50", series: 1}
	for _, probe := range tried {
		if probe.Offered <= 0 {
			continue
		}
		p.places = append(p.places, place{probe.Offered, numberTick(probe.Offered)})
		one := spot{x: probe.Offered, hollow: probe.Achieved < keptUp*probe.Offered}
		words := number.Significant(probe.Offered) + " calls/s offered, " + number.Significant(probe.Achieved) + " achieved"
		if probe.P99 != nil {
			one.y, one.failed, one.words = float64(*probe.P99), !probe.Passed, words+": p99 "+number.Duration(*probe.P99)
			p99.spots = append(p99.spots, one)
		}
		if probe.P50 != nil {
			one.y, one.failed, one.words = float64(*probe.P50), false, words+": p50 "+number.Duration(*probe.P50)
			p50.spots = append(p50.spots, one)
		}
	}
	p.courses = []course{p99, p50}
	p.desc = lastWords(p.courses)
	if c.Verified != nil {
		p.marks = append(p.marks, limit{*c.Verified, "verified " + number.Significant(*c.Verified) + "/s"})
		p.desc += " Verified: " + number.Significant(*c.Verified) + " calls/s."
	}
	p.limits = goals(c.Goal)
	return p.draw()
}

// goals are the bounds on percentiles in a goal such as "p99<50ms, errors<0.1%".
func goals(expr string) []limit {
	gates, err := gate.ParseAll([]string{expr})
	if err != nil {
		return nil
	}
	var all []limit
	for _, g := range gates {
		if p, ok := strings.CutPrefix(g.Metric, "p"); ok && p != "" && p[0] >= '0' && p[0] <= '9' {
			all = append(all, limit{g.Bound, g.Expr})
		}
	}
	return all
}

// rampFigures are throughput and latency by the steps of a ramp.
func rampFigures(s *story.Story) (throughput, latency *figure) {
	var steps []result.Step
	for _, a := range s.Arms {
		if len(a.Steps) > len(steps) {
			steps = a.Steps
		}
	}
	var places []place
	for i, st := range steps {
		places = append(places, place{float64(i), st.Label})
	}
	var rates, times []course
	for i, a := range s.Arms {
		rate := course{name: s.Names[i], series: i}
		p99, p50 := course{name: "p99", series: i}, course{name: "p50", series: i, thin: true}
		if len(s.Arms) > 1 {
			p99.name, p50.name = "p99 "+s.Names[i], "p50 "+s.Names[i]
		}
		for k, st := range a.Steps {
			rate.spots = append(rate.spots, spot{x: float64(k), y: st.Goodput, words: s.Names[i] + ", " + st.Label + ": " + number.Significant(st.Goodput) + " calls/s"})
			for _, q := range []struct {
				into *course
				v    *int64
			}{{&p99, st.P99}, {&p50, st.P50}} {
				if q.v != nil {
					q.into.spots = append(q.into.spots, spot{x: float64(k), y: float64(*q.v), words: q.into.name + ", " + st.Label + ": " + number.Duration(*q.v)})
				}
			}
		}
		rates, times = append(rates, rate), append(times, p99, p50)
	}
	throughput = plot{id: "steps-chart", title: "Throughput by step", xName: "step", yName: "goodput, calls/s", places: places,
		yTick: numberTick, courses: rates, desc: lastWords(rates), note: "Higher is better."}.draw()
	latency = plot{id: "latency-steps", title: "Latency by step", xName: "step", yName: "latency", places: places, logY: true,
		yTick: timeTick, courses: times, desc: lastWords(times), note: "Lower is better."}.draw()
	return throughput, latency
}

// probeTable is every rate that was tried.
func probeTable(f *result.File) *story.Table {
	if f.Capacity == nil {
		return nil
	}
	t := &story.Table{Columns: []story.Column{{Name: "stage", Text: true}, {Name: "offered/s"}, {Name: "achieved/s"}, {Name: "p50"}, {Name: "p99"},
		{Name: "errors"}, {Name: "goal", Text: true}}}
	for _, p := range f.Capacity.Probes {
		row := []story.Cell{{Text: p.Stage}, {Text: number.Significant(p.Offered)}, {Text: number.Significant(p.Achieved)}}
		for _, v := range []*int64{p.P50, p.P99} {
			cell := story.Cell{Text: number.None}
			if v != nil {
				cell.Text = number.Duration(*v)
			}
			row = append(row, cell)
		}
		met := "met"
		if !p.Passed {
			met = "missed"
			if p.Why != "" {
				met += ": " + story.Clean(p.Why)
			}
		}
		t.Rows = append(t.Rows, append(row, story.Cell{Text: number.Percent(p.Errors)}, story.Cell{Text: met}))
	}
	return t
}
