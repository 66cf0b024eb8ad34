package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/joshdk/go-junit"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"golang.org/x/perf/benchfmt"

	dto "github.com/prometheus/client_model/go"

	"wiregauge/report/internal/sample"
	"wiregauge/result"
)

// Each format is read back here by a parser that was not written with it.

func TestPrometheusReadsEveryResult(t *testing.T) {
	for _, c := range cases {
		families := readProm(t, render(t, "prom", c.files(), Options{}))
		for name, family := range families {
			for _, m := range family.Metric {
				if valueOf(m, "trust") == "" {
					t.Errorf("%s: %s has a sample without the label trust", c.name, name)
				}
				if h := m.Histogram; h != nil {
					checkHistogram(t, c.name+": "+name, h)
				}
			}
		}
	}
}

func readProm(t *testing.T, text []byte) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return families
}

func valueOf(m *dto.Metric, label string) string {
	for _, l := range m.Label {
		if l.GetName() == label {
			return l.GetValue()
		}
	}
	return ""
}

func checkHistogram(t *testing.T, name string, h *dto.Histogram) {
	t.Helper()
	before := uint64(0)
	for _, b := range h.Bucket {
		if b.GetCumulativeCount() < before {
			t.Errorf("%s: bucket %v holds %d, the one below it %d", name, b.GetUpperBound(), b.GetCumulativeCount(), before)
		}
		before = b.GetCumulativeCount()
	}
	if last := h.Bucket[len(h.Bucket)-1]; !math.IsInf(last.GetUpperBound(), 1) || last.GetCumulativeCount() != h.GetSampleCount() {
		t.Errorf("%s: +Inf holds %d of %d", name, last.GetCumulativeCount(), h.GetSampleCount())
	}
}

// Ten calls of about 100 ms, five at a time: their latencies add up to one second, the run took 0.2 s.
func TestPrometheusSumIsThatOfTheLatencies(t *testing.T) {
	turn := sample.Turn("Slow", 10, 200*time.Millisecond, 100*time.Millisecond)
	turn.Latency = sample.Latencies(10, 102*time.Millisecond, 0)
	families := readProm(t, render(t, "prom", []*result.File{sample.Run(turn)}, Options{}))
	h := families["wiregauge_call_duration_seconds"].Metric[0].Histogram
	if got := h.GetSampleSum(); math.Abs(got-1.02) > 0.001 || h.GetSampleCount() != 10 {
		t.Errorf("sum %v of %d calls, want 1.02 s of 10", got, h.GetSampleCount())
	}
	for _, b := range h.Bucket {
		if want := map[bool]uint64{true: 10, false: 0}[b.GetUpperBound() > 0.102]; b.GetCumulativeCount() != want {
			t.Errorf("le=%v holds %d, want %d", b.GetUpperBound(), b.GetCumulativeCount(), want)
		}
	}
	if f := families["wiregauge_call_duration_percentile_seconds"]; len(f.GetMetric()) != 0 {
		t.Errorf("%d percentiles of 10 calls, want none", len(f.Metric))
	}
}

func TestWhatWasSearchedForIsTold(t *testing.T) {
	files := []*result.File{sample.Capacity()}
	verified := *files[0].Capacity.Verified
	if f := readProm(t, render(t, "prom", files, Options{}))["wiregauge_capacity_calls_per_second"]; len(f.GetMetric()) != 1 ||
		f.Metric[0].Gauge.GetValue() != verified || valueOf(f.Metric[0], "goal") != files[0].Capacity.Goal {
		t.Errorf("Prometheus reads %v", f)
	}
	if l := readInflux(t, render(t, "influx", files, Options{}))[0]; l.fields["capacity_verified"] != verified {
		t.Errorf("Influx reads %v", l.fields)
	}
	kinds := map[string]int{}
	for _, file := range []*result.File{sample.Capacity(), sample.Ramp(), sample.Sweep()} {
		records, err := csv.NewReader(bytes.NewReader(render(t, "csv", []*result.File{file}, Options{}))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			kinds[r[1]]++
		}
	}
	points := 0
	for _, p := range sample.Sweep().Sweep {
		points += len(p.Arms)
	}
	if points == 0 || kinds["point"] != points || kinds["probe"] != len(files[0].Capacity.Probes) || kinds["step"] != len(sample.Ramp().Arms[0].Steps) {
		t.Errorf("CSV has %v", kinds)
	}
}

