package meter

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// Usage is CPU time spent since a process began, and the largest resident set seen, in bytes. Known is false on a
// system that does not tell.
type Usage struct {
	User, System time.Duration
	RSS          int64
	Known        bool
}

// Total is user + system.
func (u Usage) Total() time.Duration { return u.User + u.System }

// GCs is how many garbage collections this process has finished. It does not stop the world.
func GCs() int64 {
	sample := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// Cores is how many CPUs this process may use at once.
func Cores() float64 { return float64(min(runtime.GOMAXPROCS(0), runtime.NumCPU())) }
