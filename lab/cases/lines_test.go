package cases

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/influxdata/line-protocol/v2/lineprotocol"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"wiregauge/lab/casesvc"
)

// points reads line protocol: tags and fields of each point by name.
func points(t *testing.T, text string) (all []map[string]any) {
	t.Helper()
	for d := lineprotocol.NewDecoderWithBytes([]byte(text)); d.Next(); {
		p := map[string]any{}
		name, err := d.Measurement()
		p["measurement"] = string(name)
		for err == nil {
			var key, value []byte
			if key, value, err = d.NextTag(); key == nil {
				break
			}
			p[string(key)] = string(value)
		}
		for err == nil {
			var key []byte
			var value lineprotocol.Value
			if key, value, err = d.NextField(); key == nil {
				break
			}
			p[string(key)] = value.Interface()
		}
		if err == nil {
			_, err = d.Time(lineprotocol.Nanosecond, time.Time{})
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		all = append(all, p)
	}
	if lines := strings.Count(text, "\n"); lines != len(all) || !strings.HasSuffix(text, "\n") {
		t.Errorf("%d points on %d lines:\n%s", len(all), lines, text)
	}
	return all
}

// K11: an Influx parser reads every line of the summary and of the single calls of 4 calls to Half; the error text comes
// back exactly, tags carry no quotes, each line ends.
func TestInflux(t *testing.T) {
	t.Parallel()
	eachWay(t, everyWay, func(t *testing.T, w way) {
		s := svc(t, casesvc.Options{})
		dir := t.TempDir()
		summary, details := filepath.Join(dir, "sum.lp"), filepath.Join(dir, "calls.lp")
		got := wg(t, "", "run", s.URL(w.scheme, "Half"), "-d", `{"id":1}`, "-n", "4", "-c", "1", "--client", w.client,
			"-o", "influx="+summary, "-o", "influx-details="+details)
		if got.code != exitErrors {
			t.Fatalf("exit %d\n%s", got.code, got.stderr)
		}
		sum := points(t, read(t, summary))
		if len(sum) != 2 || sum[0]["measurement"] != "wiregauge" || sum[0]["ok"] != int64(2) || sum[0]["failed"] != int64(2) {
			t.Fatalf("summary %v", sum)
		}
		if sum[0]["arm"] != "target" || sum[1]["text"] != casesvc.FailureText || sum[1]["class"] != class(w.scheme) || sum[1]["count"] != int64(2) {
			t.Errorf("summary %v", sum)
		}
		for key := range sum[0] {
			if strings.HasPrefix(key, "p") && strings.HasSuffix(key, "_ns") {
				t.Errorf("%s of two calls is %v", key, sum[0][key])
			}
		}
		calls := points(t, read(t, details))
		if len(calls) != 4 {
			t.Fatalf("%d points of 4 calls", len(calls))
		}
		for i, p := range calls {
			text, outcome := any(nil), "ok"
			if i%2 == 1 {
				text, outcome = casesvc.FailureText, "failed"
			}
			if p["text"] != text || p["outcome"] != outcome || p["call"] != int64(i) {
				t.Errorf("call %d: %v", i, p)
			}
		}
	})
}

// K12: the Prometheus text of 10 calls to Slow, 5 at a time, is read by Prometheus' own parser: buckets are cumulative and
// the last one is the count, everything is in seconds, and the sum is that of the latencies, not the time of the run.
func TestPrometheus(t *testing.T) {
	t.Parallel()
	eachWay(t, everyWay, func(t *testing.T, w way) {
		s := svc(t, casesvc.Options{})
		path := filepath.Join(t.TempDir(), "out.prom")
		got := wg(t, "", "run", s.URL(w.scheme, "Slow"), "-d", `{"id":1}`, "-n", "10", "-c", "5", "--client", w.client, "-o", path)
		if got.code != exitOK {
			t.Fatalf("exit %d\n%s", got.code, got.stderr)
		}
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(bytes.NewReader([]byte(read(t, path))))
		if err != nil {
			t.Fatal(err)
		}
		f := families["wiregauge_call_duration_seconds"]
		if f == nil || len(f.Metric) != 1 {
			t.Fatalf("%v", f)
		}
		h := f.Metric[0].Histogram
		before := uint64(0)
		for _, b := range h.Bucket {
			if b.GetCumulativeCount() < before || b.GetUpperBound() < 0.1 && b.GetCumulativeCount() > 0 {
				t.Errorf("le=%v holds %d; below it were %d, and no call took less than 0.1 s", b.GetUpperBound(), b.GetCumulativeCount(), before)
			}
			before = b.GetCumulativeCount()
		}
		if last := h.Bucket[len(h.Bucket)-1]; !math.IsInf(last.GetUpperBound(), 1) || before != 10 || h.GetSampleCount() != 10 {
			t.Errorf("+Inf holds %d, the count is %d", before, h.GetSampleCount())
		}
		if sum := h.GetSampleSum(); sum < 1 {
			t.Errorf("sum %v s; ten calls of 0.1 s took at least 1 s", sum)
		}
	})
}
