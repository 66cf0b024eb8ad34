package meter

import (
	"runtime"
	"testing"
	"time"

	"wiregauge/hist"
)

const ms = time.Millisecond

// A fakeWatch is one whose clock and CPU time the test sets.
type fakeWatch struct {
	*Watch
	at, used time.Duration
}

func newFakeWatch(cores float64) *fakeWatch {
	f := &fakeWatch{Watch: &Watch{cores: cores}}
	f.now = func() time.Duration { return f.at }
	f.own = func() Usage { return Usage{User: f.used, Known: true} }
	f.begin()
	return f
}

// run lets time pass by a beat at a time, with that much CPU used in each.
func (f *fakeWatch) run(beats int, used time.Duration) {
	for range beats {
		f.at += ms
		f.used += used
		f.catchUp(f.at, true)
	}
}

// pause lets the thread not run for d.
func (f *fakeWatch) pause(d, used time.Duration) {
	f.at += d
	f.used += used
	f.catchUp(f.at, true)
}

func TestWatchCountsEveryBeatThatWasMissed(t *testing.T) {
	f := newFakeWatch(2)
	f.run(800, 0)
	f.pause(200*ms, 0) // due were 200 beats
	h := f.seen.Oversleep
	if h.Count() != 1000 || h.Max() != 199*ms || f.seen.Gap != 199*ms || f.seen.Gaps != 1 {
		t.Errorf("%d beats, the latest %v late, gap %v, %d of them long", h.Count(), h.Max(), f.seen.Gap, f.seen.Gaps)
	}
	if n := f.seen.Pauses.Count(); n != 801 {
		t.Errorf("the thread ran %d times", n)
	}
	if p80, p90 := h.Percentile(80), h.Percentile(90); p80 > ms || p90 < 95*ms || p90 > 105*ms {
		t.Errorf("p80 %v, p90 %v", p80, p90)
	}
}

func TestWatchGaps(t *testing.T) {
	for _, row := range []struct {
		name  string
		pause time.Duration
		long  int64
	}{
		{"a pause of 51 ms is 50 ms too long", 51 * ms, 0},
		{"and one of 52 ms is more", 52 * ms, 1},
	} {
		f := newFakeWatch(2)
		f.pause(row.pause, 0)
		if f.seen.Gaps != row.long || f.seen.Gap != row.pause-ms {
			t.Errorf("%s: %d, the longest %v", row.name, f.seen.Gaps, f.seen.Gap)
		}
	}
}

func TestWatchStopsCountingBeatsAfterAMinute(t *testing.T) {
	f := newFakeWatch(2)
	f.pause(time.Hour, 0)
	f.run(10, 0)
	if n := f.seen.Oversleep.Count(); n != mostBeats+10 {
		t.Errorf("%d beats counted of an hour", n)
	}
}

func TestWatchWindows(t *testing.T) {
	for _, row := range []struct {
		name          string
		cores         float64
		used          time.Duration // in each beat
		windows, full int64
	}{
		{"idle", 2, 0, 10, 0},
		{"just under 95 % of two cores", 2, 1890 * time.Microsecond, 10, 0},
		{"95 % of two cores", 2, 1900 * time.Microsecond, 10, 10},
		{"one core of one", 1, ms, 10, 10},
	} {
		f := newFakeWatch(row.cores)
		f.run(1000, row.used)
		if f.seen.Windows != row.windows || f.seen.FullWindows != row.full {
			t.Errorf("%s: %d windows, %d full", row.name, f.seen.Windows, f.seen.FullWindows)
		}
	}
}

func TestWatchWithoutCPUTime(t *testing.T) {
	f := newFakeWatch(2)
	f.own = func() Usage { return Usage{} }
	f.run(1000, 0)
	if f.seen.Windows != 0 {
		t.Errorf("%d windows were read of what cannot be read", f.seen.Windows)
	}
}

// What lies before Begin is forgotten, and the end of a watch comes before its next beat without making it late.
func TestWatchBeginAndEnd(t *testing.T) {
	f := newFakeWatch(2)
	f.pause(time.Second, time.Second)
	f.Begin()
	f.run(5, 0)
	f.at += ms / 2
	f.catchUp(f.at, false)
	if n, gap := f.seen.Oversleep.Count(), f.seen.Gap; n != 5 || gap != 0 {
		t.Errorf("%d beats, gap %v", n, gap)
	}
	f.at += 3 * ms // that thread did not run when the watch ended
	f.catchUp(f.at, false)
	if n := f.seen.Oversleep.Count(); n != 8 {
		t.Errorf("%d beats, want those that were missed at the end", n)
	}
}

// The real thread runs, at whatever pace this machine lets it, and ends.
func TestStartWatch(t *testing.T) {
	w := StartWatch()
	if w == nil {
		if runtime.GOOS == "linux" {
			t.Fatal("no timer")
		}
		t.Skip("no precise timer on " + runtime.GOOS)
	}
	for beats := int64(0); beats < 3; {
		w.mu.Lock()
		beats = w.seen.Oversleep.Count()
		w.mu.Unlock()
		runtime.Gosched()
	}
	seen := w.End()
	if seen.Observed < 3*ms || seen.Oversleep.Count() < 3 {
		t.Errorf("%d beats in %v", seen.Oversleep.Count(), seen.Observed)
	}
}

// A beat costs no allocation once the histogram has its pages.
func TestWatchDoesNotAllocate(t *testing.T) {
	f := newFakeWatch(2)
	f.run(200, 0)
	h := new(hist.Histogram)
	h.Record(0)
	if n := testing.AllocsPerRun(100, func() { f.run(10, ms) }); n > 0 {
		t.Errorf("%v allocations for ten beats", n)
	}
}

func TestGCCPU(t *testing.T) {
	before := GCCPU()
	runtime.GC()
	if after := GCCPU(); after <= before {
		t.Errorf("a forced collection took no CPU: %v, then %v", before, after)
	}
	if read := ClockRead(); read <= 0 || read > time.Second {
		t.Errorf("a clock read takes %v", read)
	}
}