func TestPrometheusKeepsFailedCallsApartAndHostileTextWhole(t *testing.T) {
	f := sample.Half()
	f.Arms[0].Name = sample.HostileText
	families := readProm(t, render(t, "prom", []*result.File{f}, Options{}))
	outcomes := map[string]uint64{}
	for _, m := range families["wiregauge_call_duration_seconds"].Metric {
		outcomes[valueOf(m, "outcome")] = m.Histogram.GetSampleCount()
		if got := valueOf(m, "arm"); got != sample.HostileText {
			t.Errorf("the name came back as %q", got)
		}
	}
	if outcomes["ok"] != 10 || outcomes["failed"] != 10 {
		t.Errorf("outcomes %v, want 10 and 10", outcomes)
	}
}

func TestJUnitReadersCountGatesAndVerdicts(t *testing.T) {
	for _, c := range []struct {
		name                    string
		file                    func() *result.File
		passed, failed, skipped int
	}{
		{"a run without gates", sample.Met, 0, 0, 0},
		{"gates passed, failed and undecided beside verdicts", sample.OneLaunch, 0, 0, 0},
		{"not a fair test", sample.NotFair, 0, 0, 1},
		{"a comparison", sample.Comparison, 0, 0, 0},
		{"what was decided about gates stands, whatever is said of the numbers", func() *result.File {
			f := sample.OneLaunch()
			f.Verdicts = nil
			f.Trust = result.Trust{Level: result.TrustNotTrustworthy, Reasons: []result.Reason{
				{Code: "V5", Name: "host", Level: result.TrustNotTrustworthy, Measured: "steal 12 %", Affects: result.AffectsAbsolute}}}
			return f
		}, 1, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := c.file()
			suites, err := junit.Ingest(render(t, "junit", []*result.File{f}, Options{}))
			if err != nil || len(suites) != 1 {
				t.Fatalf("%d suites, %v", len(suites), err)
			}
			got := suites[0].Totals
			if c.passed+c.failed+c.skipped == 0 {
				c.passed, c.failed, c.skipped = judged(f)
			}
			if got.Passed != c.passed || got.Failed != c.failed || got.Skipped != c.skipped || got.Error != 0 {
				t.Errorf("%+v, want %d passed, %d failed, %d skipped", got, c.passed, c.failed, c.skipped)
			}
		})
	}
}

// judged counts what a result's gates and verdicts should be in a test report.
func judged(f *result.File) (passed, failed, skipped int) {
	for _, g := range f.Gates {
		switch {
		case g.Unknown != "":
			skipped++
		case g.Passed:
			passed++
		default:
			failed++
		}
	}
	for _, v := range f.Verdicts {
		switch v.Outcome {
		case "":
		case result.Inconclusive, result.NotFair:
			skipped++
		default:
			passed++
		}
	}
	return passed, failed, skipped
}

func TestJUnitIsWellFormedWhateverATextHolds(t *testing.T) {
	f := sample.OneLaunch()
	f.Title = sample.HostileText + "\x00\x1b"
	f.Gates[1].Words, f.Gates[2].Unknown = sample.HostileText, sample.HostileText
	d := xml.NewDecoder(bytes.NewReader(render(t, "junit", []*result.File{f}, Options{})))
	for {
		if _, err := d.Token(); err != nil {
			if err.Error() != "EOF" {
				t.Error(err)
			}
			return
		}
	}
}

