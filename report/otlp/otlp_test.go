package otlp

import (
	"math"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"wiregauge/hist"
	"wiregauge/report/internal/sample"
	"wiregauge/result"
)

// decode is what a collector sees of results.
func decode(t *testing.T, files ...*result.File) map[string]*metrics.Metric {
	t.Helper()
	packed, err := Encode(files)
	if err != nil {
		t.Fatal(err)
	}
	var request collector.ExportMetricsServiceRequest
	if err := proto.Unmarshal(packed, &request); err != nil {
		t.Fatal(err)
	}
	if len(request.ResourceMetrics) != len(files) {
		t.Fatalf("%d resources of %d results", len(request.ResourceMetrics), len(files))
	}
	byName := map[string]*metrics.Metric{}
	for _, m := range request.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		byName[m.Name] = m
	}
	return byName
}

func TestHistogramsHoldEveryCallAndNoPercentiles(t *testing.T) {
	f := sample.Half()
	points := decode(t, f)["wiregauge.call.duration"].GetExponentialHistogram().DataPoints
	if len(points) != 2 {
		t.Fatalf("%d data points, want OK and failed calls apart", len(points))
	}
	for i, d := range []*result.Distribution{&f.Arms[0].Latency, &f.Arms[0].FailedLatency} {
		p := points[i]
		held := p.ZeroCount
		for _, n := range p.Positive.BucketCounts {
			held += n
		}
		if p.Count != uint64(d.N) || held != p.Count {
			t.Errorf("count %d, in buckets %d, want %d", p.Count, held, d.N)
		}
		if *p.Min != float64(*d.Min)/1e9 || *p.Max != float64(*d.Max)/1e9 || math.Abs(*p.Sum/float64(p.Count)-float64(*d.Mean)/1e9) > 1e-9 {
			t.Errorf("min %v, max %v, sum %v beside %+v", *p.Min, *p.Max, *p.Sum, d)
		}
	}
}

func TestValuesAreInTheBucketsThatTheModelPutsThemIn(t *testing.T) {
	for name, values := range map[string][]time.Duration{
		"one value":        {time.Millisecond},
		"powers of two":    {time.Second, 2 * time.Second, 4 * time.Second},
		"from 0 to 1 hour": {0, 1, time.Microsecond, time.Second, time.Hour},
	} {
		h := new(hist.Histogram)
		for _, v := range values {
			h.Record(v)
		}
		p := &metrics.ExponentialHistogramDataPoint{}
		fill(p, h.Buckets())
		if n := len(p.Positive.BucketCounts); n > maxBuckets {
			t.Errorf("%s: %d buckets", name, n)
		}
		base := math.Pow(2, math.Pow(2, -float64(p.Scale)))
		for _, b := range h.Buckets() {
			if b.Value == 0 {
				continue
			}
			i := bucketOf(b.Value.Seconds(), int(p.Scale))
			low, high := math.Pow(base, float64(i)), math.Pow(base, float64(i+1))
			if v := b.Value.Seconds(); v <= low*(1-1e-9) || v > high*(1+1e-9) || p.Positive.BucketCounts[i-int(p.Positive.Offset)] == 0 {
				t.Errorf("%s: %v is in bucket %d, from %v to %v", name, v, i, low, high)
			}
		}
	}
}

func TestWhatDoesNotExistIsNoDataPoint(t *testing.T) {
	all := decode(t, sample.Empty())
	if m := all["wiregauge.call.duration"]; m != nil {
		t.Errorf("a histogram of no calls: %v", m)
	}
	if m := all["wiregauge.cpu.time"]; m != nil {
		t.Errorf("CPU time that could not be read: %v", m)
	}
	if m := decode(t, sample.Fail())["wiregauge.call.duration"].GetExponentialHistogram(); len(m.DataPoints) != 1 || m.DataPoints[0].Count != 1000 {
		t.Errorf("a server that always fails: %v", m)
	}
}

func TestEveryDataPointSaysHowFarItMayBeBelieved(t *testing.T) {
	f := sample.Comparison()
	f.Trust = result.Trust{Level: result.TrustSuspect, Reasons: []result.Reason{
		{Code: "V3", Arm: "grpc", Level: result.TrustSuspect, Measured: "70 %", Affects: result.AffectsAbsolute}}}
	for name, m := range decode(t, f) {
		for _, p := range m.GetGauge().GetDataPoints() {
			check(t, name, p.Attributes)
		}
		for _, p := range m.GetSum().GetDataPoints() {
			check(t, name, p.Attributes)
		}
		for _, p := range m.GetExponentialHistogram().GetDataPoints() {
			check(t, name, p.Attributes)
		}
	}
}

func check(t *testing.T, metric string, attributes []*common.KeyValue) {
	t.Helper()
	has := map[string]string{}
	for _, a := range attributes {
		has[a.Key] = a.Value.GetStringValue()
	}
	want := result.TrustOK
	if has["arm"] == "grpc" && metric != "wiregauge.calls" && metric != "wiregauge.wire.size" { // these are counted
		want = result.TrustSuspect
	}
	if has["trust"] != want {
		t.Errorf("%s of %s has trust %q, want %q", metric, has["arm"], has["trust"], want)
	}
}
