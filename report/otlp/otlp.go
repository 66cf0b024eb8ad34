// Package otlp puts results into OpenTelemetry's protocol for metrics (OTLP, an ExportMetricsServiceRequest in protobuf),
// for collectors, and for backends that take OTLP themselves, such as Prometheus.
//
// Durations are exponential histograms, which backends can add up, and never gauges of percentiles, which they cannot.
// Every data point says in its attribute trust how far it may be believed. The package encodes and does not send.
// Start reading at Encode.
package otlp

import (
	"fmt"
	"time"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	"google.golang.org/protobuf/proto"

	"wiregauge/result"
)

// ContentType is the media type of what Encode makes; Path is where a collector takes it.
const (
	ContentType = "application/x-protobuf"
	Path        = "/v1/metrics"
)

// Encode is results as one request: a resource per result, a metric per quantity, a data point per arm.
func Encode(files []*result.File) ([]byte, error) {
	request := &collector.ExportMetricsServiceRequest{}
	for _, f := range files {
		request.ResourceMetrics = append(request.ResourceMetrics, resourceOf(f))
	}
	return proto.Marshal(request)
}

func resourceOf(f *result.File) *metrics.ResourceMetrics {
	r := &recorder{file: f, end: uint64(f.Created.UnixNano()), start: uint64(f.Created.Add(-time.Duration(f.Elapsed)).UnixNano())}
	r.durations()
	r.calls()
	r.rates()
	r.costs()
	attributes := []*common.KeyValue{
		text("service.name", "wiregauge"), text("service.version", f.Tool.Version), text("service.instance.id", f.ID),
		text("wiregauge.kind", f.Kind),
	}
	for _, optional := range [][2]string{{"host.name", f.Host.Name}, {"wiregauge.title", f.Title}} {
		if optional[1] != "" {
			attributes = append(attributes, text(optional[0], optional[1]))
		}
	}
	return &metrics.ResourceMetrics{
		Resource: &resource.Resource{Attributes: attributes},
		ScopeMetrics: []*metrics.ScopeMetrics{{
			Scope:   &common.InstrumentationScope{Name: "wiregauge", Version: f.Tool.Version},
			Metrics: r.metrics,
		}},
	}
}

// latency stands for an arm as a whole where its trust is asked for.
const latency = "latency"

// A recorder collects the metrics of one result.
type recorder struct {
	file       *result.File
	start, end uint64 // Unix time in ns
	metrics    []*metrics.Metric
}

// durations are the latencies and service times, failed calls apart.
func (r *recorder) durations() {
	for _, d := range []struct {
		name, help string
		pick       func(*result.Arm) (ok, failed *result.Distribution)
	}{
		{"wiregauge.call.duration", "Time from the moment a call was due to its end.",
			func(a *result.Arm) (ok, failed *result.Distribution) { return &a.Latency, &a.FailedLatency }},
		{"wiregauge.call.service_time", "Time from a call's place on a connection to its end.",
			func(a *result.Arm) (ok, failed *result.Distribution) { return &a.Service, &a.FailedService }},
	} {
		h := &metrics.ExponentialHistogram{AggregationTemporality: metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}
		for i := range r.file.Arms {
			ok, failed := d.pick(&r.file.Arms[i])
			h.DataPoints = append(h.DataPoints, r.histogram(i, "ok", ok)...)
			h.DataPoints = append(h.DataPoints, r.histogram(i, "failed", failed)...)
		}
		if len(h.DataPoints) > 0 {
			r.metrics = append(r.metrics, &metrics.Metric{Name: d.name, Description: d.help, Unit: "s",
				Data: &metrics.Metric_ExponentialHistogram{ExponentialHistogram: h}})
		}
	}
}

// calls are the counts by state, of which only those that exist are told: a state of no calls is 0 calls.
func (r *recorder) calls() {
	sum := &metrics.Sum{IsMonotonic: true, AggregationTemporality: metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}
	for i := range r.file.Arms {
		c := &r.file.Arms[i].Counts
		for _, n := range []struct {
			state string
			count int64
		}{{"due", c.Due}, {"unsent", c.Unsent}, {"sent", c.Sent}, {"ok", c.OK}, {"failed", c.Failed}, {"timed_out", c.TimedOut},
			{"unfinished", c.Unfinished}} {
			p := r.point(i, "errors", text("state", n.state))
			p.Value = &metrics.NumberDataPoint_AsInt{AsInt: n.count}
			sum.DataPoints = append(sum.DataPoints, p)
		}
	}
	r.metrics = append(r.metrics, &metrics.Metric{Name: "wiregauge.calls", Unit: "{call}",
		Description: "Calls by state: due = unsent + sent, sent = ok + failed + unfinished.", Data: &metrics.Metric_Sum{Sum: sum}})
}

