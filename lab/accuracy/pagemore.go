package main

import (
	"fmt"
	"math"
	"strings"
	"time"

	"wiregauge/lab/truth"
)

// summary is one line per tool: how far off at worst, and where.
func (p *page) summary() {
	p.say("\n## In short\n")
	p.say("The farthest that each tool was from the truth, over the cases below in which it could be told what to do; medians of the repeats.\n")
	p.say("| tool | percentiles | within 3 %% or 150 µs | farthest off | farthest from the server's log | failures told |\n|---|---:|---:|---|---|---|")
	for _, t := range tools() {
		p.summaryRow(t)
	}
}

func (p *page) summaryRow(t tool) {
	var all, good int
	var worst, worstLog float64
	var where, whereLog string
	failures := "—"
	for _, r := range p.rows {
		if r.tool.id() != t.id() || len(r.trials) == 0 {
			continue
		}
		for _, q := range r.l.Truth.Tested {
			o, ok := r.off(q)
			if !ok {
				continue
			}
			all++
			if within(o.log, o.logTime, 0.03, 150*time.Microsecond) {
				good++
			}
			at := fmt.Sprintf("%s of %s, %s", truth.Name(q), r.c.Name, kind(r.l))
			if math.Abs(o.formula) > math.Abs(worst) {
				worst, where = o.formula, at
			}
			if math.Abs(o.log) > math.Abs(worstLog) {
				worstLog, whereLog = o.log, at
			}
		}
		if r.c.Name == "S7" {
			failures = fmt.Sprintf("%s of 20 %%", failedShare(r.medianOf(func(t *trial) float64 { return failedOf(t.Report) })))
		}
	}
	if all == 0 && failures == "—" {
		return
	}
	p.say("| %s | %d | %d | %s | %s | %s |", t.title(), all, good, farthest(worst, where), farthest(worstLog, whereLog), failures)
}

func farthest(x float64, where string) string {
	if where == "" {
		return "—"
	}
	return bold(x) + " (" + where + ")"
}

func kind(l truth.Load) string {
	switch {
	case l.Poisson:
		return "random arrivals"
	case l.Rate > 0:
		return "open loop"
	}
	return "closed loop"
}

// failures are the cases of which the truth is a count.
func (p *page) failures() {
	p.say("## Failures and hidden retries\n")
	p.say("The last repeat. Hidden are calls that the server received and the tool does not tell of; a library that tries again on its own is seen here (and, of runs that end by time, calls in flight at the end). wiregauge names such a call `retried` and fails it, unless the frames prove that the server had not processed the first try; then it is `sent again` and counted.\n")
	p.say("| case | load | tool | failed | truth | calls told | server received | sent again | retried | hidden |\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|")
	for _, r := range p.rows {
		if !strings.HasPrefix(r.c.Name, "S7") {
			continue
		}
		if len(r.trials) == 0 {
			p.say("| %s | %s | %s | not measured: %s | | | | | | |", r.c.Name, r.l, r.tool.title(), cell(r.lost))
			continue
		}
		t := r.trials[len(r.trials)-1]
		told := t.Report.OK + t.Report.Failed + t.Report.Unfinished
		hidden := fmt.Sprint(t.Calls - told - t.Report.Resent - t.Report.Hidden)
		if strings.Contains(r.c.Plant, "goaway") {
			hidden = "—" // the server does not count what it did not take
		}
		p.say("| %s | %s | %s | %s | %s | %d | %d | %d | %d | %s |", r.c.Name, r.l, r.tool.title(), failedShare(failedOf(t.Report)),
			failedShare(r.l.Truth.Failed), told, t.Calls, t.Report.Resent, t.Report.Hidden, hidden)
	}
}

// sinks are the schedules of sends as the kernel saw them.
func (p *page) sinks() {
	p.say("\n## When calls leave\n")
	p.say("S18: the arrivals as the server's kernel stamped them; the rate is that of a line through all of them. Late is behind an even schedule that begins with the earliest call; the Kolmogorov-Smirnov distance is that of the gaps from the exponential law, beside what one honest sample in a hundred exceeds.\n")
	p.say("| load | tool | rate | off | late p50 | late p99 | KS distance | limit |\n|---|---|---:|---:|---:|---:|---:|---:|")
	for _, r := range p.rows {
		if r.c.Name != "S18" || len(r.trials) == 0 {
			continue
		}
		at := func(number func(*arrivalReport) float64) float64 {
			return r.medianOf(func(t *trial) float64 { return number(t.Arrivals) })
		}
		rate := at(func(a *arrivalReport) float64 { return a.Rate })
		text := fmt.Sprintf("| %s | %s | %.2f/s | %+.3f %% |", r.l, r.tool.title(), rate, 100*(rate/r.l.Rate-1))
		if r.l.Poisson {
			p.say("%s | | %.4f | %.4f |", text, at(func(a *arrivalReport) float64 { return a.Distance }), at(func(a *arrivalReport) float64 { return a.Limit }))
			continue
		}
		late := func(number func(*arrivalReport) int64) string {
			return duration(time.Duration(at(func(a *arrivalReport) float64 { return float64(number(a)) })))
		}
		p.say("%s %s | %s | | |", text, late(func(a *arrivalReport) int64 { return a.Late50 }), late(func(a *arrivalReport) int64 { return a.Late99 }))
	}
}

