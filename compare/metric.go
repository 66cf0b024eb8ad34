package compare

import (
	"fmt"
	"strconv"
	"strings"

	"wiregauge/judge"
	"wiregauge/result"
)

// fewestBeyond is how many calls must lie beyond a percentile before it is used.
const fewestBeyond = 10

// A metric is one number of a turn, or of several turns of one launch taken together. A value of 0 or less
// stands for "there is none".
type metric struct {
	judge.Metric
	value func(*result.Turn) float64
}

// secondaries are shown beside the primary metrics, without a verdict.
var secondaries = []string{"rate", "p50", "p99", "cpu", "server_cpu"}

// metricNamed finds a metric: rate (OK calls per second), a percentile of latency (p50, p99.9), mean, cpu or
// server_cpu (CPU time per finished call).
func metricNamed(name string) (metric, error) {
	switch name {
	case "rate":
		return metric{judge.Metric{Name: name, Larger: true}, goodput}, nil
	case "mean":
		return metric{judge.Metric{Name: name}, meanLatency}, nil
	case "cpu":
		return metric{judge.Metric{Name: name, Pooled: true, Cost: true}, clientCPU}, nil
	case "server_cpu":
		return metric{judge.Metric{Name: name, Pooled: true, Cost: true}, serverCPU}, nil
	}
	if digits, ok := strings.CutPrefix(name, "p"); ok {
		if p, err := strconv.ParseFloat(digits, 64); err == nil && p > 0 && p < 100 {
			return metric{judge.Metric{Name: name, Pooled: p >= 90}, percentile(p)}, nil
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
