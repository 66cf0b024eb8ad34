package sample

import (
	"fmt"
	"math"
	"time"

	"wiregauge/result"
)

// Sweep is a comparison of two arms over concurrencies 1 to 512, with verdicts at one of them.
func Sweep() *result.File {
	f := comparison(6, 5, specs[:3], calm)
	f.Title = "Inventory check from 1 to 512 callers"
	for k := range 10 {
		c := 1 << k
		p := result.Point{Label: fmt.Sprintf("c=%d", c), Concurrency: c}
		for i, spec := range specs[:3] {
			one := float64(time.Second) / float64(spec.median) * 3
			x := one * float64(c) / (1 + 0.08*float64(c-1) + 0.0004*float64(c)*float64(c-1))
			p50 := int64(float64(c) / x * 1e9 * 0.9)
			a := pointArm(spec, x, p50)
			if c == 512 && i == 2 {
				a.Errors, a.P99 = 0.004, nil
			}
			p.Arms = append(p.Arms, a)
		}
		if c == 16 {
			p.Verdicts = f.Verdicts
		}
		f.Sweep = append(f.Sweep, p)
	}
	return f
}

// RunSweep is one target over callers and sizes of payload.
func RunSweep() *result.File {
	f := Run(Turn("Check", 9000, time.Second, 4*time.Millisecond))
	f.Title = "Check by callers and size"
	f.Notes = []string{"the tables are those of c=64, 10 kB, one of 8 points"}
	for _, size := range []int64{100, 10_000} {
		for _, c := range []int{1, 4, 16, 64} {
			x := 900 * float64(c) / (1 + 0.07*float64(c-1)) / (1 + float64(size)/20_000)
			p := result.Point{Label: fmt.Sprintf("c=%d, %d B", c, size), Concurrency: c, Payload: size}
			a := pointArm(specs[2], x, int64(float64(c)/x*1e9))
			a.Name, a.ServerCPU = "Check", nil
			p.Arms = []result.PointArm{a}
			f.Sweep = append(f.Sweep, p)
		}
	}
	return f
}

// RateSweep is a comparison of two arms over offered rates, one of which stops keeping up.
func RateSweep() *result.File {
	f := comparison(6, 5, specs[:2], calm)
	f.Title = "Inventory check at rising rates"
	f.Plan.Loop, f.Plan.Concurrency, f.Plan.Arrivals = "open", 0, "poisson"
	for _, rate := range []float64{500, 1000, 2000, 4000, 8000, 12_000, 16_000} {
		p := result.Point{Label: number(rate) + "/s", Rate: rate}
		for i, spec := range specs[:2] {
			capacity := []float64{9800, 14_500}[i]
			x := min(rate, capacity)
			p50 := int64(float64(spec.median) / 8 / max(1-x/capacity*0.97, 0.03))
			p.Arms = append(p.Arms, pointArm(spec, x, p50))
		}
		f.Sweep = append(f.Sweep, p)
	}
	return f
}

func number(x float64) string { return fmt.Sprintf("%.0f", x) }

func pointArm(spec armSpec, x float64, p50 int64) result.PointArm {
	bytes := float64(spec.sent.Body + spec.sent.Headers + spec.sent.Framing + spec.received.Body + spec.received.Headers + spec.received.Framing)
	return result.PointArm{Name: spec.name, Rate: x, Goodput: x, Low: new(x * 0.96), High: new(x * 1.04), P50: &p50, P99: new(p50 * 5),
		Bytes: &bytes, ClientCPU: new(int64(spec.cpu)), ServerCPU: new(int64(spec.server))}
}

// Capacity is a search for the highest rate that keeps p99 under 50 ms.
func Capacity() *result.File {
	t := Turn("Capacity", 9400*30, 30*time.Second, 4*time.Millisecond)
	for i := range 30 {
		t.Strips = append(t.Strips, Strip(time.Duration(i)*time.Second, 0, 9400, 0, 4*time.Millisecond, ""))
	}
	t.Lateness = Latencies(9400*30, 30*time.Microsecond, 0.4)
	f := Open(Run(t), 9400, "9,400/s")
	f.Title = "How much does Check take?"
	c := &result.Capacity{Goal: "p99<50ms, errors<0.1%", Outcome: "verified", Low: new(9400.0), High: new(9800.0), Verified: new(9400.0),
		Bound: "p99", Arrivals: "poisson", Ceiling: new(182_000.0),
		USL: &result.USL{Lambda: 1100, Sigma: 0.06, Kappa: 0.0004, Peak: new(48.5), R2: 0.993}}
	for i, offered := range []float64{500, 1000, 2000, 4000, 8000, 16_000, 11_300, 9500, 10_300, 9800, 9400} {
		capacity := 10_200.0
		share := min(offered/capacity, 1.2)
		p50 := int64(1.1e6 / max(1-share*0.95, 0.02))
		p := result.Probe{Stage: []string{"base", "bracket", "refine", "confirm"}[stage(i)], Offered: offered, Achieved: min(offered, capacity),
			Window: int64(10 * time.Second), P50: &p50, P99: new(int64(float64(p50) * (3 + 4*share))), Passed: offered < 9700}
		if !p.Passed {
			p.Why = fmt.Sprintf("p99 %.0f ms", math.Round(float64(*p.P99)/1e6))
		}
		c.Probes = append(c.Probes, p)
	}
	f.Capacity = c
	return f
}

func stage(i int) int {
	switch {
	case i == 0:
		return 0
	case i < 6:
		return 1
	case i < 10:
		return 2
	default:
		return 3
	}
}
