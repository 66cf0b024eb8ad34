package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"wiregauge/doctor"
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
	r := doctor.Examine(ctx, doctor.Options{})
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
