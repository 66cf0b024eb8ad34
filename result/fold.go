package result

import (
	"time"

	"wiregauge/hist"
)

// Add folds a further turn of the same arm into t, so that many turns can be kept as one without their
// histograms: counts, bytes and CPU are summed, histograms merged, shares of the host weighted by time. Strips
// stand one behind the other, on the clock of the summed windows. Merge takes folded turns like any others.
func (t *Turn) Add(o *Turn) {
	if t.Arm == "" {
		t.Arm, t.Launch, t.Round, t.Place, t.Start, t.Host = o.Arm, o.Launch, o.Round, o.Place, o.Start, o.Host
	}
	t.OneWay = o.OneWay
	t.Counts.Add(o.Counts)
	t.addSlow(o.Slow)
	t.CompletedInside += o.CompletedInside
	t.FinishedInside += o.FinishedInside
	t.addHistograms(o)
	t.Statuses = addStatuses(t.Statuses, o.Statuses)
	t.Errors = addErrors(t.Errors, o.Errors, t.Window)
	t.Connections.add(o.Connections)
	t.SentBytes.Add(o.SentBytes)
	t.RecvBytes.Add(o.RecvBytes)
	t.Client.Add(o.Client)
	if o.Server != nil {
		if t.Server == nil {
			t.Server = new(CPU)
		}
		t.Server.Add(*o.Server)
	}
	t.Host.Steal = t.shareWith(o, t.Host.Steal, o.Host.Steal)
	t.Host.Foreign = t.shareWith(o, t.Host.Foreign, o.Host.Foreign)
	t.HiddenTries += o.HiddenTries
	t.Vitals.Add(o.Vitals)
	t.Blocked = append(t.Blocked, o.Blocked...)
	if o.Warm != nil {
		t.AddWarmup(*o.Warm)
	}
	if t.Limited == "" {
		t.Limited = o.Limited
	}
	t.addStrips(o)
	t.Window += o.Window
}

// AddWarmup counts calls that were made before, or outside of, the measured windows.
func (t *Turn) AddWarmup(c Counts) {
	if t.Warm == nil {
		t.Warm = new(Counts)
	}
	t.Warm.Add(c)
}

// AddDiscarded counts what a turn that was thrown away has left behind: its calls, as warm-up, and its connections.
func (t *Turn) AddDiscarded(o *Turn) {
	t.AddWarmup(o.Counts)
	if o.Warm != nil {
		t.AddWarmup(*o.Warm)
	}
	t.Connections.add(o.Connections)
	if o.Connect != nil {
		both := new(hist.Histogram)
		both.Merge(t.Connect)
		both.Merge(o.Connect)
		t.Connect = both
	}
}

// weighted is a mean over windows that leaves out what could not be read; -1 when nothing could.
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

func (t *Turn) shareWith(o *Turn, mine, other float64) float64 {
	var w weighted
	w.add(mine, t.Window)
	w.add(other, o.Window)
	return w.mean()
}

func (t *Turn) addHistograms(o *Turn) {
	for _, pair := range [...]struct {
		into **hist.Histogram
		from *hist.Histogram
	}{
		{&t.Latency, o.Latency}, {&t.FailedLatency, o.FailedLatency},
		{&t.Service, o.Service}, {&t.FailedService, o.FailedService},
		{&t.FirstByte, o.FirstByte}, {&t.Lateness, o.Lateness}, {&t.SlotWait, o.SlotWait},
		{&t.Connect, o.Connect}, {&t.MessageGap, o.MessageGap}, {&t.FirstMessage, o.FirstMessage},
		{&t.Ages, o.Ages}, {&t.UnsentAges, o.UnsentAges}, {&t.Oversleep, o.Oversleep},
		{&t.Dispatched, o.Dispatched},
	} {
		if pair.from == nil {
			continue
		}
		if *pair.into == nil {
			*pair.into = new(hist.Histogram)
		}
		(*pair.into).Merge(pair.from)
	}
}
