package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"wiregauge/lab/truth"
)

// A job is one thing to measure: it is skipped when the store has its key.
type job struct {
	key   string
	cost  time.Duration
	later bool // after all those of its repeat that are not
	run   func(ctx context.Context) (*record, error)
}

// plan lists all jobs in the order of their worth: one repeat of everything, then the next. What everybody asks for first
// comes first in each, so that half an hour shows something of every kind.
func (b *bench) plan() []job {
	var all []job
	for repeat := range b.repeats {
		var jobs []job
		for _, c := range truth.Cases() {
			for _, l := range c.Loads {
				for _, t := range tools() {
					if (t.ours || repeat < b.peerRepeats) && b.wants(c, l, t) {
						jobs = append(jobs, b.trialJob(c, l, t, repeat))
					}
				}
			}
		}
		jobs = append(jobs, b.sabotages(repeat)...)
		jobs = append(jobs, b.comparisons(repeat)...)
		jobs = append(jobs, b.searches(repeat)...)
		slices.SortStableFunc(jobs, func(a, b job) int { return cmp.Compare(worth(a), worth(b)) })
		all = append(all, jobs...)
	}
	return slices.DeleteFunc(all, func(j job) bool { return b.only != nil && !b.only.MatchString(j.key) })
}

func worth(j job) int {
	if j.later {
		return 1
	}
	return 0
}

// early are the cases that come first.
var early = []string{"S1", "S2", "S3", "S4", "S7", "S9"}

func (b *bench) trialJob(c truth.Case, l truth.Load, t tool, repeat int) job {
	return job{
		key:   fmt.Sprintf("%s | %s | %s | %d", c.Name, l, t.id(), repeat),
		cost:  l.Duration + 500*time.Millisecond,
		later: !slices.Contains(early, c.Name) || !t.ours && t.name != "wrk" && l.Callers > 0 && c.Name != "S7",
		run: func(ctx context.Context) (*record, error) {
			one, err := b.untilValid(ctx, c, l, t, repeat)
			if err != nil {
				return nil, err
			}
			return &record{Trial: one}, nil
		},
	}
}

// tries is how often a case is run when the server departs from what is planted.
const tries = 3

func (b *bench) untilValid(ctx context.Context, c truth.Case, l truth.Load, t tool, repeat int) (*trial, error) {
	for left := b.tries; ; left-- {
		one, err := b.carryOut(ctx, c, l, t, repeat)
		if err != nil || one.Void == "" || one.Lost != "" || left <= 1 || len(one.Report.Wrong) > 0 {
			return one, err
		}
	}
}

// wants reports whether a tool is measured on a load: where it can be asked for it, and where it tells something.
func (b *bench) wants(c truth.Case, l truth.Load, t tool) bool {
	if !t.can(l) || b.ours && !t.ours {
		return false
	}
	streams := strings.Contains(c.Plant, "refuse") || strings.Contains(c.Plant, "goaway") || strings.Contains(c.Plant, "streams")
	if streams && t.protocol == "http" {
		return false
	}
	if t.name == "wiregauge POST" {
		return c.Name == "S7"
	}
	if !t.ours {
		return peerWanted(c.Name, l, t)
	}
	if t.client == "stack" {
		// The library's own behaviour: failures, retries and the plain laws; queues tell nothing more of it.
		return slices.Contains([]string{"S1", "S2", "S4", "S7", "S7b", "S7c", "S7d", "S8", "S9", "S16"}, c.Name) && (l.Rate > 0 || l.Calls > 0 || c.Name == "S16")
	}
	switch c.Name {
	case "S13", "S14", "S14b", "S14c":
		return t.protocol == "http"
	}
	return true
}

// peerWanted leaves out what says nothing about a peer, and what would make the bench longer than people wait.
func peerWanted(name string, l truth.Load, t tool) bool {
	switch name {
	case "S2b", "S13", "S14", "S14b", "S14c", "S15":
		return false
	case "S1", "S4", "S8", "S11", "S12":
		return l.Rate > 0 || t.name == "wrk" || t.name == "h2load"
	case "S16":
		return t.name == "h2load" && l.Rate == 0
	}
	return true
}
