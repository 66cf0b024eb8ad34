package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"wiregauge/hist"
)

// Combine makes one result of several that were measured alike, one after the other: arms of one name are added up,
// histograms are merged, and rates are what finished over the sum of the measured windows, so that the time between the
// runs is never divided by. The percentiles are those of the first.
//
// Results that were not measured alike (another load, another target under the same name) are refused. Verdicts are
// not taken over: adding launches to a comparison that was already judged would be looking again until something is
// found. Gates, sweeps, ramps and searches belong to their own runs, and are left out as well.
func Combine(files []*File) (*File, error) {
	first := files[0]
	sum := NewFile(first.Kind)
	sum.Title, sum.Plan, sum.Tool, sum.Host, sum.Labels = first.Title, first.Plan, first.Tool, first.Host, first.Labels
	sum.Created, sum.Trust = first.Created, Trust{}
	var ids, left []string
	for _, f := range files {
		if differs := NotAlike(first, f); len(differs) > 0 {
			return nil, fmt.Errorf("%s and %s were not measured alike: %s", first.ID, f.ID, strings.Join(differs, "; "))
		}
		ids = append(ids, f.ID)
		sum.Elapsed += f.Elapsed
		sum.Partial = sum.Partial || f.Partial
		sum.Trust.join(f.Trust)
		sum.addTurns(f.Turns)
		if f.Created.After(sum.Created) {
			sum.Created = f.Created
		}
		left = append(left, f.ownParts()...)
	}
	if err := sum.addArms(files); err != nil {
		return nil, err
	}
	sum.Notes = append(sum.Notes, fmt.Sprintf("merged from %d results (%s): their measured times are added up, the time between them is not",
		len(files), strings.Join(ids, ", ")))
	if slices.Sort(left); len(left) > 0 {
		sum.Notes = append(sum.Notes, strings.Join(slices.Compact(left), ", ")+" of the single results are left out")
	}
	return sum, nil
}

// ownParts names what a merged result does not take over.
func (f *File) ownParts() (parts []string) {
	for _, p := range []struct {
		name string
		has  bool
	}{{"verdicts", len(f.Verdicts) > 0}, {"gates", len(f.Gates) > 0}, {"sweeps", len(f.Sweep) > 0}, {"capacity searches", f.Capacity != nil},
		{"noise floors", f.NoiseFloor != nil}, {"ramps", slices.ContainsFunc(f.Arms, func(a Arm) bool { return len(a.Steps) > 0 })}} {
		if p.has {
			parts = append(parts, p.name)
		}
	}
	return parts
}

// NotAlike says what kept two results from being the same measurement at different times: the kind of result, the load,
// and for arms of one name the target. Nothing is said of arms that only one of them has.
func NotAlike(a, b *File) []string {
	var differs []string
	say := func(what string, x, y any) {
		if x != y {
			differs = append(differs, fmt.Sprintf("%s %s and %s", what, known(x), known(y)))
		}
	}
	say("kind", a.Kind, b.Kind)
	p, q := &a.Plan, &b.Plan
	say("loop", p.Loop, q.Loop)
	say("rate", p.Rate, q.Rate)
	say("arrivals", p.Arrivals, q.Arrivals)
	say("calls in flight", p.Concurrency, q.Concurrency)
	say("connections", p.Connections, q.Connections)
	say("streams", p.Streams, q.Streams)
	say("ramp", p.Ramp, q.Ramp)
	say("think time", p.Think, q.Think)
	say("timeout", time.Duration(p.Timeout), time.Duration(q.Timeout))
	say("payload", p.Payload, q.Payload)
	for i := range a.Arms {
		x := &a.Arms[i]
		y := b.arm(x.Name)
		if y == nil {
			continue
		}
		say(x.Name+": protocol", x.Protocol, y.Protocol)
		say(x.Name+": client", x.Client, y.Client)
		say(x.Name+": method", x.Method, y.Method)
		say(x.Name+": calls without an answer", x.OneWay, y.OneWay)
	}
	return differs
}

// known is a setting as text; one that was not asked for is none.
func known(x any) string {
	if text := fmt.Sprint(x); text != "" && text != "0" && text != "0s" {
		return text
	}
	return "none"
}

