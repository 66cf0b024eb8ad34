package html

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"time"

	"wiregauge/report/number"
	"wiregauge/report/story"
	"wiregauge/report/svg"
	"wiregauge/result"
)

// mostClasses is how many kinds of failure have a colour; the rarer ones are told as one.
const mostClasses = 5

// errorsOverTime is failed calls a second, stacked by class, one drawing for each arm that has any.
func errorsOverTime(s *story.Story) *figure {
	kinds := commonErrors(s.Arms)
	if len(kinds) == 0 {
		return nil
	}
	var most float64
	var end time.Duration
	strips := make([][]result.Strip, len(s.Arms))
	drawn := 0
	for i, a := range s.Arms {
		strips[i] = fewerStrips(a.Strips, len(s.Arms))
		failed := false
		for _, st := range strips[i] {
			most = max(most, float64(st.Failed)/st.Span().Seconds())
			failed = failed || st.Failed > 0
			end = max(end, st.At+st.Span())
		}
		if len(strips[i]) < 3 || !failed {
			strips[i] = nil
			continue
		}
		drawn++
	}
	if drawn == 0 {
		return nil
	}
	var b strings.Builder
	for i, all := range strips {
		if all == nil {
			continue
		}
		c := svg.New(width, 190)
		f := frame{c: c, x: svg.Scale{D1: end.Seconds(), R0: 58, R1: width - 20}, y: svg.LinearScale(most, 150, 30), xName: "seconds of the measured windows"}
		title := "Errors over time"
		if len(s.Arms) > 1 {
			c.Mark(i, 10, 12, 4, class("fill", i), "")
			c.Text(20, 16, svg.Start, "panel", shorten(s.Names[i], 20))
			title += ": " + s.Names[i]
		} else {
			c.Text(4, 16, svg.Start, "axis", "failed calls/s")
		}
		drawKey(c, 150, kinds, func(int) bool { return true })
		f.yAxis(f.y.Ticks(4), numberTick)
		for k := range all {
			f.errorColumn(&all[k], kinds)
		}
		f.xAxis(f.x.Ticks(6), numberTick)
		b.WriteString(string(c.Image(fmt.Sprintf("errors-%d", i+1), title, errorWords(s.Arms[i], s.Names[i]))))
	}
	return &figure{ID: "errors-chart", Title: "Errors over time, failed calls/s by class", SVG: template.HTML(b.String()), Wide: drawn > 1,
		Note: "Failed calls by when they ended."}
}

func errorWords(a *result.Arm, name string) string {
	var parts []string
	for _, e := range a.Errors {
		parts = append(parts, fmt.Sprintf("%s %s from %s to %s", number.Count(e.Count), story.Clean(e.Class), number.Duration(int64(e.First)), number.Duration(int64(e.Last))))
	}
	return name + ": " + sentence(parts)
}

// errorColumn stacks the failures of one strip, the commonest class at the bottom.
func (f frame) errorColumn(s *result.Strip, kinds []string) {
	x0, x1 := f.x.At(s.At.Seconds()), f.x.At((s.At + s.Span()).Seconds())
	counts := make([]int64, len(kinds))
	for class, n := range s.Errors {
		i := slices.Index(kinds, class)
		if i < 0 {
			i = len(kinds) - 1
		}
		counts[i] += n
	}
	var sum float64
	for i, n := range counts {
		if n == 0 {
			continue
		}
		rate := float64(n) / s.Span().Seconds()
		top, bottom := f.y.At(sum+rate), f.y.At(sum)
		f.c.Rect(x0, top, max(x1-x0, 1), bottom-top, fmt.Sprintf("part k%d", i+1),
			fmt.Sprintf("%s s: %s %s", trim(number.Significant(s.At.Seconds())), number.Count(n), story.Clean(kinds[i])))
		sum += rate
	}
}

// commonErrors are the classes that strips tell, the commonest first; the last one is "other" when there are more.
func commonErrors(arms []*result.Arm) []string {
	sums := map[string]int64{}
	for _, a := range arms {
		for _, s := range a.Strips {
			for class, n := range s.Errors {
				sums[class] += n
			}
		}
	}
	kinds := slices.SortedFunc(maps.Keys(sums), func(a, b string) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	if len(kinds) > mostClasses {
		kinds = append(slices.DeleteFunc(kinds[:mostClasses-1], func(k string) bool { return k == "other" }), "other")
	}
	return kinds
}
