package plant

import (
	"context"
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

// realClock without alarms sleeps on Go's timers.
type realClock struct {
	start  time.Time
	alarms *alarms
}

func (c realClock) Now() time.Duration { return time.Since(c.start) }

func (c realClock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
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