func (r *recorder) rates() {
	rates := r.gauge("wiregauge.call.rate", "{call}/s", "Calls a second: asked for, finished, and finished well.")
	for i := range r.file.Arms {
		a := &r.file.Arms[i]
		if a.AskedRate != nil {
			rates.add(r.point(i, "rate", text("of", "asked")), *a.AskedRate)
		}
		if a.Window > 0 {
			rates.add(r.point(i, "rate", text("of", "finished")), a.AchievedRate)
			rates.add(r.point(i, "rate", text("of", "ok")), a.Goodput)
		}
	}
	rates.done(r)
}

func (r *recorder) costs() {
	cpu := r.gauge("wiregauge.cpu.time", "s", "CPU time of this client, and of the server where its process is known.")
	bytes := r.gauge("wiregauge.wire.size", "By", "Bytes on the wire, by direction.")
	window := r.gauge("wiregauge.window", "s", "How long was measured.")
	capacity := r.gauge("wiregauge.capacity", "{call}/s", "The highest rate that met the goal when it was tested again.")
	for i := range r.file.Arms {
		a := &r.file.Arms[i]
		if spent := a.ClientCPU.Total(); spent > 0 {
			cpu.add(r.point(i, "cpu", text("of", "client")), spent.Seconds())
		}
		if a.Server != nil {
			cpu.add(r.point(i, "cpu", text("of", "server")), a.Server.Total().Seconds())
		}
		if a.SentBytes.Wire+a.RecvBytes.Wire > 0 {
			bytes.add(r.point(i, "bytes", text("direction", "sent")), float64(a.SentBytes.Wire))
			bytes.add(r.point(i, "bytes", text("direction", "received")), float64(a.RecvBytes.Wire))
		}
		window.add(r.point(i, latency), time.Duration(a.Window).Seconds())
		if c := r.file.Capacity; c != nil && c.Verified != nil {
			capacity.add(r.point(i, "rate", text("goal", c.Goal), text("bound", c.Bound)), *c.Verified)
		}
	}
	capacity.done(r)
	cpu.done(r)
	bytes.done(r)
	window.done(r)
}

// A gauge is a metric on its way.
type gauge struct {
	metric *metrics.Metric
	points *metrics.Gauge
}

func (r *recorder) gauge(name, unit, help string) gauge {
	points := &metrics.Gauge{}
	return gauge{&metrics.Metric{Name: name, Unit: unit, Description: help, Data: &metrics.Metric_Gauge{Gauge: points}}, points}
}

func (g gauge) add(p *metrics.NumberDataPoint, v float64) {
	p.Value = &metrics.NumberDataPoint_AsDouble{AsDouble: v}
	g.points.DataPoints = append(g.points.DataPoints, p)
}

// done keeps the metric when it has a value.
func (g gauge) done(r *recorder) {
	if len(g.points.DataPoints) > 0 {
		r.metrics = append(r.metrics, g.metric)
	}
}

func (r *recorder) point(arm int, metric string, more ...*common.KeyValue) *metrics.NumberDataPoint {
	return &metrics.NumberDataPoint{StartTimeUnixNano: r.start, TimeUnixNano: r.end, Attributes: r.attributes(arm, metric, more...)}
}

// attributes name the arm and say how far its number may be believed.
func (r *recorder) attributes(arm int, metric string, more ...*common.KeyValue) []*common.KeyValue {
	a := &r.file.Arms[arm]
	list := []*common.KeyValue{text("arm", a.Name), text("protocol", a.Protocol), text("client", a.Client),
		text("trust", r.file.Trust.Of(a.Name, metric))}
	if a.Limited != "" {
		list = append(list, text("limited_by", a.Limited))
	}
	return append(list, more...)
}

// Rejected is what a collector's answer says of data points that it did not take, in words; "" when it took all.
func Rejected(answer []byte) string {
	var response collector.ExportMetricsServiceResponse
	if err := proto.Unmarshal(answer, &response); err != nil {
		return ""
	}
	partial := response.GetPartialSuccess()
	if partial.GetRejectedDataPoints() == 0 {
		return ""
	}
	return fmt.Sprintf("%d data points were not taken: %s", partial.GetRejectedDataPoints(), partial.GetErrorMessage())
}
