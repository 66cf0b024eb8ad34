package load

import (
	"context"
	"time"

	"wiregauge/hist"
	"wiregauge/meter"
	"wiregauge/result"
)

// What a trajectory is made of.
const (
	stripLength = 200 * time.Millisecond
	stripCalls  = 200 // the least in a strip: one with fewer goes on
	openStrips  = 8   // strips that samples may still come for
	// settleAfter is when no sample of a strip comes any more: lanes flush after 200 ms, looked at every 250 ms.
	settleAfter = flushAfter + tick + 50*time.Millisecond
	// mostStrips bounds a trajectory to its first two minutes: what comes later is no beginning.
	mostStrips = 600
)

// A trajectory is the beginning of a turn in short strips. It belongs to the turn's book and is guarded by its mutex;
// each sample costs one count more while it is kept.
type trajectory struct {
	open   [openStrips]piece // strip k is at k mod openStrips
	oldest int64             // the first that is open
	rest   piece             // closed strips that are too few calls so far
	from   int64             // the first strip in rest
	spent  []time.Duration   // client CPU by the start of strip k; -1 where it was not read in time
	strips []result.WarmStrip
	told   int // strips that the observer has been told
}

type piece struct {
	latency hist.Histogram
}

// add counts a call that ended well, that long after the start of the window.
func (j *trajectory) add(at, latency time.Duration) {
	if j.full() {
		return
	}
	k := int64(max(at-1, 0) / stripLength)
	for k >= j.oldest+openStrips {
		j.close()
	}
	j.open[max(k, j.oldest)%openStrips].latency.Record(latency)
}

func (j *trajectory) full() bool { return len(j.strips) >= mostStrips }

// close ends the oldest open strip.
func (j *trajectory) close() {
	p := &j.open[j.oldest%openStrips]
	j.rest.latency.Merge(&p.latency)
	p.latency.Reset()
	j.oldest++
	if j.rest.latency.Count() < stripCalls || j.full() {
		return
	}
	j.strips = append(j.strips, j.tell())
	j.rest.latency.Reset()
	j.from = j.oldest
}

// tell is what has been closed since the last strip, in numbers.
func (j *trajectory) tell() result.WarmStrip {
	h := &j.rest.latency
	length := time.Duration(j.oldest-j.from) * stripLength
	p50 := int64(h.Percentile(50))
	s := result.WarmStrip{At: j.from * int64(stripLength), Length: int64(length), Calls: h.Count(), Rate: float64(h.Count()) / length.Seconds(), P50: &p50}
	if from, to := j.cpu(j.from), j.cpu(j.oldest); from >= 0 && to >= from {
		each := int64(to-from) / h.Count()
		s.CPU = &each
	}
	return s
}

// cpu is what had been spent by the start of strip k, -1 when that is not known.
func (j *trajectory) cpu(k int64) time.Duration {
	if k < int64(len(j.spent)) {
		return j.spent[k]
	}
	return -1
}

// lateMark is how long after the start of a strip the CPU may be read for it.
const lateMark = stripLength / 10

// mark notes what had been spent by then, and closes the strips that no sample comes for any more.
func (j *trajectory) mark(at, spent time.Duration) {
	k := int(at / stripLength)
	for len(j.spent) <= min(k, mostStrips*4) {
		j.spent = append(j.spent, -1)
	}
	if k < len(j.spent) && j.spent[k] < 0 && at%stripLength <= lateMark {
		j.spent[k] = spent
	}
	j.closeUntil(at - settleAfter)
}

// closeUntil closes the strips that ended by then.
func (j *trajectory) closeUntil(at time.Duration) {
	for time.Duration(j.oldest+1)*stripLength <= at && !j.full() {
		j.close()
	}
}

// fresh gives each strip once.
func (j *trajectory) fresh() []result.WarmStrip {
	s := j.strips[j.told:]
	j.told = len(j.strips)
	return s
}

// observe reads the client's CPU at the end of every strip and tells the strips to the spec's Settle, away from the
// threads that send. It ends with the returned function.
func (e *Engine) observe(t *turn) (end func()) {
	if t.book.path == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(e.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		timer := time.NewTimer(0)
		defer timer.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			began := t.began.Load()
			if began < 0 {
				timer.Reset(stripLength / 10)
				continue
			}
			at := e.clock.Now() - time.Duration(began)
			if at < 0 {
				timer.Reset(-at)
				continue
			}
			e.look(t, at)
			timer.Reset(stripLength - at%stripLength)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// look takes in what has come since the last look.
func (e *Engine) look(t *turn, at time.Duration) {
	spent := meter.Own().Total()
	b := t.book
	b.mu.Lock()
	b.path.mark(at, spent)
	fresh := b.path.fresh()
	b.mu.Unlock()
	if t.spec.Settle == nil {
		return
	}
	for _, s := range fresh {
		if t.spec.Settle(s) {
			t.enough.Store(true)
			t.clock.Wake()
			return
		}
	}
}