func TestBenchfmtReadsEveryResult(t *testing.T) {
	for _, c := range cases {
		text := render(t, "benchstat", c.files(), Options{})
		kinds := map[string]int{}
		reader := benchfmt.NewReader(bytes.NewReader(text), c.name)
		for r := reader; r.Scan(); {
			if _, unit := r.Result().(*benchfmt.UnitMetadata); unit {
				continue
			}
			line, ok := r.Result().(*benchfmt.Result)
			if !ok {
				t.Fatalf("%s: %v", c.name, r.Result())
			}
			kind, _, _ := strings.Cut(string(line.Name), "/")
			kinds[kind]++
			if line.GetConfig("trust") == "" {
				t.Errorf("%s: %s has no trust", c.name, line.Name)
			}
			for _, v := range line.Values {
				if v.Value == 0 || math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
					t.Errorf("%s: %s %s = %v", c.name, line.Name, v.Unit, v.Value)
				}
			}
		}
		if better := reader.Units().GetBetter("calls/s"); better <= 0 {
			t.Errorf("%s: more calls/s are not better", c.name)
		}
		if c.name == "comparison" && (kinds["Run"] != 4 || kinds["Launch"] != 4*8 || kinds["Turn"] != 4*8*5) {
			t.Errorf("%s: %v, want a line per arm, launch and turn", c.name, kinds)
		}
		if c.name == "every-call-fails" && len(kinds) != 0 {
			t.Errorf("%s: %v, want no benchmark of calls that failed", c.name, kinds)
		}
	}
}

func TestBenchstatTurnsAddUpToLaunches(t *testing.T) {
	f := sample.Comparison()
	f.Turns = []result.Row{{Arm: "rest", Launch: 1, Window: 1e9, OK: 100, Rate: 100}, {Arm: "rest", Launch: 1, Window: 3e9, OK: 900, Rate: 300},
		{Arm: "rest", Launch: 2, Window: 1e9, OK: 50, Rate: 50}, {Arm: "rest", Launch: 2, Window: 1e9, OK: 5, Rate: 5, Invalid: "a process died"}}
	var got []float64
	for r := benchfmt.NewReader(bytes.NewReader(render(t, "benchstat", []*result.File{f}, Options{})), ""); r.Scan(); {
		if line, ok := r.Result().(*benchfmt.Result); ok && strings.HasPrefix(string(line.Name), "Launch/") {
			rate, _ := line.Value("calls/s")
			got = append(got, rate)
		}
	}
	if len(got) != 2 || got[0] != 250 || got[1] != 50 { // 1,000 calls in 4 s, 50 in 1 s
		t.Errorf("rates of the launches %v, want 250 and 50", got)
	}
}

func TestHdrHistogramReadsTheLog(t *testing.T) {
	for _, c := range cases {
		reader := hdrhistogram.NewHistogramLogReader(bytes.NewReader(render(t, "hlog", c.files(), Options{})))
		counts := map[string]int64{}
		for {
			h, err := reader.NextIntervalHistogram()
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if h == nil {
				break
			}
			counts[h.Tag()] += h.TotalCount()
		}
		for _, s := range subjects(c.files(), Options{}) {
			if tag := hlogTag(s.name()); counts[tag] != s.arm.Latency.N || counts[tag+"/failed"] != s.arm.FailedLatency.N {
				t.Errorf("%s: %v, want %d and %d of %s", c.name, counts, s.arm.Latency.N, s.arm.FailedLatency.N, tag)
			}
		}
	}
}

func TestListsForTrendsHoldOnlyWhatExists(t *testing.T) {
	for _, c := range cases {
		var gab []gabEntry
		if err := json.Unmarshal(render(t, "gab", c.files(), Options{}), &gab); err != nil || gab == nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, e := range gab {
			if e.Value == 0 && !strings.HasSuffix(e.Name, "errors") || e.Unit == "" || e.Name == "" {
				t.Errorf("%s: %+v", c.name, e)
			}
		}
		var bmf map[string]map[string]bmfMeasure
		if err := json.Unmarshal(render(t, "bmf", c.files(), Options{}), &bmf); err != nil || bmf == nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for arm, measures := range bmf {
			for name, m := range measures {
				if m.Value == 0 && name != "error-share" || m.Lower != nil && (*m.Lower > m.Value || *m.Upper < m.Value) && name != "latency-p99" {
					t.Errorf("%s: %s %s = %+v", c.name, arm, name, m)
				}
			}
		}
	}
}
