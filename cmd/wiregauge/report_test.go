package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wiregauge/hist"
	"wiregauge/result"
)

// saved writes a small result and returns its path.
func saved(t *testing.T, name string) string {
	t.Helper()
	h := new(hist.Histogram)
	h.RecordN(2*time.Millisecond, 2000)
	f := result.NewFile("run")
	a := result.Merge([]result.Turn{{Arm: name, Window: time.Second, Latency: h, CompletedInside: 2000, FinishedInside: 2000,
		Counts: result.Counts{Due: 2000, Sent: 2000, OK: 2000}}}, []float64{50, 99})
	f.Arms = []result.Arm{a}
	text, err := f.JSON()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name+".json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReportTellsASavedResult(t *testing.T) {
	s := invoke(t, "report", saved(t, "one"))
	if s.code != 0 || !strings.HasPrefix(s.stdout, "2,000 calls/s for 1.00 s. p99 2.00 ms. No errors in 2,000 calls.") {
		t.Errorf("exit %d\n%s%s", s.code, s.stdout, s.stderr)
	}
}

func TestReportPutsResultsSideBySideWithoutAVerdict(t *testing.T) {
	s := invoke(t, "report", saved(t, "one"), saved(t, "two"))
	if s.code != 0 || !strings.Contains(s.stdout, "no verdict") || !strings.Contains(s.stdout, "one") || !strings.Contains(s.stdout, "two") {
		t.Errorf("exit %d\n%s%s", s.code, s.stdout, s.stderr)
	}
}

func TestReportReadsItsOwnPageBack(t *testing.T) {
	path := saved(t, "one")
	page := filepath.Join(t.TempDir(), "r.html")
	if s := invoke(t, "report", path, "-o", "html="+page); s.code != 0 || s.stdout != "" || s.stderr != "wrote "+page+"\n" {
		t.Fatalf("exit %d, %q, %s", s.code, s.stdout, s.stderr)
	}
	want, _ := os.ReadFile(path)
	s := invoke(t, "report", page, "-o", "json=-")
	if s.code != 0 || s.stdout != string(want) {
		t.Errorf("exit %d: the page gave another result back\n%s", s.code, s.stderr)
	}
	text, _ := os.ReadFile(path)
	if s := invokeWith(t, t.Context(), nil, string(text), "report", "-", "-o", "md=-"); s.code != 0 || !strings.HasPrefix(s.stdout, "## one") {
		t.Errorf("standard input: exit %d\n%.80s%s", s.code, s.stdout, s.stderr)
	}
}

func TestReportTakesOtherPercentiles(t *testing.T) {
	s := invoke(t, "report", saved(t, "one"), "--percentiles", "12.5,75")
	if s.code != 0 || !strings.Contains(s.stdout, "p12.5") || !strings.Contains(s.stdout, "p75") {
		t.Errorf("exit %d\n%s%s", s.code, s.stdout, s.stderr)
	}
}

