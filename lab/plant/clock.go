package plant

import (
	"context"
	"runtime"
	"time"
)

// A Clock is the time that plants live by.
type Clock interface {
	Now() time.Duration // since the clock was made
	// Sleep waits for d or until ctx ends, and then returns its error.
	Sleep(ctx context.Context, d time.Duration) error
}

// Real is the clock on the wall. Its sleeps end some 0.1 ms late where Go's timers may be 1 ms late: all of them wait
// on one thread, which exists only while somebody sleeps.
func Real() Clock { return realClock{start: time.Now(), alarms: &alarms{}} }

// Precise is Real with sleeps that end a few µs late: short ones are woken early and spin for the rest, which costs up
// to lead of a core each. It is for a few thousand calls a second.
func Precise() Clock { return realClock{start: time.Now(), alarms: &alarms{}, lead: lead} }

const (
	// lead is how long before its time a sleeper is woken: longer than most wake-ups are late.
	lead = 80 * time.Microsecond
	// leadBelow is the longest sleep that is worth it: of longer ones a wake-up's lateness is less than 1 %.
	leadBelow = 12 * time.Millisecond
)

// realClock without alarms sleeps on Go's timers.
type realClock struct {
	start  time.Time
	alarms *alarms
	lead   time.Duration
}

func (c realClock) Now() time.Duration { return time.Since(c.start) }

func (c realClock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	if c.lead > 0 && d < leadBelow {
		return c.sleepAndSpin(ctx, d)
	}
	if c.alarms != nil {
		return c.alarms.sleep(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c realClock) sleepAndSpin(ctx context.Context, d time.Duration) error {
	end := c.Now() + d
	if d > c.lead {
		if err := c.alarms.sleep(ctx, d-c.lead); err != nil {
			return err
		}
	}
	for c.Now() < end {
		runtime.Gosched()
	}
	return ctx.Err()
}
