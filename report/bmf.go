package report

import (
	"encoding/json"
	"io"
	"time"

	"wiregauge/result"
)

// A bmfMeasure is one value of Bencher's metric format, with the least and the largest of the turns around it.
type bmfMeasure struct {
	Value float64  `json:"value"`
	Lower *float64 `json:"lower_value,omitempty"`
	Upper *float64 `json:"upper_value,omitempty"`
}

// writeBMF is Bencher Metric Format: a benchmark per arm, a measure per number. Latency is in ns and throughput in
// calls/s, as Bencher's own measures of these names are. Numbers that do not exist or are not trustworthy are left out,
// since the format has no place for a doubt and one bad value spoils a trend; so is an arm of which nothing is left.
func writeBMF(w io.Writer, files []*result.File, opt Options) error {
	all := map[string]map[string]bmfMeasure{}
	for _, s := range subjects(files, opt) {
		if told := s.bmf(); len(told) > 0 {
			all[s.name()] = told
		}
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

func (s *subject) bmf() map[string]bmfMeasure {
	told := map[string]bmfMeasure{}
	for _, m := range s.measures() {
		name := "latency-" + m.name
		if m.unit != "ns" || m.name == "cpu" {
			name = map[string]string{"cpu": "cpu-per-call", "bytes": "bytes-per-call", "errors": "error-share"}[m.name]
		}
		v := bmfMeasure{Value: m.value}
		v.Lower, v.Upper = s.spread(m.metric)
		told[name] = v
		if m.name == "mean" {
			told["latency"] = v // Bencher's own measure
		}
	}
	if s.arm.Window > 0 && s.arm.OK > 0 && !s.broken("rate") {
		v := bmfMeasure{Value: s.arm.Goodput}
		v.Lower, v.Upper = s.spread("rate")
		told["throughput"] = v
	}
	return told
}

// spread is the least and the largest value of the turns of a comparison; nil where turns do not have it.
func (s *subject) spread(metric string) (low, high *float64) {
	for i := range s.file.Turns {
		r := &s.file.Turns[i]
		if r.Arm != s.arm.Name || r.Invalid != "" {
			continue
		}
		v := rowValue(r, metric)
		if v == nil {
			return nil, nil
		}
		if low == nil || *v < *low {
			low = v
		}
		if high == nil || *v > *high {
			high = v
		}
	}
	return low, high
}

// rowValue is a number of one turn; nil when it has none.
func rowValue(r *result.Row, metric string) *float64 {
	switch metric {
	case "rate":
		if time.Duration(r.Window) > 0 {
			return &r.Rate
		}
	case "p50":
		return asFloat(r.P50)
	case "p99":
		return asFloat(r.P99)
	case "cpu":
		return asFloat(r.CPU)
	}
	return nil
}
