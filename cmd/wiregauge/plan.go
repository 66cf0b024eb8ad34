package main

import (
	"context"
	"fmt"
	"time"

	"wiregauge"
	"wiregauge/internal/option"
	"wiregauge/load"
	"wiregauge/protocol"
	"wiregauge/result"
)

// What run does when nothing is said.
const (
	defaultConcurrency = 50
	defaultDuration    = 10 * time.Second
	defaultMaxInflight = 65536
	// openConnections is how many connections an open loop has on protocols of one call each when nobody says how
	// many calls may be in flight, and mostConnections bounds them when somebody does.
	openConnections = 50
	mostConnections = 1000
	// shortest is the least time that is measured: below it a run is nothing but its beginning and its end.
	shortest = time.Millisecond
)

// A plan is a load resolved: how connections are shared out, and the turns that are taken.
type plan struct {
	load    load.Plan
	specs   []load.Spec
	warm    *warming // --warmup auto
	labels  []string // of the steps of a ramp
	record  result.Plan
	notices []string
	open    bool
	search  bool    // rates are found
	rate    float64 // calls/s of an open loop, the highest of a ramp
}

// newPlan resolves the load options for one target.
func newPlan(o *LoadOptions, set *option.Set, p *prepared, sent *payload) (*plan, error) {
	out := &plan{open: o.open()}
	if err := checkLoad(o, set); err != nil {
		return nil, err
	}
	if err := checkTake(o.Take, p, sent); err != nil {
		return nil, err
	}
	if err := checkSlow(&o.Slow, p, sent); err != nil {
		return nil, err
	}
	if o.Stop.mode == "drop" && p.Client == "stack" {
		return nil, usage("--stop=drop ends connections under their calls, which only our own client does; a library cancels the calls").with("try", "--stop=close")
	}
	if err := out.shareOut(o, set, p.Protocol); err != nil {
		return nil, err
	}
	if o.Take > 0 && !p.Protocol.Multiplexed && out.load.Streams > 1 {
		return nil, usage("--take ends a stream with its connection on %s, and with it the calls behind: --streams is for whole answers there", p.Protocol.Title)
	}
	out.connect(o, p, sent)
	out.turns(o, set)
	out.watchStart(o)
	out.remember(o)
	out.noticeLimits(o, set)
	if sent.Requests[0].Shape == wiregauge.OneWay {
		out.notices = append(out.notices, "notice: these calls are sent and not answered: ok is sent, latency ends with the last byte given to the system, and nothing tells what the server did with it")
	}
	return out, nil
}

// checkLoad refuses options that contradict one another.
func checkLoad(o *LoadOptions, set *option.Set) error {
	switch {
	case o.Ramp.given() && (set.Given("total") || set.Given("duration")):
		return usage("--ramp says how long each step takes; -n and -z do not go with it")
	case set.Given("duration") && o.Duration > 0 && o.Duration < shortest:
		return usage("--duration %v is too short to measure anything: %v at least", o.Duration, shortest)
	case o.Ramp.given() && o.Ramp.step < shortest:
		return usage("--ramp %s: steps of %v are too short to measure anything: %v at least", o.Ramp.text, o.Ramp.step, shortest)
	case o.Ramp.given() && o.Rate.open():
		return usage("--ramp and --rate exclude one another; a ramp of rates is --ramp rate=100..1000+100/10s")
	case o.Ramp.smooth && o.Warmup.auto:
		return usage("--warmup auto needs a load that stays the same, and %s rises: --warmup 5s, or a ramp of steps", o.Ramp.text)
	case set.Given("warmup-max") && !o.Warmup.auto:
		return usage("--warmup-max goes with --warmup auto")
	case o.Ramp.smooth && o.Arrivals == "poisson":
		return usage("a smooth rise has constant arrivals; for Poisson arrivals give the ramp steps: --ramp rate=100..1000+100/10s")
	case o.Ramp.smooth && o.Ramp.steps[0].Sign() == 0 && o.Ramp.steps[1].Sign() == 0:
		return usage("--ramp %s never sends anything", o.Ramp.text)
	case o.Ramp.given() && set.Given("concurrency") && !o.Ramp.rate:
		return usage("--ramp %s says how many calls are in flight; -c does not go with it", o.Ramp.text)
	case (o.Rate.open() || o.search > 0) && set.Given("concurrency") && set.Given("max-inflight"):
		return usage("under --rate -c is another word for --max-inflight: give one of them")
	case o.Rate.open() && o.Think.Mean > 0:
		return usage("--think is a pause of the callers of a closed loop; under --rate calls are due on a schedule")
	case !o.open() && set.Given("max-inflight"):
		return usage("--max-inflight goes with --rate; in a closed loop say -c")
	case o.ServerPID > 0 && noSuchProcess(o.ServerPID):
		return usage("--server-pid %d: there is no such process", o.ServerPID)
	}
	return nil
}

