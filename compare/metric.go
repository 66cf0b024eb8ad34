package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"wiregauge/result"
)

// fewestBeyond is how many calls must lie beyond a percentile before it is used.
const fewestBeyond = 10

// A metric is one number of a turn, or of several turns of one launch taken together. A value of 0 or less
// stands for "there is none": all metrics are positive where they exist.
type metric struct {
	name   string
	larger bool // larger is better
	// pooled metrics need many calls: with several launches they are taken over a whole launch at once.
	pooled bool
	value  func(*result.Turn) float64
}

// secondaries are shown beside the primary metrics, without a verdict.
var secondaries = []string{"rate", "p50", "p99", "cpu", "server_cpu"}

// metricNamed finds a metric: rate (OK calls per second), a percentile of latency (p50, p99.9), mean, cpu or
// server_cpu (CPU time per finished call).
func metricNamed(name string) (metric, error) {
	switch name {
	case "rate":
		return metric{name: name, larger: true, value: goodput}, nil
	case "mean":
		return metric{name: name, value: meanLatency}, nil
	case "cpu":
		return metric{name: name, pooled: true, value: clientCPU}, nil
	case "server_cpu":
		return metric{name: name, pooled: true, value: serverCPU}, nil
	}
	if digits, ok := strings.CutPrefix(name, "p"); ok {
		if p, err := strconv.ParseFloat(digits, 64); err == nil && p > 0 && p < 100 {
			return metric{name: name, pooled: p >= 90, value: percentile(p)}, nil
		}
	}
	return metric{}, fmt.Errorf("no metric %q for --primary: there are rate, mean, cpu, server_cpu and percentiles such as p50 and p99.9", name)
}

func goodput(t *result.Turn) float64 {
	if t.Window <= 0 {
		return 0
	}
	return float64(t.CompletedInside) / t.Window.Seconds()
}

func meanLatency(t *result.Turn) float64 {
	if t.Latency == nil {
		return 0
	}
	return float64(t.Latency.Mean())
}

func clientCPU(t *result.Turn) float64 { return perCall(t.Client, t) }

func serverCPU(t *result.Turn) float64 {
	if t.Server == nil {
		return 0
	}
	return perCall(*t.Server, t)
}

func perCall(cpu result.CPU, t *result.Turn) float64 {
	if t.FinishedInside <= 0 {
		return 0
	}
	return float64(cpu.Total()) / float64(t.FinishedInside)
}

func percentile(p float64) func(*result.Turn) float64 {
	return func(t *result.Turn) float64 {
		if t.Latency == nil || t.Latency.Beyond(p) < fewestBeyond {
			return 0
		}
		return float64(t.Latency.Percentile(p))
	}
}

// logRatio is positive when b is better; ok is false when one of the two does not exist.
func (m metric) logRatio(a, b float64) (d float64, ok bool) {
	if !(a > 0) || !(b > 0) {
		return 0, false
	}
	if m.larger {
		return math.Log(b / a), true
	}
	return math.Log(a / b), true
}
