package compare

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"wiregauge/hist"
	"wiregauge/lab"
	"wiregauge/load"
	"wiregauge/result"
)

// A simulated arm answers turns at once: its speed is a number, with noise per launch and per turn, and a drift
// of the machine that all arms share. Everything follows from the seed.
type simulated struct {
	name            string
	speed           float64 // calls per second
	launchSD, noise float64
	drift           float64
	seed            uint64
	failures        float64 // share of calls that fail
	clientShare     float64 // of its cores; 0 means 0.3
	serverShare     float64 // 0: unknown
	bytes           int64
	unsettled       bool                                // in its warm-up
	read            bool                                // what the client's machine counts could be read
	turn            func(load.Spec, *result.Turn) error // may spoil a turn
}

func (s *simulated) normal(purpose string, spec load.Spec, perTurn, shared bool) float64 {
	h := fnv.New64a()
	fmt.Fprint(h, s.seed, purpose, spec.Launch)
	if perTurn {
		fmt.Fprint(h, "/", spec.Round)
	}
	if !shared {
		fmt.Fprint(h, "/", spec.Arm)
	}
	r := rand.New(rand.NewPCG(h.Sum64(), s.seed))
	r.Uint64() // generators whose seeds differ in few bits begin alike
	return r.NormFloat64()
}

func (s *simulated) Turn(ctx context.Context, spec load.Spec) (result.Turn, error) {
	factor := math.Exp(s.launchSD*s.normal("launch", spec, false, false) +
		s.noise*s.normal("turn", spec, true, false) + s.drift*s.normal("drift", spec, true, true))
	rate := s.speed * factor
	window := spec.Duration
	n := int64(rate * window.Seconds())
	failed := int64(math.Round(float64(n) * s.failures))
	ok := n - failed
	median := time.Duration(16 / rate * float64(time.Second))
	h := &hist.Histogram{}
	h.RecordN(median, ok-ok/50)
	h.RecordN(3*median, ok/50)
	t := result.Turn{
		Arm: spec.Arm, Launch: spec.Launch, Round: spec.Round, Place: spec.Place, Window: window,
		Counts:          result.Counts{Due: n, Sent: n, OK: ok, Failed: failed},
		CompletedInside: ok, FinishedInside: n, Latency: h,
		Connections: result.Connections{Asked: 16},
		SentBytes:   result.Bytes{Wire: n * s.bytes}, RecvBytes: result.Bytes{Wire: n * s.bytes},
		Client: result.CPU{User: time.Duration(orShare(s.clientShare) * 2 * float64(window)), Cores: 2},
		Host:   result.HostLoad{Steal: -1, Foreign: -1},
	}
	if s.serverShare > 0 {
		t.Server = &result.CPU{User: time.Duration(s.serverShare * 2 * float64(window)), Cores: 2}
	}
	if s.read {
		t.Vitals = result.Vitals{Observed: int64(window), Retransmits: new(int64), Overflows: new(int64)}
	}
	if spec.Settle != nil {
		t.Window = s.watched(spec, h)
	}
	if s.turn != nil {
		if err := s.turn(spec, &t); err != nil {
			return t, err
		}
	}
	return t, ctx.Err()
}

// watched feeds strips of 200 ms until the observer has seen enough. An arm that never settles gets slower and faster.
func (s *simulated) watched(spec load.Spec, h *hist.Histogram) time.Duration {
	const strip = 200 * time.Millisecond
	for at := time.Duration(0); at < spec.Duration; at += strip {
		factor := 1.0
		if s.unsettled {
			factor = 1 + .5*math.Sin(float64(at)/float64(4*time.Second))
		}
		p50 := int64(float64(h.Percentile(50)) * factor)
		rate := s.speed / factor
		if spec.Settle(result.WarmStrip{At: int64(at), Length: int64(strip), Calls: int64(rate / 5), Rate: rate, P50: &p50}) {
			return at + strip
		}
	}
	return spec.Duration
}

