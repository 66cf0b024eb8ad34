package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"wiregauge"
	"wiregauge/internal/gate"
	"wiregauge/internal/option"
	"wiregauge/load"
	"wiregauge/report"
	"wiregauge/result"
)

// runOptions are the flags of run, under the headings of its help.
type runOptions struct {
	LoadOptions   `group:"Load"`
	SweepOptions  `group:"Sweep"`
	FindOptions   `group:"Search"`
	DataOptions   `group:"Request"`
	ConnOptions   `group:"Connection"`
	GateOptions   `group:"Gates"`
	OutputOptions `group:"Output"`
	fileOptions   `group:"Output"`
}

// GateOptions say what makes the exit code fail.
type GateOptions struct {
	FailIf    []string     `flag:"fail-if" value:"EXPR" help:"a bound: p99<50ms, errors<0.1%, rate>=2000, or against a baseline p99<+10%; exit 99 beyond it (repeat)"`
	Against   string       `flag:"against" value:"FILE|COMMIT" help:"compare with a saved result, in words only, or with a branch or commit, whose server is started beside the present one and takes its turns with it (needs start:)"`
	MaxErrors option.Share `flag:"max-errors" value:"SHARE" default:"1%" help:"exit 5 when more calls fail; 100% never does"`
}

// fileOptions are those of run and compare that are about the run as a whole.
type fileOptions struct {
	File   string   `flag:"file,f" value:"SUITE" suite:"-" help:"take options from a suite file; flags override it"`
	Env    []string `flag:"env" value:"K=V" suite:"-" help:"a value for ${K} in the suite file (repeat)"`
	Name   string   `flag:"name" empty:"ok" value:"NAME" help:"of the run"`
	Label  []string `flag:"label" value:"K=V" help:"kept in the result (repeat)"`
	DryRun bool     `flag:"dry-run" suite:"-" help:"print the plan and one request, send nothing; with -v where every value came from"`
	Own    []string `flag:"i-own-this-target" value:"HOST" suite:"-" help:"you may load this host: needed beyond 100 calls/s or 10,000 calls outside private networks (repeat)"`
}

func (a *app) runCommand() *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use: "run [flags] URL", Short: "a load test of one target: closed or open loop, ramps, capacity search, gates",
		Long: "Load one target and tell its latency honestly.\n\nWithout -n and -z a run takes 10 s; without --rate it is a closed loop of 50 calls in flight.",
		Example: `  wiregauge run http://localhost:8080/ -n 10k -c 64
  wiregauge run grpc://localhost:50051/inv.v1.Inventory/Check -d '{"sku":"42"}' -R 2000 -z 30s
  wiregauge run h2c://localhost:8080/ --fail-if 'p99<50ms' --fail-if 'errors<0.1%' -o html=run.html`,
	}
	set := a.bind(cmd, o)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.loadTest(cmd.Context(), o, set, args)
	}
	return cmd
}

// A test is one load test on its way from flags to a result.
type test struct {
	app     *app
	o       *runOptions
	set     *option.Set
	gates   []gate.Gate
	goals   []gate.Gate // --find-max
	found   *result.Capacity
	stopped bool       // the search was
	saved   *yardstick // --against a file
	outs    []report.Output
	target  *prepared
	payload *payload
	plan    *plan
	file    *result.File
	labels  map[string]string
	id      string          // of the result
	lines   *liveLines      // outputs that are written while the run goes on; nil without
	logs    []report.Output // of single calls
	calls   callLogs
	swept   []result.Arm    // of a sweep: the arm at each point
	doubts  []result.Reason // of a sweep, each under the name of its point
	failed  int             // an exit code of its own
}

