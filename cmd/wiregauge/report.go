package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wiregauge/internal/option"
	"wiregauge/judge"
	"wiregauge/report"
	"wiregauge/result"
)

// reportOptions are the flags of report.
type reportOptions struct {
	MergeOptions  `group:"Results"`
	OutputOptions `group:"Output"`
}

// MergeOptions say what becomes of several results.
type MergeOptions struct {
	Merge bool `flag:"merge" help:"make one result of several that were measured alike: measured times and counts are added up, histograms merged"`
}

func (a *app) reportCommand() *cobra.Command {
	o := &reportOptions{}
	cmd := &cobra.Command{
		Use: "report [flags] FILE…", Short: "tell saved results in any format, several side by side or merged",
		Long: "Tell results that run, compare and demo saved: JSON files, JSON lines and the reports in HTML that hold them, any of\n" +
			"them gzipped, or - for standard input.\n\n" +
			"Several results are told side by side, with what differs in their set-up. They were measured one after the other,\n" +
			"so that what is said of their difference has confidence LOW at most: arms of one name are compared by launch, later\n" +
			"results with the first. With --merge they become one result.",
		Example: `  wiregauge report result.json
  wiregauge report before.json after.json -o html=both.html
  wiregauge report report.html -o json=-
  wiregauge report monday.json tuesday.json --merge -o json=both.json`,
	}
	set := a.bind(cmd, o)
	cmd.RunE = func(_ *cobra.Command, args []string) error { return a.report(o, set, args) }
	return cmd
}

func (a *app) report(o *reportOptions, set *option.Set, paths []string) error {
	if len(paths) == 0 {
		return usage("report wants at least one saved result").with("try", "wiregauge report result.json -o html=report.html")
	}
	if err := o.noCalls(); err != nil {
		return err
	}
	outs, err := report.ParseOutputs(o.Output)
	if err != nil {
		return usage("%w", err)
	}
	if err := report.CheckAll(outs); err != nil {
		return usage("%w", err)
	}
	files, from, err := a.savedResults(paths)
	if err != nil {
		return err
	}
	opt := report.Options{Theme: o.Theme, Title: o.Title, Paths: from}
	if o.Merge && len(files) > 1 {
		sum, err := result.Combine(files)
		if err != nil {
			return usage("--merge: %w", err).with("try", "wiregauge report "+strings.Join(paths, " "))
		}
		files = []*result.File{sum}
	}
	for _, f := range files[1:] {
		opt.Between = append(opt.Between, judge.Between(files[0], f)...)
	}
	if set.Given("percentiles") { // else each result tells its own
		opt.Percentiles = o.Percentiles
	}
	a.look(&opt, &o.TalkOptions)
	if err := a.writeAll(outs, files, opt); err != nil {
		return err
	}
	a.wrote(&o.OutputOptions, outs)
	return nil
}

// savedResults reads every file, and says of each result where it is from; one file may hold several.
func (a *app) savedResults(paths []string) (files []*result.File, from []string, err error) {
	for _, path := range paths {
		more, err := a.savedResult(path)
		if err != nil {
			return nil, nil, usage("%s: %w", path, err)
		}
		files = append(files, more...)
		from = append(from, slices.Repeat([]string{path}, len(more))...)
	}
	return files, from, nil
}

func (a *app) savedResult(path string) ([]*result.File, error) {
	var in io.Reader = a.stdin
	if path != report.Stdout {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no such file; run and compare save one with -o json=%s", path)
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	return result.ReadAll(in)
}
