package result

import "wiregauge/hist"

// NewRow is a turn in numbers. A percentile with fewer than Tail values beyond it is null.
func NewRow(t Turn) Row {
	r := Row{
		Arm: t.Arm, Launch: t.Launch, Round: t.Round, Place: t.Place,
		Window: int64(t.Window), OK: t.OK, Failed: t.Failed,
		Rate:    PerSecond(t.CompletedInside, t.Window),
		CPU:     t.Client.PerCall(t.Finished()),
		Invalid: t.Invalid,
	}
	r.P50, r.P99 = told(t.Latency, 50), told(t.Latency, 99)
	if t.Server != nil {
		r.Server = t.Server.PerCall(t.Finished())
	}
	return r
}

// NewStep is a turn as one step of a ramp.
func NewStep(label string, t Turn) Step {
	return Step{
		Label: label, Window: int64(t.Window), OK: t.OK, Failed: t.Failed,
		Goodput: PerSecond(t.CompletedInside, t.Window),
		P50:     told(t.Latency, 50), P99: told(t.Latency, 99),
	}
}

func told(h *hist.Histogram, p float64) *int64 { return NewPercentile(h, p).NS }
