package report

import (
	"io"
	"strconv"
	"time"

	"wiregauge/result"
)

// A CallLog writes single calls as CSV (RFC 4180), while they are made: a header, then a record per call, in the order
// in which they are handed over. What does not apply is empty. It is not safe for concurrent use.
type CallLog struct{ out *records }

// NewCallLog writes the header.
func NewCallLog(w io.Writer) *CallLog {
	l := &CallLog{newRecords(w)}
	l.out.write([]string{"call", "step", "due_ns", "latency_ns", "service_ns", "outcome", "status", "error_class", "error_text"})
	return l
}

// Write writes calls. Errors stay until Err.
func (l *CallLog) Write(calls []result.Call) {
	for i := range calls {
		c := &calls[i]
		status := ""
		if c.Answered {
			status = strconv.Itoa(c.Status)
		}
		l.out.write([]string{strconv.FormatUint(c.Index, 10), strconv.Itoa(c.Step), spent(c.Due), spent(c.Latency), spent(c.Service),
			c.Outcome, status, c.Class, c.Text})
	}
}

// Err is the first error of writing.
func (l *CallLog) Err() error { return l.out.err }

// spent is a time in ns, nothing for one that does not exist.
func spent(d time.Duration) string {
	if d < 0 {
		return ""
	}
	return strconv.FormatInt(int64(d), 10)
}
