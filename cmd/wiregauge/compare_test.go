package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wiregauge/result"
)

// answering is a server that answers every request with body after a delay.
func answering(t *testing.T, delay time.Duration, status int, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if delay > 0 {
			time.Sleep(delay)
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// compareWith runs one compare command in process.
func compareWith(t *testing.T, ctx context.Context, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, talk bytes.Buffer
	code = newApp(strings.NewReader(""), &out, &talk, func(string) (string, bool) { return "", false }).run(ctx, append([]string{"compare"}, args...))
	return code, out.String(), talk.String()
}

func compared(t *testing.T, args ...string) *result.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "result.json")
	code, stdout, stderr := compareWith(t, context.Background(), append(args, "-o", "json="+path)...)
	if code != exitOK {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := result.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestCompareFindsAServerThatIsTwiceAsSlow(t *testing.T) {
	a, b := answering(t, 2*time.Millisecond, 200, `{"a":1}`), answering(t, 40*time.Millisecond, 200, `{"a": 1}`)
	f := compared(t, "fast="+a, "slow="+b, "--rounds", "6", "--turn", "100ms", "--warmup", "10", "-c", "4", "-d", `{"q":1}`)
	v := f.Verdicts[0]
	if noise := v.Outcome == result.NotFair || v.Outcome == result.Inconclusive; v.Metric != "rate" || !noise && !strings.HasSuffix(v.Outcome, "slower") || v.Units < 2 {
		t.Errorf("verdict %+v", v)
	}
	if !f.Fair.OK() {
		t.Errorf("equal JSON with other white space is not fair: %+v", f.Fair.Checks)
	}
	if len(f.Arms) != 2 || f.Arms[0].OK == 0 || f.Plan.Concurrency != 4 || f.Arms[1].Warm == nil {
		t.Errorf("arms %+v", f.Arms)
	}
}

func TestCompareVoidsTheVerdictWhenAnswersDiffer(t *testing.T) {
	a, b := answering(t, 0, 200, `{"a":1}`), answering(t, 0, 200, `{"a":2}`)
	code, stdout, stderr := compareWith(t, context.Background(), "a="+a, "b="+b, "--rounds", "3", "--turn", "20ms", "--warmup", "10", "-c", "2")
	if code != exitOK || !strings.Contains(stdout, "Not a fair test") || !strings.Contains(stderr, "not a fair test: reply") {
		t.Errorf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	code, _, _ = compareWith(t, context.Background(), "a="+a, "b="+b, "--rounds", "3", "--turn", "20ms", "--warmup", "10", "-c", "2", "--require-verdict")
	if code != exitUndecided {
		t.Errorf("exit %d with --require-verdict, want %d", code, exitUndecided)
	}
}

func TestCompareOfAnArmThatAnswersWithErrors(t *testing.T) {
	a, b := answering(t, 0, 200, `{}`), answering(t, 0, 503, `{"error":"no"}`)
	code, stdout, _ := compareWith(t, context.Background(), "a="+a, "b="+b, "--rounds", "3", "--turn", "20ms", "--warmup", "10", "-c", "2")
	if code != exitErrors || !strings.Contains(stdout, "Not a fair test") || !strings.Contains(stdout, "b answered") {
		t.Errorf("exit %d\n%s", code, stdout)
	}
}

func TestCompareRefusesWhatIsWrongBeforeAnythingIsSent(t *testing.T) {
	url := "http://127.0.0.1:1/"
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"nothing":                       {nil, "two arms or more, got 0"},
		"one arm":                       {[]string{"a=" + url}, "two arms or more, got 1"},
		"a URL without a name":          {[]string{url, "b=" + url}, "an arm is written NAME=URL"},
		"a bare host and port":          {[]string{"a=localhost:80", "b=" + url}, "localhost:80"},
		"a name with a dot":             {[]string{"a.b=" + url, "b=" + url}, `"a.b" is no name for an arm`},
		"two arms of one name":          {[]string{"a=" + url, "a=" + url}, `two arms are named "a"`},
		"an unknown scheme":             {[]string{"a=htp://x", "b=" + url}, "htp"},
		"launches of running targets":   {[]string{"a=" + url, "b=" + url, "--launches", "5"}, "already running"},
		"turn and duration":             {[]string{"a=" + url, "b=" + url, "--turn", "1s", "-z", "1m"}, "--turn"},
		"a setting without an arm":      {[]string{"a=" + url, "b=" + url, "--set", "connections=4"}, "NAME.KEY=VALUE"},
		"a setting of an unknown arm":   {[]string{"a=" + url, "b=" + url, "--set", "c.connections=4"}, `no arm "c"`},
		"an unknown setting":            {[]string{"a=" + url, "b=" + url, "--set", "a.conections=4"}, "connections ?"},
		"a setting that holds for all":  {[]string{"a=" + url, "b=" + url, "--set", "a.rounds=4"}, "whole comparison"},
		"a setting of a wrong value":    {[]string{"a=" + url, "b=" + url, "--set", "a.connections=none"}, "connections wants"},
		"{port} without a start":        {[]string{"a=http://localhost:{port}/", "b=" + url}, "{port}"},
		"a quote that is left open":     {[]string{"a=" + url, "b=" + url, "--set", "a.start='x"}, "not closed"},
		"an unknown baseline":           {[]string{"a=" + url, "b=" + url, "--baseline", "x", "--dry-run"}, `no arm "x"`},
		"an unknown primary metric":     {[]string{"a=" + url, "b=" + url, "--primary", "joy", "--dry-run"}, `no metric "joy"`},
		"a gate of an unknown arm":      {[]string{"a=" + url, "b=" + url, "--fail-if", "c.p99<5ms"}, `no arm "c"`},
		"floors only":                   {[]string{"a=tcp://127.0.0.1:1", "b=tcp://127.0.0.1:1", "--dry-run"}, "not a floor"},
		"an output folder that is none": {[]string{"a=" + url, "b=" + url, "-o", "html=/nowhere/x.html"}, "/nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := compareWith(t, context.Background(), c.args...)
			if code != exitUsage || !strings.Contains(stderr, c.want) || stdout != "" {
				t.Errorf("exit %d, want %d\n%s\nwant %q", code, exitUsage, stderr, c.want)
			}
		})
	}
}

func TestCompareOfATargetThatIsNotThere(t *testing.T) {
	a := answering(t, 0, 200, "x")
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	code, stdout, stderr := compareWith(t, context.Background(), "a="+a, "b="+gone.URL, "--rounds", "3", "--turn", "20ms", "--warmup", "10")
	if code != exitUnreachable || !strings.Contains(stderr, "arm b") || !strings.Contains(stderr, "refused") || stdout != "" {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}

func TestDryRunPrintsThePlanAndTheOrderAndSendsNothing(t *testing.T) {
	calls := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls++ }))
	defer s.Close()
	args := []string{"old=" + s.URL, "new=" + s.URL, "floor=tcp://127.0.0.1:1", "--dry-run", "--seed", "7", "--rounds", "6"}
	code, one, stderr := compareWith(t, context.Background(), args...)
	_, two, _ := compareWith(t, context.Background(), args...)
	args[5] = "8"
	_, other, _ := compareWith(t, context.Background(), args...)
	if code != exitOK || calls != 0 {
		t.Fatalf("exit %d after %d calls\n%s", code, calls, stderr)
	}
	if one != two || one == other {
		t.Errorf("the order does not follow from the seed:\n%s\n%s\n%s", one, two, other)
	}
	for _, want := range []string{"plan         3 arms x 1 launch x 6 rounds x 250ms or more, about 6s", "notice       one launch only", "baseline     old", "a reference row without a verdict", "round 5:", "… and 1 more round\n", "nothing was sent"} {
		if !strings.Contains(one, want) {
			t.Errorf("no %q in\n%s", want, one)
		}
	}
}

