package result

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestFilesOfOtherToolsAreNamed(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"ghz":            {`{"date":"2026-01-01T00:00:00Z","options":{},"count":200,"latencyDistribution":[],"statusCodeDistribution":{"OK":200}}`, "ghz"},
		"k6 summary":     {`{"root_group":{"name":""},"metrics":{"http_reqs":{}}}`, "k6 (a summary export)"},
		"k6 lines":       {`{"type":"Metric","data":{"name":"http_reqs"},"metric":"http_reqs"}` + "\n" + `{"type":"Point","data":{},"metric":"http_reqs"}`, "k6 (JSON output"},
		"vegeta report":  {`{"latencies":{"total":1},"bytes_in":{"total":0},"bytes_out":{},"status_codes":{"200":1}}`, "vegeta (a JSON report)"},
		"vegeta results": {`{"attack":"","seq":0,"code":200,"timestamp":"","latency":1}`, "vegeta (results"},
		"oha":            {`{"summary":{},"responseTimeHistogram":{},"rps":{}}`, "oha"},
		"fortio":         {`{"RunType":"HTTP","DurationHistogram":{}}`, "fortio"},
		"our calls":      {"call,step,due_ns,latency_ns\r\n", "single calls of a run"},
		"our CSV":        {"id,kind,arm,url,protocol\r\n", "no histograms"},
		"another JSON":   {`{"a":1}`, `JSON without "schema"`},
		"text":           {"Running 10s test @ http://localhost", "no JSON at line 1"},
	} {
		_, err := ReadAll(strings.NewReader(c.text))
		if !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestJSONLinesGiveTheirResultBack(t *testing.T) {
	f := savedRun(t, 100, time.Millisecond, time.Second)
	text, err := f.JSON()
	if err != nil {
		t.Fatal(err)
	}
	second := `{"type":"second","id":"` + f.ID + `","arm":"a","at_ns":0}` + "\n"
	lines := second + `{"type":"summary","id":"` + f.ID + `","result":` + string(bytes.ReplaceAll(text, []byte("\n"), nil)) + "}\n"
	back, err := ReadAll(strings.NewReader(lines))
	if err != nil || len(back) != 1 || back[0].ID != f.ID || back[0].Arms[0].Latency.N != 100 {
		t.Fatalf("%v, %d results", err, len(back))
	}
	for name, cut := range map[string]string{"no summary": second + second, "cut off in the summary": lines[:len(lines)-20]} {
		if _, err := ReadAll(strings.NewReader(cut)); !errors.Is(err, ErrTruncated) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
