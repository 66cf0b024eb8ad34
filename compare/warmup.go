package compare

import (
	"context"
	"time"

	"wiregauge/load"
	"wiregauge/result"
	"wiregauge/warm"
)

// How warm-ups are found and played again.
const (
	// leastReplay is how long the warm-up of a later launch takes at least, however few calls were found to be enough.
	leastReplay = 2 * time.Second
	// unsettledReplay stands for a warm-up that has no end: an arm that never settled in the first launch.
	unsettledReplay = 5 * time.Second
	// warmDrain is how long calls in flight at the end of a warm-up may still finish, so that no connection is lost.
	warmDrain = 5 * time.Second
)

// warmUp plays the discarded beginning of every arm: of a fixed length, or in the first launch until the arm is steady
// and in the others for as many calls as that took. Its median sets the washout of the arm's turns.
func (c *comparison) warmUp(ctx context.Context, st *stage) error {
	for _, i := range StartOrder(c.plan.Seed, st.number, len(c.plan.Arms)) {
		c.say(Progress{Phase: "warming up", Launch: st.number + 1, Arm: c.plan.Arms[i].Name})
		c.keepAlive(ctx, st, i)
		t, err := c.warmArm(ctx, st, i)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return st.armError(i, 0, err)
		}
		st.washout[i] = washoutFor(c.plan.Washout, &t)
	}
	if c.plan.Turn == 0 && c.plan.Spec.Total == 0 {
		return c.calibrate(ctx, st)
	}
	return nil
}

func (c *comparison) warmArm(ctx context.Context, st *stage, arm int) (result.Turn, error) {
	switch {
	case !c.plan.FindWarmup:
		return c.fixedWarmUp(ctx, st, arm)
	case c.warm[arm] == nil:
		return c.findWarmUp(ctx, st, arm)
	}
	return c.replay(ctx, st, arm)
}

// fixedWarmUp is what the user set.
func (c *comparison) fixedWarmUp(ctx context.Context, st *stage, arm int) (result.Turn, error) {
	spec := c.outside(st, arm)
	spec.Total, spec.Duration, spec.Trajectory = c.plan.Warmup.Total, c.plan.Warmup.Duration, c.warm[arm] == nil
	t, err := c.thrownAway(ctx, st, arm, spec)
	if err == nil && c.warm[arm] == nil {
		w := result.WarmUp{Outcome: result.WarmFixed, Calls: t.Due, Length: int64(t.Window), Observed: int64(t.Window), Trajectory: t.Trajectory}
		if w.Trajectory == nil {
			w.Trajectory = []result.WarmStrip{}
		}
		c.warm[arm] = &w
	}
	return t, err
}

// findWarmUp watches an arm until it is steady, or for as long as the plan allows.
func (c *comparison) findWarmUp(ctx context.Context, st *stage, arm int) (result.Turn, error) {
	finder := warm.Finder{Paced: c.plan.Open}
	drain := warmDrain
	spec := c.outside(st, arm)
	spec.Duration, spec.Drain, spec.Settle = c.plan.WarmupMax, &drain, finder.Add
	t, err := c.thrownAway(ctx, st, arm, spec)
	if err == nil {
		w := finder.WarmUp()
		c.warm[arm] = &w
		if w.Outcome == result.WarmUnsteady {
			c.remark(c.plan.Arms[arm].Name + " did not settle in its warm-up of " + time.Duration(w.Observed).Round(time.Second).String() + ", and is compared all the same")
		}
	}
	return t, err
}

// replay makes as many calls as the arm took to become steady in the first launch, and for at least 2 s.
func (c *comparison) replay(ctx context.Context, st *stage, arm int) (result.Turn, error) {
	w := c.warm[arm]
	spec, least := c.outside(st, arm), leastReplay
	spec.Total, spec.Duration = uint64(w.Calls), c.plan.WarmupMax
	if w.Outcome != result.WarmFound {
		spec.Total, least = 0, unsettledReplay
	}
	var t result.Turn
	if spec.Total > 0 {
		var err error
		if t, err = c.thrownAway(ctx, st, arm, spec); err != nil || ctx.Err() != nil || t.Window >= least {
			return t, err
		}
	}
	spec.Total, spec.Duration = 0, least-t.Window
	return c.thrownAway(ctx, st, arm, spec)
}

// thrownAway plays a turn whose calls are counted as warm-up only.
func (c *comparison) thrownAway(ctx context.Context, st *stage, arm int, spec load.Spec) (result.Turn, error) {
	spec.Discard = true
	t, err := st.turn(ctx, arm, spec)
	if err == nil {
		st.data.discard(arm, &t)
	}
	return t, err
}
