package main

import (
	"context"
	"sort"
	"strings"
	"testing"
	"time"

	"wiregauge/hist"
	"wiregauge/internal/gate"
	"wiregauge/lab"
	"wiregauge/load"
	"wiregauge/result"
)

// A goal that nothing can meet ends after the first probe: one call in flight, told in full, and exit 99.
func TestASearchForWhatIsNeverMet(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	f, out := measured(t, exitGate, "run", s.url(t, "grpc hello"), "-d", greeting, "--find-max", "p50<1ns, errors<1%", "--server-stats", s.AdminURL())
	c := f.Capacity
	if c == nil || c.Outcome != result.CapacityNever || c.Goal != "p50<1ns, errors<1%" || c.Arrivals != "poisson" || c.Bound != "p50" {
		t.Fatalf("%+v", c)
	}
	if len(c.Probes) != 1 || c.Probes[0].Stage != "base" || c.Probes[0].Passed || c.Verified != nil {
		t.Errorf("%+v", c.Probes)
	}
	arm := f.Arms[0]
	conserved(t, arm.Counts)
	if arm.OK == 0 || arm.AskedRate != nil || arm.ServerStats.Conserve != "ok" {
		t.Errorf("%+v, server %+v", arm.Counts, arm.ServerStats)
	}
	for _, words := range []string{"is never met", "p50<1ns"} {
		if !strings.Contains(out.stdout, words) {
			t.Errorf("the report does not say %q:\n%s", words, out.stdout)
		}
	}
	if !strings.Contains(out.stderr, "one call in flight") {
		t.Errorf("nothing is said while it goes on:\n%s", out.stderr)
	}
}

func TestASearchIsDescribed(t *testing.T) {
	out := invoke(t, "run", "http://127.0.0.1:1/", "--find-max", "p99<50ms", "--max-duration", "1m", "--dry-run")
	for _, words := range []string{"search for the highest rate, poisson arrivals", "at most      1m", "goal         p99<50ms"} {
		if !strings.Contains(out.stdout, words) {
			t.Errorf("the plan does not say %q:\n%s%s", words, out.stdout, out.stderr)
		}
	}
}

// capped is an engine whose target answers at most so many calls a second, in 1 ms each.
type capped struct{ most float64 }

func (c *capped) Turn(_ context.Context, s load.Spec) (result.Turn, error) {
	t := result.Turn{Window: s.Duration, Latency: new(hist.Histogram), Connections: result.Connections{Opened: 1}}
	due := int64(s.Duration / time.Millisecond)
	if s.Pacer != nil {
		due = int64(sort.Search(1<<30, func(i int) bool { return s.Pacer.Due(uint64(i)) >= s.Duration }))
	}
	t.Due, t.Sent, t.OK = due, due, due
	t.FinishedInside = due
	latency := time.Millisecond
	if s.Pacer != nil && float64(due) > c.most*s.Duration.Seconds() {
		t.FinishedInside = int64(c.most * s.Duration.Seconds())
		latency = time.Second
	}
	t.CompletedInside = t.FinishedInside
	t.Latency.RecordN(latency, due)
	return t, nil
}

func TestTheResultOfASearchIsAboutTheVerifiedRate(t *testing.T) {
	o := &runOptions{}
	o.MaxDuration, o.Seed, o.Arrivals, o.Silent = 4*time.Minute, 1, "constant", true
	o.FindMax = "p99<50ms"
	goals, err := gate.ParseAll([]string{o.FindMax})
	if err != nil {
		t.Fatal(err)
	}
	p := &plan{open: true, search: true, record: result.Plan{Arrivals: "constant"}}
	r := &test{app: &app{}, o: o, goals: goals, plan: p, target: &prepared{}}
	r.target.Client = "stack" // its ceiling is not measured
	turns, err := r.search(t.Context(), &capped{most: 5000})
	if err != nil {
		t.Fatal(err)
	}
	c := r.found
	if c.Outcome != result.CapacityVerified || *c.Verified > 5000 || *c.High < 5000 {
		t.Fatalf("%s, %v to %v, want 5,000 between", c.Outcome, *c.Low, *c.High)
	}
	if len(turns) != 5 || p.rate < *c.Verified-0.001 || p.rate > *c.Verified+0.001 {
		t.Errorf("%d turns at %v/s, want the five tests at %v/s", len(turns), p.rate, *c.Verified)
	}
	if turns[0].Warm == nil || turns[0].Warm.OK == 0 || turns[0].Connections.Opened < 2 {
		t.Errorf("calls outside %+v, %d connections opened", turns[0].Warm, turns[0].Connections.Opened)
	}
	if searchCode(c) != exitOK {
		t.Errorf("exit code %d", searchCode(c))
	}
}

func TestSlowCallsAreThoseBeyondTheBound(t *testing.T) {
	h := new(hist.Histogram)
	h.RecordN(10*time.Millisecond, 990)
	h.RecordN(80*time.Millisecond, 9)
	for _, row := range []struct {
		name, goal string
		unfinished int64
		missed     bool
	}{
		{"nine in a thousand are slower", "p99<50ms", 0, false},
		{"and ten with one that never ended", "p99<50ms", 1, false},
		{"and eleven with two", "p99<50ms", 2, true},
		{"the median lies above", "p50<9ms", 0, true},
		{"a higher percentile", "p99.9<50ms", 0, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			goals, err := gate.ParseAll([]string{row.goal})
			if err != nil {
				t.Fatal(err)
			}
			turn := result.Turn{Latency: h}
			turn.OK, turn.Unfinished = 999, row.unfinished
			if got := beyond(&goals[0], &turn); got != row.missed {
				t.Errorf("missed %v, want %v", got, row.missed)
			}
		})
	}
}

func TestWhatASearchIsWorth(t *testing.T) {
	rate := 100.0
	for _, row := range []struct {
		name string
		c    *result.Capacity
		want int
	}{
		{"no search", nil, exitOK},
		{"verified", &result.Capacity{Outcome: result.CapacityVerified, Verified: &rate}, exitOK},
		{"wider, but a rate holds", &result.Capacity{Outcome: result.CapacityWidened, Verified: &rate}, exitOK},
		{"wider, and none holds", &result.Capacity{Outcome: result.CapacityWidened}, exitUndecided},
		{"never met", &result.Capacity{Outcome: result.CapacityNever}, exitGate},
		{"the client is the limit", &result.Capacity{Outcome: result.CapacityGenerator}, exitUndecided},
		{"out of time", &result.Capacity{Outcome: result.CapacityUnfinished}, exitUndecided},
	} {
		if got := searchCode(row.c); got != row.want {
			t.Errorf("%s: %d, want %d", row.name, got, row.want)
		}
	}
}
