package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"wiregauge/hist"
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
	a := Arm{Statuses: []Status{}, Errors: []ErrorClass{}}
	used := valid(turns)
	if left := len(turns) - len(used); left > 0 {
		a.Notes = append(a.Notes, fmt.Sprintf("%d of %d turns were invalid and are left out: %s",
			left, len(turns), firstInvalid(turns)))
	}
	var m merger
	for i := range used {
		m.add(&a, &used[i])
	}
	m.finish(&a, percentiles)
	return a
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

// A merger holds the sums that an Arm shows only in another form.
type merger struct {
	window            time.Duration
	okInside, inside  int64
	steal, foreign    weighted
	limited           map[string]time.Duration
	latency, failed   hist.Histogram
	service, failedSv hist.Histogram
	first, late, slot hist.Histogram
	connect, gap      hist.Histogram
	ages, unsent      hist.Histogram
}

// weighted is a mean over windows that leaves out what could not be read.
type weighted struct{ sum, weight float64 }

func (w *weighted) add(share float64, window time.Duration) {
	if share < 0 {
		return
	}
	w.sum += share * float64(window)
	w.weight += float64(window)
}

func (w *weighted) mean() float64 {
	if w.weight == 0 {
		return -1
	}
	return w.sum / w.weight
}

func (m *merger) add(a *Arm, t *Turn) {
	a.Name = cmp.Or(a.Name, t.Arm)
	a.Counts.Add(t.Counts)
	m.okInside += t.CompletedInside
	m.inside += t.FinishedInside
	m.addHistograms(t)
	a.Statuses = addStatuses(a.Statuses, t.Statuses)
	a.Errors = addErrors(a.Errors, t.Errors, m.window)
	a.Connections.add(t.Connections)
	a.SentBytes.Add(t.SentBytes)
	a.RecvBytes.Add(t.RecvBytes)
	a.ClientCPU.Add(t.Client)
	if t.Server != nil {
		if a.Server == nil {
			a.Server = new(CPU)
		}
		a.Server.Add(*t.Server)
	}
	m.steal.add(t.Host.Steal, t.Window)
	m.foreign.add(t.Host.Foreign, t.Window)
	a.HiddenTries += t.HiddenTries
	if t.Warm != nil {
		if a.Warm == nil {
			a.Warm = new(Counts)
		}
		a.Warm.Add(*t.Warm)
	}
	for _, s := range t.Strips {
		s.At += m.window
		a.Strips = append(a.Strips, s)
	}
	if t.Limited != "" {
		if m.limited == nil {
			m.limited = map[string]time.Duration{}
		}
		m.limited[t.Limited] += t.Window
	}
	m.window += t.Window
}

func (m *merger) addHistograms(t *Turn) {
	m.latency.Merge(t.Latency)
	m.failed.Merge(t.FailedLatency)
	m.service.Merge(t.Service)
	m.failedSv.Merge(t.FailedService)
	m.first.Merge(t.FirstByte)
	m.late.Merge(t.Lateness)
	m.slot.Merge(t.SlotWait)
	m.connect.Merge(t.Connect)
	m.gap.Merge(t.MessageGap)
	m.ages.Merge(t.Ages)
	m.unsent.Merge(t.UnsentAges)
}

func (m *merger) finish(a *Arm, percentiles []float64) {
	a.Window = int64(m.window)
	a.AchievedRate = PerSecond(m.inside, m.window)
	a.Goodput = PerSecond(m.okInside, m.window)
	a.Host = HostLoad{Steal: m.steal.mean(), Foreign: m.foreign.mean()}
	for _, reason := range slices.Sorted(maps.Keys(m.limited)) {
		if a.Limited == "" || m.limited[reason] > m.limited[a.Limited] {
			a.Limited = reason
		}
	}
	a.Latency = NewDistribution(&m.latency, "due", percentiles)
	a.FailedLatency = NewDistribution(&m.failed, "due", percentiles)
	a.Service = NewDistribution(&m.service, "permit", percentiles)
	a.FailedService = NewDistribution(&m.failedSv, "permit", percentiles)
	a.FirstByte = NewDistribution(&m.first, "sent", percentiles)
	a.Lateness = NewDistribution(&m.late, "due", percentiles)
	a.SlotWait = NewDistribution(&m.slot, "dispatched", percentiles)
	a.Connect = NewDistribution(&m.connect, "dial", percentiles)
	if m.gap.Count() > 0 {
		gap := NewDistribution(&m.gap, "message", percentiles)
		a.MessageGap = &gap
	}
	a.Ages = NewDistribution(&m.ages, "due", percentiles)
	a.UnsentAges = NewDistribution(&m.unsent, "due", percentiles)
	slices.SortStableFunc(a.Statuses, func(x, y Status) int { return cmp.Compare(y.Count, x.Count) })
	slices.SortStableFunc(a.Errors, func(x, y ErrorClass) int { return cmp.Compare(y.Count, x.Count) })
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
