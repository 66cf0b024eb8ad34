// Package report tells results: text, JSON, JSON lines, CSV, Markdown and HTML, each one file and one line in the
// table below. It measures nothing and judges nothing; what is said is decided once, in report/story, and each
// format only lays it out. Start reading at Write.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"wiregauge/report/otlp"
	"wiregauge/report/story"
	"wiregauge/result"
)

// Options are how a report looks; the zero value is plain ASCII of 80 columns.
type Options struct {
	Percentiles []float64 // in percent; none: those of the results
	Theme       string    // html: "auto" (default), "light" or "dark"
	Title       string    // instead of the results' own
	Color       bool      // text: ANSI colours
	Brief       bool      // text: its first sentences only
	UTF8        bool      // text: bars and signs beyond ASCII
	Width       int       // text: columns; 0 means 80
	// Between is what may be concluded between several results, decided before.
	Between []result.Verdict
	Paths   []string // of several results: the file of each
	// Headers go with what is sent to a URL, by format.
	Headers map[string]map[string]string
}

// story is what shapes the story that text, Markdown and HTML tell.
func (opt *Options) story() story.Options {
	return story.Options{Percentiles: opt.Percentiles, Title: opt.Title, Between: opt.Between, Paths: opt.Paths}
}

// A format is one way to tell results.
type format struct {
	name  string
	ext   string // file extension that means it, "" for none
	write func(w io.Writer, files []*result.File, opt Options) error
	media string // what it is sent as to a URL, "" for files only
}

// formats is the table: one line a format.
var formats = []format{
	{"text", "txt", writeText, ""},
	{"json", "json", writeJSON, ""},
	{"jsonl", "jsonl", writeJSONLines, ""},
	{"csv", "csv", writeCSV, ""},
	{"md", "md", writeMarkdown, ""},
	{"html", "html", writeHTML, ""},
	{"junit", "xml", writeJUnit, ""},
	{"prom", "prom", writeProm, "text/plain; version=0.0.4; charset=utf-8"},
	{"influx", "lp", writeInflux, "text/plain; charset=utf-8"},
	{"otlp", "", writeOTLP, otlp.ContentType},
	{"hlog", "hlog", writeHlog, ""},
	{"bmf", "", writeBMF, ""},
	{"gab", "", writeGAB, ""},
	{"benchstat", "", writeBenchstat, ""},
}

// Formats lists the names of all formats.
func Formats() []string {
	names := make([]string, 0, len(formats))
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Write tells files in a format. Several files are told side by side; what may be concluded between results that
// were measured one after the other is given in opt.Between.
func Write(name string, w io.Writer, files []*result.File, opt Options) error {
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	if i < 0 {
		return fmt.Errorf("unknown report format %q; known: %s", name, strings.Join(Formats(), ", "))
	}
	if len(files) == 0 {
		return fmt.Errorf("no result to report")
	}
	return formats[i].write(w, retold(files, opt), opt)
}

// retold is the results with the percentiles that were asked for.
func retold(files []*result.File, opt Options) []*result.File {
	if len(opt.Percentiles) == 0 {
		return files
	}
	told := make([]*result.File, len(files))
	for i, f := range files {
		told[i] = f.WithPercentiles(opt.Percentiles)
	}
	return told
}
