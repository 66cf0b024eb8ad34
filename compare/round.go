package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"wiregauge"
	"wiregauge/result"
)

// mostInARow is after how many invalid rounds in a row a target that we cannot restart is given up.
const mostInARow = 3

// oneIn is the share of a launch's rounds that are played again because the machine disturbed them: a fifth.
const oneIn = 5

// An entry is a round to be played; a repeat is one that was invalid the first time.
type entry struct {
	round  int
	repeat bool
}

// playRounds plays the rounds of one launch; an invalid one is played again once, after the others.
func (c *comparison) playRounds(ctx context.Context, st *stage) error {
	var queue []entry
	for b := range c.plan.Rounds {
		queue = append(queue, entry{round: b})
	}
	inARow := 0
	for len(queue) > 0 {
		e := queue[0]
		queue = queue[1:]
		fault, err := c.playRound(ctx, st, e)
		if err != nil {
			return err
		}
		if fault != nil && !e.repeat {
			queue = append(queue, entry{round: e.round, repeat: true})
		}
		switch {
		case fault == nil:
			inARow = 0
		case errors.Is(fault, errDisturbed):
		case errors.Is(fault, errArmDied):
			c.lost += len(queue)
			return c.armDied(fault)
		default:
			if inARow++; inARow >= mostInARow {
				c.lost += len(queue)
				return fault
			}
		}
		if !c.perLaunch() && !c.orderChecked && 2*len(st.data.rounds) >= c.plan.Rounds {
			c.checkOrder()
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
func (c *comparison) playRound(ctx context.Context, st *stage, e entry) (fault *ArmError, err error) {
	n := len(c.plan.Arms)
	draw := e.round
	if e.repeat {
		draw += c.plan.Rounds
	}
	order := Order(c.plan.Seed, st.number, draw, n)
	turns := make([]result.Turn, n)
	rows := make([]result.Row, 0, n)
	for place, i := range order {
		c.say(Progress{Phase: "measuring", Launch: st.number + 1, Round: e.round + 1, Arm: c.plan.Arms[i].Name, Order: c.namesOf(order)})
		c.keepAlive(ctx, st, i)
		t, why := c.playTurn(ctx, st, i, e, draw, place)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		t.Invalid = ""
		turns[i] = t
		row := result.NewRow(t)
		row.Requeued = e.repeat
		rows = append(rows, row)
		if why != nil {
			fault = st.armError(i, e.round+1, why)
			break
		}
	}
	c.played++
	if fault != nil {
		c.voidRound(rows, fault)
		return fault, nil
	}
	c.show(rows)
	c.done += n
	c.keep(st.data, turns, order)
	return nil, nil
}

// show adds rows to the result, and hands them to whoever follows the comparison.
func (c *comparison) show(rows []result.Row) {
	c.rows = append(c.rows, rows...)
	if c.plan.Played == nil {
		return
	}
	for _, r := range rows {
		c.plan.Played(r)
	}
}

func (c *comparison) voidRound(rows []result.Row, fault *ArmError) {
	c.invalid++
	why := fmt.Sprintf("arm %s: %v", fault.Arm, fault.Err)
	for i := range rows {
		rows[i].Invalid = why
	}
	c.show(rows)
	if !slices.ContainsFunc(c.reasons, func(told string) bool { return sameKind(told, why) }) && len(c.reasons) < 5 {
		c.reasons = append(c.reasons, why)
	}
}

// playTurn plays one turn; why is set when it must not be used.
func (c *comparison) playTurn(ctx context.Context, st *stage, arm int, e entry, draw, place int) (t result.Turn, why error) {
	spec := c.plan.Spec
	spec.Arm, spec.Launch, spec.Round, spec.Place = c.plan.Arms[arm].Name, st.number, e.round, place
	spec.Duration, spec.WarmupCalls, spec.WarmupDuration = c.plan.Turn, 0, st.washout[arm]*c.widened
	spec.Seed = arrivals(c.plan.Seed, st.number, draw)
	t, err := st.turn(ctx, arm, spec)
	t.Arm, t.Launch, t.Round, t.Place = spec.Arm, spec.Launch, spec.Round, spec.Place
	switch {
	case st.exited(arm):
		return t, errArmDied
	case err != nil:
		return t, err
	}
	if t.Unfinished > 0 {
		rest(ctx)
	}
	if why = unusable(&t); why != nil {
		return t, why
	}
	return t, st.disturbance(&t, e.repeat)
}

// afterUnfinished is how long a server may go on working on calls that were given up, before the next arm's turn.
const afterUnfinished = 100 * time.Millisecond

func rest(ctx context.Context) {
	select {
	case <-time.After(afterUnfinished):
	case <-ctx.Done():
	}
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
	if s := t.Vitals.Suspend; s != nil && *s > 0 {
		return errors.New("the machine was suspended")
	}
	return nil
}

// errDisturbed is a round that the machine or the client disturbed, not an arm.
var errDisturbed = errors.New("disturbed")

type disturbed struct{ error }

func (d disturbed) Unwrap() error      { return d.error }
func (disturbed) Is(target error) bool { return target == errDisturbed }

// mostTaken is the share of the machine that others may take during a turn.
const mostTaken = 0.25

// shortestJudged is the shortest window whose host counters, which tick every 10 ms, say anything.
const shortestJudged = 100 * time.Millisecond

// disturbance says that the machine or the client's own collector disturbed the turn, so that its round is played
// again. It looks at nothing that depends on the arm's speed. A repeat stands as it comes, and so do the rounds of a
// launch of which a fifth has been sent back: where the disturbance is the rule and not the exception, turns in random
// order still share it, while a comparison that waits for silence would never end.
func (st *stage) disturbance(t *result.Turn, repeat bool) error {
	why := ""
	switch {
	case t.Client.GCs > 0:
		why = "the client collected garbage"
	case t.Window < shortestJudged:
	case t.Host.Steal > mostTaken:
		why = fmt.Sprintf("the host took away %.0f %% of the CPU", 100*t.Host.Steal)
	case t.Host.Foreign > mostTaken && t.Server != nil:
		why = fmt.Sprintf("other processes took %.0f %% of the CPU", 100*t.Host.Foreign)
	}
	if why == "" || repeat || st.sentBack >= st.plan.Rounds/oneIn {
		return nil
	}
	st.sentBack++
	return disturbed{errors.New(why)}
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
func (c *comparison) keep(data *launch, turns []result.Turn, order []int) {
	r := round{values: make([][]float64, len(turns)), place: make([]int, len(turns))}
	for place, i := range order {
		r.place[i] = place
	}
	for i := range turns {
		r.values[i] = c.measure(&turns[i])
		data.folded[i].Add(&turns[i])
		c.sizes[i].add(&turns[i])
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

// sameKind reports whether two reasons differ in no more than their arms and their numbers: one of them is example enough.
func sameKind(a, b string) bool {
	plain := func(why string) string {
		_, why, _ = strings.Cut(why, ": ") // "arm rest: …"
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' || r == '.' {
				return -1
			}
			return r
		}, why)
	}
	return plain(a) == plain(b)
}
