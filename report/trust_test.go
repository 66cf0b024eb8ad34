package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"wiregauge/report/internal/sample"
	"wiregauge/result"
)

// doubted is a run whose numbers do not deserve belief: all of them, or p99 only.
func doubted(level, affects string) *result.File {
	f := sample.Met()
	f.Trust = result.Trust{Level: level, Absolute: level, Ratio: result.TrustOK, Checked: 12, Passed: 11, Reasons: []result.Reason{
		{Code: "V3", Name: "client CPU", Level: level, Measured: "97 %", Limit: "80 %", Affects: affects, Advice: "more agents"}}}
	return f
}

// No format for programs shows a number that is not trustworthy as if it were.
func TestNoFormatIsSilentAboutUntrustedNumbers(t *testing.T) {
	files := []*result.File{doubted(result.TrustNotTrustworthy, result.AffectsAbsolute)}
	for format, want := range map[string]string{
		"csv": ",not_trustworthy,", "prom": `trust="not_trustworthy"`, "influx": "trust=not_trustworthy", "hlog": "trust not_trustworthy",
		"benchstat": "trust: not_trustworthy", "junit": `value="not_trustworthy"`, "json": `"not_trustworthy"`, "jsonl": `"not_trustworthy"`,
	} {
		out := string(render(t, format, files, Options{}))
		if !strings.Contains(out, want) {
			t.Errorf("%s does not say %s:\n%s", format, want, out)
		}
		if format != "prom" && !strings.Contains(out, "97 %") {
			t.Errorf("%s does not say why", format)
		}
	}
	for _, format := range []string{"gab", "bmf"} { // what is counted stays: no machine is too busy to count
		out := string(render(t, format, files, Options{}))
		for _, timed := range []string{"p50", "p99", "mean", "latency", "throughput", "CPU", "cpu"} {
			if strings.Contains(strings.ReplaceAll(out, "client CPU: 97", ""), timed) {
				t.Errorf("%s would put %s into the history: %s", format, timed, out)
			}
		}
		if !strings.Contains(out, "238.99255") {
			t.Errorf("%s lacks the bytes per call, which were counted: %s", format, out)
		}
	}
}

func TestADoubtAboutOnePercentileStaysWithIt(t *testing.T) {
	files := []*result.File{doubted(result.TrustNotTrustworthy, "p99")}
	var gab []gabEntry
	if err := json.Unmarshal(render(t, "gab", files, Options{}), &gab); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, e := range gab {
		names[e.Name] = true
	}
	if names["Check p99"] || !names["Check p90"] || !names["Check mean"] {
		t.Errorf("gab holds %v, want all but p99", names)
	}
	f := doubted(result.TrustSuspect, "p99")
	if err := json.Unmarshal(render(t, "gab", []*result.File{f}, Options{}), &gab); err != nil {
		t.Fatal(err)
	}
	for _, e := range gab {
		if said := strings.Contains(e.Extra, "97 %"); said != (e.Name == "Check p99") {
			t.Errorf("extra of %s is %q", e.Name, e.Extra)
		}
	}
	for _, m := range readProm(t, render(t, "prom", files, Options{}))["wiregauge_call_duration_percentile_seconds"].Metric {
		want := result.TrustOK
		if valueOf(m, "percentile") == "99" {
			want = result.TrustNotTrustworthy
		}
		if got := valueOf(m, "trust"); got != want {
			t.Errorf("p%s has trust %q, want %q", valueOf(m, "percentile"), got, want)
		}
	}
	if l := readInflux(t, render(t, "influx", files, Options{}))[0]; l.tags["doubted"] != "p99" || l.tags["trust"] != result.TrustOK {
		t.Errorf("influx tags %v", l.tags)
	}
	for r := benchfmt.NewReader(bytes.NewReader(render(t, "benchstat", files, Options{})), ""); r.Scan(); {
		if line, ok := r.Result().(*benchfmt.Result); ok {
			_, plain := line.Value("p99-sec/op")
			_, marked := line.Value("untrusted-p99-sec/op")
			if plain || !marked {
				t.Errorf("benchstat: %v", line.Values)
			}
		}
	}
}

func TestPercentilesWithoutTheirSlowEndAreLeftOut(t *testing.T) {
	f := sample.Stuck() // 215 of 1,215 calls have no end
	for _, format := range []string{"csv", "prom", "influx", "gab", "bmf", "benchstat"} {
		out := string(render(t, format, []*result.File{f}, Options{Percentiles: []float64{50}}))
		for _, bad := range []string{"1499648", "0.001499648"} {
			if strings.Contains(out, bad) {
				t.Errorf("%s tells p50 of those calls that ended:\n%s", format, out)
			}
		}
	}
}

func TestAClientThatWasTheLimitIsNamed(t *testing.T) {
	files := []*result.File{sample.Slow()}
	for format, want := range map[string]string{"csv": ",client,", "prom": `limited_by="client"`, "influx": "limited_by=client",
		"hlog": "this client was the limit", "gab": "this client was the limit", "benchstat": "this client was the limit"} {
		if out := string(render(t, format, files, Options{})); !strings.Contains(out, want) {
			t.Errorf("%s does not say %q:\n%s", format, want, out)
		}
	}
}
