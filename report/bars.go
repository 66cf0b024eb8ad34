package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"wiregauge/hist"
	"wiregauge/report/number"
	"wiregauge/result"
)

// Levels of a bar, from nothing to full.
const (
	utf8Levels  = " ▁▂▃▄▅▆▇█"
	asciiLevels = " .:-=+*#@"
)

// bars draws where the OK calls' latencies lie, one line an arm, all on one logarithmic scale.
func (t *text) bars(f *result.File) {
	lowest, highest, name := int64(math.MaxInt64), int64(0), 0
	for _, a := range f.Arms {
		if a.Latency.Hist != nil {
			lowest, highest = min(lowest, *a.Latency.Min), max(highest, *a.Latency.Max)
			name = max(name, len([]rune(a.Name)))
		}
	}
	if highest <= lowest || highest <= 1 {
		return // nothing to spread out
	}
	if len(f.Arms) == 1 {
		name = 0
	}
	low, high := t.say(number.Duration(lowest)), t.say(number.Duration(highest))
	width := min(40, t.width-name-len(low)-len(high)-8)
	if width < 10 {
		return
	}
	t.line("")
	for _, a := range f.Arms {
		if a.Latency.Hist == nil {
			continue
		}
		label := pad(t.say(a.Name), name) + "  "
		if name == 0 {
			label = ""
		}
		t.line(fmt.Sprintf("  %s%s |%s| %s", label, low, t.bar(a.Latency.Hist, lowest, highest, width), high))
	}
}

// bar spreads the counts over columns of equal width on a log scale; any count at all shows.
func (t *text) bar(h *hist.Histogram, lowest, highest int64, width int) string {
	counts := make([]int64, width)
	span := math.Log(float64(highest)) - math.Log(float64(max(lowest, 1)))
	var most int64
	for _, b := range h.Buckets() {
		at := (math.Log(float64(max(b.Value, time.Duration(1)))) - math.Log(float64(max(lowest, 1)))) / span
		i := min(max(int(at*float64(width)), 0), width-1)
		counts[i] += b.Count
		most = max(most, counts[i])
	}
	levels := []rune(asciiLevels)
	if t.opt.UTF8 {
		levels = []rune(utf8Levels)
	}
	var s strings.Builder
	for _, n := range counts {
		s.WriteRune(levels[level(n, most, len(levels)-1)])
	}
	return s.String()
}

func level(n, most int64, top int) int {
	if n == 0 || most == 0 {
		return 0
	}
	return min(max(int(math.Round(float64(n)/float64(most)*float64(top))), 1), top)
}
