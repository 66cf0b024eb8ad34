package story

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"wiregauge/report/number"
	"wiregauge/result"
)

// capacitySentence answers what the search was made for. A rate is named as one that holds only when it was verified.
func capacitySentence(c *result.Capacity) string {
	goal := Clean(c.Goal)
	between := ""
	if c.Low != nil && c.High != nil {
		between = fmt.Sprintf("between %s and %s calls/s", number.Significant(*c.Low), number.Significant(*c.High))
	}
	switch {
	case c.Outcome == result.CapacityVerified && c.Verified != nil && c.High != nil:
		return fmt.Sprintf("Up to %s calls/s hold %s, verified; %s calls/s do not%s.",
			number.Significant(*c.Verified), goal, number.Significant(*c.High), boundWords(c.Bound))
	case c.Verified != nil && between != "":
		return fmt.Sprintf("%s calls/s hold %s, verified. The highest rate that does lies %s%s.", number.Significant(*c.Verified), goal, between, boundWords(c.Bound))
	case c.Outcome == result.CapacityWidened && between != "":
		return fmt.Sprintf("No rate was verified: the highest with %s lies %s, not where the search had put it.", goal, between)
	case c.Outcome == result.CapacityGenerator && c.Low != nil:
		return fmt.Sprintf("This client was the limit: %s still holds at %s calls/s, and the target can do more.", goal, number.Significant(*c.Low))
	case c.Outcome == result.CapacityGenerator:
		return fmt.Sprintf("This client was the limit before %s could be missed.", goal)
	case c.Outcome == result.CapacityNever:
		return fmt.Sprintf("%s is never met%s: not at the lowest rate that was tried.", goal, missedAt(c))
	case between != "":
		return fmt.Sprintf("Not verified, the search ended early: %s seems to hold up to somewhere %s.", goal, between)
	case c.Low != nil:
		return fmt.Sprintf("Not verified, the search ended early: %s still holds at %s calls/s.", goal, number.Significant(*c.Low))
	}
	return fmt.Sprintf("The search for the highest rate with %s ended before it had found anything.", goal)
}

// boundWords say what fails first above the capacity.
func boundWords(bound string) string {
	switch bound {
	case "":
		return ""
	case "backlog":
		return ": the target falls behind"
	case "client":
		return ": this client is the limit"
	case "slots":
		return ": places on the connections run out (--connections, --streams)"
	case "inflight":
		return ": the most calls in flight are reached (--max-inflight)"
	}
	return ": " + Clean(bound) + " is missed"
}

// missedAt is the number that a goal was missed by.
func missedAt(c *result.Capacity) string {
	for _, p := range c.Probes {
		if p.Passed || p.P99 == nil || !strings.HasPrefix(p.Why, "p99") {
			continue
		}
		if p.Offered <= 0 {
			return " (p99 " + number.Duration(*p.P99) + " with one call in flight)"
		}
		return " (p99 " + number.Duration(*p.P99) + ")"
	}
	return ""
}

// capacitySection tells the search: the answer, and the rates that were tried.
func capacitySection(f *result.File) Section {
	c := f.Capacity
	if c == nil {
		return Section{}
	}
	facts := []Fact{{Name: "goal", Text: Clean(c.Goal)}, {Name: "outcome", Text: strings.ReplaceAll(Clean(c.Outcome), "_", " ")}}
	if c.Low != nil && c.High != nil {
		text := fmt.Sprintf("%s to %s calls/s", number.Significant(*c.Low), number.Significant(*c.High))
		if c.Estimate != nil {
			text += ", most likely " + number.Significant(*c.Estimate)
		}
		facts = append(facts, Fact{Name: "capacity", Text: text})
	}
	if tested := testedWords(c); tested != "" {
		facts = append(facts, Fact{Name: "tested again", Text: tested})
	}
	facts = append(facts, Fact{Name: "arrivals", Text: arrivals(c.Arrivals)})
	if c.Ceiling != nil {
		facts = append(facts, Fact{Name: "client alone", Text: number.Significant(*c.Ceiling) + " calls/s without a server"})
	}
	if c.USL != nil {
		facts = append(facts, scalability(c.USL))
	}
	lines := []string{"A rate holds when it meets the goal, 99 % of it is answered and latency does not rise while it lasts. Bursts rarer than a test is long are not in it."}
	if c.Verified != nil && slices.ContainsFunc(c.Probes, func(p result.Probe) bool { return !p.Passed && p.Offered == *c.Verified }) {
		lines = append(lines, "The numbers below are of all tests at the rate that was verified, with the one that missed the goal.")
	}
	for _, n := range c.Notes {
		lines = append(lines, Clean(n))
	}
	return Section{ID: "capacity", Title: "Capacity", Tables: []Table{rateTable(c)}, Facts: facts, Lines: lines}
}

