package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wiregauge/result"
)

// Stdout is the path that stands for standard output.
const Stdout = "-"

// An Output is one -o FORMAT=PATH.
type Output struct {
	Format string
	Path   string // "-" for standard output
}

// ParseOutputs reads each "FORMAT=PATH" or "PATH", whose extension then tells the format.
func ParseOutputs(specs []string) ([]Output, error) {
	var outs []Output
	for _, spec := range specs {
		o, err := parseOutput(spec)
		if err != nil {
			return nil, err
		}
		outs = append(outs, o)
	}
	return outs, clash(outs)
}

func parseOutput(spec string) (Output, error) {
	name, path, named := strings.Cut(spec, "=")
	if named && slices.Contains(Formats(), name) {
		if path == "" {
			return Output{}, fmt.Errorf("output %q has no path; write %s=FILE, or %s=- for standard output", spec, name, name)
		}
		return Output{Format: name, Path: path}, nil
	}
	if slices.Contains(Formats(), spec) || spec == Stdout || spec == "" {
		return Output{}, fmt.Errorf("output %q: write FORMAT=PATH, such as text=- or html=report.html", spec)
	}
	if named && !strings.ContainsAny(name, `/\.`) {
		return Output{}, fmt.Errorf("output %q: unknown format %q; known: %s", spec, name, strings.Join(Formats(), ", "))
	}
	if f := formatOf(spec); f != "" {
		return Output{Format: f, Path: spec}, nil
	}
	return Output{}, fmt.Errorf("output %q: the extension tells no format; write FORMAT=PATH with one of %s", spec, strings.Join(Formats(), ", "))
}

// formatOf is the format that a path's extension means; empty for none.
func formatOf(path string) string {
	ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz"))), ".")
	for _, f := range formats {
		if f.ext == ext && ext != "" {
			return f.name
		}
	}
	return ""
}

// clash refuses two outputs to one place.
func clash(outs []Output) error {
	seen := map[string]string{}
	for _, o := range outs {
		path := o.Path
		if path != Stdout {
			path = filepath.Clean(path)
		}
		if before, taken := seen[path]; taken {
			return fmt.Errorf("two outputs go to %s: %s and %s; at most one each", where(o.Path), before, o.Format)
		}
		seen[path] = o.Format
	}
	return nil
}

func where(path string) string {
	if path == Stdout {
		return "standard output (-)"
	}
	return path
}

// CheckAll checks every output before any load is sent; it reports all faults at once.
func CheckAll(outs []Output) error {
	faults := []error{clash(outs)}
	for _, o := range outs {
		faults = append(faults, o.Check())
	}
	return errors.Join(faults...)
}

// Check says whether the output could be written: the parent folder exists and takes new files, and the path is
// not a folder itself; or somebody listens at the URL.
func (o Output) Check() error {
	if o.Path == Stdout {
		return nil
	}
	if o.pushed() {
		return o.checkPush()
	}
	dir := filepath.Dir(o.Path)
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return fmt.Errorf("output %s=%s: there is no folder %s; make it first: mkdir -p %s", o.Format, o.Path, dir, dir)
	}
	if info, err := os.Stat(o.Path); err == nil && info.IsDir() {
		return fmt.Errorf("output %s=%s is a folder; name a file in it", o.Format, o.Path)
	}
	probe, err := os.CreateTemp(dir, ".wiregauge-*")
	if err != nil {
		return fmt.Errorf("output %s=%s: no file can be made in %s: %w", o.Format, o.Path, dir, err)
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// WriteAll writes every output: files under a temporary name that is then renamed, so that none is ever half
// written. It writes what it can and joins the errors. Without outputs it writes text to stdout. Colours, width and
// UTF-8 signs of opt hold for standard output; text files are 100 columns of UTF-8 without colour.
func WriteAll(outs []Output, stdout io.Writer, files []*result.File, opt Options) error {
	if len(outs) == 0 {
		return Write("text", stdout, files, opt)
	}
	var faults []error
	for _, o := range outs {
		if o.Path == Stdout {
			faults = append(faults, Write(o.Format, stdout, files, opt))
			continue
		}
		inFile := opt
		inFile.Color, inFile.UTF8, inFile.Width = false, true, 100
		faults = append(faults, o.writeFile(files, inFile))
	}
	return errors.Join(faults...)
}

func (o Output) writeFile(files []*result.File, opt Options) error {
	var text bytes.Buffer
	if err := o.render(&text, files, opt); err != nil {
		return fmt.Errorf("output %s=%s: %w", o.Format, o.Place(), err)
	}
	if o.pushed() {
		return o.push(text.Bytes(), opt.Headers[o.Format])
	}
	if err := ReplaceFile(o.Path, text.Bytes()); err != nil {
		return fmt.Errorf("output %s=%s: %w", o.Format, o.Path, err)
	}
	return nil
}
