package report

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"wiregauge/result"
)

// A second is one line of JSON lines: what happened in one second of one arm. Percentiles are of the OK calls that
// ended in it, null when there were none.
type second struct {
	Type   string         `json:"type"` // "second"; "warmup" of a run that goes on, before the measured window
	ID     string         `json:"id"`
	Arm    string         `json:"arm"`
	AtNS   int64          `json:"at_ns"`
	Length time.Duration  `json:"length_ns,omitempty"` // one second when it is left out
	Due    int64          `json:"due"`
	OK     int64          `json:"ok"`
	Failed int64          `json:"failed"`
	P50    *time.Duration `json:"p50_ns"`
	P99    *time.Duration `json:"p99_ns"`
	Max    *time.Duration `json:"max_ns"`
}

// A summary is the last line: the whole result.
type summary struct {
	Type   string          `json:"type"` // "summary"
	ID     string          `json:"id"`
	Result json.RawMessage `json:"result"`
}

// writeJSONLines writes one object a line: each second of each arm, then the whole result.
func writeJSONLines(w io.Writer, files []*result.File, _ Options) error {
	enc := json.NewEncoder(w)
	for _, f := range files {
		for _, a := range f.Arms {
			for _, s := range a.Strips {
				if err := enc.Encode(secondOf(f.ID, a.Name, s)); err != nil {
					return err
				}
			}
		}
		last, err := summaryOf(f)
		if err == nil {
			err = enc.Encode(last)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func summaryOf(f *result.File) (s summary, err error) {
	text, err := f.JSON()
	if err != nil {
		return s, err
	}
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		return s, err
	}
	return summary{"summary", f.ID, line.Bytes()}, nil
}

func secondOf(id, arm string, s result.Strip) second {
	return second{Type: "second", ID: id, Arm: arm, AtNS: int64(s.At), Length: s.Length, Due: s.Due, OK: s.OK, Failed: s.Failed,
		P50: s.P50, P99: s.P99, Max: s.Max}
}