// The warm-up is found where there is time for it, or where that is asked for.
func TestWhenTheWarmUpOfAComparisonIsFound(t *testing.T) {
	url := "http://127.0.0.1:1/"
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"by default":          {nil, "until it is steady, for 1m at most"},
		"asked for":           {[]string{"--rounds", "2", "--warmup", "auto", "--warmup-max", "20s"}, "until it is steady, for 20s at most"},
		"a short comparison":  {[]string{"--rounds", "2"}, ""},
		"a time was given":    {[]string{"--warmup", "3s"}, ""},
		"a number of calls":   {[]string{"--warmup", "300"}, ""},
		"turns of some calls": {[]string{"-n", "4000"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			// A start command keeps the dry run from asking anybody.
			args := append([]string{"a=http://127.0.0.1:{port}/", "b=" + url, "--set", "a.start=x {port}", "--set", "b.start=y", "--dry-run"}, c.args...)
			code, out, stderr := compareWith(t, context.Background(), args...)
			if code != exitOK || strings.Contains(out, "until it is steady") != (c.want != "") || !strings.Contains(out, c.want) {
				t.Errorf("exit %d\n%s%s", code, out, stderr)
			}
		})
	}
}

func TestOptionsOfOneArm(t *testing.T) {
	a := answering(t, 0, 200, "x")
	f := compared(t, "a="+a, "b="+a, "--rounds", "3", "--turn", "20ms", "--warmup", "10", "-c", "4", "--set", "b.connections=2", "--set", "b.streams=2")
	if f.Arms[0].Connections.Asked != 4 || f.Arms[1].Connections.Asked != 2 {
		t.Errorf("connections %d and %d, want 4 and 2", f.Arms[0].Connections.Asked, f.Arms[1].Connections.Asked)
	}
	if !strings.Contains(fmt.Sprint(f.Fair.Differ), "connections: a 4, b 2") {
		t.Errorf("differences %q", f.Fair.Differ)
	}
}

