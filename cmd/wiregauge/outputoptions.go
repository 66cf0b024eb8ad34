package main

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"wiregauge/internal/option"
	"wiregauge/report"
	"wiregauge/result"
)

// OutputOptions say where results go and how they look, the same in run, compare, demo and report.
type OutputOptions struct {
	Output      []string           `flag:"output,o" value:"[FORMAT=]PATH" help:"write the result: text, json, jsonl, csv, md, html, junit, prom, influx, otlp, hlog, bmf, gab, benchstat; - is standard output; prom, influx and otlp also go to a URL; in run jsonl grows in place, a line a second while the run goes on, and raw=FILE is a CSV record per call, influx-details=FILE a point per call, .gz for less room (repeat)"`
	Percentiles option.Percentiles `flag:"percentiles" value:"LIST" default:"50,90,95,99,99.9" help:"in every output"`
	Title       string             `flag:"title" empty:"ok" value:"TEXT" help:"of the report"`
	Theme       string             `flag:"theme" value:"auto|light|dark" default:"auto" choices:"auto|light|dark" help:"of the HTML report"`
	TalkOptions
}

// TalkOptions say how much is said on standard error, and how the terminal looks.
type TalkOptions struct {
	NoticeOptions
	Color    string `flag:"color" value:"WHEN" default:"auto" choices:"auto|always|never" help:"colours on the terminal"`
	NoColor  bool   `flag:"no-color" help:"same as --color=never"`
	Progress string `flag:"progress" value:"HOW" default:"auto" choices:"auto|plain|none" help:"a live line on a terminal, else one line per 10 s"`
}

// NoticeOptions say how much is said on standard error.
type NoticeOptions struct {
	Silent  bool      `flag:"silent,s" alias:"quiet" help:"no progress and no notices; of the text of a measurement only its first sentences"`
	Verbose verbosity `flag:"verbose,v" help:"more about what is done; -vv for everything"`
}

// verbosity counts -v.
type verbosity int

// Set counts one more, or takes a number.
func (v *verbosity) Set(s string) error {
	if s == "true" {
		*v++
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 2 {
		return &option.Want{Want: "0, 1 or 2", Got: s}
	}
	*v = verbosity(n)
	return nil
}

func (v *verbosity) String() string { return strconv.Itoa(int(*v)) }

// Switch makes it a flag without a value.
func (v *verbosity) Switch() bool { return true }

// outputs reads and checks every -o before anything is sent. The text goes to standard output unless an output
// already does.
func (o *OutputOptions) outputs() ([]report.Output, error) {
	if err := o.noCalls(); err != nil {
		return nil, err
	}
	outs, err := report.ParseOutputs(o.Output)
	if err != nil {
		return nil, usage("%w", err)
	}
	if err := report.CheckAll(outs); err != nil {
		return nil, usage("%w", err)
	}
	for _, out := range outs {
		if out.Path == report.Stdout {
			return outs, nil
		}
	}
	return append(outs, report.Output{Format: "text", Path: report.Stdout}), nil
}

// write tells a result everywhere it was asked for.
func (a *app) write(o *OutputOptions, outs []report.Output, f *result.File) error {
	opt := report.Options{Percentiles: o.Percentiles, Theme: o.Theme, Title: o.Title}
	opt.Brief = o.Silent && !o.asksText()
	a.look(&opt, &o.TalkOptions)
	if err := a.writeAll(outs, []*result.File{f}, opt); err != nil {
		return err
	}
	a.wrote(o, outs)
	return nil
}

// asksText reports whether the text was asked for by name, and is not only what is printed when nothing is said.
func (o *OutputOptions) asksText() bool {
	return slices.ContainsFunc(o.Output, func(s string) bool { return strings.HasPrefix(s, "text=") || strings.HasSuffix(s, ".txt") })
}

// wrote says which files there are now.
func (a *app) wrote(o *OutputOptions, outs []report.Output) {
	if o.Silent {
		return
	}
	for _, out := range outs {
		if out.Path != report.Stdout {
			fmt.Fprintf(a.stderr, "wrote %s\n", out.Place())
		}
	}
}

// look fits a report to standard output: colours, width, and signs beyond ASCII where the locale has them.
func (a *app) look(opt *report.Options, t *TalkOptions) {
	opt.Color = a.color(t, a.stdout)
	opt.UTF8 = a.utf8()
	opt.Width = a.width(a.stdout)
	opt.Headers = a.pushHeaders()
}

// pushHeaders are what receivers of results want to see: the variables that other tools read for the same purpose.
func (a *app) pushHeaders() map[string]map[string]string {
	headers := map[string]map[string]string{"otlp": {}, "influx": {}}
	if list, ok := a.lookupEnv("OTEL_EXPORTER_OTLP_HEADERS"); ok {
		for _, pair := range strings.Split(list, ",") { // as in the baggage format of the W3C: values are percent-encoded
			name, value, _ := strings.Cut(pair, "=")
			if plain, err := url.PathUnescape(strings.TrimSpace(value)); err == nil && strings.TrimSpace(name) != "" {
				headers["otlp"][strings.TrimSpace(name)] = plain
			}
		}
	}
	if token, ok := a.lookupEnv("INFLUX_TOKEN"); ok && token != "" {
		headers["influx"]["Authorization"] = "Token " + token
	}
	return headers
}

// color applies the order --color, NO_COLOR, CLICOLOR_FORCE and FORCE_COLOR, TERM=dumb, terminal or not.
func (a *app) color(t *TalkOptions, w io.Writer) bool {
	set := func(name string) bool {
		v, ok := a.lookupEnv(name)
		return ok && v != ""
	}
	switch {
	case t.NoColor || t.Color == "never":
		return false
	case t.Color == "always":
		return true
	case set("NO_COLOR"):
		return false
	case set("CLICOLOR_FORCE") || set("FORCE_COLOR"):
		return true
	}
	if name, _ := a.lookupEnv("TERM"); name == "dumb" {
		return false
	}
	return a.terminal(w)
}

// terminal reports whether a stream is one that a person looks at; under CI nobody does.
func (a *app) terminal(stream any) bool {
	if ci, _ := a.lookupEnv("CI"); ci == "true" {
		return false
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (a *app) width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// utf8 reports whether the locale is one of UTF-8.
func (a *app) utf8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v, ok := a.lookupEnv(name); ok && v != "" {
			v = strings.ToUpper(v)
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return false
}
