package report

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wiregauge/report/internal/sample"
	"wiregauge/result"
)

// keys are the names of one line, in order of the alphabet.
func keys(t *testing.T, line string) []string {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return slices.Sorted(maps.Keys(m))
}

// Lines that are written live have the form of those of a saved result, and the same summary.
func TestLiveLinesAreThoseOfASavedResult(t *testing.T) {
	f := sample.Met()
	saved := strings.SplitAfter(strings.TrimSpace(string(render(t, "jsonl", []*result.File{f}, Options{}))), "\n")
	var out bytes.Buffer
	l, err := Output{Format: "jsonl", Path: Stdout}.OpenLive(&out, f.ID, f.Arms[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	s := f.Arms[0].Strips[12]
	l.Write(Second{At: s.At, Due: s.Due, OK: s.OK, Failed: s.Failed, P50: *s.P50, P99: *s.P99, Max: *s.Max})
	if out.String() != saved[12] {
		t.Errorf("live  %ssaved %s", &out, saved[12])
	}
	out.Reset()
	l.Write(Second{At: time.Second, Warmup: true, OK: 3})
	if text := out.String(); !strings.HasPrefix(text, `{"type":"warmup"`) || !strings.Contains(text, `"p50_ns":null`) {
		t.Errorf("a warm-up is told as %s", text)
	}
	if got := keys(t, out.String()); !slices.Equal(got, keys(t, saved[12])) {
		t.Errorf("keys %v", got)
	}
	out.Reset()
	if err := l.Close(f); err != nil || strings.TrimSpace(out.String()) != saved[30] {
		t.Errorf("%v, the summary differs", err)
	}
}

// A file can be read while it grows, under its own name, also when it is compressed.
func TestLiveFilesGrowInPlace(t *testing.T) {
	for _, name := range []string{"run.jsonl", "run.jsonl.gz"} {
		o := Output{Format: "jsonl", Path: filepath.Join(t.TempDir(), name)}
		if err := os.WriteFile(o.Path, []byte(strings.Repeat("what was there before\n", 100)), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := o.OpenLive(nil, "id", "arm")
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= 3; n++ {
			l.Write(Second{At: time.Duration(n) * time.Second, OK: 1})
			if got := linesOf(t, o.Path); len(got) != n || !json.Valid([]byte(got[n-1])) {
				t.Errorf("%s: %d lines after %d seconds: %q", name, len(got), n, got)
			}
		}
		if err := l.Close(sample.Met()); err != nil {
			t.Error(err)
		}
		if got := linesOf(t, o.Path); len(got) != 4 || !strings.HasPrefix(got[3], `{"type":"summary"`) {
			t.Errorf("%s: %d lines at the end", name, len(got))
		}
	}
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // it still grows
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// broken takes so many writes.
type broken struct{ left, writes int }

func (b *broken) Write(p []byte) (int, error) {
	if b.writes++; b.writes > b.left {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

// What cannot be written ends the lines and is told at the end.
func TestLiveLinesThatCannotBeWritten(t *testing.T) {
	w := &broken{left: 1}
	l, _ := Output{Format: "jsonl", Path: Stdout}.OpenLive(w, "id", "arm")
	for range 5 {
		l.Write(Second{})
	}
	if err := l.Close(sample.Met()); err == nil || !strings.Contains(err.Error(), "output jsonl=-: no space left") || w.writes != 2 {
		t.Errorf("%v after %d writes", err, w.writes)
	}
	if _, err := (Output{Format: "jsonl", Path: filepath.Join(t.TempDir(), "no", "x.jsonl")}).OpenLive(nil, "id", "arm"); err == nil {
		t.Error("a file in a folder that is not there was opened")
	}
}
