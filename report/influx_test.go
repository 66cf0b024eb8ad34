package report

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/influxdata/line-protocol/v2/lineprotocol"

	"wiregauge/report/internal/sample"
	"wiregauge/result"
)

// An influxLine is one point as the parser gives it.
type influxLine struct {
	name   string
	tags   map[string]string
	fields map[string]any
	at     time.Time
}

func readInflux(t *testing.T, text []byte) []influxLine {
	t.Helper()
	if len(text) > 0 && text[len(text)-1] != '\n' {
		t.Errorf("the last line does not end: %q", text[max(0, len(text)-20):])
	}
	var lines []influxLine
	for d := lineprotocol.NewDecoderWithBytes(text); d.Next(); {
		l := influxLine{tags: map[string]string{}, fields: map[string]any{}}
		name, err := d.Measurement()
		for l.name = string(name); err == nil; {
			var key, value []byte
			if key, value, err = d.NextTag(); key == nil {
				break
			}
			l.tags[string(key)] = string(value)
		}
		for err == nil {
			var key []byte
			var value lineprotocol.Value
			if key, value, err = d.NextField(); key == nil {
				break
			}
			l.fields[string(key)] = value.Interface()
		}
		if err == nil {
			l.at, err = d.Time(lineprotocol.Nanosecond, time.Time{})
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		lines = append(lines, l)
	}
	if n := bytes.Count(text, []byte("\n")); n != len(lines) {
		t.Errorf("%d points on %d lines", len(lines), n)
	}
	return lines
}

func TestInfluxReadsEveryResult(t *testing.T) {
	for _, c := range cases {
		for _, l := range readInflux(t, render(t, "influx", c.files(), Options{})) {
			if l.tags["trust"] == "" || l.at.IsZero() || len(l.fields) == 0 {
				t.Errorf("%s: %+v", c.name, l)
			}
			for key, value := range l.fields {
				if value == int64(0) && strings.HasSuffix(key, "_ns") && key != "window_ns" {
					t.Errorf("%s: %s is 0, want it left out", c.name, key)
				}
			}
		}
	}
}

func TestInfluxGivesTextBackExactly(t *testing.T) {
	for _, text := range []string{sample.HostileText, "comma, \"quotes\"\nand a line feed", `back\slash \n \`, "a\r\nb\tc", `\"`} {
		f := sample.Half()
		f.Arms[0].Errors[0].Message = text
		lines := readInflux(t, render(t, "influx", []*result.File{f}, Options{}))
		if len(lines) != 2 || lines[1].name != "wiregauge_error" || lines[1].fields["text"] != text {
			t.Errorf("%q came back as %+v", text, lines)
		}
		if strings.Contains(lines[0].tags["arm"], `"`) {
			t.Errorf("a tag in quotes: %v", lines[0].tags)
		}
	}
}

func TestInfluxTagsTakeAnyName(t *testing.T) {
	for name, want := range map[string]string{
		"plain": "plain", "a b,c=d": "a b,c=d", `end\`: "end/", "two\nlines": "two lines", `"quoted"`: `"quoted"`, "日本": "日本",
	} {
		f := sample.Met()
		f.Arms[0].Name = name
		if got := readInflux(t, render(t, "influx", []*result.File{f}, Options{}))[0].tags["arm"]; got != want {
			t.Errorf("%q came back as %q, want %q", name, got, want)
		}
	}
}

func TestInfluxDetailsAreOnePointACall(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	var out bytes.Buffer
	log := NewInfluxCalls(&out, "7f3a", "Half")
	log.now = func() time.Time { return start.Add(200 * time.Millisecond) } // the second call has just ended
	log.Write([]result.Call{
		{Index: 0, Latency: time.Millisecond, Service: time.Microsecond, Outcome: "ok", Answered: true, Status: 200},
		{Index: 1, Latency: 200 * time.Millisecond, Service: -1, Outcome: "failed", Class: "13 INTERNAL", Text: sample.HostileText},
		{Index: 2, Due: 5*time.Millisecond + 7, Latency: -1, Service: -1, Outcome: "unfinished"},
		{Index: 3, Due: 5*time.Millisecond + 9, Latency: 1, Service: 1, Outcome: "ok"},
	})
	if log.Err() != nil {
		t.Fatal(log.Err())
	}
	lines := readInflux(t, out.Bytes())
	if len(lines) != 4 {
		t.Fatalf("%d points of 4 calls", len(lines))
	}
	if lines[1].fields["text"] != sample.HostileText || lines[1].tags["class"] != "13 INTERNAL" {
		t.Errorf("the failure came back as %+v", lines[1])
	}
	for _, key := range []string{"latency_ns", "service_ns", "status"} {
		if v, there := lines[2].fields[key]; there {
			t.Errorf("a call without an end has %s %v", key, v)
		}
	}
	if !lines[0].at.Equal(start) || !lines[3].at.Equal(start.Add(5*time.Millisecond+3)) {
		t.Errorf("calls at %v and %v, want them from %v on", lines[0].at, lines[3].at, start)
	}
	seen := map[time.Time]bool{}
	for _, l := range lines {
		if seen[l.at] {
			t.Errorf("two calls at %v: one would replace the other", l.at)
		}
		seen[l.at] = true
	}
	if got := lines[2].fields["due_ns"]; got != int64(5_000_007) {
		t.Errorf("due_ns = %v", got)
	}
}

func TestSingleCallsAreWrittenWithoutMemoryForEach(t *testing.T) {
	log := NewInfluxCalls(io.Discard, "7f3a", "Half")
	batch := make([]result.Call, 256)
	for i := range batch {
		batch[i] = result.Call{Index: uint64(i), Latency: time.Millisecond, Service: time.Millisecond, Outcome: "ok", Answered: true}
	}
	log.Write(batch)
	if n := testing.AllocsPerRun(10, func() { log.Write(batch) }); n > 16 {
		t.Errorf("%v allocations for %d calls", n, len(batch))
	}
}