// loadTest is the command: everything that can be wrong is found before anything is sent.
func (a *app) loadTest(ctx context.Context, o *runOptions, set *option.Set, args []string) error {
	t := &test{app: a, o: o, set: set}
	url, err := t.url(args)
	if err != nil {
		return err
	}
	if err := t.goal(); err != nil {
		return err
	}
	if t.saved, err = a.readYardstick(o.Against); err != nil {
		return err
	}
	if t.saved != nil && t.saved.file == nil {
		return a.runAgainst(ctx, o, set, url, args)
	}
	if err := t.check(); err != nil {
		return err
	}
	if points, err := o.points(set); err != nil || len(points) > 0 {
		if err != nil {
			return err
		}
		return t.sweep(ctx, url, points)
	}
	o.stream = o.Take > 0 || o.Slow.open()
	if t.target, t.payload, err = a.prepare(ctx, url, &o.ConnOptions, &o.DataOptions, told(o.Timeout)); err != nil {
		return err
	}
	if t.plan, err = newPlan(&o.LoadOptions, set, t.target, t.payload); err != nil {
		return err
	}
	if o.DryRun {
		return t.describe()
	}
	if err := a.mayLoad(ctx, t.target, t.plan, o.Own); err != nil {
		return err
	}
	if err := t.target.pin(ctx); err != nil {
		return err
	}
	if !o.Silent {
		t.plan.notices = append(t.plan.notices, a.preflight(ctx, t.target, t.plan)...)
	}
	t.announce()
	defer func() { t.calls.drop() }()
	if err := t.measure(ctx); err != nil {
		return err
	}
	return t.finish(ctx)
}

// url is the one target of the run, from the command line or the suite file.
func (t *test) url(args []string) (url string, err error) {
	fromFile := ""
	if t.o.File != "" {
		if fromFile, args, err = t.app.applySuite(t.set, t.o.File, t.o.Env, args); err != nil {
			return "", err
		}
	}
	switch {
	case len(args) == 1:
		return args[0], nil
	case len(args) > 1:
		return "", usage("run loads one target, got %d", len(args)).with("try", "wiregauge compare "+args[0]+" "+args[1])
	case fromFile != "":
		return fromFile, nil
	}
	return "", usage("run needs a target").with("try", "wiregauge run http://localhost:8080/").
		with("or", "wiregauge run grpc://localhost:50051/package.Service/Method")
}

// check reads what can be wrong without asking the target.
func (t *test) check() (err error) {
	if t.gates, err = gate.ParseAll(t.o.FailIf); err != nil {
		return usage("--fail-if %w", err)
	}
	for _, g := range t.gates {
		if g.Arm != "" {
			return usage("--fail-if %q names the arm %q, and run has no arms", g.Expr, g.Arm)
		}
		if g.Relative && t.saved == nil {
			return usage("--fail-if %q is a change from a baseline, and there is none", g.Expr).with("try", "--against BRANCH, or wiregauge compare")
		}
	}
	if t.labels, err = labels(t.o.Label); err != nil {
		return err
	}
	if t.logs, err = t.o.takeCalls(); err != nil {
		return err
	}
	t.outs, err = t.o.outputs()
	return err
}

// announce says on stderr what is about to happen.
func (t *test) announce() {
	if t.o.Silent {
		return
	}
	for i := range t.gates {
		fmt.Fprintf(t.app.stderr, "gate: %s\n", t.gates[i].Words())
	}
	for _, notice := range t.plan.notices {
		fmt.Fprintln(t.app.stderr, notice)
	}
	if t.o.Verbose > 0 {
		fmt.Fprintf(t.app.stderr, "address: %s\n", addressWords(t.target))
		fmt.Fprint(t.app.stderr, t.set.Describe(false))
	}
}

// measure opens the connections and carries the plan out, step by step.
func (t *test) measure(ctx context.Context) error {
	before, err := readServerStats(ctx, t.o.ServerStats)
	if err != nil {
		return err
	}
	t.id = result.NewID()
	if err := t.openCalls(); err != nil {
		return err
	}
	if err := t.target.hello(ctx); err != nil {
		return t.app.explainDial(ctx, t.target, err)
	}
	engine, err := load.Open(ctx, t.plan.load)
	if err != nil {
		return t.app.explainDial(ctx, t.target, err)
	}
	defer engine.Close()
	started := time.Now()
	turns, err := t.carryOut(ctx, engine)
	if err != nil {
		return errors.Join(err, t.lines.close(nil))
	}
	t.file = t.record(turns)
	t.file.Elapsed = int64(time.Since(started))
	if err := t.conserve(ctx, before); err != nil {
		return err
	}
	t.trust(ctx)
	return nil
}

