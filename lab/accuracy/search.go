package main

import (
	"context"
	"fmt"
	"time"

	"wiregauge/lab/truth"
	"wiregauge/result"
)

// A search is something that wiregauge found out by itself: where a warm-up ends, or the highest rate that meets a goal.
type search struct {
	Kind    string   `json:"kind"`
	Outcome string   `json:"outcome,omitempty"`
	Calls   int64    `json:"calls,omitempty"` // discarded as warm-up
	Low     *float64 `json:"low,omitempty"`   // calls/s
	High    *float64 `json:"high,omitempty"`
	Elapsed int64    `json:"elapsed_ns"`
	Lost    string   `json:"error,omitempty"`
}

// The searches of the bench.
const (
	warmingUp = "warm-up of S14"
	restless  = "warm-up of S14c"
	capacity  = "capacity of S12"
)

func (b *bench) searches(repeat int) []job {
	var jobs []job
	add := func(kind string, cost time.Duration, run func(context.Context, *search) error) {
		jobs = append(jobs, job{key: fmt.Sprintf("search | %s | %d", kind, repeat), cost: cost, later: true, run: func(ctx context.Context) (*record, error) {
			one, began := &search{Kind: kind}, time.Now()
			err := run(ctx, one)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				one.Lost = err.Error()
			}
			one.Elapsed = int64(time.Since(began))
			return &record{Search: one}, nil
		}})
	}
	add(warmingUp, 100*time.Second, func(ctx context.Context, s *search) error { return b.warmUp(ctx, s, "S14") })
	if repeat%2 == 0 {
		add(restless, 100*time.Second, func(ctx context.Context, s *search) error { return b.warmUp(ctx, s, "S14c") })
		add(capacity, 5*time.Minute, b.findCapacity)
	}
	return jobs
}

// warmUp has a run find the warm-up of a planted server.
func (b *bench) warmUp(ctx context.Context, s *search, spec string) error {
	server, err := plantServer(ctx, b.wiregauge, spec)
	if err != nil {
		return err
	}
	defer server.stop()
	file, err := b.measure(ctx, 5*time.Minute, []string{"run", server.target.urls["http"], "-s", "-c", "4", "-z", "1s", "--warmup", "auto"})
	if err != nil {
		return err
	}
	if len(file.Arms) != 1 || file.Arms[0].WarmUp == nil {
		return fmt.Errorf("the result tells no warm-up")
	}
	s.Outcome, s.Calls = file.Arms[0].WarmUp.Outcome, file.Arms[0].WarmUp.Calls
	return nil
}

// findCapacity asks for the highest rate of S12, which is 2,000/s.
func (b *bench) findCapacity(ctx context.Context, s *search) error {
	server, err := plantServer(ctx, b.wiregauge, "S12")
	if err != nil {
		return err
	}
	defer server.stop()
	file, err := b.measure(ctx, 10*time.Minute, []string{"run", server.target.urls["http"], "-s", "--connections", "300", "--find-max", "p99<20ms, errors<0.1%", "--arrivals", "constant"})
	if err != nil {
		return err
	}
	if file.Capacity == nil {
		return fmt.Errorf("the result tells no capacity")
	}
	s.Outcome, s.Low, s.High = file.Capacity.Outcome, file.Capacity.Low, file.Capacity.High
	return nil
}

func (b *bench) searchesOf(kind string) (found []*search, lost string) {
	for _, r := range b.store.all {
		if r.Search == nil || r.Search.Kind != kind {
			continue
		}
		if r.Search.Lost != "" {
			lost = r.Search.Lost
			continue
		}
		found = append(found, r.Search)
	}
	return found, lost
}

// settling says what was found of the warm-ups.
func (p *page) settling() string {
	found, lost := p.b.searchesOf(warmingUp)
	if len(found) == 0 {
		return notMeasured(lost)
	}
	want := truth.Settled(10, 20_000, 0.03)
	near, calls := 0, []int64{}
	for _, s := range found {
		if s.Outcome != result.WarmFound {
			continue
		}
		calls = append(calls, s.Calls)
		if off := float64(s.Calls)/float64(want) - 1; off >= -0.1 && off <= 0.1 {
			near++
		}
	}
	text := fmt.Sprintf("S14 (settled at call %s): found in %d of %d, within 10 %% in %d", count(float64(want)), len(calls), len(found), near)
	if len(calls) > 0 {
		text += fmt.Sprintf(", median %s", count(float64(median(calls))))
	}
	unsteady, never := p.b.searchesOf(restless)
	flagged := 0
	for _, s := range unsteady {
		if s.Outcome == result.WarmUnsteady {
			flagged++
		}
	}
	if len(unsteady) == 0 {
		return text + "; S14c " + notMeasured(never)
	}
	return text + fmt.Sprintf("; S14c, which never settles: flagged in %d of %d", flagged, len(unsteady))
}

// highest says what was found of the capacity.
func (p *page) highest() string {
	found, lost := p.b.searchesOf(capacity)
	if len(found) == 0 {
		return "capacity of S12: " + notMeasured(lost)
	}
	holds, took := 0, []int64{}
	var middles []float64
	for _, s := range found {
		took = append(took, s.Elapsed)
		if s.Low == nil || s.High == nil {
			continue
		}
		middles = append(middles, (*s.Low+*s.High)/2)
		if *s.Low <= 2000 && 2000 <= *s.High {
			holds++
		}
	}
	text := fmt.Sprintf("capacity of S12 (2,000/s, constant arrivals): its interval holds the truth in %d of %d, in %v", holds, len(found), time.Duration(median(took)).Round(time.Second))
	if len(middles) > 0 {
		text += fmt.Sprintf(", median %s/s", count(median(middles)))
	}
	return text
}

func notMeasured(why string) string {
	if why == "" {
		return "not measured: no time"
	}
	return "not measured: " + cell(why)
}