func TestMoreCallsInFlightForOneArmAreNotFair(t *testing.T) {
	a := answering(t, 0, 200, "x")
	f := compared(t, "a="+a, "b="+a, "--rounds", "3", "--turn", "20ms", "--warmup", "10", "-c", "4", "--set", "b.concurrency=8")
	if v := f.Verdicts[0]; v.Outcome != "not_fair" || !strings.Contains(v.Reasons[0], "calls in flight: a 4, b 8") {
		t.Errorf("verdict %+v", v)
	}
}

func TestASuiteFileOfTwoTargets(t *testing.T) {
	a, b := answering(t, 0, 200, "x"), answering(t, 0, 200, "x")
	file := filepath.Join(t.TempDir(), "suite.yaml")
	text := "name: two\nload: {rounds: 3, turn: 20ms, warmup: 10, concurrency: 2}\ntargets:\n  one: " + a + "\n  two: {url: \"" + b + "\", connections: 1, streams: 2}\nbaseline: two\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f := compared(t, "-f", file)
	if f.Title != "two" || f.Plan.Rounds != 3 || f.Plan.Baseline != "two" || f.Arms[1].Connections.Asked != 1 || f.Verdicts[0].A != "two" {
		t.Errorf("title %q, plan %+v", f.Title, f.Plan)
	}
	if f := compared(t, "-f", file, "--rounds", "4", "--baseline", "one"); f.Plan.Rounds != 4 || f.Plan.Baseline != "one" {
		t.Errorf("flags do not override the file: %+v", f.Plan)
	}
}

func TestCtrlCTellsWhatWasMeasured(t *testing.T) {
	ctx, stop := context.WithCancelCause(context.Background())
	var calls atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if calls.Add(1) == 5000 {
			stop(interrupted{2})
		}
	}))
	defer s.Close()
	path := filepath.Join(t.TempDir(), "r.json")
	code, _, stderr := compareWith(t, ctx, "a="+s.URL, "b="+s.URL, "--turn", "2ms", "--rounds", "100000", "-c", "1", "--warmup", "10", "-o", "json="+path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var f result.File
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if code != exitInterrupt || !f.Partial || len(f.Turns) == 0 {
		t.Errorf("exit %d, partial %v, %d turns\n%s", code, f.Partial, len(f.Turns), stderr)
	}
}

// While a comparison goes on its turns are told line by line; the last line is the result, also after Ctrl-C.
func TestJSONLinesOfAComparison(t *testing.T) {
	a := answering(t, 0, 200, "x")
	code, stdout, stderr := compareWith(t, context.Background(), "a="+a, "b="+a, "--rounds", "3", "--turn", "20ms", "--warmup", "10", "-c", "2", "-o", "jsonl=-", "-s")
	if code != exitOK {
		t.Fatalf("exit %d\n%s", code, stderr)
	}
	var turns int
	var last struct {
		Type, ID string
		Result   result.File
	}
	for line := range strings.Lines(stdout) {
		var row struct {
			Type, ID, Arm string
			Round         int
			P50           *int64 `json:"p50_ns"`
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.Type == "turn" {
			turns++
			last.ID = row.ID
		}
	}
	id := last.ID
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	if turns != len(last.Result.Turns) || last.Type != "summary" || last.ID != id || last.Result.ID != id || turns < 6 {
		t.Errorf("%d lines of turns; the last line is a %s of %s with %d turns", turns, last.Type, last.ID, len(last.Result.Turns))
	}
}

func TestStartCommandsAreCutIntoWords(t *testing.T) {
	for text, want := range map[string]string{
		"./server --port {port}":  "./server|--port|{port}",
		"java -cp 'a b:c' Main":   "java|-cp|a b:c|Main",
		`sh -c "exec x '{port}'"`: "sh|-c|exec x '{port}'",
		"  a\t b\n":               "a|b",
		"a ''":                    "a|",
	} {
		words, err := splitCommand(text)
		if got := strings.Join(words, "|"); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "  ", "a 'b", `"`} {
		if words, err := splitCommand(text); err == nil {
			t.Errorf("%q is taken as %q", text, words)
		}
	}
}
