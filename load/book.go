package load

import (
	"sync"
	"sync/atomic"
	"time"

	"wiregauge/hist"
	"wiregauge/result"
)

// A book holds the histograms of one turn, shared by its lanes, and the strip of the current second.
type book struct {
	mu sync.Mutex

	latency, failedLatency, service, failedService hist.Histogram
	firstByte, lateness, slotWait                  hist.Histogram
	connects, messageGap                           hist.Histogram

	log    func([]result.Call) // nil: nobody wants single calls
	name   func(class) string
	timing bool          // lateness means something: an open loop, or think time
	start  time.Duration // of the measured window, once known
	strips []result.Strip
	dues   []int64                      // calls due in each second
	recent [2]strip                     // the seconds that samples may still come for
	shown  atomic.Pointer[result.Strip] // the last whole second
	late99 atomic.Int64
}

// A strip is one second being filled.
type strip struct {
	second     int64
	ok, failed int64
	latency    hist.Histogram
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
	if !x.ok {
		latency, service = &b.failedLatency, &b.failedService
	}
	latency.Record(x.latency)
	if x.service >= 0 {
		service.Record(x.service)
	}
	if x.ok && x.first >= 0 {
		b.firstByte.Record(x.first)
	}
	if x.wait >= 0 {
		b.slotWait.Record(x.wait)
	}
	if b.timing {
		b.lateness.Record(x.late)
	}
	b.second(x)
	b.due(x.done-x.latency, 1)
}

// due counts n calls in the second in which they were due.
func (b *book) due(at time.Duration, n int64) {
	second := int(max(at-b.start, 0) / time.Second)
	for len(b.dues) <= second {
		b.dues = append(b.dues, 0)
	}
	b.dues[second] += n
}

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
	if x.ok {
		s.ok++
		s.latency.Record(x.latency)
		return
	}
	s.failed++
}

// roll closes the older second and opens the next.
func (b *book) roll() {
	if b.recent[1].second > 0 {
		b.closeStrip(&b.recent[0])
	}
	b.recent[0], b.recent[1] = b.recent[1], b.recent[0]
	next := &b.recent[1]
	next.second, next.ok, next.failed = b.recent[0].second+1, 0, 0
	next.latency.Reset()
	b.show(&b.recent[0])
}

func (b *book) closeStrip(s *strip) {
	b.strips = append(b.strips, s.told())
}

// told is s in numbers.
func (s *strip) told() result.Strip {
	t := result.Strip{At: time.Duration(s.second) * time.Second, OK: s.ok, Failed: s.failed}
	if s.ok > 0 {
		p50, p99, most := s.latency.Percentile(50), s.latency.Percentile(99), s.latency.Max()
		t.P50, t.P99, t.Max = &p50, &p99, &most
	}
	return t
}

// show leaves a second where Snapshot finds it without a lock.
func (b *book) show(s *strip) {
	t := s.told()
	b.shown.Store(&t)
	b.late99.Store(int64(b.lateness.Percentile(99)))
}

// close ends the strips.
func (b *book) close() {
	if b.recent[1].second > 0 {
		b.closeStrip(&b.recent[0])
	}
	if last := &b.recent[1]; last.ok+last.failed > 0 {
		b.closeStrip(last)
		b.show(last)
	}
	for i := range b.strips {
		if second := int(b.strips[i].At / time.Second); second < len(b.dues) {
			b.strips[i].Due = b.dues[second]
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
