package main

import (
	"sync"
	"time"

	"wiregauge/load"
	"wiregauge/report"
)

// seconds makes one record a second of what snapshots of an engine say. It is told of snapshots often, of the start of
// each turn and of its end, and emits each second once: when its percentiles are known, or half a second later.
type seconds struct {
	emit func(report.Second)

	mu     sync.Mutex
	base   load.Snapshot  // at the beginning of the second that is counted
	from   time.Duration  // when that was, on the clock of the turn's window or of its warm-up
	warm   bool           // it is the warm-up's
	offset time.Duration  // the windows of the turns before
	held   *report.Second // the second before, without its percentiles
	stale  time.Duration  // snapshots from then on are still of the turn before
}

// patience is how long a second waits for its percentiles.
const patience = 500 * time.Millisecond

// begin starts the record of a turn; last is the engine's snapshot before it.
func (k *seconds) begin(last load.Snapshot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.base, k.from, k.warm, k.stale = load.Snapshot{}, 0, false, last.Elapsed
}

// see takes a snapshot in, and says when the second that is counted ends.
func (k *seconds) see(s load.Snapshot) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stale > 0 && s.Elapsed >= k.stale {
		return time.Second
	}
	k.stale = 0
	if s.Warming != k.warm {
		if k.warm {
			k.cut(s)
		}
		k.warm, k.from = s.Warming, 0
	}
	if s.Elapsed-k.from >= time.Second {
		k.cut(s)
		k.from = s.Elapsed.Truncate(time.Second)
	}
	k.release(s, s.Elapsed-k.from >= patience)
	return k.from + time.Second - s.Elapsed
}

// end closes the record of a turn with its last snapshot; window is how long was measured.
func (k *seconds) end(s load.Snapshot, window time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s.Due > k.base.Due || s.OK > k.base.OK || s.Failed > k.base.Failed {
		k.cut(s)
	}
	k.release(s, true)
	k.offset += window
}

// cut ends the second that is counted.
func (k *seconds) cut(s load.Snapshot) {
	k.release(s, true)
	k.held = &report.Second{
		At: k.from + k.offset, Warmup: k.warm, OK: s.OK - k.base.OK, Failed: s.Failed - k.base.Failed,
		Due: max(s.Due-k.base.Due, 0), // in an open loop what was sent; what is given up at the end has not been
	}
	k.base = s
}

// release emits the second that is held, with its percentiles if they are known by now, without them only if it must.
func (k *seconds) release(s load.Snapshot, must bool) {
	h := k.held
	if h == nil {
		return
	}
	known := !h.Warmup && s.P50 > 0 && s.Second+k.offset == h.At
	if known {
		h.P50, h.P99, h.Max = s.P50, s.P99, s.Max
	}
	if known || must || h.Warmup {
		k.emit(*h)
		k.held = nil
	}
}