// shareOut settles connections and streams for the calls in flight.
func (out *plan) shareOut(o *LoadOptions, set *option.Set, p *protocol.Protocol) error {
	l := &out.load
	inflight := o.Concurrency
	switch {
	case out.open && set.Given("max-inflight"):
		inflight = o.MaxInflight
	case out.open && !set.Given("concurrency"):
		inflight = defaultMaxInflight
	case o.Ramp.given() && !o.Ramp.rate:
		inflight = o.Ramp.highest()
	case !set.Given("concurrency") && !out.open:
		inflight = defaultConcurrency
	}
	l.Connections, l.Streams = o.Connections, o.Streams
	if l.Connections == 0 {
		l.Connections = defaultConnections(p, inflight, out.open, asksInflight(set), o)
	}
	if l.Streams == 0 {
		l.Streams = 1
		if p.Multiplexed {
			l.Streams = (inflight + l.Connections - 1) / l.Connections
		}
	}
	if out.open {
		out.load.MaxInflight = inflight
		return nil
	}
	l.Concurrency = inflight
	if room := l.Connections * l.Streams; inflight > room {
		e := usage("%d calls in flight do not fit on %s x %s", inflight, count(l.Connections, "connection"), count(l.Streams, "stream"))
		return e.with("try", fitting(inflight, l, p))
	}
	return nil
}

func defaultConnections(p *protocol.Protocol, inflight int, open, asked bool, o *LoadOptions) int {
	switch {
	case p.Multiplexed && !o.NoKeepAlive:
		return 1
	case open && !asked:
		return min(inflight, openConnections)
	case open:
		return min(inflight, mostConnections)
	case o.Streams > 0:
		return (inflight + o.Streams - 1) / o.Streams
	}
	return inflight
}

