package report

import (
	"io"
	"time"

	"wiregauge/result"
)

// An InfluxCalls writes single calls as line protocol (wiregauge_call), while they are made: influx-details. What does
// not apply is no field. A point's time is that of the wall clock when the call was due, worked out from when its step
// was first heard of; due_ns is exact, since the step's measured window began. It is not safe for concurrent use.
type InfluxCalls struct {
	w     io.Writer
	now   func() time.Time
	arm   label
	id    label
	start map[int]time.Time   // of the measured window of each step
	heads map[callKind][]byte // measurement and tags
	batch point               // lines on their way, in memory that is used again
	err   error               // the first
}

// A callKind is what tells the tags of one call from those of another.
type callKind struct{ outcome, class string }

// NewInfluxCalls begins a log of an arm's calls; id is the result's.
func NewInfluxCalls(w io.Writer, id, arm string) *InfluxCalls {
	return &InfluxCalls{w: w, now: time.Now, arm: label{"arm", arm}, id: label{"id", id},
		start: map[int]time.Time{}, heads: map[callKind][]byte{}}
}

// Write writes calls, soon after the last of them ended. Errors stay until Err.
func (l *InfluxCalls) Write(calls []result.Call) {
	if l.err != nil {
		return
	}
	l.begin(calls)
	l.batch.line = l.batch.line[:0]
	for i := range calls {
		l.add(&calls[i])
	}
	_, l.err = l.w.Write(l.batch.line)
}

// head is the measurement and the tags of a call; calls are of few kinds.
func (l *InfluxCalls) head(c *result.Call) []byte {
	kind := callKind{c.Outcome, c.Class}
	head, known := l.heads[kind]
	if !known {
		head = newPoint("wiregauge_call", []label{l.arm, l.id, {"outcome", c.Outcome}, {"class", c.Class}}).line
		if len(l.heads) < maxHeads {
			l.heads[kind] = head
		}
	}
	return head
}

// maxHeads bounds the kinds of calls that are remembered.
const maxHeads = 1000

// begin notes when the windows of new steps began: the last call that is heard of has just ended.
func (l *InfluxCalls) begin(calls []result.Call) {
	last := map[int]time.Duration{}
	for i := range calls {
		c := &calls[i]
		last[c.Step] = max(last[c.Step], c.Due+max(0, c.Latency))
	}
	for step, end := range last {
		if _, known := l.start[step]; !known {
			l.start[step] = l.now().Add(-end)
		}
	}
}

// add appends one line.
func (l *InfluxCalls) add(c *result.Call) {
	p := &l.batch
	p.line, p.fields = append(p.line, l.head(c)...), 0
	index, step, due, status := int64(c.Index), int64(c.Step), int64(c.Due), int64(c.Status)
	latency, service := int64(c.Latency), int64(c.Service)
	p.whole("call", &index)
	p.whole("step", &step)
	p.whole("due_ns", &due)
	if latency >= 0 {
		p.whole("latency_ns", &latency)
	}
	if service >= 0 {
		p.whole("service_ns", &service)
	}
	if c.Answered {
		p.whole("status", &status)
	}
	p.text("text", c.Text)
	// Points of the same tags and time replace each other, and calls may be due at once: the number of the call, in the
	// place of the last three digits, keeps them apart.
	p.line = p.end(l.start[c.Step].Add(c.Due).Truncate(time.Microsecond).UnixNano() + index%1000)
}

// Err is the first error of writing.
func (l *InfluxCalls) Err() error { return l.err }
