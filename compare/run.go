package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"wiregauge/result"
)

// Run carries out the plan. The file holds what was measured, also when an error says that it ended early: the
// context's error after Ctrl-C, an *ArmError when an arm could not be measured any more. It is nil when nothing
// was measured. Every server that was started has been stopped when Run returns.
func Run(ctx context.Context, plan Plan) (*result.File, error) {
	c, err := carryOut(ctx, plan)
	if c == nil {
		return nil, err
	}
	c.findCeilings(ctx)
	return c.file(err), err
}

// carryOut is nil when nothing was measured.
func carryOut(ctx context.Context, plan Plan) (*comparison, error) {
	p, err := plan.Normalize()
	if err != nil {
		return nil, err
	}
	c := newComparison(p)
	err = c.run(ctx)
	if c.rounds() > 0 {
		return c, err
	}
	if err == nil {
		err = c.nothing()
	}
	return nil, err
}

// A comparison is a plan being carried out.
type comparison struct {
	plan     Plan
	metrics  []metric
	judged   []int // arms that are no floor
	began    time.Time
	launches []*launch
	totals   []result.Turn // one per arm, once all is played
	rows     []result.Row
	fair     *result.Fair
	sizes    []sizes // of the replies of each arm, in valid turns
	played   int     // rounds, repeats included
	invalid  int     // of them
	lost     int     // rounds that were planned and never played because an arm had died
	reasons  []string
	deaths   map[string]int
	done     int           // measured turns
	before   time.Duration // until the first of them
	ended    error
	stopped  bool // at a planned look before the last launch

	warm         []*result.WarmUp // per arm, of the first launch
	current      *launch          // that is being played
	remarks      []string         // for the notes
	orderChecked bool
	ceilings     []*float64    // per arm, once they were measured
	widened      time.Duration // what the washout is multiplied by: 1, or 2 after the order test
}

// A launch is what was measured between one start of the servers and their stop.
type launch struct {
	number int
	cut    bool // Ctrl-C ended it before its last round
	rounds []round
	folded []result.Turn // one per arm
	pools  []pool        // one per metric; used for pooled metrics when there is one launch

	keptAlive []int64 // calls per arm that only kept it awake
}

// A round is the metrics of its turns, values[arm][metric], and the place of each arm in it.
type round struct {
	values [][]float64
	place  []int
}

func newComparison(p Plan) *comparison {
	c := &comparison{plan: p, began: time.Now(), deaths: map[string]int{}, widened: 1, sizes: make([]sizes, len(p.Arms)), warm: make([]*result.WarmUp, len(p.Arms))}
	for _, name := range metricNames(p.Primary, p.Shown) {
		m, _ := metricNamed(name) // checked by Normalize
		c.metrics = append(c.metrics, m)
	}
	for i, a := range p.Arms {
		if !a.Floor {
			c.judged = append(c.judged, i)
		}
	}
	return c
}

// metricNames is the primary metrics first, then the others.
func metricNames(primary, shown []string) []string {
	names := slices.Clone(primary)
	for _, s := range append(slices.Clone(secondaries), shown...) {
		if !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names
}

func (c *comparison) run(ctx context.Context) error {
	for l := range c.plan.Launches {
		if err := c.launch(ctx, l); err != nil {
			c.ended = err
			return err
		}
		if c.enough() {
			c.stopped = true
			return nil
		}
		if l == 0 && c.perLaunch() {
			c.checkOrder()
		}
	}
	return nil
}

// errArmDied ends a launch early; the next one starts the servers anew.
var errArmDied = errors.New("its server ended by itself")

// launch plays one launch. A launch in which an arm fails to start is void whole and redone once.
func (c *comparison) launch(ctx context.Context, number int) error {
	st, err := c.start(ctx, number)
	if c.worthAnother(ctx, number, err) {
		c.say(Progress{Phase: "starting", Launch: number + 1, Note: firstLine(err) + "; the launch is started again"})
		st, err = c.start(ctx, number)
	}
	if err != nil {
		return err
	}
	defer st.stop()
	if err := c.warmUp(ctx, st); err != nil {
		return err
	}
	c.current = st.data
	err = c.playRounds(ctx, st)
	c.current = nil
	st.data.cut = ctx.Err() != nil
	if len(st.data.rounds) > 0 {
		c.launches = append(c.launches, st.data)
	}
	return err
}

// worthAnother reports whether a launch that failed to start is tried again: a port may have been taken. A server
// that was waited for in vain in the very first launch will not do better.
func (c *comparison) worthAnother(ctx context.Context, number int, err error) bool {
	if err == nil || ctx.Err() != nil || !c.startsServers() {
		return false
	}
	return number > 0 || !errors.Is(err, errNotReady)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimSuffix(strings.TrimSuffix(line, "; it wrote:"), ";")
}

func (c *comparison) startsServers() bool {
	for _, a := range c.plan.Arms {
		if a.Start != nil {
			return true
		}
	}
	return false
}

func (c *comparison) namesOf(order []int) []string {
	names := make([]string, len(order))
	for k, i := range order {
		names[k] = c.plan.Arms[i].Name
	}
	return names
}

func (c *comparison) say(p Progress) {
	if c.plan.Progress == nil {
		return
	}
	p.Launches, p.Rounds = c.plan.Launches, c.plan.Rounds
	p.Done, p.Turns, p.Invalid = c.done, c.plan.Launches*c.plan.Rounds*len(c.plan.Arms), c.invalid
	p.Elapsed = time.Since(c.began)
	if c.done == 0 {
		c.before = p.Elapsed
	}
	p.Before = c.before
	c.plan.Progress(p)
}

func (c *comparison) rounds() int {
	n := 0
	for _, l := range c.launches {
		n += len(l.rounds)
	}
	return n
}

func (c *comparison) nothing() error {
	if len(c.reasons) > 0 {
		return fmt.Errorf("no round could be used: %s", c.reasons[0])
	}
	return errors.New("no round was measured")
}
