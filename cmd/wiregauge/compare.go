package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiregauge/compare"
	"wiregauge/internal/gate"
	"wiregauge/internal/option"
	"wiregauge/report"
	"wiregauge/result"
)

// compareOptions are the flags of compare. Those of load, request and connection hold for all arms; --set gives one
// arm another value.
type compareOptions struct {
	RoundOptions   `group:"Comparison"`
	SweepOptions   `group:"Sweep"`
	DeclareOptions `group:"Sweep"`
	LoadOptions    `group:"Load"`
	DataOptions    `group:"Request"`
	ConnOptions    `group:"Connection"`
	GateOptions    `group:"Gates"`
	OutputOptions  `group:"Output"`
	fileOptions    `group:"Output"`
}

// DeclareOptions say where a sweep gives verdicts.
type DeclareOptions struct {
	VerdictAt string `flag:"verdict-at" value:"LIST" help:"the points of the sweep that get a verdict, declared beforehand: these have all launches, the others one and no word"`
}

// RoundOptions say how arms are compared.
type RoundOptions struct {
	Launches  int           `flag:"launches" value:"N" min:"1" max:"1000" help:"how often the servers are started: 10 when every arm has a start command, else 1; 10 may end after 7, and 20 after 10 or 14, when every verdict on the baseline is clear"`
	Rounds    int           `flag:"rounds" value:"N" min:"1" max:"100000" help:"turns of every arm per launch, in random order: 40, or 120 when there is one launch"`
	Turn      time.Duration `flag:"turn" value:"TIME" help:"length of one turn: 250ms, or as long as 200 calls and 25 median latencies take in a pilot, at most 2s; -z and -n are per arm and launch"`
	Quick     bool          `flag:"quick" help:"one launch of 120 rounds: the difference may belong to this launch"`
	Control   bool          `flag:"control" alias:"aa" help:"the baseline takes part twice: its difference from itself is the noise floor"`
	Baseline  string        `flag:"baseline" value:"NAME" help:"the arm that the others are compared with: the first when nothing is said"`
	Ready     time.Duration `flag:"ready-timeout" value:"TIME" default:"30s" help:"how long a started server may take to answer its first call"`
	MinEffect option.Share  `flag:"min-effect" value:"PERCENT" default:"1%" help:"a smaller difference is not worth a word"`
	Primary   string        `flag:"primary" value:"METRICS" help:"what the verdict is about: rate, or p50,p99 under --rate"`
	Require   bool          `flag:"require-verdict" help:"exit 6 when a comparison with the baseline is inconclusive or not a fair test"`
	Set       []string      `flag:"set" value:"NAME.KEY=VALUE" suite:"-" help:"another value of an option for one arm, or its start: command (repeat)"`
}

func (a *app) compareCommand() *cobra.Command {
	o := &compareOptions{}
	cmd := &cobra.Command{
		Use: "compare [flags] NAME=URL NAME=URL …", Short: "two or more arms in rounds of random order, with statistics and a verdict",
		Long: "Compare two or more arms: the same work, in rounds of random order, judged by paired ratios.\n\n" +
			"Targets that are already running give one launch; start commands give several, and a verdict that does not\n" +
			"belong to one launch only. A floor (tcp://, null://) is a reference row without a verdict.",
		Example: `  wiregauge compare rest=http://localhost:8080/v1/check grpc=grpc://localhost:50051/inv.v1.Inventory/Check -d '{"sku":"42"}'
  wiregauge compare old=http://localhost:{port}/ new=http://localhost:{port}/ \
    --set old.start='./server-v1 --port {port}' --set new.start='./server-v2 --port {port}' -o html=report.html`,
	}
	set := a.bind(cmd, o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c := &comparison{app: a, o: o, set: set}
		return c.run(cmd.Context(), args)
	}
	return cmd
}

// A comparison is one compare command.
type comparison struct {
	app   *app
	o     *compareOptions
	set   *option.Set
	arms  []*arm
	args  []string // as typed: NAME=URL each
	gates []gate.Gate
	plan  compare.Plan
	base  *base      // --against a commit
	saved *yardstick // --against a file
	lines *liveLines // outputs that are written while it goes on; nil without
}

func (c *comparison) run(ctx context.Context, args []string) error {
	tags, err := labels(c.o.Label)
	if err != nil {
		return err
	}
	if err := c.read(args); err != nil {
		return err
	}
	if err := c.against(ctx); err != nil {
		return err
	}
	if len(c.arms) < 2 {
		return usage("compare needs two arms or more, got %d", len(c.arms)).
			with("try", "wiregauge compare rest=http://localhost:8080/v1/check grpc=grpc://localhost:50051/pkg.Service/Method -d '{…}'")
	}
	return c.carryOut(ctx, tags)
}

