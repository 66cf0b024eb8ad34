package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// What an error table holds at most.
const (
	maxErrorClasses = 100
	maxExamples     = 5
	maxExample      = 1024 // bytes
)

// Merge adds the turns of one arm up: histograms are merged (percentiles are never averaged), counts, bytes and CPU
// are summed, and rates are what finished inside the windows over the sum of the windows, so that the pause between
// two turns is never divided by. Turns marked invalid are left out while a valid one remains. Times in errors and
// strips are on the clock of the summed windows. Who the arm is (URL, protocol, asked rate) is the caller's to fill.
func Merge(turns []Turn, percentiles []float64) Arm {
	used := valid(turns)
	var sum Turn
	limited := map[string]time.Duration{}
	for i := range used {
		if why := used[i].Limited; why != "" {
			limited[why] += used[i].Window
		}
		sum.Add(&used[i])
	}
	a := armOf(&sum, percentiles)
	a.Strips, a.Limited = sum.Strips, longest(limited)
	if left := len(turns) - len(used); left > 0 {
		a.Notes = append(a.Notes, fmt.Sprintf("%d of %d turns were invalid and are left out: %s",
			left, len(turns), firstInvalid(turns)))
	}
	return a
}

// longest is the reason that held for most of the time, the first by name among equals.
func longest(limited map[string]time.Duration) string {
	most := ""
	for _, why := range slices.Sorted(maps.Keys(limited)) {
		if most == "" || limited[why] > limited[most] {
			most = why
		}
	}
	return most
}

// valid is the turns that may be used; all of them when none may, for then there is nothing better to show.
func valid(turns []Turn) []Turn {
	used := make([]Turn, 0, len(turns))
	for _, t := range turns {
		if t.Invalid == "" {
			used = append(used, t)
		}
	}
	if len(used) == 0 {
		return turns
	}
	return used
}

func firstInvalid(turns []Turn) string {
	for _, t := range turns {
		if t.Invalid != "" {
			return t.Invalid
		}
	}
	return ""
}

// armOf tells one turn as an arm.
func armOf(t *Turn, percentiles []float64) Arm {
	a := Arm{
		Name: t.Arm, OneWay: t.OneWay, Slow: t.Slow, Counts: t.Counts, Window: int64(t.Window),
		AchievedRate: PerSecond(t.FinishedInside, t.Window), Goodput: PerSecond(t.CompletedInside, t.Window),
		Statuses: slices.Clone(t.Statuses), Errors: slices.Clone(t.Errors), Connections: t.Connections,
		SentBytes: t.SentBytes, RecvBytes: t.RecvBytes, ClientCPU: t.Client, Server: t.Server, Host: t.Host,
		HiddenTries: t.HiddenTries, Warm: t.Warm,
		Latency:       NewDistribution(t.Latency, "due", percentiles),
		FailedLatency: NewDistribution(t.FailedLatency, "due", percentiles),
		Service:       NewDistribution(t.Service, "permit", percentiles),
		FailedService: NewDistribution(t.FailedService, "permit", percentiles),
		FirstByte:     NewDistribution(t.FirstByte, "sent", percentiles),
		Lateness:      NewDistribution(t.Lateness, "due", percentiles),
		SlotWait:      NewDistribution(t.SlotWait, "dispatched", percentiles),
		Connect:       NewDistribution(t.Connect, "dial", percentiles),
		Ages:          NewDistribution(t.Ages, "due", percentiles),
		UnsentAges:    NewDistribution(t.UnsentAges, "due", percentiles),
	}
	if t.Vitals.Observed > 0 {
		v := t.Vitals
		a.Vitals = &v
	}
	if t.Oversleep != nil && t.Oversleep.Count() > 0 {
		late := NewDistribution(t.Oversleep, "due", percentiles)
		a.Oversleep = &late
	}
	if t.Dispatched != nil && t.Dispatched.Count() > 0 {
		d := NewDistribution(t.Dispatched, "dispatched", percentiles)
		a.Dispatched = &d
	}
	a.Stalls = stallsOf(t)
	if t.FirstMessage != nil && t.FirstMessage.Count() > 0 {
		first := NewDistribution(t.FirstMessage, "sent", percentiles)
		a.FirstMessage = &first
	}
	if t.MessageGap != nil && t.MessageGap.Count() > 0 {
		gap := NewDistribution(t.MessageGap, "message", percentiles)
		a.MessageGap = &gap
	}
	slices.SortStableFunc(a.Statuses, func(x, y Status) int { return cmp.Compare(y.Count, x.Count) })
	slices.SortStableFunc(a.Errors, func(x, y ErrorClass) int { return cmp.Compare(y.Count, x.Count) })
	return a
}

// PerSecond is n over the window; 0 when there was no window.
func PerSecond(n int64, window time.Duration) float64 {
	if window <= 0 {
		return 0
	}
	return float64(n) / window.Seconds()
}

func addStatuses(all, more []Status) []Status {
	for _, s := range more {
		i := slices.IndexFunc(all, func(x Status) bool { return x.Status == s.Status && x.Name == s.Name && x.OK == s.OK })
		if i < 0 {
			all = append(all, s)
			continue
		}
		all[i].Count += s.Count
	}
	return all
}

// addErrors merges classes by class and stage; offset moves times to the arm's clock.
func addErrors(all, more []ErrorClass, offset time.Duration) []ErrorClass {
	for _, e := range more {
		e.First += offset
		e.Last += offset
		e.Examples = boundExamples(e.Examples)
		i := slices.IndexFunc(all, func(x ErrorClass) bool { return x.Class == e.Class && x.Stage == e.Stage })
		if i < 0 && len(all) >= maxErrorClasses {
			e.Class, e.Stage, e.Message = "other", "", "more classes than are listed"
			i = slices.IndexFunc(all, func(x ErrorClass) bool { return x.Class == "other" && x.Stage == "" })
		}
		if i < 0 {
			all = append(all, e)
			continue
		}
		had := &all[i]
		had.Count += e.Count
		had.First, had.Last = min(had.First, e.First), max(had.Last, e.Last)
		had.Message = cmp.Or(had.Message, e.Message)
		had.Examples = boundExamples(append(had.Examples, e.Examples...))
	}
	return all
}

// boundExamples keeps the first few different texts, each cut to 1 KiB at a character's edge.
func boundExamples(texts []string) []string {
	var kept []string
	for _, t := range texts {
		t = cut(t, maxExample)
		if len(kept) < maxExamples && !slices.Contains(kept, t) {
			kept = append(kept, t)
		}
	}
	return kept
}

// cut is at most n bytes of s, without half a character at its end.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
