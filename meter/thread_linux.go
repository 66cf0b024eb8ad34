package meter

import (
	"time"

	"golang.org/x/sys/unix"
)

// Thread is the CPU time that the calling thread has used; known is false on a system that does not tell. The caller
// is locked to its thread.
func Thread() (used time.Duration, known bool) {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &r) != nil {
		return 0, false
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), true
}
