//go:build !linux

package sleep

import (
	"runtime"
	"time"
)

// threadState wakes through a channel: on this system Go's own timers have to do.
type threadState struct {
	wake chan struct{}
}

func (t *Thread) lock() {
	runtime.LockOSThread()
	t.state.wake = make(chan struct{}, 1)
}

// Unlock gives the thread back.
func (t *Thread) Unlock() { runtime.UnlockOSThread() }

func (t *Thread) sleep(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.state.wake:
	}
}

// Wake ends the current Sleep, or else the next one.
func (t *Thread) Wake() {
	select {
	case t.state.wake <- struct{}{}:
	default:
	}
}
