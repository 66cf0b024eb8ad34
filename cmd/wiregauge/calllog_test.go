package main

import (
	"compress/gzip"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/influxdata/line-protocol/v2/lineprotocol"

	"wiregauge/lab/casesvc"
)

// calls reads a file of single calls.
func calls(t *testing.T, path string) (header []string, records [][]string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	all, err := csv.NewReader(in).ReadAll()
	if err != nil || len(all) == 0 {
		t.Fatalf("%s: %d records, %v", path, len(all), err)
	}
	return all[0], all[1:]
}

func TestSingleCallsAreLogged(t *testing.T) {
	s := startCases(t, casesvc.Options{})
	for _, name := range []string{"calls.csv", "calls.csv.gz"} {
		path := filepath.Join(t.TempDir(), name)
		got := invoke(t, "run", s.URL("grpc", "Fail"), "-d", "{}", "-n", "3000", "-c", "10", "--warmup", "50", "--max-errors", "100%", "-o", "raw="+path, "-o", "json="+filepath.Join(t.TempDir(), "x.json"))
		if got.code != exitOK || !strings.Contains(got.stderr, "wrote "+path) || !strings.Contains(got.stdout, "3,000 of 3,000 failed") {
			t.Fatalf("exit %d\n%s\n%s", got.code, got.stdout, got.stderr)
		}
		header, records := calls(t, path)
		if strings.Join(header, ",") != "call,step,due_ns,latency_ns,service_ns,outcome,status,error_class,error_text" || len(records) != 3000 {
			t.Fatalf("header %q, %d records", header, len(records))
		}
		seen := map[string]bool{}
		for _, r := range records {
			seen[r[0]] = true
			if r[5] != "failed" || r[6] != "13" || r[7] != "INTERNAL" || r[8] != casesvc.FailureText {
				t.Fatalf("%q", r)
			}
		}
		if len(seen) != 3000 {
			t.Errorf("%d different calls in 3000 records", len(seen))
		}
	}
}

func TestSingleCallsOfARampAndAtTheDeadline(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "calls.csv")
	if got := invoke(t, "run", "null://", "--ramp", "1..4x2/20ms", "-o", "raw="+path); got.code != exitOK {
		t.Fatalf("exit %d\n%s", got.code, got.stderr)
	}
	_, records := calls(t, path)
	steps := map[string]bool{}
	for _, r := range records {
		steps[r[1]] = true
	}
	if len(steps) != 3 {
		t.Errorf("steps %v, want 3", steps)
	}
	s := startCases(t, casesvc.Options{})
	if got := invoke(t, "run", s.URL("grpc", "Hang"), "-d", "{}", "-z", "50ms", "-c", "3", "-o", "raw="+path, "--max-errors", "100%"); got.code != exitOK {
		t.Fatalf("exit %d\n%s", got.code, got.stderr)
	}
	_, records = calls(t, path)
	if len(records) != 3 || records[0][5] != "unfinished" || records[0][3] != "" {
		t.Errorf("%q, want three that are not finished", records)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

func TestSingleCallsAreRefused(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old.csv")
	if err := os.WriteFile(old, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	gone := "http://127.0.0.1:1/"
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"on standard output", []string{"run", gone, "-o", "raw=-"}, exitUsage, "raw=calls.csv"},
		{"twice", []string{"run", gone, "-o", "raw=" + dir + "/a", "-o", "raw=" + dir + "/b"}, exitUsage, "one file"},
		{"where another output goes", []string{"run", gone, "-o", "raw=" + dir + "/a.csv", "-o", dir + "/a.csv"}, exitUsage, "two outputs go to"},
		{"as points, twice", []string{"run", gone, "-o", "influx-details=" + dir + "/a", "-o", "influx-details=" + dir + "/b"}, exitUsage, "one file"},
		{"in two formats in one place", []string{"run", gone, "-o", "raw=" + dir + "/a", "-o", "influx-details=" + dir + "/a"}, exitUsage, "two outputs go to"},
		{"as points, of report", []string{"report", "x.json", "-o", "influx-details=" + dir + "/a"}, exitUsage, "only run logs single calls"},
		{"in no folder", []string{"run", gone, "-o", "raw=" + dir + "/no/a.csv"}, exitUsage, "there is no folder"},
		{"of compare", []string{"compare", "a=" + gone, "b=" + gone, "-o", "raw=" + dir + "/a.csv"}, exitUsage, "only run logs single calls"},
		{"of report", []string{"report", "x.json", "-o", "raw=" + dir + "/a.csv"}, exitUsage, "only run logs single calls"},
		{"of a target that is not there", []string{"run", gone, "-o", "raw=" + old}, exitUnreachable, "refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := invoke(t, c.args...)
			if got.code != c.code || !strings.Contains(got.stderr, c.says) {
				t.Errorf("exit %d, want %d and %q\n%s", got.code, c.code, c.says, got.stderr)
			}
		})
	}
	if text, err := os.ReadFile(old); err != nil || string(text) != "old" {
		t.Errorf("what was there became %q (%v)", text, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

func TestSingleCallsAreLoggedInTwoFormats(t *testing.T) {
	s := startCases(t, casesvc.Options{})
	dir := t.TempDir()
	table, points := filepath.Join(dir, "calls.csv"), filepath.Join(dir, "calls.lp")
	got := invoke(t, "run", s.URL("grpc", "Half"), "-d", "{}", "-n", "4", "-c", "1", "--max-errors", "100%", "-o", "raw="+table, "-o", "influx-details="+points)
	if got.code != exitOK || !strings.Contains(got.stderr, "wrote "+table) || !strings.Contains(got.stderr, "wrote "+points) {
		t.Fatalf("exit %d\n%s", got.code, got.stderr)
	}
	if _, records := calls(t, table); len(records) != 4 {
		t.Errorf("%d records of 4 calls", len(records))
	}
	text, err := os.ReadFile(points)
	if err != nil {
		t.Fatal(err)
	}
	texts := 0
	decoder := lineprotocol.NewDecoderWithBytes(text)
	for decoder.Next() {
		for {
			key, value, err := decoder.NextField()
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			if key == nil {
				break
			}
			if string(key) == "text" && value.StringV() == casesvc.FailureText {
				texts++
			}
		}
	}
	if n := strings.Count(string(text), "\n"); n != 4 || texts != 2 {
		t.Errorf("%d points, %d of them with the error's text, want 4 and 2:\n%s", n, texts, text)
	}
}