// carryOut measures the arms and tells the result.
func (c *comparison) carryOut(ctx context.Context, tags map[string]string) error {
	outs, err := c.o.outputs()
	if err != nil {
		return err
	}
	if err := c.prepare(ctx); err != nil {
		return err
	}
	points, err := c.sweep(ctx)
	if err != nil {
		return err
	}
	if c.o.DryRun {
		return c.dryRun(points)
	}
	tidy, err := c.setUp(ctx)
	defer func() { _ = tidy() }() // what is left of a copy is in the temporary folder
	if err != nil {
		return err
	}
	c.announce(points)
	f, err := c.measure(ctx, outs, points)
	if f == nil {
		return errors.Join(c.failed(ctx, err), c.lines.close(nil))
	}
	f.Title, f.Labels, f.Command = c.o.Name, tags, redact(c.app.args)
	if c.saved != nil {
		c.saved.against(f, float64(c.o.MinEffect))
	}
	f.Gates = judgeGates(c.gates, f)
	rest, wrong := c.app.finishLines(c.lines, outs, f, c.o.Silent)
	if len(rest) > 0 {
		wrong = errors.Join(wrong, c.app.write(&c.o.OutputOptions, rest, f))
	}
	if wrong != nil {
		return wrong
	}
	c.app.tellGitHub(&c.o.OutputOptions, f)
	return c.end(ctx, f, err)
}

// measure carries out the comparison, or those of a sweep.
func (c *comparison) measure(ctx context.Context, outs []report.Output, points []setting) (f *result.File, err error) {
	id := result.NewID()
	if c.lines, err = c.app.openLines(outs, id, "", nil); err != nil {
		return nil, err
	}
	defer c.lines.stop()
	show := newCompareProgress(c.app, &c.o.TalkOptions)
	defer show.end()
	if len(points) > 0 {
		f, err = c.runSweep(ctx, points, show)
	} else {
		c.plan.Progress, c.plan.Played = show.show, c.lines.turn
		if f, err = compare.Run(ctx, c.plan); f != nil {
			c.fillPlan(f)
		}
	}
	if f != nil {
		f.ID = id
	}
	return f, err
}

// read takes the arms from the suite file and the arguments.
func (c *comparison) read(args []string) error {
	if c.o.File != "" {
		if err := c.readSuite(); err != nil {
			return err
		}
	}
	c.args = args
	for _, arg := range args {
		if err := c.add(arg); err != nil {
			return err
		}
	}
	if len(c.arms) == 0 {
		return usage("compare needs two arms or more, got 0").
			with("try", "wiregauge compare rest=http://localhost:8080/v1/check grpc=grpc://localhost:50051/pkg.Service/Method -d '{…}'")
	}
	return c.override()
}

// against settles what --against names: a file is compared with at the end, a commit becomes an arm.
func (c *comparison) against(ctx context.Context) error {
	y, err := c.app.readYardstick(c.o.Against)
	switch {
	case err != nil || y == nil:
		return err
	case y.file != nil:
		c.saved = y
		return nil
	}
	return c.addBase(ctx)
}

// add takes one NAME=URL.
func (c *comparison) add(arg string) error {
	name, raw, ok := strings.Cut(arg, "=")
	if !ok || strings.ContainsAny(name, ":/?") {
		return usage("an arm is written NAME=URL, got %q", arg).with("try", "wiregauge compare "+named(c.args))
	}
	if !armName(name) {
		return usage("%q is no name for an arm: letters, digits, - and _", name)
	}
	for _, a := range c.arms {
		if a.name == name && c.o.File != "" { // the command line overrides the suite file
			a.raw = raw
			return nil
		}
	}
	c.arms = append(c.arms, c.newArm(name, raw))
	return nil
}

