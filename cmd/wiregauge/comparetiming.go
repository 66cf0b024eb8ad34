package main

import (
	"fmt"
	"strings"
	"time"

	"wiregauge/internal/option"
	"wiregauge/judge"
	"wiregauge/load"
)

// timing settles launches, rounds and the length of a turn; -z and -n are per arm and launch.
func (c *comparison) timing() error {
	p, o := &c.plan, c.o
	startable := true
	for _, a := range c.arms {
		startable = startable && (a.starts() || a.floor())
	}
	p.Launches, p.Rounds, p.Turn = o.Launches, o.Rounds, o.Turn
	switch {
	case o.Quick && o.Launches > 1:
		return usage("--quick is one launch; --launches %d does not go with it", o.Launches)
	case o.Quick:
		p.Launches = 1
	case p.Launches == 0 && startable:
		p.Launches = 10
	}
	if p.Rounds == 0 {
		p.Rounds = 40
		if p.Launches <= 1 {
			p.Rounds = 120
		}
	}
	if o.Turn > 0 && (o.Duration > 0 || o.Total > 0) {
		return usage("--turn is the length of one turn; -z and -n, which are per arm and launch, do not go with it")
	}
	if o.Duration > 0 {
		p.Turn = o.Duration / time.Duration(p.Rounds)
	}
	if o.Total > 0 {
		p.Spec.Total = (uint64(o.Total) + uint64(p.Rounds) - 1) / uint64(p.Rounds)
	}
	if p.Turn > 0 && p.Turn < time.Millisecond || o.Duration > 0 && p.Turn < time.Millisecond {
		return usage("turns of %v are too short to measure anything: fewer --rounds, or a longer -z", p.Turn)
	}
	p.Warmup = load.Spec{Total: o.Warmup.calls, Duration: o.Warmup.time}
	turn := p.Turn
	if turn == 0 && p.Spec.Total == 0 {
		turn = shortestTurn
	}
	given := p.Warmup.Total > 0 || p.Warmup.Duration > 0
	p.FindWarmup = o.Warmup.auto || !given && time.Duration(p.Rounds)*turn >= worthFinding
	p.WarmupMax = o.WarmupMax
	return nil
}

// worthFinding is how long an arm is measured in one launch, at least, before time is spent on finding the end of its
// warm-up: that alone takes some eight seconds.
const worthFinding = 10 * time.Second

// leastFinding is about what it takes to see that an arm is steady, and leastReplay what a warm-up that was found takes
// in the launches after the first.
const (
	leastFinding = 8 * time.Second
	leastReplay  = 2 * time.Second
)

// announce says before the start what is about to happen, how long it takes, and whether it can decide anything.
func (c *comparison) announce(points []setting) {
	if c.o.Silent {
		return
	}
	if len(points) > 0 {
		fmt.Fprintf(c.app.stderr, "sweep: %s\n", sweepWords(points))
		points[0].c.announce(nil)
		return
	}
	fmt.Fprintf(c.app.stderr, "plan: %s\n", c.planWords())
	for _, line := range c.planNotices() {
		fmt.Fprintf(c.app.stderr, "notice: %s\n", line)
	}
}

// planWords are "2 arms x 10 launches x 40 rounds x 250ms, about 4m10s; may end after 7 launches".
func (c *comparison) planWords() string {
	p := &c.plan
	words := fmt.Sprintf("%s x %s x %s x %s", countOf(len(p.Arms), "arm", "arms"), countOf(p.Launches, "launch", "launches"),
		countOf(p.Rounds, "round", "rounds"), c.turnWords())
	if d := c.length(); d > 0 {
		words += ", about " + clock(d)
	}
	if looks := judge.Looks(p.Launches); len(looks) > 1 {
		var at []string
		for _, l := range looks[:len(looks)-1] {
			at = append(at, fmt.Sprint(l.Launches))
		}
		words += fmt.Sprintf("; may end after %s launches", strings.Join(at, " or "))
	}
	return words
}

// planNotices say what the plan cannot do, however the numbers come out.
func (c *comparison) planNotices() []string {
	p := &c.plan
	judged := 0
	for _, a := range p.Arms {
		if !a.Floor && !a.Control {
			judged++
		}
	}
	var list []string
	if p.FindWarmup {
		list = append(list, fmt.Sprintf("each arm is warmed up until it is steady, for %s at most; --warmup sets a time or a number of calls", option.FormatDuration(p.WarmupMax)))
	}
	if ok, least := judge.CanDecide(judged, len(p.Primary), p.Launches); !ok {
		list = append(list, fmt.Sprintf("%d launches are too few to call anything different, with %s at once: --launches %d or more",
			p.Launches, countOf((judged-1)*len(p.Primary), "test", "tests"), least))
	}
	switch {
	case p.Launches == 1:
		list = append(list, "one launch only: a difference may belong to this launch; give start: commands for several")
	case p.Launches < fewestToGate:
		list = append(list, fmt.Sprintf("%d launches: fewer than %d never decide a gate against an arm", p.Launches, fewestToGate))
	}
	return list
}

// fewestToGate is how many launches a gate against another arm needs.
const fewestToGate = 6

func (c *comparison) turnWords() string {
	switch n := c.plan.Spec.Total; {
	case n > 0:
		return thousands(int64(n)) + " calls"
	case c.plan.Turn == 0:
		return option.FormatDuration(shortestTurn) + " or more"
	}
	return option.FormatDuration(c.plan.Turn)
}

// shortestTurn is what a turn takes unless a pilot shows that it needs longer.
const shortestTurn = 250 * time.Millisecond

// length is about how long the comparison takes, 0 when its turns end by their number of calls.
func (c *comparison) length() time.Duration {
	p := &c.plan
	turn := p.Turn
	switch {
	case p.Spec.Total > 0:
		return 0
	case turn == 0 && c.o.Rate.open():
		turn = min(max(shortestTurn, time.Duration(min(200/c.o.Rate.float(), 2)*float64(time.Second))), 2*time.Second)
	case turn == 0:
		turn = shortestTurn
	}
	perArm := time.Duration(p.Launches*p.Rounds) * (turn + p.Washout)
	if p.FindWarmup {
		perArm += leastFinding + time.Duration(p.Launches-1)*leastReplay
	} else {
		perArm += time.Duration(p.Launches) * p.Warmup.Duration
	}
	return time.Duration(len(p.Arms)) * perArm
}