func TestReportRefusesInWords(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.json")
	if err := os.WriteFile(broken, []byte(`{"schema":"wiregauge.result/v2"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	theirs, cut := filepath.Join(dir, "ghz.json"), filepath.Join(dir, "cut.html")
	if err := os.WriteFile(theirs, []byte(`{"date":"x","latencyDistribution":[],"statusCodeDistribution":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cut, []byte("<html>"+result.DataBlockOpen+"H4sI"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no file named", nil, "at least one saved result"},
		{"a file that is not there", []string{filepath.Join(dir, "no.json")}, "there is no such file"},
		{"a file of a newer version", []string{broken}, "use a newer wiregauge"},
		{"a report of ghz", []string{theirs}, "a file of ghz"},
		{"a page that ends early", []string{cut}, "ends early"},
		{"an unknown format", []string{broken, "-o", "xml=x"}, `unknown format "xml"`},
		{"a folder that is not there", []string{broken, "-o", "html=" + filepath.Join(dir, "no", "r.html")}, "mkdir -p"},
	} {
		s := invoke(t, append([]string{"report"}, c.args...)...)
		if s.code != exitUsage || !strings.Contains(s.stderr, c.want) || s.stdout != "" {
			t.Errorf("%s: exit %d, %q", c.name, s.code, s.stderr)
		}
	}
}

func TestSchemaPrintsTheSchema(t *testing.T) {
	s := invoke(t, "schema", "result")
	if s.code != 0 || !bytes.Equal([]byte(s.stdout), result.SchemaJSON) {
		t.Errorf("exit %d, %.60q", s.code, s.stdout)
	}
	s = invoke(t, "schema", "suite")
	if s.code != 0 || !strings.Contains(s.stdout, `"title": "wiregauge suite"`) || !strings.Contains(s.stdout, `"max-errors": {`) {
		t.Errorf("exit %d, %.60q", s.code, s.stdout)
	}
	for args, want := range map[string]string{"": "wants one name", "resolt": `no schema "resolt"`} {
		if s := invoke(t, append([]string{"schema"}, strings.Fields(args)...)...); s.code != exitUsage || !strings.Contains(s.stderr, want) {
			t.Errorf("schema %s: exit %d, %q", args, s.code, s.stderr)
		}
	}
}

// savedLaunches writes a comparison of one arm, with a rate per launch, and returns its path.
func savedLaunches(t *testing.T, id string, rates ...float64) string {
	t.Helper()
	h := new(hist.Histogram)
	h.RecordN(2*time.Millisecond, 2000)
	f := result.NewFile("comparison")
	f.ID, f.Plan = id, result.Plan{Loop: "closed", Concurrency: 8, Launches: len(rates)}
	f.Arms = []result.Arm{result.Merge([]result.Turn{{Arm: "grpc", Window: time.Second, Latency: h, CompletedInside: 2000, FinishedInside: 2000,
		Counts: result.Counts{Due: 2000, Sent: 2000, OK: 2000}}}, []float64{50, 99})}
	for launch, rate := range rates {
		f.Turns = append(f.Turns, result.Row{Arm: "grpc", Launch: launch, Window: 1e9, OK: int64(rate), Rate: rate})
	}
	path := filepath.Join(t.TempDir(), id+".json")
	text, err := f.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReportJudgesSavedResultsLow(t *testing.T) {
	before := savedLaunches(t, "before", 1000, 1010, 990, 1005, 995, 1002)
	after := savedLaunches(t, "after", 1500, 1510, 1490, 1505, 1495, 1502)
	s := invoke(t, "report", before, after)
	for _, want := range []string{"after grpc is 50.0 % faster than before grpc in calls/s", "Confidence LOW: they were measured one after the other"} {
		if s.code != 0 || !strings.Contains(strings.Join(strings.Fields(s.stdout), " "), want) {
			t.Errorf("exit %d, no %q in\n%s%s", s.code, want, s.stdout, s.stderr)
		}
	}
}

func TestReportSaysWhatDiffersInTheSetUp(t *testing.T) {
	path := savedLaunches(t, "old", 1000)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "new.json")
	changed := strings.NewReplacer(`"id": "old"`, `"id": "new"`, `"concurrency": 8`, `"concurrency": 64`).Replace(string(text))
	if err := os.WriteFile(other, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	s := invoke(t, "report", path, other, "-o", "md=-")
	if s.code != 0 || !strings.Contains(s.stdout, "What differs in the set-up") || !strings.Contains(s.stdout, "| calls in flight | 8 | 64 |") {
		t.Errorf("exit %d\n%s%s", s.code, s.stdout, s.stderr)
	}
	if strings.Contains(s.stdout, "| system |") {
		t.Error("it lists what is the same")
	}
	if s := invoke(t, "report", path, other, "--merge"); s.code != exitUsage || !strings.Contains(s.stderr, "not measured alike: calls in flight 8 and 64") {
		t.Errorf("exit %d\n%s", s.code, s.stderr)
	}
}

func TestReportMerges(t *testing.T) {
	s := invoke(t, "report", "--merge", saved(t, "one"), saved(t, "one"))
	if s.code != 0 || !strings.HasPrefix(s.stdout, "2,000 calls/s for 2.00 s. p99 2.00 ms. No errors in 4,000 calls.") ||
		!strings.Contains(s.stdout, "merged from 2 results") {
		t.Errorf("exit %d\n%s%s", s.code, s.stdout, s.stderr)
	}
}

func TestReportReadsGzippedPagesAndJSONLines(t *testing.T) {
	path, dir := saved(t, "one"), t.TempDir()
	for _, name := range []string{"html=" + dir + "/r.html.gz", "jsonl=" + dir + "/r.jsonl", "json=" + dir + "/r.json.gz"} {
		if s := invoke(t, "report", path, "-o", name); s.code != 0 {
			t.Fatalf("%s: exit %d, %s", name, s.code, s.stderr)
		}
		_, file, _ := strings.Cut(name, "=")
		if s := invoke(t, "report", file); s.code != 0 || !strings.Contains(s.stdout, "No errors in 2,000 calls") {
			t.Errorf("%s: exit %d\n%s%s", name, s.code, s.stdout, s.stderr)
		}
	}
}
