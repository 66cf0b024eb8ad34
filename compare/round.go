package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"wiregauge"
	"wiregauge/result"
)

// mostInARow is after how many invalid rounds in a row a target that we cannot restart is given up.
const mostInARow = 3

// playRounds plays the rounds of one launch; an invalid one is played again once, after the others.
func (c *comparison) playRounds(ctx context.Context, st *stage) error {
	type entry struct {
		round  int
		repeat bool
	}
	var queue []entry
	for b := range c.plan.Rounds {
		queue = append(queue, entry{round: b})
	}
	inARow := 0
	for len(queue) > 0 {
		e := queue[0]
		queue = queue[1:]
		fault, err := c.playRound(ctx, st, e.round, e.repeat)
		if err != nil {
			return err
		}
		if fault == nil {
			inARow = 0
			continue
		}
		inARow++
		if !e.repeat {
			queue = append(queue, entry{round: e.round, repeat: true})
		}
		if errors.Is(fault, errArmDied) {
			c.lost += len(queue)
			return c.armDied(fault)
		}
		if inARow >= mostInARow {
			c.lost += len(queue)
			return fault
		}
	}
	return nil
}

// armDied ends the launch, and the comparison when it is not the arm's first death.
func (c *comparison) armDied(fault *ArmError) error {
	c.deaths[fault.Arm]++
	if c.deaths[fault.Arm] > 1 || fault.Launch == c.plan.Launches {
		return fault
	}
	c.say(Progress{Phase: "measuring", Launch: fault.Launch, Note: firstLine(fault) + "; the finished rounds are kept, the next launch follows"})
	return nil
}

// playRound plays one turn of every arm. A fault makes the whole round invalid, never one turn of it.
func (c *comparison) playRound(ctx context.Context, st *stage, number int, repeat bool) (fault *ArmError, err error) {
	n := len(c.plan.Arms)
	draw := number
	if repeat {
		draw += c.plan.Rounds
	}
	order := Order(c.plan.Seed, st.number, draw, n)
	turns := make([]result.Turn, n)
	rows := make([]result.Row, 0, n)
	for place, i := range order {
		c.say(Progress{Phase: "measuring", Launch: st.number + 1, Round: number + 1, Arm: c.plan.Arms[i].Name, Order: c.namesOf(order)})
		t, why := c.playTurn(ctx, st, i, number, draw, place)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		t.Invalid = ""
		turns[i] = t
		row := result.NewRow(t)
		row.Requeued = repeat
		rows = append(rows, row)
		if why != nil {
			fault = st.armError(i, number+1, why)
			break
		}
	}
	c.played++
	if fault != nil {
		c.voidRound(rows, fault)
		return fault, nil
	}
	c.rows = append(c.rows, rows...)
	c.done += n
	c.keep(st.data, turns)
	return nil, nil
}

func (c *comparison) voidRound(rows []result.Row, fault *ArmError) {
	c.invalid++
	why := fmt.Sprintf("arm %s: %v", fault.Arm, fault.Err)
	for i := range rows {
		rows[i].Invalid = why
	}
	c.rows = append(c.rows, rows...)
	if !slices.Contains(c.reasons, why) && len(c.reasons) < 5 {
		c.reasons = append(c.reasons, why)
	}
}

// playTurn plays one turn; why is set when it must not be used.
func (c *comparison) playTurn(ctx context.Context, st *stage, arm, number, draw, place int) (t result.Turn, why error) {
	spec := c.plan.Spec
	spec.Arm, spec.Launch, spec.Round, spec.Place = c.plan.Arms[arm].Name, st.number, number, place
	spec.Duration, spec.WarmupCalls, spec.WarmupDuration = c.plan.Turn, 0, st.washout[arm]
	spec.Seed = arrivals(c.plan.Seed, st.number, draw)
	t, err := st.turners[arm].Turn(ctx, spec)
	t.Arm, t.Launch, t.Round, t.Place = spec.Arm, spec.Launch, spec.Round, spec.Place
	switch {
	case st.exited(arm):
		return t, errArmDied
	case err != nil:
		return t, err
	}
	return t, unusable(&t)
}

// unusable says why a turn cannot be used: the engine says so, or its connections could not be had or died. High
// latency and failed calls are never a reason: they are the arm's own.
func unusable(t *result.Turn) error {
	if t.Invalid != "" {
		return errors.New(t.Invalid)
	}
	if n := t.Connections.Failed; n > 0 {
		return fmt.Errorf("%d %s could not be opened%s", n, plural(n, "connection", "connections"), example(t))
	}
	if n := t.Connections.Ended["reset"]; n > 0 {
		return fmt.Errorf("%d %s reset", n, plural(n, "connection was", "connections were"))
	}
	for _, e := range t.Errors {
		if e.Class == wiregauge.Closed.String() {
			return fmt.Errorf("the server closed connections with %d %s in flight", e.Count, plural(e.Count, "call", "calls"))
		}
	}
	return nil
}

func example(t *result.Turn) string {
	for _, e := range t.Errors {
		if e.Stage != "connect" {
			continue
		}
		if e.Message != "" {
			return ": " + e.Message
		}
		if len(e.Examples) > 0 {
			return ": " + e.Examples[0]
		}
	}
	return ""
}

// perLaunch reports whether the launch is the unit.
func (c *comparison) perLaunch() bool { return c.plan.Launches > 1 }

func plural(n int64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// keep stores the metrics of a valid round and folds its turns into the launch.
func (c *comparison) keep(data *launch, turns []result.Turn) {
	r := round{values: make([][]float64, len(turns))}
	for i := range turns {
		r.values[i] = c.measure(&turns[i])
		data.folded[i].Add(&turns[i])
	}
	data.rounds = append(data.rounds, r)
	if c.perLaunch() {
		return
	}
	for m := range c.metrics {
		if c.metrics[m].Pooled {
			data.pools[m].add(c.metrics[m], turns, c.judged)
		}
	}
}

func (c *comparison) measure(t *result.Turn) []float64 {
	values := make([]float64, len(c.metrics))
	for m := range c.metrics {
		values[m] = c.metrics[m].value(t)
	}
	return values
}
