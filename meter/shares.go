package meter

import "time"

// Shares is what happened on the machine between two readings, besides what is known to be ours: each a share of
// all CPUs, -1 when it cannot be read.
func Shares(before, after Host, ours time.Duration) (steal, foreign float64) {
	all := after.All - before.All
	if !before.Known || !after.Known || all <= 0 {
		return -1, -1
	}
	steal = float64(after.Steal-before.Steal) / float64(all)
	foreign = float64(after.Busy-before.Busy-ours) / float64(all)
	return max(steal, 0), max(foreign, 0)
}