func orShare(s float64) float64 {
	if s == 0 {
		return 0.3
	}
	return s
}

func (s *simulated) Close() error { return nil }

func (s *simulated) arm() Arm {
	return Arm{
		Name: s.name, URL: "grpc://localhost:1/" + s.name, Protocol: "gRPC", Client: "wire",
		Open: func(context.Context, Running) (Turner, error) { return s, nil },
	}
}

// started makes the arm one that has to be started.
func (s *simulated) started() Arm {
	a := s.arm()
	a.URL = "grpc://localhost:{port}/" + s.name
	a.Start = &StartSpec{Command: []string{s.name, "--port", "{port}"}}
	return a
}

func arms(list ...*simulated) []Arm {
	var out []Arm
	for _, s := range list {
		out = append(out, s.arm())
	}
	return out
}

func startedArms(list ...*simulated) []Arm {
	var out []Arm
	for _, s := range list {
		out = append(out, s.started())
	}
	return out
}

// processes plays lab.Launch: it starts nothing and counts what runs.
type processes struct {
	mu      sync.Mutex
	started []string
	running map[*fakeProcess]bool
	ports   map[int]bool
	padded  map[int]bool
	fail    func(nth int, c lab.LaunchConfig) error // nth start, from 0
}

type fakeProcess struct {
	of     *processes
	name   string
	exited chan struct{}
	once   sync.Once
}

func (p *processes) launch(ctx context.Context, c lab.LaunchConfig) (Process, error) {
	p.mu.Lock()
	nth := len(p.started)
	p.started = append(p.started, c.Command[0])
	if p.running == nil {
		p.running, p.ports, p.padded = map[*fakeProcess]bool{}, map[int]bool{}, map[int]bool{}
	}
	p.ports[c.Port] = true
	for _, e := range c.Env {
		if pad, ok := strings.CutPrefix(e, "WIREGAUGE_PADDING="); ok {
			p.padded[len(pad)] = true
		}
	}
	p.mu.Unlock()
	if p.fail != nil {
		if err := p.fail(nth, c); err != nil {
			return nil, err
		}
	}
	for c.Ready != nil {
		if c.Ready(ctx) == nil {
			break
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		time.Sleep(time.Millisecond) // in a bubble of fake time only
	}
	process := &fakeProcess{of: p, name: c.Command[0], exited: make(chan struct{})}
	p.mu.Lock()
	p.running[process] = true
	p.mu.Unlock()
	return process, nil
}

func (p *fakeProcess) PID() int                { return 4711 }
func (p *fakeProcess) Output() string          { return "last words of " + p.name }
func (p *fakeProcess) Exited() <-chan struct{} { return p.exited }
func (p *fakeProcess) die()                    { p.once.Do(func() { close(p.exited) }) }
func (p *fakeProcess) Stop() {
	p.die()
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	delete(p.of.running, p)
}

// kill ends the running process of that name by itself.
func (p *processes) kill(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for process := range p.running {
		if process.name == name {
			process.die()
		}
	}
}

func (p *processes) nothingLeft(t *testing.T) {
	t.Helper()
	if len(p.running) > 0 {
		t.Errorf("%d servers are still running", len(p.running))
	}
}

// verdictOf finds the primary verdict of a pair.
func verdictOf(t *testing.T, f *result.File, metric, a, b string) result.Verdict {
	t.Helper()
	for _, v := range f.Verdicts {
		if v.Metric == metric && v.A == a && v.B == b {
			return v
		}
	}
	t.Fatalf("no verdict on %s of %s and %s among %+v", metric, a, b, f.Verdicts)
	return result.Verdict{}
}

func mustRun(t *testing.T, p Plan) *result.File {
	t.Helper()
	f, err := Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func lostArm(t *testing.T, err error) *ArmError {
	t.Helper()
	var lost *ArmError
	if !errors.As(err, &lost) {
		t.Fatalf("got error %v, want one of an arm", err)
	}
	return lost
}
