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
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no file named", nil, "at least one saved result"},
		{"a file that is not there", []string{filepath.Join(dir, "no.json")}, "there is no such file"},
		{"a file of a newer version", []string{broken}, "use a newer wiregauge"},
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