// comparisons are planted differences, and none.
func (p *page) comparisons() {
	p.say("\n## Planted differences\n")
	p.say("`wiregauge compare` between two servers of the same program, started by it. The ratio is above 1 when the second is better; service time that is planted to be longer shows in calls/s a little less, for a call is more than its service.\n")
	p.say("| planted | metric | times | told different | told better or worse rightly | ratio planted | ratios told, median (range) | interval holds the planted | trust | time |\n|---|---|---:|---:|---:|---:|---|---:|---|---:|")
	for _, c := range contests() {
		p.contest(c)
	}
}

func (p *page) contest(c contest) {
	s := p.b.contestResults(c)
	if s.n == 0 {
		p.say("| %s | %s | not measured: no time | | | | | | | |", c.title, c.metric)
		return
	}
	if c.metric == "rate" && strings.Contains(c.kind, "bytes") {
		p.say("| %s | bytes/call | %d | exact | | | %.4f | | %s | %v |", c.title, s.n, median(s.bytes), s.trust, s.took.Round(time.Second))
		return
	}
	ratios := "—"
	if len(s.ratios) > 0 {
		low, high := s.span()
		ratios = fmt.Sprintf("%.4f (%.4f to %.4f)", median(s.ratios), low, high)
	}
	rightly := fmt.Sprint(s.right)
	if c.ratio == 1 {
		rightly = "—"
	}
	p.say("| %s | %s | %d | %d | %s | %.4f | %s | %d | %s | %v |", c.title, c.metric, s.n, s.different, rightly, c.ratio, ratios, s.holds, s.trust, s.took.Round(time.Second))
}

// contestResult is what all comparisons of one kind said.
type contestResult struct {
	n, different, right, holds int
	ratios, bytes              []float64
	trust                      string
	took                       time.Duration // the median
}

func (s *contestResult) span() (low, high float64) {
	low, high = s.ratios[0], s.ratios[0]
	for _, x := range s.ratios {
		low, high = min(low, x), max(high, x)
	}
	return low, high
}

func (b *bench) contestResults(c contest) contestResult {
	var s contestResult
	levels := map[string]int{}
	var took []time.Duration
	for _, r := range b.store.all {
		if r.Comparison == nil || r.Comparison.Kind != c.kind || r.Comparison.Lost != "" {
			continue
		}
		s.n++
		levels[r.Comparison.Trust]++
		took = append(took, time.Duration(r.Comparison.Elapsed))
		if x := r.Comparison.Bytes; x != nil {
			s.bytes = append(s.bytes, *x)
		}
		v := r.Comparison.of(c.metric)
		if v == nil || v.Ratio == nil {
			continue
		}
		s.ratios = append(s.ratios, *v.Ratio)
		if v.holds(c.ratio) {
			s.holds++
		}
		if v.different() {
			s.different++
			if (*v.Ratio < 1) == (c.ratio < 1) {
				s.right++
			}
		}
	}
	if s.n > 0 {
		s.trust, s.took = tally(levels), median(took)
	}
	return s
}

// trust is what disturbed clients said of themselves.
func (p *page) trust() {
	p.say("\n## Runs that must not be trusted, and runs that may\n")
	p.say("| run | how | times | trust |\n|---|---|---:|---|")
	for _, m := range mischiefs() {
		p.trustRow(m.kind, m.title, false)
	}
	p.trustRow("run", "undisturbed, 1,000/s", true)
	p.trustRow("compare", "undisturbed, two reference servers, 8 launches x 5 rounds x 0.2 s", true)
	p.trustRow("demo", "undisturbed", true)
}

func (p *page) trustRow(kind, how string, honest bool) {
	levels, n, lost := p.b.levels(kind, honest)
	switch {
	case n > 0:
		p.say("| %s | %s | %d | %s |", kind, how, n, tally(levels))
	case lost != "":
		p.say("| %s | %s | 0 | not measured: %s |", kind, how, cell(lost))
	default:
		p.say("| %s | %s | 0 | not measured: no time |", kind, how)
	}
}

func (b *bench) levels(kind string, honest bool) (levels map[string]int, n int, lost string) {
	levels = map[string]int{}
	for _, r := range b.store.all {
		if s := r.Sabotage; s != nil && s.Kind == kind && s.Honest == honest {
			if s.Lost != "" {
				lost = s.Lost
				continue
			}
			levels[s.Trust]++
			n++
		}
	}
	return levels, n, lost
}

// tally is "18 ok, 2 suspect".
func tally(levels map[string]int) string {
	var parts []string
	for _, level := range []string{"ok", "suspect", "not_trustworthy", "unchecked"} {
		if n := levels[level]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, level))
		}
	}
	return strings.Join(parts, ", ")
}