func armName(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

// prepare resolves everything that can be settled before the first launch.
func (c *comparison) prepare(ctx context.Context) error {
	if c.o.Ramp.given() {
		return usage("--ramp is for run; a comparison at several loads is a sweep").with("try", "--users 1..512x2, or --rates 100..1000+100")
	}
	if err := c.readGates(); err != nil {
		return err
	}
	return c.settle(ctx)
}

// settle resolves what depends on the load, at each point of a sweep anew.
func (c *comparison) settle(ctx context.Context) error {
	for _, a := range c.arms {
		if err := a.check(); err != nil {
			return err
		}
	}
	c.shareContract()
	if err := c.timing(); err != nil {
		return err
	}
	for _, a := range c.arms {
		if a.starts() || c.o.DryRun {
			continue
		}
		if _, err := a.ready(ctx, a.raw); err != nil {
			return c.named(a, err)
		}
	}
	for _, a := range c.arms {
		c.plan.Arms = append(c.plan.Arms, a.spec())
	}
	c.plan.ReadyTimeout = c.o.Ready
	c.plan.Seed, c.plan.Baseline, c.plan.MinEffect = c.o.Seed, c.o.Baseline, float64(c.o.MinEffect)
	c.plan.Control, c.plan.Shown = c.o.Control, comparedMetrics(c.gates)
	c.plan.Percentiles, c.plan.Open = c.o.Percentiles, c.o.Rate.open()
	if c.o.Primary != "" {
		c.plan.Primary = strings.Split(c.o.Primary, ",")
	}
	plan, err := c.plan.Normalize()
	if err != nil {
		return usage("%w", err)
	}
	c.plan = plan
	return nil
}

// readGates reads --fail-if, whose arms must be ours.
func (c *comparison) readGates() (err error) {
	if c.gates, err = gate.ParseAll(c.o.FailIf); err != nil {
		return usage("--fail-if %w", err)
	}
	for i := range c.gates {
		g := &c.gates[i]
		if g.Arm != "" && !slices.Contains(c.names(), g.Arm) {
			return usage("--fail-if %q: no arm %q; the arms are %s", g.Expr, g.Arm, strings.Join(c.names(), ", "))
		}
		if !c.o.Silent {
			fmt.Fprintf(c.app.stderr, "gate: %s\n", g.Words())
		}
	}
	return nil
}

// named says which arm a mistake belongs to.
func (c *comparison) named(a *arm, err error) error {
	var e *exitError
	if errors.As(err, &e) {
		e.what = "arm " + a.name + ": " + e.what
		return ofArm(e, a.name)
	}
	return fmt.Errorf("arm %s: %w", a.name, err)
}

// ofArm lets an error say which argument to type anew: in compare that is one arm, not the whole command.
func ofArm(e *exitError, name string) *exitError {
	for i, h := range e.hints {
		if url, ok := strings.CutPrefix(h.text, "wiregauge compare "); ok {
			e.hints[i].text = name + "=" + url
		}
	}
	return e
}

// fillPlan adds what only the command knows.
func (c *comparison) fillPlan(f *result.File) {
	for _, a := range c.arms {
		if a.last == nil {
			continue
		}
		record := a.last.plan.record
		f.Plan.Concurrency, f.Plan.MaxInflight = record.Concurrency, record.MaxInflight
		f.Plan.Rate, f.Plan.Arrivals, f.Plan.Timeout, f.Plan.Think = record.Rate, record.Arrivals, record.Timeout, record.Think
		f.Plan.Warmup = c.o.Warmup.String()
		if a.floor() {
			continue
		}
		if a.last.sent.Origin != "" {
			f.Plan.Contract = a.last.sent.Origin
		}
		if f.Plan.Payload == "" {
			f.Plan.Payload = a.last.sent.Summary
		}
	}
}

// failed is a comparison of which nothing can be told.
func (c *comparison) failed(ctx context.Context, err error) error {
	var e *exitError
	var lost *compare.ArmError
	switch {
	case interruptOf(ctx) != nil:
		return fail(interruptOf(ctx).code(), "stopped before the first round was finished; nothing was measured")
	case errors.As(err, &lost) && errors.As(lost.Err, &e):
		e.what = lost.Error()
		c.startsIt(e, lost.Arm)
		return ofArm(e, lost.Arm)
	case errors.As(err, &lost):
		return unreachable("%w", err)
	}
	return fail(exitUnreachable, "%w", err)
}

// end is the exit code of a comparison that was told.
func (c *comparison) end(ctx context.Context, f *result.File, err error) error {
	var codes []int
	var lost *compare.ArmError
	if errors.As(err, &lost) {
		fmt.Fprintf(c.app.stderr, "error: %v\n", err)
		codes = append(codes, exitUnreachable)
	}
	for i := range f.Arms {
		if f.Arms[i].Floor {
			continue
		}
		if word := tooManyErrors(&f.Arms[i], float64(c.o.MaxErrors)); word != "" {
			fmt.Fprintf(c.app.stderr, "%s: %s\n", f.Arms[i].Name, word)
			codes = append(codes, exitErrors)
		}
	}
	for _, g := range f.Gates {
		fmt.Fprintln(c.app.stderr, gate.Say(g))
		switch {
		case g.Unknown != "":
			codes = append(codes, exitUndecided)
		case !g.Passed:
			codes = append(codes, exitGate)
		}
	}
	for _, v := range f.Verdicts {
		if c.o.Require && v.Primary && (v.Outcome == result.NotFair || v.Outcome == result.Inconclusive) {
			codes = append(codes, exitUndecided)
		}
	}
	if i := interruptOf(ctx); i != nil {
		codes = append(codes, i.code())
	}
	return quiet(strongest(codes...))
}