func (f *File) arm(name string) *Arm {
	i := slices.IndexFunc(f.Arms, func(a Arm) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &f.Arms[i]
}

// addTurns adds rows, whose launches are counted on.
func (f *File) addTurns(rows []Row) {
	after := 0
	for _, r := range f.Turns {
		after = max(after, r.Launch+1)
	}
	for _, r := range rows {
		r.Launch += after
		f.Turns = append(f.Turns, r)
	}
	if f.Plan.Launches > 0 {
		launches := map[int]bool{}
		for _, r := range f.Turns {
			launches[r.Launch] = true
		}
		f.Plan.Launches = max(f.Plan.Launches, len(launches))
	}
}

// addArms merges arms by name, in the order in which they are first met.
func (f *File) addArms(files []*File) error {
	var order []string
	turns, heads, stalls := map[string][]Turn{}, map[string]*Arm{}, map[string]*Stalls{}
	for _, from := range files {
		for i := range from.Arms {
			a := &from.Arms[i]
			t, err := turnOf(a)
			if err != nil {
				return fmt.Errorf("%s, arm %s: %w", from.ID, a.Name, err)
			}
			if heads[a.Name] == nil {
				order, heads[a.Name] = append(order, a.Name), a
			}
			turns[a.Name] = append(turns[a.Name], t)
			stalls[a.Name] = stalls[a.Name].and(a.Stalls)
		}
	}
	for _, name := range order {
		head, a := heads[name], Merge(turns[name], f.Plan.Percentiles)
		a.URL, a.Protocol, a.Client, a.Method = head.URL, head.Protocol, head.Client, head.Method
		a.Baseline, a.Floor, a.Control, a.AskedRate, a.Ceiling = head.Baseline, head.Floor, head.Control, head.AskedRate, head.Ceiling
		a.Stalls = stalls[name]
		f.Arms = append(f.Arms, a)
	}
	return nil
}

// and is both, added up.
func (s *Stalls) and(o *Stalls) *Stalls {
	switch {
	case o == nil:
		return s
	case s == nil:
		return o
	}
	return &Stalls{s.Count + o.Count, max(s.Longest, o.Longest), s.Total + o.Total, s.Missing + o.Missing}
}

// turnOf is an arm as the one turn that it would be the result of.
func turnOf(a *Arm) (Turn, error) {
	t := Turn{
		Arm: a.Name, OneWay: a.OneWay, Slow: a.Slow, Window: time.Duration(a.Window), Counts: a.Counts,
		FinishedInside: inside(a.AchievedRate, a.Window), CompletedInside: inside(a.Goodput, a.Window),
		Statuses: a.Statuses, Errors: a.Errors, Connections: a.Connections, SentBytes: a.SentBytes, RecvBytes: a.RecvBytes,
		Client: a.ClientCPU, Server: a.Server, Host: a.Host, HiddenTries: a.HiddenTries, Warm: a.Warm, Strips: a.Strips, Limited: a.Limited,
	}
	if a.Vitals != nil {
		t.Vitals = *a.Vitals
	}
	for _, pair := range [...]struct {
		into **hist.Histogram
		from *Distribution
	}{
		{&t.Latency, &a.Latency}, {&t.FailedLatency, &a.FailedLatency}, {&t.Service, &a.Service}, {&t.FailedService, &a.FailedService},
		{&t.FirstByte, &a.FirstByte}, {&t.Lateness, &a.Lateness}, {&t.SlotWait, &a.SlotWait}, {&t.Connect, &a.Connect},
		{&t.MessageGap, a.MessageGap}, {&t.FirstMessage, a.FirstMessage}, {&t.Ages, &a.Ages}, {&t.UnsentAges, &a.UnsentAges}, {&t.Oversleep, a.Oversleep},
	} {
		if pair.from == nil || pair.from.N == 0 {
			continue
		}
		if pair.from.Hist == nil {
			return t, fmt.Errorf("a distribution of %d values was saved without its histogram (hdr_v2), and percentiles cannot be averaged", pair.from.N)
		}
		*pair.into = pair.from.Hist
	}
	return t, nil
}

// inside is how many calls a rate over a window was made of.
func inside(rate float64, window int64) int64 {
	return int64(math.Round(rate * time.Duration(window).Seconds()))
}

// join is both, at the worse level: a sum is as good as its worst part.
func (t *Trust) join(o Trust) {
	t.Level = worse(t.Level, o.Level)
	t.Absolute, t.Ratio = worse(t.Absolute, o.Absolute), worse(t.Ratio, o.Ratio)
	t.Checked, t.Passed = 0, 0 // they were counted for each result apart
	for _, r := range o.Reasons {
		if !slices.Contains(t.Reasons, r) {
			t.Reasons = append(t.Reasons, r)
		}
	}
}

// worse is the worse of two levels; no check at all is between doubt and none.
func worse(a, b string) string {
	order := []string{"", TrustOK, TrustUnchecked, TrustSuspect, TrustNotTrustworthy}
	if slices.Index(order, cmp.Or(b, TrustUnchecked)) > slices.Index(order, a) {
		return cmp.Or(b, TrustUnchecked)
	}
	return a
}
