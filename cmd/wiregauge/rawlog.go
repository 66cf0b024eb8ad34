package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wiregauge/report"
)

// rawPrefix marks the output that is written while a run goes on, a record per call: -o raw=calls.csv.
const rawPrefix = "raw="

// takeRaw finds -o raw=FILE, checks it, and leaves the other outputs; "" when it is not asked for.
func (o *OutputOptions) takeRaw() (path string, err error) {
	var rest []string
	for _, spec := range o.Output {
		file, raw := strings.CutPrefix(spec, rawPrefix)
		switch {
		case !raw:
			rest = append(rest, spec)
		case file == "" || file == report.Stdout:
			return "", usage("-o %s: the single calls go to a file, such as raw=calls.csv or raw=calls.csv.gz", spec)
		case path != "":
			return "", usage("-o raw=%s and -o %s: the single calls go to one file", path, spec)
		default:
			path = file
		}
	}
	o.Output = rest
	if path == "" {
		return "", nil
	}
	for _, spec := range rest {
		if _, other, _ := strings.Cut(spec, "="); filepath.Clean(cmp.Or(other, spec)) == filepath.Clean(path) {
			return "", usage("two outputs go to %s: raw and %s", path, spec)
		}
	}
	if err := (report.Output{Format: "raw", Path: path}).Check(); err != nil {
		return "", usage("%w", err)
	}
	return path, nil
}

// noRaw refuses -o raw=FILE where no single calls are kept.
func (o *OutputOptions) noRaw() error {
	at := slices.IndexFunc(o.Output, func(spec string) bool { return strings.HasPrefix(spec, rawPrefix) })
	if at < 0 {
		return nil
	}
	return usage("-o %s: only run logs single calls", o.Output[at]).with("try", "wiregauge run URL -o "+o.Output[at])
}

// A rawLog is a file of single calls on its way, under a temporary name until it is kept.
type rawLog struct {
	*report.CallLog
	path   string
	file   *os.File
	buffer *bufio.Writer
	zip    *gzip.Writer // nil unless the path ends in .gz
}

// openRaw begins the file; what is there already stays until keep.
func openRaw(path string) (*rawLog, error) {
	l := &rawLog{path: path}
	var err error
	if info, statErr := os.Lstat(path); statErr == nil && !info.Mode().IsRegular() {
		l.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644) // a pipe or link: a new name would take its place
	} else if l.file, err = os.CreateTemp(filepath.Dir(path), ".wiregauge-*"); err == nil {
		err = l.file.Chmod(0o644)
	}
	if err != nil {
		return nil, usage("-o raw=%s: %w", path, err)
	}
	l.buffer = bufio.NewWriterSize(l.file, 64<<10)
	var out io.Writer = l.buffer
	if strings.HasSuffix(path, ".gz") {
		l.zip = gzip.NewWriter(l.buffer)
		out = l.zip
	}
	l.CallLog = report.NewCallLog(out)
	return l, nil
}

// keepCalls keeps the single calls, when they were asked for, and says so.
func (t *test) keepCalls() error {
	if t.calls == nil {
		return nil
	}
	if err := t.calls.keep(); err != nil {
		return fmt.Errorf("-o raw=%s: %w", t.raw, err)
	}
	if !t.o.Silent {
		fmt.Fprintf(t.app.stderr, "wrote %s\n", t.raw)
	}
	return nil
}

// keep ends the file and gives it its name.
func (l *rawLog) keep() error {
	err := l.Err()
	if l.zip != nil {
		err = cmp.Or(err, l.zip.Close())
	}
	err = cmp.Or(err, l.buffer.Flush(), l.file.Close())
	if err == nil && l.file.Name() != l.path {
		err = os.Rename(l.file.Name(), l.path)
	}
	return err
}

// drop forgets the file, unless it was kept. There may be none.
func (l *rawLog) drop() {
	if l == nil {
		return
	}
	l.file.Close()
	if l.file.Name() != l.path {
		os.Remove(l.file.Name())
	}
}
