package main

import (
	"context"
	"time"

	"wiregauge/load"
	"wiregauge/result"
	"wiregauge/warm"
)

// A warming is a warm-up that lasts until the target is steady: a turn of its own, which is thrown away.
type warming struct {
	spec   load.Spec
	finder warm.Finder
	turn   *result.Turn // until the first measured turn has taken its counts over
}

// warmingDrain is how long calls in flight at the end of the warm-up may still finish, so that no connection is lost to
// their end.
const warmingDrain = 5 * time.Second

// watchStart prepares the warm-up that is found, and otherwise has the measured window's own beginning watched.
func (out *plan) watchStart(o *LoadOptions) {
	if !o.Warmup.auto {
		out.specs[0].Trajectory = len(out.labels) == 0 && !o.Ramp.given()
		return
	}
	w := &warming{spec: out.specs[0], finder: warm.Finder{Paced: out.open}}
	drain := max(warmingDrain, out.load.Drain)
	w.spec.Total, w.spec.Duration, w.spec.Drain, w.spec.Discard = 0, o.WarmupMax, &drain, true
	w.spec.Settle = w.finder.Add
	out.warm = w
}

// up warms the target up. A nil warming does nothing.
func (w *warming) up(ctx context.Context, engine turner) error {
	if w == nil {
		return nil
	}
	t, err := engine.Turn(ctx, w.spec)
	if err != nil && ctx.Err() == nil {
		return err
	}
	w.turn = &t
	return nil
}

// add gives the counts of the warm-up to the first turn behind it.
func (w *warming) add(t *result.Turn) {
	if w == nil || w.turn == nil {
		return
	}
	t.AddDiscarded(w.turn)
	w.turn = nil
}

// foundWarmUp is what is known of how the target came to its pace; nil when it was not watched for long enough.
func (out *plan) foundWarmUp(turns []result.Turn) *result.WarmUp {
	if out.warm != nil {
		w := out.warm.finder.WarmUp()
		return &w
	}
	if out.search || len(turns) != 1 || !warm.Enough(turns[0].Trajectory) {
		return nil
	}
	w := warm.Find(turns[0].Trajectory, out.open)
	w.Measured = true
	return &w
}
