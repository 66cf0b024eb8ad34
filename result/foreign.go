package result

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// foreigners are the files of other tools that people give us, by keys that only they have at the top of their JSON.
var foreigners = []struct {
	tool string
	keys []string
}{
	{"ghz (a JSON report)", []string{"latencyDistribution", "statusCodeDistribution"}},
	{"k6 (a summary export)", []string{"root_group", "metrics"}},
	{"k6 (JSON output, a line per sample)", []string{"type", "metric", "data"}},
	{"vegeta (a JSON report)", []string{"latencies", "bytes_in", "status_codes"}},
	{"vegeta (results encoded as JSON)", []string{"attack", "seq", "latency"}},
	{"oha (a JSON report)", []string{"summary", "responseTimeHistogram"}},
	{"fortio (a JSON result)", []string{"RunType", "DurationHistogram"}},
	{"bombardier (a JSON report)", []string{"spec", "result"}},
	{"autocannon (a JSON report)", []string{"requests", "throughput", "non2xx"}},
}

// foreign says whose file text is, when that can be told from its first JSON value; nil when not.
func foreign(text []byte) error {
	var head map[string]json.RawMessage
	if json.NewDecoder(bytes.NewReader(text)).Decode(&head) != nil {
		return foreignText(text)
	}
	if _, ours := head["schema"]; ours {
		return nil
	}
	for _, f := range foreigners {
		all := true
		for _, key := range f.keys {
			_, has := head[key]
			all = all && has
		}
		if all {
			return fmt.Errorf("%w: a file of %s; its numbers cannot be judged by what this program checks, so it is not read", ErrForeign, f.tool)
		}
	}
	return nil
}

// foreignText names files that are no JSON at all.
func foreignText(text []byte) error {
	for start, what := range map[string]string{
		"call,step,due_ns,":        "the single calls of a run (-o raw=); the result is what -o json= saved",
		"id,kind,arm,url,":         "our CSV, which has no histograms; the result is what -o json= saved",
		"wiregauge,":               "line protocol (-o influx=); the result is what -o json= saved",
		"response-time,DNS+dialup": "a file of hey (CSV)",
	} {
		if bytes.HasPrefix(text, []byte(start)) {
			return fmt.Errorf("%w: %s", ErrForeign, what)
		}
	}
	return nil
}

// A jsonLine is what all JSON lines of ours have.
type jsonLine struct {
	Type   string          `json:"type"`
	ID     string          `json:"id"`
	Result json.RawMessage `json:"result"`
}

// summaries is a list of the results in JSON lines; nil when text is something else.
func summaries(text []byte) ([]byte, error) {
	var first jsonLine
	if json.NewDecoder(bytes.NewReader(text)).Decode(&first) != nil || first.ID == "" {
		return nil, nil
	}
	if first.Type != "second" && first.Type != "warmup" && first.Type != "summary" {
		return nil, nil
	}
	var list [][]byte
	ended := false
	for line := range bytes.Lines(text) {
		var one jsonLine
		if ended = json.Unmarshal(line, &one) == nil && one.Type == "summary"; ended {
			list = append(list, one.Result)
		}
	}
	if !ended {
		return nil, fmt.Errorf("%w: JSON lines whose last line is no summary; did the run end?", ErrTruncated)
	}
	return append(append([]byte("["), bytes.Join(list, []byte(","))...), ']'), nil
}
