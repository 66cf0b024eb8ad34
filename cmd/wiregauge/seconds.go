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
			k.base = load.Snapshot{} // nothing of the window has been told
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
	if k.warm && !s.Warming {
		k.cut(s)
		k.base, k.warm, k.from = load.Snapshot{}, false, 0
	}
	if k.since(s) != (counted{}) {
		k.cut(s)
	}
	k.release(s, true)
	k.offset += window
}

// counted are calls of the warm-up or of the window.
type counted struct{ due, ok, failed int64 }

// since is what has come since the beginning of the second that is counted: in the warm-up its calls, in the window
// those of the window, also while calls of the warm-up still end.
func (k *seconds) since(s load.Snapshot) counted {
	now, then := k.of(s), k.of(k.base)
	return counted{
		max(now.due-then.due, 0), // in an open loop what was sent; what is given up at the end has not been
		now.ok - then.ok, now.failed - then.failed,
	}
}

func (k *seconds) of(s load.Snapshot) counted {
	if k.warm {
		return counted{s.Warm.Due, s.Warm.OK, s.Warm.Failed}
	}
	return counted{s.Due - s.Warm.Due, s.OK - s.Warm.OK, s.Failed - s.Warm.Failed}
}

// cut ends the second that is counted.
func (k *seconds) cut(s load.Snapshot) {
	k.release(s, true)
	c := k.since(s)
	k.held = &report.Second{At: k.from + k.offset, Warmup: k.warm, Due: c.due, OK: c.ok, Failed: c.failed}
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
