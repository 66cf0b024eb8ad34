package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wiregauge/report"
	"wiregauge/result"
)

// callFormats are the outputs that are written while a run goes on, a record per call: -o raw=calls.csv.
var callFormats = []string{"raw", "influx-details"}

// callFormat is the format of an output of single calls and where it goes; "" when spec is another output.
func callFormat(spec string) (format, path string) {
	name, path, _ := strings.Cut(spec, "=")
	if !slices.Contains(callFormats, name) {
		return "", ""
	}
	return name, path
}

// takeCalls finds the outputs of single calls, checks them, and leaves the others.
func (o *OutputOptions) takeCalls() (logs []report.Output, err error) {
	var rest []string
	for _, spec := range o.Output {
		format, path := callFormat(spec)
		at := slices.IndexFunc(logs, func(l report.Output) bool { return l.Format == format })
		switch {
		case format == "":
			rest = append(rest, spec)
		case path == "" || path == report.Stdout:
			return nil, usage("-o %s: the single calls go to a file, such as raw=calls.csv, raw=calls.csv.gz or influx-details=calls.lp", spec)
		case at >= 0:
			return nil, usage("-o %s=%s and -o %s: the single calls go to one file", format, logs[at].Path, spec)
		default:
			logs = append(logs, report.Output{Format: format, Path: path})
		}
	}
	o.Output = rest
	for i, l := range logs {
		others := slices.Clone(rest)
		for _, other := range logs[:i] {
			others = append(others, other.Format+"="+other.Path)
		}
		for _, spec := range others {
			if _, other, _ := strings.Cut(spec, "="); filepath.Clean(cmp.Or(other, spec)) == filepath.Clean(l.Path) {
				return nil, usage("two outputs go to %s: %s and %s", l.Path, l.Format, spec)
			}
		}
		if err := l.Check(); err != nil {
			return nil, usage("%w", err)
		}
	}
	return logs, nil
}

// noCalls refuses outputs of single calls where none are kept.
func (o *OutputOptions) noCalls() error {
	for _, spec := range o.Output {
		if format, _ := callFormat(spec); format != "" {
			return usage("-o %s: only run logs single calls", spec).with("try", "wiregauge run URL -o "+spec)
		}
	}
	return nil
}

// A callWriter writes single calls in a format.
type callWriter interface {
	Write([]result.Call)
	Err() error
}

// A callLog is a file of single calls on its way, under a temporary name until it is kept.
type callLog struct {
	callWriter
	output report.Output
	file   *os.File
	buffer *bufio.Writer
	zip    *gzip.Writer // nil unless the path ends in .gz
}

// callLogs are all that a run writes.
type callLogs []*callLog

// Write writes calls to every log.
func (logs callLogs) Write(calls []result.Call) {
	for _, l := range logs {
		l.Write(calls)
	}
}

// drop forgets the files that were not kept.
func (logs callLogs) drop() {
	for _, l := range logs {
		l.drop()
	}
}

// openCalls begins the files; what is there already stays until keep.
func (t *test) openCalls() error {
	for _, o := range t.logs {
		l, err := openCallLog(o)
		if err != nil {
			return err
		}
		switch o.Format {
		case "influx-details":
			l.callWriter = report.NewInfluxCalls(l.out(), t.id, t.name())
		default:
			l.callWriter = report.NewCallLog(l.out())
		}
		t.calls = append(t.calls, l)
	}
	if len(t.calls) > 0 {
		t.plan.load.Log = t.calls.Write
	}
	return nil
}

func openCallLog(o report.Output) (*callLog, error) {
	l, path := &callLog{output: o}, o.Path
	var err error
	if info, statErr := os.Lstat(path); statErr == nil && !info.Mode().IsRegular() {
		l.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644) // a pipe or link: a new name would take its place
	} else if l.file, err = os.CreateTemp(filepath.Dir(path), ".wiregauge-*"); err == nil {
		err = l.file.Chmod(0o644)
	}
	if err != nil {
		return nil, usage("-o %s=%s: %w", o.Format, path, err)
	}
	l.buffer = bufio.NewWriterSize(l.file, 64<<10)
	if strings.HasSuffix(path, ".gz") {
		l.zip = gzip.NewWriter(l.buffer)
	}
	return l, nil
}

func (l *callLog) out() io.Writer {
	if l.zip != nil {
		return l.zip
	}
	return l.buffer
}

// keepCalls keeps the single calls, when they were asked for, and says so.
func (t *test) keepCalls() error {
	var faults []error
	for _, l := range t.calls {
		if err := l.keep(); err != nil {
			faults = append(faults, fmt.Errorf("-o %s=%s: %w", l.output.Format, l.output.Path, err))
			continue
		}
		if !t.o.Silent {
			fmt.Fprintf(t.app.stderr, "wrote %s\n", l.output.Path)
		}
	}
	return errors.Join(faults...)
}

// keep ends the file and gives it its name.
func (l *callLog) keep() error {
	err := l.Err()
	if l.zip != nil {
		err = cmp.Or(err, l.zip.Close())
	}
	err = cmp.Or(err, l.buffer.Flush(), l.file.Close())
	if err == nil && l.file.Name() != l.output.Path {
		err = os.Rename(l.file.Name(), l.output.Path)
	}
	return err
}

// drop forgets the file, unless it was kept.
func (l *callLog) drop() {
	l.file.Close()
	if l.file.Name() != l.output.Path {
		os.Remove(l.file.Name())
	}
}
