package load

import (
	"sync"
	"sync/atomic"
	"time"

	"wiregauge"
	"wiregauge/hist"
	"wiregauge/result"
)

// A book holds the histograms of one turn, shared by its lanes, and the strip of the current second.
type book struct {
	mu sync.Mutex

	latency, failedLatency, service, failedService hist.Histogram
	firstByte, lateness, slotWait, dispatched      hist.Histogram
	connects, firstMessage, messageGap             hist.Histogram

	log    func([]result.Call) // nil: nobody wants single calls
	name   func(class) string
	timing bool          // lateness means something: an open loop, or think time
	start  time.Duration // of the measured window, once known
	strips []result.Strip
	length time.Duration                // of a strip, in whole seconds: doubled when there are too many
	dues   []int64                      // calls due in each strip
	path   *trajectory                  // nil: not asked for
	recent [2]strip                     // the seconds that samples may still come for
	shown  atomic.Pointer[result.Strip] // the last whole second
	late99 atomic.Int64
}

// A strip is one second being filled.
type strip struct {
	second  int64
	ok      int64
	latency hist.Histogram
	failed  []failures
}

// failures are the calls of one second that failed in the same way.
type failures struct {
	outcome wiregauge.Outcome
	status  int
	n       int64
}

// begin says when the measured window starts.
func (b *book) begin(at time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.start = at
}

func (b *book) connect(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.connects.Record(d)
}

// add records samples; those of a lane come a ring at a time.
func (b *book) add(samples []sample, gaps []time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range samples {
		b.record(&samples[i])
	}
	for _, g := range gaps {
		b.messageGap.Record(g)
	}
}

func (b *book) record(x *sample) {
	latency, service := &b.latency, &b.service
	ok := x.outcome == wiregauge.OK
	if !ok {
		latency, service = &b.failedLatency, &b.failedService
	}
	latency.Record(x.latency)
	if x.service >= 0 {
		service.Record(x.service)
	}
	if ok && x.first >= 0 {
		b.firstByte.Record(x.first)
	}
	if ok && x.opened >= 0 {
		b.firstMessage.Record(x.opened)
	}
	if x.wait >= 0 {
		b.slotWait.Record(x.wait)
	}
	if b.timing {
		b.lateness.Record(x.late)
		if ok {
			b.dispatched.Record(x.latency - x.late)
		}
	}
	if b.path != nil && ok {
		b.path.add(x.done-b.start, x.latency)
	}
	b.second(x)
	b.due(x.done-x.latency, 1)
}

// due counts n calls in the strip in which they were due.
func (b *book) due(at time.Duration, n int64) {
	i := int(max(at-b.start, 0) / b.each())
	for len(b.dues) <= i {
		b.dues = append(b.dues, 0)
	}
	b.dues[i] += n
}

// each is how long a strip is.
func (b *book) each() time.Duration { return max(b.length, time.Second) }

// late counts calls of which no sample comes: unfinished and unsent ones.
func (b *book) late(at time.Duration, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.due(at, n)
}

// second counts x in its strip. Samples of different lanes come out of order by at most a flush, so that two seconds
// are open at a time; what is even older counts in the older one.
func (b *book) second(x *sample) {
	at := int64(max(x.done-b.start-1, 0) / time.Second) // a second ends with its last nanosecond
	for at > b.recent[1].second {
		b.roll()
	}
	s := &b.recent[1]
	if at < s.second && s.second > 0 {
		s = &b.recent[0]
	}
	if x.outcome == wiregauge.OK {
		s.ok++
		s.latency.Record(x.latency)
		return
	}
	s.fail(x.outcome, x.status)
}

// maxFailures bounds the kinds of failure that one second tells apart; what is more counts with the last.
const maxFailures = 64

func (s *strip) fail(o wiregauge.Outcome, status int) {
	for i := range s.failed {
		if f := &s.failed[i]; f.outcome == o && f.status == status {
			f.n++
			return
		}
	}
	if len(s.failed) == maxFailures {
		s.failed[maxFailures-1].n++
		return
	}
	s.failed = append(s.failed, failures{o, status, 1})
}

// roll closes the older second and opens the next.
func (b *book) roll() {
	if b.recent[1].second > 0 {
		b.closeStrip(&b.recent[0])
	}
	b.recent[0], b.recent[1] = b.recent[1], b.recent[0]
	next := &b.recent[1]
	next.second, next.ok, next.failed = b.recent[0].second+1, 0, next.failed[:0]
	next.latency.Reset()
	b.show(&b.recent[0])
}

// closeStrip keeps a second: by itself, or with those before it once a run is so long that seconds are too many.
func (b *book) closeStrip(s *strip) {
	t := b.told(s)
	if last := len(b.strips) - 1; last >= 0 && t.At < b.strips[last].At+b.each() {
		b.strips[last].Join(t)
		return
	}
	if len(b.strips) == result.MaxStrips {
		b.strips = result.HalveStrips(b.strips)
		b.length = 2 * b.each()
		half := b.dues[:0]
		for i := 0; i < len(b.dues); i += 2 {
			n := b.dues[i]
			if i+1 < len(b.dues) {
				n += b.dues[i+1]
			}
			half = append(half, n)
		}
		b.dues = half
	}
	b.strips = append(b.strips, t)
}

// told is s in numbers.
func (b *book) told(s *strip) result.Strip {
	t := result.Strip{At: time.Duration(s.second) * time.Second, OK: s.ok}
	if s.ok > 0 {
		p50, p99, most := s.latency.Percentile(50), s.latency.Percentile(99), s.latency.Max()
		t.P50, t.P99, t.Max = &p50, &p99, &most
	}
	t.FillLevels(&s.latency)
	for _, f := range s.failed {
		t.Failed += f.n
		t.Fail(b.name(class{outcome: f.outcome, status: f.status}), f.n)
	}
	return t
}

// show leaves a second where Snapshot finds it without a lock.
func (b *book) show(s *strip) {
	t := b.told(s)
	b.shown.Store(&t)
	b.late99.Store(int64(b.lateness.Percentile(99)))
}

// close ends the strips.
func (b *book) close() {
	if b.recent[1].second > 0 {
		b.closeStrip(&b.recent[0])
	}
	if last := &b.recent[1]; last.ok > 0 || len(last.failed) > 0 {
		b.closeStrip(last)
		b.show(last)
	}
	for i := range b.strips {
		if k := int(b.strips[i].At / b.each()); k < len(b.dues) {
			b.strips[i].Due = b.dues[k]
		}
	}
}

// recorded is h, or nil when nothing was recorded.
func recorded(h *hist.Histogram) *hist.Histogram {
	if h.Count() == 0 {
		return nil
	}
	return h
}
