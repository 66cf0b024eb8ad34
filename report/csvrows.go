package report

import "wiregauge/result"

func (t *csvTable) turn(f *result.File, r result.Row) {
	t.record(map[string]string{
		"id": f.ID, "kind": "turn", "arm": r.Arm, "launch": whole(int64(r.Launch)), "round": whole(int64(r.Round)),
		"place": whole(int64(r.Place)), "window_ns": whole(r.Window), "ok": whole(r.OK), "failed": whole(r.Failed),
		"goodput": decimal(r.Rate), percentileColumn(50): optional(r.P50), percentileColumn(99): optional(r.P99),
		"client_cpu_ns_per_call": optional(r.CPU), "server_cpu_ns_per_call": optional(r.Server), "invalid": r.Invalid,
	})
}

func (t *csvTable) failure(f *result.File, a *result.Arm, e result.ErrorClass) {
	t.record(map[string]string{"id": f.ID, "kind": "error", "arm": a.Name, "error_class": e.Class,
		"error_count": whole(e.Count), "error_text": errorText(e)})
}

// steps are those of a ramp.
func (t *csvTable) steps(f *result.File, a *result.Arm) {
	for _, s := range a.Steps {
		t.record(map[string]string{
			"id": f.ID, "kind": "step", "arm": a.Name, "label": s.Label, "window_ns": whole(s.Window), "ok": whole(s.OK), "failed": whole(s.Failed),
			"goodput": decimal(s.Goodput), percentileColumn(50): optional(s.P50), percentileColumn(99): optional(s.P99),
		})
	}
}

// points are those of a sweep, an arm at a time.
func (t *csvTable) points(f *result.File) {
	for i := range f.Sweep {
		p := &f.Sweep[i]
		for _, a := range p.Arms {
			fields := map[string]string{
				"id": f.ID, "kind": "point", "arm": a.Name, "label": p.Label, "rate": decimal(a.Rate), "goodput": decimal(a.Goodput),
				percentileColumn(50): optional(a.P50), percentileColumn(99): optional(a.P99), "limited_by": a.Limited,
				"client_cpu_ns_per_call": optional(a.ClientCPU), "server_cpu_ns_per_call": optional(a.ServerCPU),
			}
			if p.Rate > 0 {
				fields["asked_rate"] = decimal(p.Rate)
			}
			t.record(fields)
		}
	}
}

// probes are the rates that a search for capacity tried.
func (t *csvTable) probes(f *result.File) {
	if f.Capacity == nil {
		return
	}
	for _, p := range f.Capacity.Probes {
		t.record(map[string]string{
			"id": f.ID, "kind": "probe", "label": p.Stage, "window_ns": whole(p.Window), "asked_rate": decimal(p.Offered), "rate": decimal(p.Achieved),
			percentileColumn(50): optional(p.P50), percentileColumn(99): optional(p.P99), "invalid": p.Why,
		})
	}
}
