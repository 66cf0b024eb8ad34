package compare

import (
	"context"
	"fmt"
	"time"

	"wiregauge/load"
	"wiregauge/result"
)

// The length of a turn: long enough for what a turn has to hold, the same for all arms.
const (
	shortestTurn = 250 * time.Millisecond
	longestTurn  = 2 * time.Second
	callsPerTurn = 200
	// mediansPerTurn is how many median latencies a turn has to hold. A call takes a round trip at least, so that
	// round trips need no rule of their own, here and in washout.
	mediansPerTurn = 25
	fewestInPilot  = 10
)

// calibrate settles the length of a turn from a pilot turn of every arm, once, in the first launch. The pilot is not
// part of the result but for its calls, which count with those of the warm-up.
func (c *comparison) calibrate(ctx context.Context, st *stage) error {
	wanted, slowest := shortestTurn, ""
	for _, i := range StartOrder(c.plan.Seed, st.number, len(c.plan.Arms)) {
		t, err := c.pilot(ctx, st, i, shortestTurn)
		if err == nil && t.OK < fewestInPilot {
			t, err = c.pilot(ctx, st, i, longestTurn)
		}
		if err != nil {
			return err
		}
		if c.plan.Arms[i].Floor {
			continue
		}
		if need := turnFor(&t, c.plan.Open); need > wanted {
			wanted, slowest = need, c.plan.Arms[i].Name
		}
	}
	c.plan.Turn = min(wanted, longestTurn).Round(time.Millisecond)
	if wanted > longestTurn {
		c.remark(fmt.Sprintf("turns of %v are short for %s: %d calls and %d medians of it would take %v; --turn sets another length",
			longestTurn, slowest, callsPerTurn, mediansPerTurn, wanted.Round(100*time.Millisecond)))
	}
	return nil
}

func (c *comparison) pilot(ctx context.Context, st *stage, arm int, length time.Duration) (result.Turn, error) {
	c.say(Progress{Phase: "calibrating", Launch: st.number + 1, Arm: c.plan.Arms[arm].Name})
	spec := c.outside(st, arm)
	spec.Duration = length
	t, err := c.thrownAway(ctx, st, arm, spec)
	if ctx.Err() != nil {
		return t, context.Cause(ctx)
	}
	if err != nil {
		return t, st.armError(arm, 0, err)
	}
	return t, nil
}

// turnFor is how long a turn has to be for an arm that did so in its pilot.
func turnFor(pilot *result.Turn, open bool) time.Duration {
	calls := pilot.CompletedInside
	if open {
		calls = pilot.Due
	}
	need := shortestTurn
	if seconds := pilot.Window.Seconds(); seconds > 0 {
		rate := max(float64(calls), 1) / seconds
		need = max(need, time.Duration(callsPerTurn/rate*float64(time.Second)))
	}
	if pilot.Latency != nil && pilot.Latency.Count() > 0 {
		need = max(need, mediansPerTurn*pilot.Latency.Percentile(50))
	}
	return need
}

// outside is a turn that is not measured: warm-up, pilot, keep-alive.
func (c *comparison) outside(st *stage, arm int) load.Spec {
	spec := c.plan.Spec
	spec.Total, spec.Duration, spec.WarmupCalls, spec.WarmupDuration = 0, 0, 0, 0
	spec.Arm, spec.Launch, spec.Round = c.plan.Arms[arm].Name, st.number, -1
	spec.Seed = arrivals(c.plan.Seed, st.number, -1)
	return spec
}

// discard counts the calls of a turn that is not measured.
func (l *launch) discard(arm int, t *result.Turn) {
	l.folded[arm].AddWarmup(t.Counts)
	if t.Warm != nil {
		l.folded[arm].AddWarmup(*t.Warm)
	}
}

// remark keeps something that belongs into the notes of the result, and says it at once.
func (c *comparison) remark(text string) {
	c.remarks = append(c.remarks, text)
	c.say(Progress{Phase: "measuring", Note: text})
}