// testedWords are "1,940 calls/s met the goal in 5 of 5 tests, 2,100 missed it in 5 of 5".
func testedWords(c *result.Capacity) string {
	rows := byRate(c.Probes, "confirm")
	if len(rows) != 2 {
		return ""
	}
	low, high := rows[0], rows[1]
	return fmt.Sprintf("%s calls/s met the goal in %d of %d tests, %s missed it in %d of %d", number.Significant(low.offered), low.met, len(low.probes),
		number.Significant(high.offered), len(high.probes)-high.met, len(high.probes))
}

// tried are the probes at one rate.
type tried struct {
	offered float64
	probes  []result.Probe
	met     int
}

// byRate groups the probes of a stage, "" for those of all, in rising order of rate.
func byRate(probes []result.Probe, stage string) []tried {
	var rows []tried
	for _, p := range probes {
		if p.Offered <= 0 || stage != "" && p.Stage != stage {
			continue
		}
		i := slices.IndexFunc(rows, func(r tried) bool { return math.Abs(r.offered-p.Offered) < 1e-6*p.Offered })
		if i < 0 {
			i = len(rows)
			rows = append(rows, tried{offered: p.Offered})
		}
		rows[i].probes = append(rows[i].probes, p)
		if p.Passed {
			rows[i].met++
		}
	}
	slices.SortStableFunc(rows, func(a, b tried) int { return cmp.Compare(a.offered, b.offered) })
	return rows
}

// rateTable is a row for each rate that was tried; of several tests at one the middle one is shown.
func rateTable(c *result.Capacity) Table {
	t := Table{Columns: []Column{{Name: "offered/s"}, {Name: "answered/s"}, {Name: "p50"}, {Name: "p99"}, {Name: "errors", Rank: 1},
		{Name: "tests"}, {Name: "goal", Text: true, Flex: true}}}
	rows := byRate(c.Probes, "")
	for _, r := range rows {
		errors := 0.0
		var achieved []float64
		for _, p := range r.probes {
			errors = max(errors, p.Errors)
			achieved = append(achieved, p.Achieved)
		}
		slices.Sort(achieved)
		t.Rows = append(t.Rows, []Cell{
			plain(number.Significant(r.offered)), plain(number.Significant(achieved[len(achieved)/2])),
			ownUnit(r.middle(func(p *result.Probe) *int64 { return p.P50 })),
			ownUnit(r.middle(func(p *result.Probe) *int64 { return p.P99 })),
			plain(number.Percent(errors)), plain(number.Count(int64(len(r.probes)))), plain(r.words()),
		})
	}
	return t
}

func (r *tried) middle(of func(*result.Probe) *int64) *int64 {
	var all []int64
	for i := range r.probes {
		all = appendValue(all, of(&r.probes[i]))
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	return &all[len(all)/2]
}

// words say how the tests of a rate went.
func (r *tried) words() string {
	var why []string
	for _, p := range r.probes {
		for _, metric := range nonEmpty(strings.Split(p.Why, ", ")...) {
			if !slices.Contains(why, metric) {
				why = append(why, metric)
			}
		}
	}
	missed := "missed: " + Clean(strings.Join(why, ", "))
	switch r.met {
	case len(r.probes):
		return "met"
	case 0:
		return missed
	}
	return fmt.Sprintf("met %d of %d; %s", r.met, len(r.probes), missed)
}

// scalability is a fit of the universal scalability law in words.
func scalability(u *result.USL) Fact {
	text := fmt.Sprintf("σ %s, κ %s, λ %s calls/s, R² %s", number.Significant(u.Sigma), number.Significant(u.Kappa), number.Significant(u.Lambda), number.Significant(u.R2))
	if u.Peak != nil {
		text += "; most calls/s at " + number.Significant(*u.Peak) + " in flight"
	}
	if u.Little != nil {
		text += "; Little's law holds within " + number.Percent(*u.Little)
	}
	return Fact{Name: "scalability", Text: text}
}

// stepSection tells a ramp: its steps, and the law that those of concurrency follow.
func stepSection(a *result.Arm) Section {
	sec := Section{ID: "steps", Title: "Steps", Tables: []Table{stepTable(a)}}
	if a.USL != nil {
		sec.Facts = append(sec.Facts, scalability(a.USL))
	}
	return sec
}
