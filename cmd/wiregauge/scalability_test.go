package main

import (
	"math"
	"testing"
	"time"

	"wiregauge/hist"
	"wiregauge/result"
)

// A service whose time for a call is 2 ms·(1 + 0.05(N-1) + 0.001 N(N-1)) answers most at sqrt(0.95/0.001) = 30.8 in flight.
func TestARampOfConcurrencyIsFitted(t *testing.T) {
	levels := []int{1, 2, 4, 8, 16, 32, 64}
	ramp := func(levels []int) []result.Turn {
		var turns []result.Turn
		for _, level := range levels {
			n := float64(level)
			each := 0.002 * (1 + 0.05*(n-1) + 0.001*n*(n-1))
			calls := int64(10 * n / each)
			turn := result.Turn{Window: 10 * time.Second, CompletedInside: calls, Latency: new(hist.Histogram)}
			turn.OK = calls
			turn.Latency.RecordN(time.Duration(each*1e9), calls)
			turns = append(turns, turn)
		}
		return turns
	}
	at := func(i int) int { return levels[i] }
	u := scalability(at, ramp(levels))
	if u == nil || u.Peak == nil || math.Abs(*u.Peak/30.82-1) > 0.02 || math.Abs(u.Sigma/0.05-1) > 0.05 || math.Abs(u.Kappa/0.001-1) > 0.05 {
		t.Fatalf("%+v, want σ 0.05, κ 0.001 and the peak at 30.8", u)
	}
	if u.R2 < 0.999 || *u.Little > 0.01 {
		t.Errorf("R² %v, Little's law off by %v", u.R2, *u.Little)
	}
	if u := scalability(at, ramp(levels[:4])); u != nil {
		t.Errorf("%+v of four steps", u)
	}
	failing := ramp(levels)
	failing[3].Failed = 1
	if u := scalability(at, failing); u != nil {
		t.Errorf("%+v of a ramp with failures", u)
	}
}
