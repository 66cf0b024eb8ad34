package main

import (
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// bareLateness sleeps to the same schedule for one second on a locked thread with a timer slack of 1 ns.
func bareLateness() (p50, p99 time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	late := make([]time.Duration, 0, lateRate)
	start := monotonic()
	for i := range lateRate {
		due := start + int64(i)*int64(time.Second)/lateRate
		if due > monotonic() {
			at := unix.NsecToTimespec(due)
			_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &at, nil)
		}
		late = append(late, time.Duration(monotonic()-due))
	}
	slices.Sort(late)
	return late[lateRate/2], late[lateRate*99/100]
}

func monotonic() int64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return ts.Nano()
}
