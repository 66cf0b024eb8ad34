package lab

import (
	"sync"
	"sync/atomic"
	"time"

	"wiregauge/hist"
)

// Stats is what GET /stats of the admin URL answers, since the start or the last reset. A call is received once its whole
// request has arrived (for streams: once it has begun) and then answered, failed or still open.
type Stats struct {
	Received        int64                  `json:"received"`
	Answered        int64                  `json:"answered"`
	Failed          int64                  `json:"failed"`
	Connections     int64                  `json:"connections"`      // accepted
	OpenConnections int64                  `json:"open_connections"` // now, not since the reset
	Service         ServiceTime            `json:"service"`
	Methods         map[string]MethodStats `json:"methods"` // by "grpc /wg.v1.Inventory/Check", "http1 POST /v1/hello", "tcp"
}

// MethodStats are the counts and the service times of one method on one protocol.
type MethodStats struct {
	Received int64       `json:"received"`
	Answered int64       `json:"answered"`
	Failed   int64       `json:"failed"`
	Service  ServiceTime `json:"service"`
	// Streams is told of RSocket's streams only.
	Streams *StreamStats `json:"streams,omitempty"`
}

// StreamStats are what a server's side of streams with back-pressure saw: of one method, of all its streams. What is
// asked for and unused is counted when a stream ends.
type StreamStats struct {
	Opened    int64 `json:"opened"`
	Ended     int64 `json:"ended"`
	Canceled  int64 `json:"canceled"`  // by their clients; ended holds these too
	Messages  int64 `json:"messages"`  // sent
	Asked     int64 `json:"asked"`     // by request(n), of streams whose clients did not ask for all
	Unused    int64 `json:"unused"`    // of these, at the end
	Unbounded int64 `json:"unbounded"` // streams whose clients asked for all
	Held      int64 `json:"held"`      // messages that had to wait for request(n)
	Skipped   int64 `json:"skipped"`   // ticks that a newer one replaced before they could be sent
}

// ServiceTime is how long calls took inside the server, in nanoseconds, planted delays included: from the
// arrival of the whole request to the moment the answer was handed to the library. Absent values are null.
type ServiceTime struct {
	Count  int64  `json:"count"`
	MeanNS *int64 `json:"mean_ns"`
	P50NS  *int64 `json:"p50_ns"`
	P90NS  *int64 `json:"p90_ns"`
	P99NS  *int64 `json:"p99_ns"`
	P999NS *int64 `json:"p99.9_ns"`
	MaxNS  *int64 `json:"max_ns"`
}

// meter counts one method. Counts are atomic; the histogram has a lock of its own.
type meter struct {
	received, answered, failed atomic.Int64

	streams streamMeter

	mu    sync.Mutex
	times hist.Histogram
}

// streamMeter counts the streams of a method.
type streamMeter struct {
	opened, ended, canceled, messages, asked, unused, unbounded, held, skipped atomic.Int64
}

// end counts a stream that ends with what was asked for and sent.
func (m *streamMeter) end(asked, sent int64) {
	m.ended.Add(1)
	if asked == unasked {
		m.unbounded.Add(1)
		return
	}
	m.asked.Add(asked)
	m.unused.Add(asked - sent)
}

// read is nil where there are no streams.
func (m *streamMeter) read(reset bool) *StreamStats {
	s := &StreamStats{
		Ended: take(&m.ended, reset), Canceled: take(&m.canceled, reset), Messages: take(&m.messages, reset),
		Asked: take(&m.asked, reset), Unused: take(&m.unused, reset), Unbounded: take(&m.unbounded, reset),
		Held: take(&m.held, reset), Skipped: take(&m.skipped, reset), Opened: take(&m.opened, reset),
	}
	if *s == (StreamStats{}) {
		return nil
	}
	return s
}

// begin counts a received call.
func (m *meter) begin() { m.received.Add(1) }

// end counts its answer and how long it took.
func (m *meter) end(took time.Duration, ok bool) {
	if ok {
		m.answered.Add(1)
	} else {
		m.failed.Add(1)
	}
	m.mu.Lock()
	m.times.Record(took)
	m.mu.Unlock()
}

// all counts n calls that came and were answered together.
func (m *meter) all(n int, took time.Duration, ok bool) {
	m.received.Add(int64(n))
	if ok {
		m.answered.Add(int64(n))
	} else {
		m.failed.Add(int64(n))
	}
	m.mu.Lock()
	m.times.RecordN(took, int64(n))
	m.mu.Unlock()
}

// ledger holds the meters of a server. Methods are added when their listeners are made, so that no call pays
// for a map; only connections are counted on the fly.
type ledger struct {
	accepted, open atomic.Int64

	mu     sync.Mutex
	meters map[string]*meter
}

// meter finds or makes the meter of a method.
func (l *ledger) meter(name string) *meter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.meters == nil {
		l.meters = map[string]*meter{}
	}
	m := l.meters[name]
	if m == nil {
		m = &meter{}
		l.meters[name] = m
	}
	return m
}

// read takes a snapshot and, when asked, starts anew. Calls in flight at a reset are counted as answered after
// it and received before it.
func (l *ledger) read(reset bool) Stats {
	s := Stats{Methods: map[string]MethodStats{}, OpenConnections: l.open.Load()}
	s.Connections = take(&l.accepted, reset)
	l.mu.Lock()
	defer l.mu.Unlock()
	var all hist.Histogram
	for name, m := range l.meters {
		one := m.read(&all, reset)
		s.Received += one.Received
		s.Answered += one.Answered
		s.Failed += one.Failed
		if one.Received > 0 || one.Service.Count > 0 || one.Streams != nil {
			s.Methods[name] = one
		}
	}
	s.Service = serviceTime(&all)
	return s
}

func (m *meter) read(all *hist.Histogram, reset bool) MethodStats {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := MethodStats{
		Answered: take(&m.answered, reset),
		Failed:   take(&m.failed, reset),
		Received: take(&m.received, reset), // last: received is never below answered + failed
		Service:  serviceTime(&m.times),
		Streams:  m.streams.read(reset),
	}
	all.Merge(&m.times)
	if reset {
		m.times.Reset()
	}
	return s
}

func take(n *atomic.Int64, reset bool) int64 {
	if reset {
		return n.Swap(0)
	}
	return n.Load()
}

func serviceTime(h *hist.Histogram) ServiceTime {
	t := ServiceTime{Count: h.Count()}
	if t.Count == 0 {
		return t
	}
	ns := func(d time.Duration) *int64 { n := int64(d); return &n }
	t.MeanNS, t.MaxNS = ns(h.Mean()), ns(h.Max())
	t.P50NS, t.P90NS = ns(h.Percentile(50)), ns(h.Percentile(90))
	t.P99NS, t.P999NS = ns(h.Percentile(99)), ns(h.Percentile(99.9))
	return t
}
