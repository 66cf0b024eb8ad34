package meter

import (
	"runtime/metrics"
	"sync"
	"time"

	"wiregauge/hist"
)

const (
	beat       = time.Millisecond
	cpuWindow  = 100 * time.Millisecond
	fullWindow = 0.95
	longGap    = 50 * time.Millisecond
	mostBeats  = 60_000 // missed in a row that are counted one by one
)

// A Watch is a goroutine that is due every millisecond, by a timer of the kernel that the runtime's poller waits for as
// it waits for sockets. How late it runs is how late any goroutine may have run that had something to read. Ten times
// a second it reads how much CPU the process has used. A busy process hardly notices it; an idle one is woken by every
// beat, which costs some 20 to 50 ms of CPU a second. Watches that run at the same time do not know of one another.
type Watch struct {
	done chan struct{}

	mu    sync.Mutex // held by the watching goroutine for a beat at a time
	ended bool
	seen  Seen
	due   time.Duration // of the next beat, on the watch's clock
	last  time.Duration // when it ran last
	from  time.Duration // of the present CPU window
	used  time.Duration // until from
	began time.Duration // of what is counted
	now   func() time.Duration
	own   func() Usage
	cores float64
	timer *beats
}

// Seen is what a Watch has seen since it was begun.
type Seen struct {
	Observed    time.Duration
	Oversleep   *hist.Histogram // how late each beat was, missed ones included
	Pauses      *hist.Histogram // how late the thread was each time it ran
	Gap         time.Duration   // the longest time without a beat, beyond the millisecond
	Gaps        int64           // those of more than 50 ms
	Windows     int64           // of 100 ms, in which CPU time was read
	FullWindows int64           // those of them with 95 % or more of the process's cores used
}

// StartWatch begins to watch this process until End. It is nil where no timer is precise enough to mean anything: on
// other systems than Linux, or when it cannot be had.
func StartWatch() *Watch {
	timer := newBeats(beat)
	if timer == nil {
		return nil
	}
	w := &Watch{done: make(chan struct{}), timer: timer, own: Own, cores: Cores()}
	w.now = timer.now
	w.begin()
	go w.run()
	return w
}

// Begin forgets what was seen so far.
func (w *Watch) Begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin()
}

func (w *Watch) begin() {
	now := w.now()
	w.seen = Seen{Oversleep: new(hist.Histogram), Pauses: new(hist.Histogram)}
	w.began, w.due, w.last, w.from = now, now.Truncate(beat)+beat, now, now
	w.used = w.own().Total()
}

// End stops the thread and tells what it saw.
func (w *Watch) End() Seen {
	w.mu.Lock()
	w.catchUp(w.now(), false)
	w.seen.Observed = w.now() - w.began
	seen := w.seen
	w.ended = true
	w.mu.Unlock()
	w.timer.stop()
	<-w.done
	return seen
}

func (w *Watch) run() {
	defer close(w.done)
	for w.timer.wait() {
		w.mu.Lock()
		if !w.ended {
			w.catchUp(w.now(), true)
		}
		w.mu.Unlock()
	}
}

// catchUp counts every beat that was due by now, so that one long pause weighs as much as it lasted. A beat that the
// end of the watch comes before is no late one unless it is a whole beat late.
func (w *Watch) catchUp(now time.Duration, ran bool) {
	if late := now - w.due; !ran && late < beat {
		return
	}
	if now < w.due {
		return
	}
	if gap := now - w.last - beat; gap > w.seen.Gap {
		w.seen.Gap = gap
	}
	if now-w.last-beat > longGap {
		w.seen.Gaps++
	}
	w.last = now
	w.seen.Pauses.Record(now - w.due)
	for n := 0; w.due <= now; n++ {
		if n == mostBeats {
			w.due = now + beat
			break
		}
		w.seen.Oversleep.Record(now - w.due)
		w.due += beat
	}
	w.cpu(now)
}

// cpu closes the CPU window when it is over.
func (w *Watch) cpu(now time.Duration) {
	length := now - w.from
	if length < cpuWindow {
		return
	}
	u := w.own()
	if u.Known {
		w.seen.Windows++
		if float64(u.Total()-w.used) >= fullWindow*float64(length)*w.cores {
			w.seen.FullWindows++
		}
	}
	w.from, w.used = now, u.Total()
}

// GCCPU is the CPU time that this process's garbage collections have taken. It is brought up to date as each ends.
func GCCPU() time.Duration {
	sample := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(sample)
	return time.Duration(sample[0].Value.Float64() * float64(time.Second))
}

// ClockRead is what one reading of the clock takes: the fastest of a few series of readings.
func ClockRead() time.Duration {
	const series, readings = 5, 100
	best := time.Duration(1<<63 - 1)
	for range series {
		begun := time.Now()
		for range readings - 1 {
			_ = time.Now()
		}
		best = min(best, time.Since(begun))
	}
	return best / readings
}
