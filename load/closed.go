package load

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// callers is the closed loop of one turn: each caller sends its next call when the one before has ended and its
// pause is over. A caller belongs to a lane.
type callers struct {
	left  atomic.Int64  // callers that have not retired
	warm  atomic.Int64  // warm-up calls claimed
	count atomic.Uint64 // measured calls claimed
	index atomic.Uint64 // calls claimed
	think Think

	mu       sync.Mutex
	rng      *rand.Rand
	thinking thinkers
}

// claim takes the next call for a caller that is free since due, or retires the caller.
func (l *lane) claim(t *turn, due time.Duration) {
	tk, ok := t.claim(due)
	if !ok {
		t.retire(1)
		return
	}
	tk.at = max(l.now, due)
	l.tally.due(tk.warm)
	l.due.push(tk)
}

// callerFree has a caller think, or go on at once.
func (l *lane) callerFree(t *turn, now time.Duration) {
	if t.closed.think.Mean > 0 {
		t.closed.rest(t, l, now)
		return
	}
	l.claim(t, now)
}

// claim gives a call its number. Exactly as many are given as the turn wants, whoever asks.
func (t *turn) claim(due time.Duration) (ticket, bool) {
	if t.stopped.Load() {
		return ticket{}, false
	}
	c := t.closed
	if due < t.warmTill || c.warm.Load() < t.warmCalls && c.warm.Add(1) <= t.warmCalls {
		return ticket{index: c.index.Add(1) - 1, due: due, warm: true}, true
	}
	t.beginAt(due)
	if due >= t.deadline() {
		return ticket{}, false
	}
	if n := c.count.Add(1); t.total > 0 && n > t.total {
		return ticket{}, false
	}
	return ticket{index: c.index.Add(1) - 1, due: due}, true
}

// retire takes callers out of the loop; the last one ends the turn.
func (t *turn) retire(n int64) {
	if t.closed.left.Add(-n) == 0 {
		t.clock.Wake()
	}
}

// thinkers are callers in their pauses, the first to come back on top.
type thinkers []thinker

type thinker struct {
	at   time.Duration
	lane *lane
}

// Len, Less, Swap, Push and Pop are the heap's.
func (h thinkers) Len() int           { return len(h) }
func (h thinkers) Less(i, j int) bool { return h[i].at < h[j].at }
func (h thinkers) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *thinkers) Push(x any)        { *h = append(*h, x.(thinker)) }

// Pop removes the last.
func (h *thinkers) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// rest begins the pause of a caller of l.
func (c *callers) rest(t *turn, l *lane, now time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pause := c.think.Mean
	if c.think.Exponential {
		pause = time.Duration(math.Round(c.rng.ExpFloat64() * float64(pause)))
	}
	x := thinker{now + pause, l}
	heap.Push(&c.thinking, x)
	if c.thinking[0] == x {
		t.clock.Wake()
	}
}

// back lets the callers go on whose pause is over, and says when the next one is.
func (c *callers) back(t *turn, now time.Duration) time.Duration {
	for {
		c.mu.Lock()
		if len(c.thinking) == 0 || c.thinking[0].at > now {
			next := forever
			if len(c.thinking) > 0 {
				next = c.thinking[0].at
			}
			c.mu.Unlock()
			return next
		}
		x := heap.Pop(&c.thinking).(thinker)
		c.mu.Unlock()
		l := x.lane
		l.mu.Lock()
		l.now = now
		l.claim(t, x.at)
		l.push()
		l.mu.Unlock()
	}
}

// dismiss sends all thinkers home.
func (c *callers) dismiss(t *turn) {
	c.mu.Lock()
	n := len(c.thinking)
	c.thinking = nil
	c.mu.Unlock()
	if n > 0 {
		t.retire(int64(n))
	}
}
