package load

import (
	"time"

	"wiregauge/internal/sleep"
)

// A clock is the time of an Engine, since it was opened. Times from it are monotonic.
type clock interface {
	Now() time.Duration
	// SleepUntil returns at t, or earlier after Wake; only the keeper sleeps.
	SleepUntil(t time.Duration)
	// Wake ends the current SleepUntil, or else the next one. It may be called by anybody.
	Wake()
}

// forever is a time that no run reaches.
const forever = time.Duration(1<<63 - 1)

// goClock sleeps with Go's timers, which are about 1 ms late: enough for deadlines, not for sending on time. It is
// also the clock of tests, under testing/synctest.
type goClock struct {
	epoch time.Time
	timer *time.Timer
	wake  chan struct{}
}

func newGoClock() *goClock {
	return &goClock{epoch: time.Now(), wake: make(chan struct{}, 1)}
}

// Now is the time since the clock was made.
func (c *goClock) Now() time.Duration { return time.Since(c.epoch) }

// SleepUntil waits for t or Wake.
func (c *goClock) SleepUntil(t time.Duration) {
	d := t - c.Now()
	if d <= 0 {
		return
	}
	if t == forever {
		<-c.wake
		return
	}
	if c.timer == nil {
		c.timer = time.NewTimer(d)
	} else {
		c.timer.Reset(d)
	}
	select {
	case <-c.timer.C:
	case <-c.wake:
		c.timer.Stop()
	}
}

// Wake ends the sleep.
func (c *goClock) Wake() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// threadClock tells the same time and sleeps on a locked OS thread, to some 20 µs.
type threadClock struct {
	*goClock
	thread *sleep.Thread
}

// SleepUntil waits for t or Wake.
func (c *threadClock) SleepUntil(t time.Duration) {
	if t == forever {
		t = c.Now() + time.Hour
	}
	c.thread.Sleep(t - c.Now())
}

// Wake ends the sleep.
func (c *threadClock) Wake() { c.thread.Wake() }

var (
	_ clock = (*goClock)(nil)
	_ clock = (*threadClock)(nil)
)
