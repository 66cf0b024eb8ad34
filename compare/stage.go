package compare

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"wiregauge/lab"
	"wiregauge/load"
	"wiregauge/result"
)

// A stage is the running servers and the open connections of one launch.
type stage struct {
	number    int
	plan      *Plan
	running   []Running
	processes []Process
	turners   []Turner
	washout   []time.Duration
	lastCall  []time.Time               // when an arm's last turn ended
	sentBack  int                       // rounds that are played again because the machine disturbed them
	ends      []context.CancelCauseFunc // a server lives no longer than its context
	data      *launch
}

// start starts every server in random order, makes the fair-test calls and opens the connections. When it fails
// nothing is left running.
func (c *comparison) start(ctx context.Context, number int) (*stage, error) {
	n := len(c.plan.Arms)
	st := &stage{
		number: number, plan: &c.plan,
		running: make([]Running, n), processes: make([]Process, n), turners: make([]Turner, n),
		washout: make([]time.Duration, n), lastCall: make([]time.Time, n),
		data: &launch{number: number, folded: make([]result.Turn, n), pools: make([]pool, len(c.metrics)), keptAlive: make([]int64, n)},
	}
	if err := c.fill(ctx, st); err != nil {
		st.stop()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	return st, nil
}

func (c *comparison) fill(ctx context.Context, st *stage) error {
	order := StartOrder(c.plan.Seed, st.number, len(c.plan.Arms))
	for _, i := range order {
		c.say(Progress{Phase: "starting", Launch: st.number + 1, Arm: c.plan.Arms[i].Name})
		if err := st.startArm(ctx, i); err != nil {
			return err
		}
	}
	if err := c.checkFair(ctx, st); err != nil {
		return err
	}
	for _, i := range order {
		t, err := c.plan.Arms[i].Open(ctx, st.running[i])
		if err != nil {
			return st.armError(i, 0, err)
		}
		st.turners[i], st.lastCall[i] = t, time.Now()
	}
	return nil
}

// startArm starts one server and waits until it has answered a call. An arm without a start command is only noted.
func (st *stage) startArm(ctx context.Context, i int) error {
	a := &st.plan.Arms[i]
	st.running[i].URL = a.URL
	if a.Start == nil {
		return nil
	}
	port, err := lab.FreePort()
	if err != nil {
		return st.armError(i, 0, err)
	}
	at := Running{URL: strings.ReplaceAll(a.URL, "{port}", strconv.Itoa(port)), Port: port}
	ctx, give := context.WithCancelCause(ctx)
	st.ends = append(st.ends, give)
	w := &waiting{arm: a, at: at, give: give}
	timer := time.AfterFunc(st.plan.ReadyTimeout, func() { give(w.late(st.plan.ReadyTimeout)) })
	defer timer.Stop()
	pad := padding(st.plan.Seed, st.number, i)
	process, err := st.plan.Launch(ctx, lab.LaunchConfig{
		Command: a.Start.Command, Dir: a.Start.Dir, Port: port, Ready: w.ready,
		Env: append([]string{"WIREGAUGE_PADDING=" + strings.Repeat("x", pad)}, a.Start.Env...),
	})
	if err != nil {
		return st.armError(i, 0, err)
	}
	st.processes[i] = process
	at.PID = process.PID()
	st.running[i] = at
	return nil
}

// patience is how long a server may go on answering with failures before waiting for better is given up.
const patience = 5 * time.Second

// ErrAnswered marks an error of a Probe of a server that runs and answers, only not what was asked for. Waiting longer
// will hardly help.
var ErrAnswered = errors.New("the server answers")

type answered struct{ error }

func (a answered) Unwrap() error      { return a.error }
func (answered) Is(target error) bool { return target == ErrAnswered }

// Answered marks err.
func Answered(err error) error { return answered{err} }

// waiting asks a starting server for its first good answer.
type waiting struct {
	arm     *Arm
	at      Running
	give    context.CancelCauseFunc
	failing time.Time // since when it has answered, but not well

	mu   sync.Mutex
	last error // why it is not ready yet
}

func (w *waiting) ready(ctx context.Context) error {
	if w.arm.Probe == nil {
		return nil
	}
	s, err := w.arm.Probe(ctx, w.at)
	if err == nil && s.Failure != "" {
		err = answered{fmt.Errorf("it answered %s", s.Failure)}
	}
	if errors.Is(err, ErrAnswered) {
		if w.failing.IsZero() {
			w.failing = time.Now()
		}
		if time.Since(w.failing) > patience {
			w.give(notReady{fmt.Errorf("it runs, but for %v it has not answered as it should: %w", patience, err)})
		}
	}
	if err != nil && ctx.Err() == nil {
		w.mu.Lock()
		w.last = err
		w.mu.Unlock()
	}
	return err
}

// late is why waiting was given up.
func (w *waiting) late(limit time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == nil {
		return notReady{fmt.Errorf("never became ready in %v", limit)}
	}
	return notReady{fmt.Errorf("never became ready in %v: %w", limit, w.last)}
}

// errNotReady is a server that runs and was waited for in vain.
var errNotReady = errors.New("not ready")

type notReady struct{ error }

func (n notReady) Unwrap() error      { return n.error }
func (notReady) Is(target error) bool { return target == errNotReady }

// checkFair makes one call of every arm and compares what came back.
func (c *comparison) checkFair(ctx context.Context, st *stage) error {
	var samples []Sample
	for i, a := range c.plan.Arms {
		if a.Probe == nil {
			continue
		}
		c.say(Progress{Phase: "checking", Launch: st.number + 1, Arm: a.Name})
		s, err := a.Probe(ctx, st.running[i])
		if err != nil {
			return st.armError(i, 0, err)
		}
		s.Arm, s.Floor, s.Client, s.Protocol = a.Name, a.Floor, a.Client, a.Protocol
		samples = append(samples, s)
		c.sizes[i].streams = c.sizes[i].streams || s.Stream
	}
	if len(samples) == 0 {
		return nil
	}
	fair := Check(samples)
	if st.number == 0 && !fair.OK() {
		c.say(Progress{Phase: "checking", Launch: 1, Note: "not a fair test: " + faults(fair)[0] + "; the numbers are measured, but no winner will be named"})
	}
	c.fair = join(c.fair, fair, st.number+1)
	return nil
}

func faults(f *result.Fair) []string {
	var list []string
	for _, c := range f.Checks {
		if !c.Passed {
			list = append(list, c.Name+": "+c.Detail)
		}
	}
	return list
}

func (st *stage) armError(i, round int, err error) *ArmError {
	e := &ArmError{Arm: st.plan.Arms[i].Name, Launch: st.number + 1, Round: round, Err: err}
	if p := st.processes[i]; p != nil {
		e.Output = p.Output()
	}
	return e
}

// turn plays one turn of an arm, measured or not.
func (st *stage) turn(ctx context.Context, arm int, spec load.Spec) (result.Turn, error) {
	t, err := st.turners[arm].Turn(ctx, spec)
	st.lastCall[arm] = time.Now()
	return t, err
}

func (st *stage) exited(i int) bool {
	if st.processes[i] == nil {
		return false
	}
	select {
	case <-st.processes[i].Exited():
		return true
	default:
		return false
	}
}

// stop closes the connections and stops the servers by process id.
func (st *stage) stop() {
	for _, t := range st.turners {
		if t != nil {
			t.Close()
		}
	}
	done := make(chan struct{})
	running := 0
	for _, p := range st.processes {
		if p == nil {
			continue
		}
		running++
		go func() {
			p.Stop()
			done <- struct{}{}
		}()
	}
	for range running {
		<-done
	}
	for _, end := range st.ends {
		end(nil)
	}
}
