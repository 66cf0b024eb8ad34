package compare

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"wiregauge/lab"
	"wiregauge/load"
	"wiregauge/result"
)

// A Plan is a comparison to carry out. The zero value of every field but Arms is its default.
type Plan struct {
	Arms     []Arm         // at least two
	Launches int           // 1 by default; more only when every arm that gets a verdict has Start
	Rounds   int           // per launch; 40 by default, 120 when there is one launch
	Turn     time.Duration // 0: from a pilot, unless Spec.Total is given
	Warmup   load.Spec     // the discarded first turn of each arm and launch: Duration, Total; default one Turn
	// FindWarmup has the warm-up last until the arm is steady, WarmupMax at most (60 s by default), and played again in
	// the launches after the first. Warmup is ignored then.
	FindWarmup bool
	WarmupMax  time.Duration
	Spec       load.Spec     // what every turn has in common; Total is per turn
	Washout    time.Duration // least time discarded at the start of every turn: 20 ms by default
	Seed       uint64        // of the orders, the padding and the arrivals
	Baseline   string        // the first arm by default
	// MinEffect is the smallest difference worth a word: 0.01 (1 %) by default.
	MinEffect   float64
	Primary     []string // metrics that carry the verdict; by default rate in a closed loop, p50 and p99 in an open one
	Shown       []string // further metrics to measure, without a verdict
	Control     bool     // the baseline takes part twice: the difference of an arm from itself is the noise floor
	Open        bool     // the load is an open loop
	WholePlan   bool     // no planned look ends it before its last launch
	Percentiles []float64
	// ReadyTimeout bounds the start of one server: 30 s by default.
	ReadyTimeout time.Duration
	// Progress, when set, is called between turns, from Run's goroutine.
	Progress func(Progress)
	// Played, when set, gets every turn once its round is over, invalid ones included, from Run's goroutine.
	Played func(result.Row)
	// Launch starts a server; lab.Launch by default.
	Launch func(context.Context, lab.LaunchConfig) (Process, error)
}

// An Arm is one of the things compared.
type Arm struct {
	Name, URL string // "{port}" in URL is the port that its server was given
	Protocol  string // as reports print it: "gRPC"
	Client    string // "wire" or "stack"
	Method    string
	Start     *StartSpec // nil: it is already running
	Floor     bool       // a reference row: no verdict, exempt from the fair-test check
	Control   bool       // the baseline once more; set by Normalize
	// Open makes the arm ready for turns, its connections included.
	Open func(context.Context, Running) (Turner, error)
	// Probe makes one call, to see that the arm is ready and for the fair-test check. nil: neither is done.
	Probe func(context.Context, Running) (Sample, error)
	// Ceiling measures how many calls a second the client could make of this arm's, answered from memory with so many
	// bytes; nil when it cannot be told. It is asked once, at the end, of an open loop.
	Ceiling func(ctx context.Context, body int) *float64
}

// StartSpec says how an arm's server is started. "{port}" in Command and Env is replaced.
type StartSpec struct {
	Command []string
	Env     []string
	Dir     string
}

// Running is where an arm can be called, in one launch.
type Running struct {
	URL  string // without "{port}"
	Port int    // 0 when it was not started by us
	PID  int    // 0 likewise
}

// A Turner carries out turns of one arm; load.Engine is one.
type Turner interface {
	Turn(context.Context, load.Spec) (result.Turn, error)
	Close() error
}

// A Process is a started server; *lab.Process is one.
type Process interface {
	PID() int
	Stop()
	Output() string
	Exited() <-chan struct{}
}

// Progress says where a comparison is. It carries no ratio: nobody shall stop when they like what they see.
type Progress struct {
	Phase            string // "starting", "checking", "warming up", "calibrating", "measuring"
	Launch, Launches int    // from 1
	Round, Rounds    int    // from 1; 0 before the first
	Point            string // of a sweep: "2/5 c=100"
	Order            []string
	Arm              string
	Done, Turns      int // measured turns, of how many in all
	Invalid          int // rounds that had to be thrown away
	Elapsed          time.Duration
	Before           time.Duration // of it, until the first measured turn began
	Note             string        // something to be said once, at once; else empty
}

// An ArmError is an arm that could not be measured any more.
type ArmError struct {
	Arm    string
	Launch int // from 1
	Round  int // from 1, 0 before the first
	Err    error
	Output string // what its server last wrote
}

func (e *ArmError) Error() string {
	where := ""
	if e.Round > 0 {
		where = fmt.Sprintf(" in launch %d, round %d", e.Launch, e.Round)
	}
	text := fmt.Sprintf("arm %s%s: %v", e.Arm, where, e.Err)
	if out := strings.TrimSpace(e.Output); out != "" {
		text += "\n  its last output:\n    " + strings.ReplaceAll(out, "\n", "\n    ")
	}
	return text
}

// Unwrap gives the cause.
func (e *ArmError) Unwrap() error { return e.Err }

