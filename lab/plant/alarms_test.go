package plant

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// Sleepers wake in the order of their times, whatever the order in which they lie down, and never early.
func TestRealClockWakesInOrder(t *testing.T) {
	c := Real().(realClock)
	ctx := t.Context()
	woken := make(chan int, 5)
	var wg sync.WaitGroup
	start := c.Now()
	for i, d := range []time.Duration{40 * ms, 20 * ms, 30 * ms, 10 * ms, 50 * ms} {
		wg.Go(func() {
			if err := c.Sleep(ctx, d); err != nil {
				t.Error(err)
			}
			if slept := c.Now() - start; slept < d {
				t.Errorf("woken after %v instead of %v", slept, d)
			}
			woken <- i
		})
	}
	wg.Wait()
	close(woken)
	seen := map[int]bool{}
	for i := range woken {
		seen[i] = true
	}
	if len(seen) != 5 || len(c.alarms.waiting) != 0 {
		t.Errorf("woken: %v, still waiting: %d", seen, len(c.alarms.waiting))
	}
}

func TestRealClockForgetsWhoGaveUp(t *testing.T) {
	c := Real().(realClock)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	const sleepers = 100
	for range sleepers {
		go func() { failed <- c.Sleep(ctx, time.Hour) }()
	}
	cancel()
	for range sleepers {
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	c.alarms.mu.Lock()
	defer c.alarms.mu.Unlock()
	if n := len(c.alarms.waiting); n != 0 {
		t.Errorf("%d alarms are kept", n)
	}
}

// The first of two that lie down sleeps longer, so the thread has to be woken for the second.
func TestRealClockIsWokenForAnEarlierSleeper(t *testing.T) {
	c := Real()
	ctx, cancel := context.WithCancel(t.Context())
	long := make(chan error)
	go func() { long <- c.Sleep(ctx, time.Hour) }()
	if err := c.Sleep(ctx, ms); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-long; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := c.Sleep(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("no time at all: %v", err)
	}
}

// The thread goes away when nobody sleeps, and comes back.
func TestRealClockThreadComesAndGoes(t *testing.T) {
	a := &alarms{}
	for range 2 {
		if err := a.sleep(t.Context(), ms); err != nil {
			t.Fatal(err)
		}
		gone := func() bool {
			a.mu.Lock()
			defer a.mu.Unlock()
			return a.thread == nil
		}
		until(t, gone)
	}
}

func BenchmarkRealSleep(b *testing.B) {
	c := Real()
	var late time.Duration
	for b.Loop() {
		start := c.Now()
		if err := c.Sleep(b.Context(), ms); err != nil {
			b.Fatal(err)
		}
		late += c.Now() - start - ms
	}
	b.ReportMetric(float64(late.Microseconds())/float64(b.N), "µs-late/op")
}

// until waits for something that happens soon after what the test did; the test's own time limit is the only one.
func until(t *testing.T, happened func() bool) {
	t.Helper()
	for !happened() {
		select {
		case <-t.Context().Done():
			t.Fatal("it never happens")
		case <-time.After(time.Millisecond):
		}
	}
}
