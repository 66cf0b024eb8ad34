package result

import (
	"time"

	"wiregauge/hist"
)

// stallsOf counts the times of t in which all callers were blocked for longer than ten times the p99 of all calls;
// nil when there was none.
func stallsOf(t *Turn) *Stalls {
	var all hist.Histogram
	for _, h := range []*hist.Histogram{t.Latency, t.FailedLatency} {
		if h != nil {
			all.Merge(h)
		}
	}
	if all.Count() == 0 {
		return nil
	}
	limit := 10 * all.Percentile(99)
	var s Stalls
	for _, d := range t.Blocked {
		if d > limit {
			s.Count++
			s.Longest = max(s.Longest, int64(d))
			s.Total += int64(d)
		}
	}
	if s.Count == 0 {
		return nil
	}
	pace := PerSecond(t.Finished(), t.Window-time.Duration(s.Total))
	s.Missing = int64(pace * time.Duration(s.Total).Seconds())
	return &s
}