// Normalize fills in the defaults, or says what is wrong with the plan.
func (p Plan) Normalize() (Plan, error) {
	if len(p.Arms) < 2 {
		return p, fmt.Errorf("a comparison needs two arms or more, got %d: write name=url name=url", len(p.Arms))
	}
	p.Launches = max(p.Launches, 1)
	if p.Rounds <= 0 {
		p.Rounds = 40
		if p.Launches == 1 {
			p.Rounds = 120
		}
	}
	if p.Warmup.Duration == 0 && p.Warmup.Total == 0 {
		p.Warmup.Duration = max(p.Turn, shortestTurn)
	}
	if p.WarmupMax <= 0 {
		p.WarmupMax = time.Minute
	}
	if p.Washout <= 0 {
		p.Washout = 20 * time.Millisecond
	}
	if p.MinEffect <= 0 {
		p.MinEffect = 0.01
	}
	if p.ReadyTimeout <= 0 {
		p.ReadyTimeout = 30 * time.Second
	}
	if len(p.Percentiles) == 0 {
		p.Percentiles = []float64{50, 90, 99, 99.9}
	}
	if p.Launch == nil {
		p.Launch = launchProcess
	}
	if len(p.Primary) == 0 {
		p.Primary = []string{"rate"}
		if p.Open {
			p.Primary = []string{"p50", "p99"}
		}
	}
	if err := p.check(); err != nil {
		return p, err
	}
	p.addControl()
	return p, nil
}

// addControl adds the baseline once more, at the end, under a name that no arm has.
func (p *Plan) addControl() {
	if !p.Control || p.control() != "" {
		return
	}
	names := p.Names()
	twin := p.Arms[slices.Index(names, p.Baseline)]
	twin.Control = true
	for twin.Name += "-again"; slices.Contains(names, twin.Name); {
		twin.Name += "-again"
	}
	p.Arms = append(slices.Clone(p.Arms), twin)
}

// control is the name of the arm that is the baseline once more, empty when there is none.
func (p *Plan) control() string {
	for i := range p.Arms {
		if p.Arms[i].Control {
			return p.Arms[i].Name
		}
	}
	return ""
}

func launchProcess(ctx context.Context, c lab.LaunchConfig) (Process, error) {
	p, err := lab.Launch(ctx, c)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// check refuses plans that cannot lead to a verdict. It also settles the baseline.
func (p *Plan) check() error {
	judged := 0
	names := map[string]bool{}
	for _, a := range p.Arms {
		if names[a.Name] {
			return fmt.Errorf("two arms are named %q: give each a name of its own", a.Name)
		}
		names[a.Name] = true
		if !a.Floor {
			judged++
		}
		if a.Start == nil && p.Launches > 1 && !a.Floor {
			return fmt.Errorf("%d launches, but arm %s is already running: give it a start command (--set %s.start='…'), or use --launches 1", p.Launches, a.Name, a.Name)
		}
	}
	if err := p.checkAddresses(); err != nil {
		return err
	}
	if judged < 2 {
		return fmt.Errorf("a comparison needs two arms that are not a floor; %d given (tcp:// and null:// are reference rows)", judged)
	}
	return p.settleBaseline()
}

// checkAddresses refuses a server that is to be started where another arm is.
func (p *Plan) checkAddresses() error {
	at := map[string]*Arm{}
	for i := range p.Arms {
		a := &p.Arms[i]
		if strings.Contains(a.URL, "{port}") || a.Control {
			continue
		}
		where := address(a.URL)
		other := at[where]
		at[where] = a
		switch {
		case other == nil || where == "":
		case other.Start != nil && a.Start != nil:
			return fmt.Errorf("arms %s and %s both start a server on %s: write {port} in the url and the start command, and each gets its own", other.Name, a.Name, where)
		case other.Start != nil || a.Start != nil:
			return fmt.Errorf("arms %s and %s are both on %s, and the server of one of them is to be started there: write {port} in its url and its start command", other.Name, a.Name, where)
		}
	}
	return nil
}

func (p *Plan) settleBaseline() error {
	if p.Baseline == "" {
		i := slices.IndexFunc(p.Arms, func(a Arm) bool { return !a.Floor })
		p.Baseline = p.Arms[i].Name
	}
	i := slices.IndexFunc(p.Arms, func(a Arm) bool { return a.Name == p.Baseline })
	if i < 0 {
		return fmt.Errorf("no arm %q for --baseline; the arms are %s", p.Baseline, strings.Join(p.Names(), ", "))
	}
	if p.Arms[i].Floor {
		return fmt.Errorf("arm %s is a floor and cannot be the baseline", p.Baseline)
	}
	for _, name := range append(slices.Clone(p.Primary), p.Shown...) {
		if _, err := metricNamed(name); err != nil {
			return err
		}
	}
	return nil
}

// Names lists the arms in the order given.
func (p *Plan) Names() []string {
	names := make([]string, len(p.Arms))
	for i, a := range p.Arms {
		names[i] = a.Name
	}
	return names
}

func address(raw string) string {
	if u, err := url.Parse(strings.ReplaceAll(raw, "{port}", "0")); err == nil {
		return strings.Replace(u.Host, "localhost", "127.0.0.1", 1)
	}
	return raw
}
