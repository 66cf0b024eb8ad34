package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"wiregauge/report/internal/sample"
	"wiregauge/result"
)

// commandForm is how the runner reads a workflow command: a name, properties, and the rest of the line.
var commandForm = regexp.MustCompile(`^::(error|warning|notice) title=([^:,\r\n]+)::([^\r\n]+)$`)

// unescape undoes what the runner undoes.
func unescape(s string) string {
	return strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(s)
}

func TestAnnotationsAreTheWorstFirstAndAtMostFive(t *testing.T) {
	f := sample.OneLaunch()
	lines := Annotations([]*result.File{f})
	if len(lines) == 0 || len(lines) > 5 {
		t.Fatalf("%d annotations", len(lines))
	}
	var levels []string
	for _, line := range lines {
		parts := commandForm.FindStringSubmatch(line)
		if parts == nil {
			t.Fatalf("no workflow command: %q", line)
		}
		levels = append(levels, parts[1])
	}
	if levels[0] != "error" || levels[1] != "warning" {
		t.Errorf("levels %v, want the failed gate and then the one that cannot be judged", levels)
	}
	for i := range 20 {
		f.Gates = append(f.Gates, result.Gate{Expr: fmt.Sprintf("p%d<1ns", i), Value: new(float64), Unit: "ns"})
	}
	lines = Annotations([]*result.File{f, f})
	if len(lines) != 5 || !strings.Contains(lines[4], "more are in the step's summary") {
		t.Errorf("%d annotations, the last is %q", len(lines), lines[len(lines)-1])
	}
}

func TestAnnotationsKeepHostileTextInOneCommand(t *testing.T) {
	f := sample.Half()
	hostile := "100 %0A\r\n::error::out, of: it %" + sample.HostileText
	f.Gates = []result.Gate{{Expr: "p99<1s", Unit: "ns", Unknown: hostile}}
	lines := Annotations([]*result.File{f})
	if len(lines) != 1 {
		t.Fatalf("%d annotations: %q", len(lines), lines)
	}
	parts := commandForm.FindStringSubmatch(lines[0])
	if parts == nil || !strings.HasSuffix(unescape(parts[3]), hostile) || unescape(parts[2]) != "wiregauge: gate not judged" {
		t.Errorf("%q", lines[0])
	}
}

func TestNothingToLookAtIsNoAnnotation(t *testing.T) {
	if lines := Annotations([]*result.File{sample.Met()}); len(lines) != 0 {
		t.Errorf("%q", lines)
	}
}

func TestStepSummaryStaysSmall(t *testing.T) {
	for _, c := range cases {
		if n := len(StepSummary(c.files(), Options{})); n == 0 || n > 60_000 {
			t.Errorf("%s: %d bytes", c.name, n)
		}
	}
	f := sample.Large()
	for i := range 2000 {
		f.Arms[0].Errors = append(f.Arms[0].Errors, result.ErrorClass{Class: fmt.Sprintf("class %d", i), Count: 1, Message: sample.HostileText})
	}
	text := string(StepSummary([]*result.File{f}, Options{}))
	if len(text) > 60_000 || !strings.Contains(text, "The rest is left out here") || !strings.Contains(text, "### Summary") {
		t.Errorf("%d bytes, ending with %q", len(text), text[len(text)-100:])
	}
	f.Title = strings.Repeat("日本 ", 50_000)
	if n := len(StepSummary([]*result.File{f}, Options{})); n > 60_000 {
		t.Errorf("%d bytes under a long title", n)
	}
}
