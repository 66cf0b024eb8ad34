package report

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"wiregauge/result"
)

// A Second is what is known of one second of a run while it goes on.
type Second struct {
	At              time.Duration // when it began: since the start of the measured window, or in a warm-up of the turn
	Warmup          bool
	Due, OK, Failed int64
	P50, P99, Max   time.Duration // of the calls that ended OK in it; 0 when unknown
}

// A Live writes JSON lines while a run goes on, for dashboards: a line a second, or of a comparison a line a turn, and, at the end, the same summary that a
// saved result has. Each line is whole when it is written, and flushed, so that the output can be read as it grows; a
// file is written under its own name. It differs from the lines of a saved result in that calls count in the second in
// which they were seen to end, not in that of their last nanosecond, that percentiles which came too late are null,
// and that a warm-up is told too, in lines of type "warmup".
//
// The first error ends the writing, not the run; Close returns it. A Live is used by one goroutine at a time.
type Live struct {
	output  Output
	id, arm string
	w       io.Writer
	zip     *gzip.Writer
	file    *os.File
	err     error
}

// OpenLive starts the output, whose format must be jsonl: a file is emptied. The id is the result's.
func (o Output) OpenLive(stdout io.Writer, id, arm string) (*Live, error) {
	l := &Live{output: o, id: id, arm: arm, w: stdout}
	if o.Path == Stdout {
		return l, nil
	}
	f, err := os.OpenFile(o.Path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, fmt.Errorf("output %s=%s: %w", o.Format, o.Path, err)
	}
	l.file, l.w = f, f
	if strings.HasSuffix(o.Path, ".gz") {
		l.zip = gzip.NewWriter(f)
		l.w = l.zip
	}
	return l, nil
}

// Write adds the line of one second.
func (l *Live) Write(s Second) {
	line := second{Type: "second", ID: l.id, Arm: l.arm, AtNS: int64(s.At), Due: s.Due, OK: s.OK, Failed: s.Failed}
	if s.Warmup {
		line.Type = "warmup"
	}
	for _, p := range []struct {
		to   **time.Duration
		from time.Duration
	}{{&line.P50, s.P50}, {&line.P99, s.P99}, {&line.Max, s.Max}} {
		if d := p.from; d > 0 && s.OK > 0 {
			*p.to = &d
		}
	}
	l.line(line)
}

// A liveTurn is the line of one turn of a comparison.
type liveTurn struct {
	Type string `json:"type"` // "turn"
	ID   string `json:"id"`
	result.Row
}

// Turn adds the line of one turn of a comparison, which has no seconds while it goes on.
func (l *Live) Turn(r result.Row) { l.line(liveTurn{"turn", l.id, r}) }

// line writes one object in one piece.
func (l *Live) line(object any) {
	if l.err != nil {
		return
	}
	text, err := json.Marshal(object)
	if err == nil {
		_, err = l.w.Write(append(text, '\n'))
	}
	if err == nil && l.zip != nil {
		err = l.zip.Flush()
	}
	l.err = err
}

// Close adds the summary, unless there is no result, and ends the output.
func (l *Live) Close(f *result.File) error {
	if f != nil {
		if s, err := summaryOf(f); err == nil {
			l.line(s)
		} else if l.err == nil {
			l.err = err
		}
	}
	if l.zip != nil {
		if err := l.zip.Close(); l.err == nil {
			l.err = err
		}
	}
	if l.file != nil {
		if err := l.file.Close(); l.err == nil {
			l.err = err
		}
	}
	if l.err != nil {
		return fmt.Errorf("output %s=%s: %w", l.output.Format, l.output.Path, l.err)
	}
	return nil
}