// fitting says what would give the calls a place.
func fitting(inflight int, l *load.Plan, p *protocol.Protocol) string {
	needed := (inflight + l.Streams - 1) / l.Streams
	text := fmt.Sprintf("--connections %d, or -c %d", needed, l.Connections*l.Streams)
	if !p.Multiplexed && l.Streams == 1 {
		text += fmt.Sprintf(", or --streams %d (pipelining)", (inflight+l.Connections-1)/l.Connections)
	}
	return text
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// told is the deadline that a server is told (grpc-timeout) under load: a second beyond our own, so that a call that
// takes too long is counted once, as our timeout. With equal deadlines the server's answer races our clock, and
// the same fault would stand in the table as timeout, DEADLINE_EXCEEDED and reset.
func told(timeout time.Duration) time.Duration {
	if timeout == 0 {
		return 0
	}
	return timeout + time.Second
}

// connect fills how calls are made and judged.
func (out *plan) connect(o *LoadOptions, p *prepared, sent *payload) {
	l := &out.load
	l.Requests, l.Dialer, l.Class, l.Multiplexed = sent.Requests, p.Dialer, p.Protocol.Class, p.Protocol.Multiplexed
	p.Options.Streams, p.Options.OneCall = l.Streams, o.NoKeepAlive
	l.ConnectTimeout = p.Dialer.Timeout
	if p.Client == "stack" {
		l.NewClient = p.stack
	} else {
		l.NewSession = p.session
	}
	l.Timeout, l.OneCall, l.Take, l.Seed = o.Timeout, o.NoKeepAlive, o.Take, o.Seed
	l.LimitRate = sent.LimitRate
	if o.Slow.open() {
		l.Consume = time.Duration(float64(time.Second) / o.Slow.float())
	}
	l.Think = load.Think(o.Think)
	l.Check, l.Expected = o.Expect.check(sent), o.ExpectStatus.set
	l.Drain, l.Drop, l.ServerPID = o.Stop.grace, o.Stop.mode == "drop", o.ServerPID
	if l.Check != nil || l.Take > 0 || sent.packedStream(p.Protocol) {
		for _, r := range sent.Requests {
			r.Keep = true
		}
	}
}

// turns are the time slices: one, or one per step of a ramp.
func (out *plan) turns(o *LoadOptions, set *option.Set) {
	first := load.Spec{Total: uint64(o.Total), Duration: o.Duration, Seed: o.Seed,
		WarmupCalls: o.Warmup.calls, WarmupDuration: o.Warmup.time}
	if !set.Given("total") && !set.Given("duration") {
		first.Duration = defaultDuration
	}
	if o.Rate.open() {
		out.rate = o.Rate.float()
		out.load.Pacer = newPacer(o.Rate.perSecond, o.Arrivals, o.Seed)
	}
	if o.search > 0 {
		out.search, out.load.Concurrency, first.Duration = true, 1, o.search
	}
	if !o.Ramp.given() {
		out.specs = []load.Spec{first}
		return
	}
	out.rampTurns(o, first)
}

func (out *plan) rampTurns(o *LoadOptions, first load.Spec) {
	if o.Ramp.smooth {
		first.Duration = o.Ramp.step
		first.Pacer = smoothPacer(o.Ramp.steps[0], o.Ramp.steps[1], o.Ramp.step)
		out.load.Pacer = first.Pacer
		out.rate, _ = o.Ramp.steps[1].Float64()
		out.specs = []load.Spec{first}
		return
	}
	for i := range o.Ramp.steps {
		s := load.Spec{Duration: o.Ramp.step, Seed: o.Seed + uint64(i), Step: i, Round: i}
		if i == 0 {
			s.WarmupCalls, s.WarmupDuration = first.WarmupCalls, first.WarmupDuration
		}
		if o.Ramp.rate {
			s.Pacer = o.Ramp.pacer(i, o.Arrivals, s.Seed)
			f, _ := o.Ramp.steps[i].Float64()
			out.rate = max(out.rate, f)
			out.load.Pacer = s.Pacer
		} else {
			s.Concurrency = o.Ramp.concurrency(i)
		}
		out.specs = append(out.specs, s)
		out.labels = append(out.labels, o.Ramp.label(i))
	}
}

// remember is the plan as the result keeps it.
func (out *plan) remember(o *LoadOptions) {
	l := &out.load
	out.record = result.Plan{
		Loop: "closed", Concurrency: l.Concurrency, Connections: l.Connections, Streams: l.Streams,
		Total: int64(o.Total), Duration: int64(out.specs[0].Duration), Warmup: o.Warmup.String(),
		Timeout: int64(o.Timeout), Think: o.Think.String(), Ramp: o.Ramp.text, Seed: o.Seed,
	}
	if !out.open {
		return
	}
	out.record.Loop, out.record.Concurrency, out.record.MaxInflight = "open", 0, l.MaxInflight
	out.record.Arrivals = o.Arrivals
	if out.search {
		out.record.Duration = 0
	}
	if o.Rate.open() || o.Ramp.smooth {
		out.record.Rate = l.Pacer.String()
	}
}

// noticeLimits finds what would spoil the run without stopping it.
func (out *plan) noticeLimits(o *LoadOptions, set *option.Set) {
	connections := uint64(out.load.Connections)
	if limit, known := mostOpenFiles(); known && limit < connections+100 {
		out.notices = append(out.notices, fmt.Sprintf("warning: open files limit %d is below %d connections + 100; run: ulimit -n %d",
			limit, connections, max(8192, 2*(connections+100))))
	}
	if o.Timeout >= time.Minute {
		out.notices = append(out.notices, fmt.Sprintf("notice: -t %s is the time limit of a call; wrk's threads are not needed here, fortio's duration is -z",
			option.FormatDuration(o.Timeout)))
	}
	if room := connections * uint64(out.load.Streams); out.open && asksInflight(set) && uint64(out.load.MaxInflight) > room {
		out.notices = append(out.notices, fmt.Sprintf("notice: %d calls in flight do not fit on %s x %s: at most %d are; --connections makes room",
			out.load.MaxInflight, count(out.load.Connections, "connection"), count(out.load.Streams, "stream"), room))
	}
	if !out.open && o.Total > 0 && int(o.Total) < out.load.Concurrency && set.Given("concurrency") {
		out.notices = append(out.notices, fmt.Sprintf("notice: -n %d is below -c %d: no more than %s in flight", o.Total, out.load.Concurrency, count(int(o.Total), "call")))
	}
}

// asksInflight reports whether somebody said how many calls an open loop may have in flight.
func asksInflight(set *option.Set) bool { return set.Given("concurrency") || set.Given("max-inflight") }

// length is how long the whole plan takes, 0 when it ends by count.
func (out *plan) length() time.Duration {
	var sum time.Duration
	for _, s := range out.specs {
		if s.Duration == 0 {
			return 0
		}
		sum += s.Duration + s.WarmupDuration
	}
	return sum
}

// carryOut takes the turns. Ctrl-C ends the present one and skips the rest; what was measured is kept.
func (out *plan) carryOut(ctx context.Context, engine turner) ([]result.Turn, error) {
	if err := out.warm.up(ctx, engine); err != nil {
		return nil, err
	}
	var turns []result.Turn
	for _, s := range out.specs {
		if ctx.Err() != nil {
			break
		}
		t, err := engine.Turn(ctx, s)
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		out.warm.add(&t)
		turns = append(turns, t)
	}
	return turns, nil
}

// A turner is a load engine.
type turner interface {
	Turn(context.Context, load.Spec) (result.Turn, error)
}