// carryOut measures, and shows and writes how it goes.
func (t *test) carryOut(ctx context.Context, engine *load.Engine) (turns []result.Turn, err error) {
	if t.lines, err = t.app.openLines(t.outs, t.id, t.name(), engine); err != nil {
		return nil, err
	}
	if len(t.goals) > 0 {
		if t.lines == nil {
			return t.search(ctx, engine)
		}
		defer t.lines.stop()
		return t.search(ctx, t.lines)
	}
	show := t.app.startProgress(engine, t.plan.describe(t.target, t.payload), t.plan.length(), &t.o.TalkOptions)
	defer show.stop()
	if t.lines == nil {
		return t.plan.carryOut(ctx, engine)
	}
	defer t.lines.stop()
	return t.plan.carryOut(ctx, t.lines)
}

// finish prints and saves what was measured, and says by the exit code what it is worth.
func (t *test) finish(ctx context.Context) error {
	if t.saved != nil {
		t.saved.against(t.file, minEffect)
	}
	t.file.Gates = t.judge()
	if err := errors.Join(t.write(), t.keepCalls()); err != nil {
		return err
	}
	t.app.tellGitHub(&t.o.OutputOptions, t.file)
	codes := []int{exitOK, t.failed}
	for _, g := range t.file.Gates {
		fmt.Fprintln(t.app.stderr, t.app.signs(gate.Say(g)))
		switch {
		case g.Unknown != "":
			codes = append(codes, exitUndecided)
		case !g.Passed:
			codes = append(codes, exitGate)
		}
	}
	codes = append(codes, searchCode(t.found))
	for _, arm := range t.arms() {
		word := tooManyErrors(&arm, float64(t.o.MaxErrors))
		if word == "" {
			continue
		}
		if len(t.swept) > 0 {
			word = arm.Name + ": " + word
		}
		fmt.Fprintln(t.app.stderr, word)
		t.hint(ctx)
		codes = append(codes, exitErrors)
	}
	if i := interruptOf(ctx); i != nil {
		fmt.Fprintf(t.app.stderr, "%s; the result is partial\n", i.Error())
		codes = append(codes, i.code())
	}
	return quiet(strongest(codes...))
}

// hint says what to type instead where no call got as far as an answer and probes find out why: a client certificate
// that is wanted only after the handshake, another protocol behind a library client, a server that has gone.
func (t *test) hint(ctx context.Context) {
	arm := &t.file.Arms[0]
	if arm.OK > 0 || len(arm.Errors) == 0 || interruptOf(ctx) != nil {
		return
	}
	for _, e := range arm.Errors {
		if e.Stage != "read" && e.Stage != "connect" || e.Class == wiregauge.Timeout.String() {
			return
		}
	}
	var e *exitError
	if err := t.target.explain(ctx, errors.New(arm.Errors[0].Message)); errors.As(err, &e) && e.says("try") {
		printHints(t.app.stderr, "hint", e)
	}
}

// write tells the result everywhere it was asked for.
func (t *test) write() error {
	rest, err := t.app.finishLines(t.lines, t.outs, t.file, t.o.Silent)
	if len(rest) == 0 {
		return err
	}
	return errors.Join(err, t.app.write(&t.o.OutputOptions, rest, t.file))
}

// tooManyErrors says that the run failed by its error share, "" when it did not.
func tooManyErrors(arm *result.Arm, limit float64) string {
	finished := arm.OK + arm.Failed
	if finished == 0 {
		warm := arm.Warm
		switch {
		case limit >= 1:
			return ""
		case arm.Due > 0:
			return fmt.Sprintf("no call of %d finished", arm.Due)
		case warm != nil && warm.Due > 0 && warm.OK == 0: // they held their places until the end
			return fmt.Sprintf("no call was measured, and none of the %d before was answered well", warm.Due)
		}
		return ""
	}
	share := float64(arm.Failed) / float64(finished)
	if share <= limit {
		return ""
	}
	return fmt.Sprintf("errors: %.3g %% of %d calls failed, --max-errors is %g %%", share*100, finished, limit*100)
}
