//go:build unix

package meter

import (
	"runtime"
	"syscall"
	"time"
)

// Own is what this process has used.
func Own() Usage {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return Usage{}
	}
	rss := r.Maxrss
	if runtime.GOOS != "darwin" { // in kB everywhere else
		rss *= 1024
	}
	return Usage{
		User:   time.Duration(r.Utime.Nano()),
		System: time.Duration(r.Stime.Nano()),
		RSS:    int64(rss),
		Known:  true,
	}
}
