package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"wiregauge/load"
	"wiregauge/protocol"
	"wiregauge/result"
)

// TestStrongest is the order in which exit codes win.
func TestStrongest(t *testing.T) {
	for _, c := range []struct {
		name  string
		codes []int
		want  int
	}{
		{"nothing", nil, 0},
		{"a gate before errors", []int{5, 99}, 99},
		{"no verdict before a gate", []int{99, 6, 5}, 6},
		{"an interrupt before all of them", []int{5, 99, 6, 130}, 130},
		{"no target before an interrupt", []int{130, 3}, 3},
		{"usage before no target", []int{3, 2}, 2},
		{"our own fault first", []int{2, 1}, 1},
		{"a status of call", []int{0, 69}, 69},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strongest(c.codes...); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestExitCode(t *testing.T) {
	stopped, cancel := context.WithCancelCause(t.Context())
	cancel(interrupted{syscall.SIGTERM})
	for _, c := range []struct {
		name string
		ctx  context.Context
		err  error
		want int
	}{
		{"done", t.Context(), nil, 0},
		{"an error without a code", t.Context(), errors.New("x"), 1},
		{"a wrapped code", t.Context(), fmt.Errorf("arm: %w", usage("x")), 2},
		{"stopped, and nothing said", stopped, nil, 143},
		{"what failed because it was stopped", stopped, errors.New("x"), 143},
		{"a target that the stop cut off", stopped, unreachable("x"), 143},
		{"stopped with a weaker code", stopped, quiet(exitGate), 143},
		{"stopped with a stronger code", stopped, usage("x"), 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := exitCode(c.ctx, c.err); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestPrintError(t *testing.T) {
	var b strings.Builder
	printError(&b, unreachable("no connection to %s", "x://h").with("target", "x://h").with("try", "one\ntwo").with("or", ""), 3, 1500*time.Millisecond)
	want := "error: no connection to x://h\n  target  x://h\n  try     one\n          two\nexit 3 after 1.5 s\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestRedact: no secret of a command line reaches a report.
func TestRedact(t *testing.T) {
	for _, c := range []struct {
		name, args, want string
	}{
		{"nothing to hide", "wiregauge run http://h/x?a=b -d {}", "wiregauge run http://h/x?a=b -d {}"},
		{"a user", "-u a:b --user=a:b -ua:b", "-u *** --user=*** -u***"},
		{"headers", "-H Authorization:Bearer_x -H Accept:y --header=Cookie:a=b -HX-Api-Key:z", "-H Authorization: *** -H Accept:y --header=Cookie: *** -HX-Api-Key: ***"},
		{"metadata", `-m {"my-token":"x","b":"c"}`, `-m {"my-token":"***","b":"c"}`},
		{"a password in a URL", "https://me:pw@h/x", "https://***@h/x"},
		{"a secret in a query", "http://h/?access_token=x&b=c", "http://h/?access_token=***&b=c"},
		{"the URL of an arm", "rest=http://me:pw@h/", "rest=http://***@h/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(redact(strings.Split(c.args, " ")), " "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestMayLoad is the safety rule: what may be sent to hosts that are not known to be the user's.
func TestMayLoad(t *testing.T) {
	open := func(rate float64, length time.Duration, total int64) *plan {
		return &plan{open: true, rate: rate, record: result.Plan{Total: total}, specs: []load.Spec{{Duration: length, Total: uint64(total)}}}
	}
	closed := func(total int64) *plan { return &plan{record: result.Plan{Total: total}} }
	for _, c := range []struct {
		name, host string
		plan       *plan
		owned      []string
		free       bool
	}{
		{"loopback", "127.0.0.1", closed(0), nil, true},
		{"IPv6 loopback", "::1", closed(0), nil, true},
		{"a private network", "10.1.2.3", open(1e6, time.Hour, 0), nil, true},
		{"a link-local address", "169.254.0.9", closed(0), nil, true},
		{"a public address", "192.0.2.1", closed(0), nil, false},
		{"a public address, few calls", "192.0.2.1", closed(100), nil, true},
		{"a public address, too many calls", "192.0.2.1", closed(101), nil, false},
		{"a public address at a low rate", "192.0.2.1", open(100, 100*time.Second, 0), nil, true},
		{"a public address at a low rate for long", "192.0.2.1", open(100, 101*time.Second, 0), nil, false},
		{"a public address at a high rate", "192.0.2.1", open(101, time.Second, 0), nil, false},
		{"a public address that is ours", "192.0.2.1", closed(0), []string{"192.0.2.1"}, true},
		{"another one that is ours", "192.0.2.1", closed(0), []string{"192.0.2.2"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stderr strings.Builder
			app := newApp(strings.NewReader("y\n"), nil, &stderr, func(string) (string, bool) { return "", false })
			p := &prepared{Target: &protocol.Target{Host: c.host, Network: "tcp", Address: c.host + ":80"}}
			err := app.mayLoad(t.Context(), p, c.plan, c.owned)
			if (err == nil) != c.free {
				t.Errorf("got %v", err)
			}
			if err != nil && exitCode(t.Context(), err) != exitUsage {
				t.Errorf("exit %d", exitCode(t.Context(), err))
			}
		})
	}
}

func TestRampSteps(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"doubling", "1..8x2/10s", "c=1 c=2 c=4 c=8"},
		{"doubling is the default", "1..8/10s", "c=1 c=2 c=4 c=8"},
		{"the end is always a step", "1..6x2/10s", "c=1 c=2 c=4 c=6"},
		{"adding", "10..30+10/5s", "c=10 c=20 c=30"},
		{"down", "8..1x2/1s", "c=8 c=4 c=2 c=1"},
		{"down by subtracting", "30..10+10/1s", "c=30 c=20 c=10"},
		{"a list", "1,5,3/1s", "c=1 c=5 c=3"},
		{"a factor below 2 skips equal steps", "1..4x1.5/1s", "c=1 c=2 c=3 c=4"},
		{"written out", "c=1..2x2/1s", "c=1 c=2"},
		{"thousands", "1k..2k+1k/1s", ""},
		{"rates", "rate=100..300+100/10s", "100/s 200/s 300/s"},
		{"fractions of rates", "rate=0.5..2x2/10s", "0.5/s 1/s 2/s"},
		{"too many steps", "1..1000000+1/1s", ""},
		{"no length", "1..8x2", ""},
		{"a length of 0", "1..8x2/0s", ""},
		{"nobody", "0..8x2/1s", ""},
		{"a rate of 0 in steps", "rate=0..8x2/1s", ""},
		{"words", "slow..fast/1s", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r ramp
			err := r.Set(c.text)
			var labels []string
			for i := range r.steps {
				labels = append(labels, r.label(i))
			}
			if got := strings.Join(labels, " "); got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func FuzzRamp(f *testing.F) {
	for _, s := range []string{"1..512x2/10s", "rate=0..5/1s", "1,2,3/1m", "8..1x2/1s", "rate=1..2x1.0001/1s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var r ramp
		if r.Set(text) != nil {
			return
		}
		if len(r.steps) == 0 || len(r.steps) > maxSteps+1 || r.step <= 0 {
			t.Errorf("%q became %+v", text, r)
		}
		for i := range r.steps {
			if r.label(i) == "" || !r.rate && r.concurrency(i) < 1 {
				t.Errorf("%q has the step %v", text, r.steps[i])
			}
		}
	})
}

func TestTooManyErrors(t *testing.T) {
	arm := func(ok, failed, unfinished int64) *result.Arm {
		return &result.Arm{Counts: result.Counts{Due: ok + failed + unfinished, OK: ok, Failed: failed, Unfinished: unfinished}}
	}
	for _, c := range []struct {
		name  string
		arm   *result.Arm
		limit float64
		fails bool
	}{
		{"none failed", arm(10, 0, 0), 0.01, false},
		{"exactly the limit", arm(99, 1, 0), 0.01, false},
		{"above the limit", arm(98, 2, 0), 0.01, true},
		{"everything, and everything may", arm(0, 10, 0), 1, false},
		{"one, and none may", arm(999, 1, 0), 0, true},
		{"nothing finished", arm(0, 0, 5), 0.01, true},
		{"nothing was due", arm(0, 0, 0), 0.01, false},
		{"nothing but warm-up, and that hangs", &result.Arm{Warm: &result.Counts{Due: 2, Unfinished: 2}}, 0.01, true},
		{"nothing but warm-up, and that was good", &result.Arm{Warm: &result.Counts{Due: 2, OK: 2}}, 0.01, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := tooManyErrors(c.arm, c.limit); (got != "") != c.fails {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestLaterCommandsAreNeverUnknown(t *testing.T) {
	for _, name := range []string{"ui", "agent", "ghz", "import", "size", "scenarios"} {
		if s := invoke(t, name, "--any", "thing"); s.code != exitUsage || !strings.Contains(s.stderr, "is not in this version") {
			t.Errorf("%s: exit %d, %s", name, s.code, s.stderr)
		}
	}
}

func TestComingFrom(t *testing.T) {
	for _, tool := range []string{"curl", "ghz", "grpcurl", "hey", "k6", "rsc", "wrk2"} {
		if s := invoke(t, "help", "coming-from", tool); s.code != exitOK || !strings.HasPrefix(s.stdout, "coming from "+tool) {
			t.Errorf("%s: exit %d, %s", tool, s.code, s.stdout)
		}
	}
	if s := invoke(t, "help", "coming-from"); strings.Count(s.stdout, "coming from ") != 7 {
		t.Errorf("all tables: %s", s.stdout)
	}
}

// TestHelp: every command has help, on standard output, with exit 0.
func TestHelp(t *testing.T) {
	root := newApp(strings.NewReader(""), nil, nil, nil).root()
	for _, c := range root.Commands() {
		if c.Hidden {
			continue
		}
		for _, args := range [][]string{{c.Name(), "-h"}, {"help", c.Name()}} {
			if s := invoke(t, args...); s.code != exitOK || !strings.Contains(s.stdout, "wiregauge "+c.Name()) || s.stderr != "" {
				t.Errorf("%v: exit %d\n%s%s", args, s.code, s.stdout, s.stderr)
			} else if strings.Contains(s.stdout, "\n:\n") {
				t.Errorf("%v: flags under no heading\n%s", args, s.stdout)
			}
		}
	}
	for _, name := range []string{"list", "describe", "schema"} {
		if s := invoke(t, name, "-h"); strings.Contains(s.stdout, "--color") || strings.Contains(s.stdout, "--progress") {
			t.Errorf("%s has neither colours nor progress\n%s", name, s.stdout)
		}
	}
	for _, args := range [][]string{nil, {"-h"}, {"help"}} {
		if s := invoke(t, args...); s.code != exitOK || !strings.Contains(s.stdout, "wiregauge demo") {
			t.Errorf("%v: exit %d\n%s", args, s.code, s.stderr)
		}
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range shells {
		if s := invoke(t, "completion", shell); s.code != exitOK || !strings.Contains(s.stdout, "wiregauge") || s.stderr != "" {
			t.Errorf("%s: exit %d\n%s", shell, s.code, s.stderr)
		}
	}
	if s := invoke(t, "__complete", "ru"); !strings.Contains(s.stdout, "run\t") {
		t.Errorf("ru is completed to %q", s.stdout)
	}
}

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"-V"}, {"--version"}} {
		if s := invoke(t, args...); s.code != exitOK || !strings.Contains(s.stdout, "protocols: grpc http1 http2 null rsocket tcp") {
			t.Errorf("%v: exit %d\n%s%s", args, s.code, s.stdout, s.stderr)
		}
	}
}

// TestProgressLines are what a snapshot becomes on a terminal and in a log.
func TestProgressLines(t *testing.T) {
	s := load.Snapshot{Elapsed: 15 * time.Second, OK: 29998, Failed: 2, Inflight: 7, P50: 1900 * time.Microsecond, P99: 6200 * time.Microsecond, LatenessP99: 100 * time.Microsecond}
	for _, c := range []struct {
		name string
		p    progress
		snap load.Snapshot
		want string
	}{
		{"a wide terminal", progress{what: "Check  gRPC  open loop 2,000/s", width: 200, length: 30 * time.Second}, s,
			"Check  gRPC  open loop 2,000/s  [#####.....] 15s/30s  ok 29,998  err 2  p50 1.90 ms p99 6.20 ms  lag p99 100 µs  in flight 7"},
		{"a narrow terminal", progress{what: "Check  gRPC  open loop 2,000/s", width: 90, length: 30 * time.Second}, s,
			"[#####.....] 15s/30s  ok 29,998  err 2  p50 1.90 ms p99 6.20 ms  lag p99 100 µs  in flight 7"},
		{"a log", progress{what: "Check", length: 30 * time.Second}, s, "15s/30s  ok 29,998  err 2  p50 1.90 ms p99 6.20 ms  lag p99 100 µs  in flight 7"},
		{"a run by count", progress{}, s, "15s  ok 29,998  err 2  p50 1.90 ms p99 6.20 ms  lag p99 100 µs  in flight 7"},
		{"before the first call", progress{length: time.Second}, load.Snapshot{Warming: true}, "warming up  0.0s/1.0s  ok 0  err 0  in flight 0"},
		{"past the end", progress{width: 80, length: time.Second}, load.Snapshot{Elapsed: 3 * time.Second}, "[##########] 3.0s/1.0s  ok 0  err 0  in flight 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.p.line(c.snap); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestColor is the order of what decides about colours.
func TestColor(t *testing.T) {
	for _, c := range []struct {
		name string
		env  map[string]string
		talk TalkOptions
		want bool
	}{
		{"no terminal", nil, TalkOptions{Color: "auto"}, false},
		{"asked for", map[string]string{"NO_COLOR": "1"}, TalkOptions{Color: "always"}, true},
		{"refused", map[string]string{"FORCE_COLOR": "1"}, TalkOptions{Color: "never"}, false},
		{"refused by the other flag", map[string]string{"FORCE_COLOR": "1"}, TalkOptions{NoColor: true}, false},
		{"NO_COLOR before FORCE_COLOR", map[string]string{"NO_COLOR": "1", "FORCE_COLOR": "1"}, TalkOptions{Color: "auto"}, false},
		{"an empty NO_COLOR says nothing", map[string]string{"NO_COLOR": "", "CLICOLOR_FORCE": "1"}, TalkOptions{Color: "auto"}, true},
		{"forced on a dumb terminal", map[string]string{"TERM": "dumb", "FORCE_COLOR": "1"}, TalkOptions{Color: "auto"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			app := newApp(nil, nil, nil, func(name string) (string, bool) { v, ok := c.env[name]; return v, ok })
			if got := app.color(&c.talk, &strings.Builder{}); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
