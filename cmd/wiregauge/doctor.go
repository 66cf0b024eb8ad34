package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"wiregauge"
	"wiregauge/doctor"
	"wiregauge/load"
	"wiregauge/meter"
	"wiregauge/protocol"
	"wiregauge/report"
)

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	findingOptions `group:"Output"`
}

// findingOptions say where findings go.
type findingOptions struct {
	Output []string `flag:"output,o" value:"FORMAT=PATH" help:"text=PATH or json=PATH; - is standard output (repeat)"`
}

func (a *app) doctorCommand() *cobra.Command {
	o := &doctorOptions{}
	cmd := &cobra.Command{
		Use: "doctor [flags]", Short: "what this machine can send, and what would spoil its numbers",
		Long: "Look at this machine: how many calls a second its client could make, how precisely it sleeps and reads the\n" +
			"clock, limits on open files, ports and CPU, and what other processes take meanwhile. It takes a few seconds,\n" +
			"changes nothing and calls nobody.\n\nThe exit code is 0 unless something prevents measuring (3).",
		Example: "  wiregauge doctor\n  wiregauge doctor -o json=doctor.json",
		Args:    noArguments,
	}
	a.bind(cmd, o)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), o) }
	return cmd
}

func (a *app) doctor(ctx context.Context, o *doctorOptions) error {
	outs, err := doctorOutputs(o.Output)
	if err != nil {
		return err
	}
	r := doctor.Examine(ctx, doctor.Options{Ceilings: doctorCeilings})
	if i := interruptOf(ctx); i != nil {
		return fail(i.code(), "stopped before it was done")
	}
	for _, out := range outs {
		if err := a.tellDoctor(out, r); err != nil {
			return err
		}
	}
	if !r.Ready {
		return quiet(exitUnreachable)
	}
	return nil
}

// doctorOutputs are where the report goes: as text to standard output unless another output does.
func doctorOutputs(specs []string) ([]report.Output, error) {
	outs, err := report.ParseOutputs(specs)
	if err != nil {
		return nil, usage("%w", err)
	}
	if err := report.CheckAll(outs); err != nil {
		return nil, usage("%w", err)
	}
	toStdout := false
	for _, out := range outs {
		toStdout = toStdout || out.Path == report.Stdout
		if out.Format != "text" && out.Format != "json" {
			return nil, usage("-o %s=%s: doctor tells text and json", out.Format, out.Path)
		}
	}
	if !toStdout {
		outs = append(outs, report.Output{Format: "text", Path: report.Stdout})
	}
	return outs, nil
}

func (a *app) tellDoctor(out report.Output, r *doctor.Report) error {
	text := []byte(doctorText(r))
	if out.Format == "json" {
		var err error
		if text, err = json.MarshalIndent(r, "", " "); err != nil {
			return err
		}
		text = append(text, '\n')
	}
	if out.Path == report.Stdout {
		_, err := a.stdout.Write(text)
		return err
	}
	if err := report.ReplaceFile(out.Path, text); err != nil {
		return fmt.Errorf("-o %s=%s: %w", out.Format, out.Path, err)
	}
	_, err := io.WriteString(a.stderr, "wrote "+out.Path+"\n")
	return err
}

// doctorText is the verdict and a line per finding; advice stands below its finding.
func doctorText(r *doctor.Report) string {
	name, state := 0, 0
	for _, f := range r.Findings {
		name, state = max(name, len(f.Name)), max(state, len(doctorWord(f.State)))
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n\n", r.Verdict)
	for _, f := range r.Findings {
		fmt.Fprintf(&out, "  %-*s  %-*s  %s\n", name, f.Name, state, doctorWord(f.State), f.Text)
		if f.Advice != "" {
			fmt.Fprintf(&out, "  %*s  %*s  -> %s\n", name, "", state, "", f.Advice)
		}
	}
	return out.String()
}

// doctorWord is a state as a word; what spoils numbers is in capitals.
func doctorWord(s doctor.State) string {
	if s == doctor.Bad || s == doctor.Stop {
		return strings.ToUpper(string(s))
	}
	return string(s)
}

// doctorInflight is how many calls are in flight while the client of a protocol is measured: on a connection where calls
// share one, else on as many connections.
const doctorInflight = 50

// doctorCeilings measures the client of every protocol with a small unary call: on as many connections as it has CPUs
// where calls share one.
func doctorCeilings(ctx context.Context) []doctor.Ceiling {
	var list []doctor.Ceiling
	for _, p := range protocol.All() {
		if ctx.Err() == nil {
			list = append(list, ceilingFor(ctx, p, ceilingTurn))
		}
	}
	return list
}

func ceilingFor(ctx context.Context, p *protocol.Protocol, turn load.Spec) doctor.Ceiling {
	c := doctor.Ceiling{Protocol: p.Name, Why: "this client cannot be told from the far end here"}
	const question, answer = `{"sku":"42"}`, 64 // bytes
	request, err := p.Prepare(protocol.Input{Procedure: "/wg.v1.Inventory/Check", Path: "/v1/inventory/check",
		Bodies: [][]byte{[]byte(question)}, HasBody: true, Codec: p.Codec})
	if err != nil {
		c.Why = err.Error()
		return c
	}
	l := load.Plan{Requests: []*wiregauge.Request{request}, Connections: doctorInflight, Streams: 1, Multiplexed: p.Multiplexed,
		NewSession: func(ev wiregauge.Events) wiregauge.Session {
			return p.New(protocol.Options{Scheme: "http", Authority: "memory"}, ev)
		}}
	if p.Multiplexed {
		l.Connections, l.Streams = int(max(1, meter.Cores())), doctorInflight
	}
	c.Load = fmt.Sprintf("%s x %d", count(l.Connections, "connection"), l.Streams)
	if c.Rate = ceilingOf(ctx, p, l, answer, turn); c.Rate != nil {
		c.Why = ""
	}
	return c
}
