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
	start map[int]time.Time // of the measured window of each step
	err   error             // the first
}

// NewInfluxCalls begins a log of an arm's calls; id is the result's.
func NewInfluxCalls(w io.Writer, id, arm string) *InfluxCalls {
	return &InfluxCalls{w: w, now: time.Now, arm: label{"arm", arm}, id: label{"id", id}, start: map[int]time.Time{}}
}

// Write writes calls, soon after the last of them ended. Errors stay until Err.
func (l *InfluxCalls) Write(calls []result.Call) {
	l.begin(calls)
	for i := range calls {
		if l.err != nil {
			return
		}
		_, l.err = l.w.Write(l.line(&calls[i]))
	}
}

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

func (l *InfluxCalls) line(c *result.Call) []byte {
	p := newPoint("wiregauge_call", []label{l.arm, l.id, {"outcome", c.Outcome}, {"class", c.Class}})
	index, step, due, status := int64(c.Index), int64(c.Step), int64(c.Due), int64(c.Status)
	p.whole("call", &index)
	p.whole("step", &step)
	p.whole("due_ns", &due)
	for _, t := range []struct {
		name  string
		spent time.Duration
	}{{"latency_ns", c.Latency}, {"service_ns", c.Service}} {
		if ns := int64(t.spent); ns >= 0 {
			p.whole(t.name, &ns)
		}
	}
	if c.Answered {
		p.whole("status", &status)
	}
	p.text("text", c.Text)
	// Points of the same tags and time replace each other, and calls may be due at once: the number of the call, in the
	// place of the last three digits, keeps them apart.
	return p.end(l.start[c.Step].Add(c.Due).Truncate(time.Microsecond).UnixNano() + index%1000)
}

// Err is the first error of writing.
func (l *InfluxCalls) Err() error { return l.err }
