package otlp

import (
	"math"
	"strings"
	"time"

	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/slim/otlp/metrics/v1"

	"wiregauge/hist"
	"wiregauge/result"
)

// What a histogram holds at most: the number of buckets that OpenTelemetry's SDKs keep by default, and the finest
// scale that its exponential histograms have.
const (
	maxBuckets = 160
	maxScale   = 20
)

// histogram is a distribution as a data point; none when it is empty or was saved without its histogram.
func (r *recorder) histogram(arm int, outcome string, d *result.Distribution) []*metrics.ExponentialHistogramDataPoint {
	h := d.Hist
	if h == nil || h.Count() == 0 {
		return nil
	}
	least, most, sum := h.Min().Seconds(), h.Max().Seconds(), h.Sum()/float64(time.Second)
	p := &metrics.ExponentialHistogramDataPoint{
		StartTimeUnixNano: r.start, TimeUnixNano: r.end, Attributes: r.attributes(arm, latency, text("outcome", outcome)),
		Count: uint64(h.Count()), Sum: &sum, Min: &least, Max: &most,
	}
	fill(p, h.Buckets())
	return []*metrics.ExponentialHistogramDataPoint{p}
}

// fill counts values into buckets of equal ratio, as fine as the limit allows.
func fill(p *metrics.ExponentialHistogramDataPoint, buckets []hist.Bucket) {
	if len(buckets) > 0 && buckets[0].Value <= 0 {
		p.ZeroCount = uint64(buckets[0].Count)
		buckets = buckets[1:]
	}
	if len(buckets) == 0 {
		return
	}
	low, high := buckets[0].Value.Seconds(), buckets[len(buckets)-1].Value.Seconds()
	scale := maxScale
	for bucketOf(high, scale)-bucketOf(low, scale) >= maxBuckets {
		scale--
	}
	first := bucketOf(low, scale)
	counts := make([]uint64, bucketOf(high, scale)-first+1)
	for _, b := range buckets {
		counts[bucketOf(b.Value.Seconds(), scale)-first] += uint64(b.Count)
	}
	p.Scale = int32(scale)
	p.Positive = &metrics.ExponentialHistogramDataPoint_Buckets{Offset: int32(first), BucketCounts: counts}
}

// bucketOf is the bucket of v at a scale: bucket i takes what is above base^i and at most base^(i+1), where base is
// 2^(2^-scale) (OpenTelemetry, Metrics Data Model, exponential histogram).
func bucketOf(v float64, scale int) int {
	return int(math.Ceil(math.Ldexp(math.Log2(v), scale))) - 1
}

func text(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: strings.ToValidUTF8(value, "\ufffd")}}}
}
