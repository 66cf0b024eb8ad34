package main

import (
	"fmt"
	"strings"

	"wiregauge/compare"
)

// roundsShown is how many rounds --dry-run prints the order of, without -v.
const roundsShown = 5

// dryRun prints the resolved plan and the order of the turns.
func (c *comparison) dryRun(points []setting) error {
	w := c.app.stdout
	p := &c.plan
	row := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-12s %s\n", label, fmt.Sprintf(format, args...))
	}
	for i, a := range c.arms {
		row("arm", "%s  %s  %s client  %s", a.name, p.Arms[i].Protocol, p.Arms[i].Client, p.Arms[i].URL)
		if a.starts() {
			row("  start", "%s", strings.Join(a.command, " "))
		}
		if a.floor() {
			row("  floor", "a reference row without a verdict")
		}
	}
	if twin := len(c.arms); twin < len(p.Arms) {
		row("control", "%s  the baseline once more: the noise floor", p.Arms[twin].Name)
	}
	if len(points) > 0 {
		row("sweep", "%s", sweepWords(points))
		for _, s := range points {
			row("  point", "%s%s", s.label(), map[bool]string{true: "  with a verdict"}[s.judged])
		}
	}
	row("plan", "%s", c.planWords())
	row("seed", "%d", p.Seed)
	row("baseline", "%s", p.Baseline)
	row("verdict on", "%s", strings.Join(p.Primary, ", "))
	for _, line := range c.planNotices() {
		row("notice", "%s", line)
	}
	fmt.Fprintln(w)
	c.printOrder()
	if c.o.Verbose > 0 {
		fmt.Fprintf(w, "\nwhere each value comes from:\n%s", c.set.Describe(true))
	}
	fmt.Fprintln(w, "\nnothing was sent")
	return nil
}

func (c *comparison) printOrder() {
	w := c.app.stdout
	p := &c.plan
	for l := range p.Launches {
		if l == 1 && c.o.Verbose == 0 {
			fmt.Fprintf(w, "… and %s\n", countOf(p.Launches-1, "more launch", "more launches"))
			return
		}
		fmt.Fprintf(w, "launch %d\n", l+1)
		for b := range p.Rounds {
			if b == roundsShown && c.o.Verbose == 0 {
				fmt.Fprintf(w, "  … and %s\n", countOf(p.Rounds-b, "more round", "more rounds"))
				break
			}
			var names []string
			for _, i := range compare.Order(p.Seed, l, b, len(p.Arms)) {
				names = append(names, p.Arms[i].Name)
			}
			fmt.Fprintf(w, "  round %d: %s\n", b+1, strings.Join(names, " "))
		}
	}
}

func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
