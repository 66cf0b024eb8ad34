// Package sample makes results for the tests of reports: always the same, without a clock, a network or chance.
package sample

import (
	"math"
	"sync"
	"time"

	"wiregauge/hist"
	"wiregauge/result"
)

// Latencies is a histogram of n log-normal durations around median, at evenly spaced quantiles.
func Latencies(n int64, median time.Duration, spread float64) *hist.Histogram {
	h := new(hist.Histogram)
	if n == 0 {
		return h
	}
	steps := min(n, 5000)
	for _, z := range normals(steps) {
		h.RecordN(time.Duration(float64(median)*math.Exp(spread*z)), n/steps)
	}
	h.RecordN(median, n%steps)
	return h
}

var known sync.Map // of normals, by their number: they take most of the time of a sample

// normals are n evenly spaced quantiles of the standard normal distribution.
func normals(n int64) []float64 {
	if z, found := known.Load(n); found {
		return z.([]float64)
	}
	z := make([]float64, n)
	for i := range z {
		q := (float64(i) + 0.5) / float64(n)
		z[i] = math.Sqrt2 * math.Erfinv(2*q-1)
	}
	known.Store(n, z)
	return z
}

// Turn is one turn of n OK calls in a window.
func Turn(arm string, n int64, window, median time.Duration) result.Turn {
	return result.Turn{
		Arm: arm, Window: window,
		Counts:          result.Counts{Due: n, Sent: n, OK: n, Messages: n},
		CompletedInside: n, FinishedInside: n,
		Latency:     Latencies(n, median, 0.4),
		Service:     Latencies(n, median*95/100, 0.35),
		FirstByte:   Latencies(n, median*9/10, 0.35),
		Statuses:    []result.Status{{Status: 200, Name: "200", Count: n, OK: true}},
		Connections: result.Connections{Asked: 1, Opened: 1, Addrs: []string{"127.0.0.1:50051"}},
		SentBytes:   result.Bytes{Body: 31 * n, Framing: 20 * n, Headers: 91 * n, Control: 120, Wire: 142*n + 120},
		RecvBytes:   result.Bytes{Body: 28 * n, Framing: 23 * n, Headers: 46 * n, Control: 150, Wire: 97*n + 150},
		Client:      result.CPU{User: time.Duration(n) * 20 * time.Microsecond, System: time.Duration(n) * 18 * time.Microsecond, Cores: 2, RSS: 48 << 20},
		Host:        result.HostLoad{Steal: 0, Foreign: 0.02},
		Vitals:      vitals(n, window, median),
		Oversleep:   Latencies(int64(window/time.Millisecond), 40*time.Microsecond, 0.3),
	}
}

// vitals are those of a client and a machine without a fault.
func vitals(n int64, window, median time.Duration) result.Vitals {
	of := func(v int64) *int64 { return &v }
	flight := n * int64(median)
	return result.Vitals{
		Observed: int64(window), Windows: int64(window / (100 * time.Millisecond)),
		Gap: of(int64(300 * time.Microsecond)), GCCPU: of(0), Suspend: of(0), Throttled: of(0), Pressure: of(int64(window / 50)),
		ClockRead: of(43), Retransmits: of(0), Overflows: of(0), InFlight: of(flight), Latencies: of(flight),
	}
}

// Run is a saved run of the given turns.
func Run(turns ...result.Turn) *result.File {
	f := file("run")
	f.Title = "Check"
	a := result.Merge(turns, result.DefaultPercentiles)
	a.Name, a.URL, a.Protocol, a.Client = "Check", "grpc://localhost:50051/inv.v1.Inventory/Check", "gRPC", "wire"
	a.Method = "/inv.v1.Inventory/Check"
	f.Arms = []result.Arm{a}
	f.Plan = result.Plan{Loop: "closed", Concurrency: 50, Connections: 1, Duration: a.Window, Seed: 42, Percentiles: result.DefaultPercentiles}
	f.Command = []string{"wiregauge", "run", a.URL, "-d", "@item.json"}
	f.Elapsed = a.Window + int64(200*time.Millisecond)
	return f
}

func file(kind string) *result.File {
	return &result.File{
		Schema: result.Schema, ID: "7f3a0001", Kind: kind,
		Created: time.Date(2026, 11, 30, 19, 4, 0, 0, time.UTC),
		Tool:    result.Tool{Version: "v0.1.0", Commit: "0123456789ab", Go: "go1.26.0"},
		Host:    result.Host{Name: "ci-3", OS: "linux", Arch: "amd64", Kernel: "6.1.0", CPUs: 2, CPU: "Example CPU", Procs: 2},
		Trust:   result.Trust{Level: "unchecked"},
	}
}

// Open turns a run into one under a rate.
func Open(f *result.File, rate float64, words string) *result.File {
	f.Plan.Loop, f.Plan.Rate, f.Plan.Arrivals, f.Plan.Concurrency = "open", words, "poisson", 0
	f.Arms[0].AskedRate = &rate
	return f
}

// Met is an open-loop run that kept its rate, with three failures in 60,000 calls.
func Met() *result.File {
	t := Turn("Check", 59_997, 30*time.Second, 1900*time.Microsecond)
	t.Due, t.Sent, t.Failed = 60_000, 60_000, 3
	t.FinishedInside = 60_000
	t.FailedLatency, t.FailedService = Latencies(3, 11*time.Millisecond, 0.1), Latencies(3, 11*time.Millisecond, 0.1)
	t.Lateness = Latencies(60_000, 40*time.Microsecond, 0.5)
	t.Dispatched = Latencies(59_997, 1870*time.Microsecond, 0.4)
	t.SlotWait = Latencies(60_000, 2*time.Microsecond, 0.5)
	t.Connect = Latencies(1, 900*time.Microsecond, 0)
	t.Statuses = []result.Status{{Name: "OK", Count: 59_997, OK: true}, {Status: 14, Name: "UNAVAILABLE", Count: 3}}
	t.Errors = []result.ErrorClass{{Class: "UNAVAILABLE", Stage: "read", Message: "connection reset by peer", Count: 3,
		First: 12400 * time.Millisecond, Last: 20 * time.Second}}
	t.Warm = &result.Counts{Due: 5000, Sent: 5000, OK: 4999, Failed: 1}
	t.Strips = strips(30, 2000)
	return Open(Run(t), 2000, "2,000/s")
}

func strips(seconds int, rate int64) []result.Strip {
	var all []result.Strip
	for i := range seconds {
		var failed int64
		if i == 12 || i == 20 {
			failed = 2
		}
		all = append(all, Strip(time.Duration(i)*time.Second, 0, rate-failed, failed, 1900*time.Microsecond, "UNAVAILABLE"))
	}
	return all
}
