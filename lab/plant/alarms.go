package plant

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"wiregauge/internal/sleep"
)

// alarms wakes many sleepers from one thread that sleeps precisely. The zero value is ready.
type alarms struct {
	mu      sync.Mutex
	waiting alarmHeap
	thread  *sleep.Thread // nil while nobody sleeps
}

// An alarm is one sleeper.
type alarm struct {
	at    time.Time
	rings chan struct{} // closed when it is time
	place int           // in the heap, -1 once it is out
}

// linger is how long the thread stays when the last sleeper has gone: the next one is usually near.
const linger = 100 * time.Millisecond

func (a *alarms) sleep(ctx context.Context, d time.Duration) error {
	al := &alarm{at: time.Now().Add(d), rings: make(chan struct{})}
	a.add(al)
	select {
	case <-al.rings:
		return nil
	case <-ctx.Done():
		a.drop(al)
		return ctx.Err()
	}
}

func (a *alarms) add(al *alarm) {
	a.mu.Lock()
	defer a.mu.Unlock()
	heap.Push(&a.waiting, al)
	switch {
	case a.thread != nil && al.place == 0:
		a.thread.Wake()
	case a.thread == nil:
		started := make(chan *sleep.Thread)
		go a.run(started)
		a.thread = <-started
	}
}

func (a *alarms) drop(al *alarm) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if al.place >= 0 {
		heap.Remove(&a.waiting, al.place)
	}
}

// run rings the alarms in their order until nobody sleeps any more.
func (a *alarms) run(started chan<- *sleep.Thread) {
	t := sleep.Lock()
	defer t.Unlock()
	started <- t
	idle := false
	for {
		next, ok := a.ring(idle)
		if !ok {
			return
		}
		idle = next == linger
		t.Sleep(next)
	}
}

// ring wakes all whose time has come and says how long it is to the next one. When nobody was there before
// either, it lets the thread go.
func (a *alarms) ring(idle bool) (next time.Duration, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for len(a.waiting) > 0 {
		first := a.waiting[0]
		if left := first.at.Sub(now); left > 0 {
			return left, true
		}
		heap.Pop(&a.waiting)
		close(first.rings)
		idle = false
	}
	if idle {
		a.thread = nil
		return 0, false
	}
	return linger, true
}

// alarmHeap has the earliest alarm first.
type alarmHeap []*alarm

func (h alarmHeap) Len() int           { return len(h) }
func (h alarmHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h alarmHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push is for package heap.
func (h *alarmHeap) Push(x any) {
	al := x.(*alarm)
	al.place = len(*h)
	*h = append(*h, al)
}

// Pop is for package heap.
func (h *alarmHeap) Pop() any {
	last := len(*h) - 1
	al := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	al.place = -1
	return al
}
