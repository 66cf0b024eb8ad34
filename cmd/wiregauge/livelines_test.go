package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"wiregauge/result"
)

// A line is one of JSON lines, as a dashboard reads it.
type line struct {
	Type   string          `json:"type"`
	ID     string          `json:"id"`
	Arm    string          `json:"arm"`
	Due    int64           `json:"due"`
	OK     int64           `json:"ok"`
	Failed int64           `json:"failed"`
	Result json.RawMessage `json:"result"`
}

func readLines(t *testing.T, text string) (lines []line) {
	t.Helper()
	for _, one := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		var l line
		if err := json.Unmarshal([]byte(one), &l); err != nil {
			t.Fatalf("%v in line %q", err, one)
		}
		lines = append(lines, l)
	}
	return lines
}

// summed checks that the seconds add up to the result behind them.
func summed(t *testing.T, lines []line) *result.File {
	t.Helper()
	last := lines[len(lines)-1]
	f, err := result.Read(bytes.NewReader(last.Result))
	if err != nil || last.Type != "summary" {
		t.Fatalf("the last line is %q: %v", last.Type, err)
	}
	var ok, failed int64
	for _, l := range lines[:len(lines)-1] {
		if l.Type != "second" || l.ID != f.ID || l.Arm != f.Arms[0].Name {
			t.Errorf("a line of %q, %s, %s", l.Type, l.ID, l.Arm)
		}
		ok, failed = ok+l.OK, failed+l.Failed
	}
	if ok != f.Arms[0].OK || failed != f.Arms[0].Failed {
		t.Errorf("the seconds add up to %d ok and %d failed, the result says %d and %d", ok, failed, f.Arms[0].OK, f.Arms[0].Failed)
	}
	return f
}

// With jsonl=- standard output carries the lines and nothing else.
func TestLinesOnStandardOutput(t *testing.T) {
	for _, args := range [][]string{
		{"-n", "100", "-c", "4"}, {"-z", "50ms", "-R", "1000"}, {"--ramp", "1..4x2/30ms"}, {"-n", "10", "--name", "mine"},
	} {
		got := invoke(t, append([]string{"run", "null://", "-o", "jsonl=-"}, args...)...)
		if got.code != exitOK {
			t.Fatalf("%v: exit %d\n%s", args, got.code, got.stderr)
		}
		lines := readLines(t, got.stdout)
		f := summed(t, lines)
		if len(lines) < 2 || f.Partial || strings.Contains(got.stderr, "wrote") {
			t.Errorf("%v: %d lines\n%s", args, len(lines), got.stderr)
		}
	}
}

// Other outputs beside it are written as ever.
func TestLinesBesideOtherOutputs(t *testing.T) {
	dir := t.TempDir()
	lines, whole := filepath.Join(dir, "run.jsonl"), filepath.Join(dir, "run.json")
	got := invoke(t, "run", "null://", "-n", "100", "-o", lines, "-o", whole)
	if got.code != exitOK || !strings.Contains(got.stdout, "100 ok") || !strings.Contains(got.stderr, "wrote "+lines+"\n") {
		t.Fatalf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	text, err := os.ReadFile(lines)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := readResultFile(whole)
	if f := summed(t, readLines(t, string(text))); err != nil || saved.ID != f.ID {
		t.Errorf("two results of one run: %s and %s (%v)", saved.ID, f.ID, err)
	}
}

// The file can be read while the run goes on, and Ctrl-C leaves it whole.
func TestLinesOfARunThatIsStopped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.jsonl")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	grown := func() bool { text, _ := os.ReadFile(path); return bytes.Count(text, []byte("\n")) >= 1 }
	go func() {
		until(t, "a line is there", grown)
		cancel(interrupted{syscall.SIGINT})
	}()
	got := invokeWith(t, ctx, nil, "", "run", "null://", "-R", "100", "-z", "1h", "-o", "jsonl="+path)
	text, err := os.ReadFile(path)
	if got.code != exitInterrupt || err != nil {
		t.Fatalf("exit %d, %v\n%s", got.code, err, got.stderr)
	}
	if f := summed(t, readLines(t, string(text))); !f.Partial {
		t.Error("the result does not say that it is partial")
	}
}

// A run that measures nothing leaves what is at the path alone.
func TestLinesOfARunThatCannotStart(t *testing.T) {
	path := writeFile(t, "run.jsonl", "from yesterday\n")
	if got := invoke(t, "run", "http://127.0.0.1:1/", "-n", "1", "-o", path); got.code != exitUnreachable {
		t.Errorf("exit %d\n%s", got.code, got.stderr)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "from yesterday\n" {
		t.Errorf("%q, %v", text, err)
	}
}
