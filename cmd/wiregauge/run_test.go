package main

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"wiregauge/lab"
	"wiregauge/result"
)

// plain are the keys of the services that the tests below load, one per protocol.
var plain = []string{"http hello", "h2c hello", "grpc hello"}

const greeting = `{"greeting":"x"}`

// TestExactlyNCalls is case K15: the server counts exactly n, and so does the report.
func TestExactlyNCalls(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	for _, key := range plain {
		for _, c := range []struct{ n, c int }{{49, 50}, {10, 50}, {101, 10}, {1, 1}, {7, 3}} {
			t.Run(fmt.Sprintf("%s %d of %d", key, c.n, c.c), func(t *testing.T) {
				f, out := measured(t, exitOK, "run", s.url(t, key), "-d", greeting, "-n", fmt.Sprint(c.n), "-c", fmt.Sprint(c.c), "--server-stats", s.AdminURL())
				arm := f.Arms[0]
				conserved(t, arm.Counts)
				if arm.OK != int64(c.n) || arm.ServerStats.Received != int64(c.n) || arm.ServerStats.Conserve != "ok" {
					t.Errorf("ok %d, server %+v\n%s", arm.OK, arm.ServerStats, out.stdout)
				}
			})
		}
	}
}

// TestWarmupComesOnTop: warm-up calls are sent beside -n, and counted apart.
func TestWarmupComesOnTop(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	f, _ := measured(t, exitOK, "run", s.url(t, "grpc hello"), "-d", greeting, "-n", "20", "-c", "4", "--warmup", "30", "--server-stats", s.AdminURL())
	arm := f.Arms[0]
	if arm.OK != 20 || arm.Warm == nil || arm.Warm.OK != 30 || arm.ServerStats.Received != 50 || arm.ServerStats.Conserve != "ok" {
		t.Errorf("ok %d, warm-up %+v, server %+v", arm.OK, arm.Warm, arm.ServerStats)
	}
}

// TestEveryCallFails is case K02 on gRPC and case K27 on HTTP.
func TestEveryCallFails(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	for _, c := range []struct{ key, plant, class string }{
		{"grpc hello", "status=INTERNAL", "INTERNAL"},
		{"http hello", "status=404", "404"},
		{"h2c hello", "status=404", "404"},
	} {
		t.Run(c.key, func(t *testing.T) {
			args := []string{"run", s.url(t, c.key), "-d", greeting, "-n", "20", "-c", "2", "-H", "wg-plant: " + c.plant}
			f, out := measured(t, exitErrors, args...)
			arm := f.Arms[0]
			conserved(t, arm.Counts)
			if arm.OK != 0 || arm.Failed != 20 || arm.Goodput != 0 || arm.AchievedRate <= 0 {
				t.Errorf("ok %d, failed %d, goodput %v, rate %v", arm.OK, arm.Failed, arm.Goodput, arm.AchievedRate)
			}
			if len(arm.Errors) != 1 || arm.Errors[0].Class != c.class || arm.Errors[0].Count != 20 {
				t.Errorf("errors %+v", arm.Errors)
			}
			if arm.Latency.Min != nil || arm.Latency.Mean != nil || arm.Latency.Max != nil || arm.FailedLatency.Max == nil {
				t.Errorf("latency of good calls %+v, of failed ones %+v", arm.Latency, arm.FailedLatency)
			}
			if strings.Contains(out.stdout, "NaN") || strings.Contains(out.stdout, "Inf") {
				t.Errorf("the report holds no-numbers\n%s", out.stdout)
			}
			measured(t, exitOK, append(args, "--max-errors", "100%")...)
		})
	}
}

// TestNothingButTimeouts is case K21: all failed, and no number of a call that succeeded.
func TestNothingButTimeouts(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	for _, key := range plain {
		t.Run(key, func(t *testing.T) {
			f, out := measured(t, exitErrors, "run", s.url(t, key), "-d", greeting, "-n", "100", "-c", "50", "-t", "100ms", "-H", "wg-plant: hang")
			arm := f.Arms[0]
			conserved(t, arm.Counts)
			if arm.OK != 0 || arm.Failed != 100 || arm.TimedOut != 100 || arm.Goodput != 0 || arm.Latency.N != 0 {
				t.Errorf("%+v\n%s", arm.Counts, out.stdout)
			}
			if len(arm.Errors) != 1 || arm.Errors[0].Class != "timeout" {
				t.Errorf("errors %+v", arm.Errors)
			}
		})
	}
}

// TestCallsInFlightAtTheDeadline is case K22: they are unfinished with their ages, neither ok nor failed.
func TestCallsInFlightAtTheDeadline(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	for _, key := range plain {
		t.Run(key, func(t *testing.T) {
			started := time.Now()
			f, out := measured(t, exitOK, "run", s.url(t, key), "-d", greeting, "-z", "300ms", "-c", "10", "-H", "wg-plant: hang=/50", "--server-stats", s.AdminURL())
			arm := f.Arms[0]
			conserved(t, arm.Counts)
			if arm.Failed != 0 || arm.Unfinished == 0 || arm.Unfinished > 10 || arm.Ages.N != arm.Unfinished || arm.ServerStats.Conserve != "ok" {
				t.Errorf("%+v, ages %+v, server %+v\n%s", arm.Counts, arm.Ages, arm.ServerStats, out.stdout)
			}
			if took := time.Since(started); took > 10*time.Second {
				t.Errorf("the command ended %v after it began", took)
			}
		})
	}
}

// TestStopWaits: with --stop=wait calls in flight at the end may finish.
func TestStopWaits(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	f, _ := measured(t, exitOK, "run", s.url(t, "grpc hello"), "-d", greeting, "-z", "50ms", "-c", "4", "-H", "wg-plant: delay=200ms", "--stop", "wait=20s")
	if arm := f.Arms[0]; arm.OK != 4 || arm.Unfinished != 0 {
		t.Errorf("%+v", arm.Counts)
	}
}

// TestLowRatesAndShortRuns is case K08 (b) and (c): the first call is due at once, and slow rates are legal.
func TestLowRatesAndShortRuns(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		due  int64
	}{
		{"a run shorter than the gap between calls", []string{"-r", "1", "-z", "100ms"}, 1},
		{"a rate below one per second", []string{"-r", "0.2", "-n", "1"}, 1},
		{"a rate per minute", []string{"-r", "12/min", "-n", "1"}, 1},
		{"a run of 10 ms", []string{"-r", "1000", "-z", "10ms"}, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, out := measured(t, exitOK, append([]string{"run", "null://"}, c.args...)...)
			arm := f.Arms[0]
			conserved(t, arm.Counts)
			if arm.Due != c.due {
				t.Errorf("%+v\n%s", arm.Counts, out.stdout)
			}
		})
	}
}

// TestGatesDecideTheExitCode: both spellings, said back before the run, first of the codes that apply.
func TestGatesDecideTheExitCode(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		code int
		said string
	}{
		{"a gate that holds", []string{"--fail-if", "p50<1s"}, exitOK, "gate: fails when p50 is 1 s or more"},
		{"the other spelling", []string{"--fail-if", "p50>=1s"}, exitOK, "gate: fails when p50 is 1 s or more"},
		{"a gate that fails", []string{"--fail-if", "rate>=1g"}, exitGate, "gate: fails when rate is below 1 g/s"},
		{"a gate that cannot be judged", []string{"--fail-if", "p99.999<1ns"}, exitUndecided, "cannot be judged"},
		{"a failed gate and one that cannot be judged", []string{"--fail-if", "rate>=1g,p99.999<1ns"}, exitUndecided, "FAILED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, out := measured(t, c.code, append([]string{"run", "null://", "-n", "1000", "-c", "1"}, c.args...)...)
			if !strings.Contains(out.stderr, c.said) || len(f.Gates) == 0 {
				t.Errorf("%s\ngates %+v", out.stderr, f.Gates)
			}
			if f.Gates[0].Passed != (c.code == exitOK) {
				t.Errorf("gate %+v", f.Gates[0])
			}
		})
	}
}

// TestExpectations: a good status with the wrong body is a failure, an expected error status is not.
func TestExpectations(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	for _, c := range []struct {
		name, key string
		args      []string
		code      int
	}{
		{"the body is as expected", "http hello", []string{"--expect", "body contains x"}, exitOK},
		{"the body is not", "http hello", []string{"--expect", "body contains nowhere"}, exitErrors},
		{"a gRPC message is looked at as JSON", "grpc hello", []string{"--expect", `body contains "reply"`}, exitOK},
		{"a gRPC message that does not fit", "grpc hello", []string{"--expect", "body is {}"}, exitErrors},
		{"404 is what we want", "h2c hello", []string{"-H", "wg-plant: status=404", "--expect-status", "404"}, exitOK},
		{"200 is not what we want", "h2c hello", []string{"--expect-status", "404"}, exitErrors},
		{"a gRPC status by name", "grpc hello", []string{"-H", "wg-plant: status=NOT_FOUND", "--expect-status", "OK,NOT_FOUND"}, exitOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, out := measured(t, c.code, append([]string{"run", s.url(t, c.key), "-d", greeting, "-n", "20", "-c", "2"}, c.args...)...)
			conserved(t, f.Arms[0].Counts)
			if (f.Arms[0].OK == 20) != (c.code == exitOK) {
				t.Errorf("%+v\n%s", f.Arms[0].Counts, out.stdout)
			}
		})
	}
}

// TestTake is case K25 in run: a stream that is cut after three messages is a success.
func TestTake(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	f, out := measured(t, exitOK, "run", s.url(t, "grpc echo/ServerStream"), "-d", `{"count":1000000}`, "-n", "20", "-c", "2", "--take", "3")
	arm := f.Arms[0]
	conserved(t, arm.Counts)
	if arm.OK != 20 || arm.Messages < 60 {
		t.Errorf("%+v\n%s", arm.Counts, out.stdout)
	}
}

// TestRamp: a ramp of concurrency is one arm with a row per step.
func TestRamp(t *testing.T) {
	f, out := measured(t, exitOK, "run", "null://", "--ramp", "1..8x2/20ms")
	if got := stepLabels(f); got != "c=1 c=2 c=4 c=8" || f.Arms[0].OK == 0 {
		t.Errorf("steps %q\n%s", got, out.stdout)
	}
	f, out = measured(t, exitOK, "run", "null://", "--ramp", "rate=100..300+100/50ms")
	conserved(t, f.Arms[0].Counts)
	if got := stepLabels(f); got != "100/s 200/s 300/s" || f.Arms[0].Due != 5+10+15 {
		t.Errorf("steps %q, due %d\n%s", got, f.Arms[0].Due, out.stdout)
	}
}

func stepLabels(f *result.File) string {
	var labels []string
	for _, s := range f.Arms[0].Steps {
		labels = append(labels, s.Label)
	}
	return strings.Join(labels, " ")
}

// TestSmoothRamp: from 0 to 200/s over 200 ms is 20 calls.
func TestSmoothRamp(t *testing.T) {
	f, out := measured(t, exitOK, "run", "null://", "--ramp", "rate=0..200/200ms")
	if arm := f.Arms[0]; arm.Due != 20 || f.Plan.Rate != "0..200/s over 200ms" {
		t.Errorf("due %d, rate %q\n%s", arm.Due, f.Plan.Rate, out.stdout)
	}
}

// TestPoissonArrivals: seeded and said with the number, so that a run can be done again.
func TestPoissonArrivals(t *testing.T) {
	due := func(seed string) int64 {
		f, _ := measured(t, exitOK, "run", "null://", "-r", "1000", "-z", "200ms", "--arrivals", "poisson", "--seed", seed)
		if f.Plan.Arrivals != "poisson" || f.Plan.Rate != "poisson 1000/s" {
			t.Errorf("plan %+v", f.Plan)
		}
		conserved(t, f.Arms[0].Counts)
		return f.Arms[0].Due
	}
	first, again, other := due("3"), due("3"), due("4") // how many fall into 200 ms is decided by the seed alone
	if first != again || first == other || first < 130 || first > 270 {
		t.Errorf("due %d and %d with one seed, %d with another", first, again, other)
	}
}

// TestInterrupt: the first signal prints and saves what was measured.
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, exitInterrupt}, {syscall.SIGTERM, exitTerminate}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			stderr := &onWrite{text: "closed loop", then: func() { cancel(interrupted{c.signal}) }}
			var stdout strings.Builder
			path := t.TempDir() + "/result.json"
			app := newApp(strings.NewReader(""), &stdout, stderr, func(string) (string, bool) { return "", false })
			code := app.run(ctx, []string{"run", "null://", "-z", "100h", "-o", "json=" + path})
			if code != c.code || !strings.Contains(stdout.String(), "Closed loop") || !strings.Contains(stderr.String(), "the result is partial") {
				t.Errorf("exit %d\n%s\n%s", code, stdout.String(), stderr.String())
			}
			f := readResult(t, path)
			if !f.Partial {
				t.Error("the result is not marked as partial")
			}
			conserved(t, f.Arms[0].Counts)
		})
	}
}

// onWrite calls then once text has been written to it.
type onWrite struct {
	strings.Builder
	text string
	then func()
}

func (o *onWrite) Write(p []byte) (int, error) {
	n, err := o.Builder.Write(p)
	if o.then != nil && strings.Contains(o.String(), o.text) {
		o.then()
		o.then = nil
	}
	return n, err
}

// TestOverEveryTransport runs the same calls over plaintext and TLS, with both kinds of client.
func TestOverEveryTransport(t *testing.T) {
	s := serve(t, lab.ServeConfig{})
	for _, key := range []string{"http hello", "https hello", "h2c hello", "h2 hello", "grpc hello", "grpcs hello", "tcp echo", "tls echo"} {
		for _, client := range []string{"wire", "stack"} {
			if strings.HasSuffix(key, "echo") && client == "stack" {
				continue // no library speaks it
			}
			t.Run(key+" "+client, func(t *testing.T) {
				args := []string{"run", s.url(t, key), "-d", greeting, "-n", "50", "-c", "5", "--client", client}
				if scheme, _, _ := strings.Cut(key, " "); scheme == "https" || scheme == "h2" || scheme == "grpcs" || scheme == "tls" {
					args = append(args, "--cacert", s.CAFile())
				}
				f, out := measured(t, exitOK, args...)
				arm := f.Arms[0]
				conserved(t, arm.Counts)
				if arm.OK != 50 || arm.Client != client || arm.SentBytes.Wire == 0 {
					t.Errorf("%+v, sent %+v\n%s", arm.Counts, arm.SentBytes, out.stdout)
				}
			})
		}
	}
}

// TestNoKeepAlive: every call pays for its own connection.
func TestNoKeepAlive(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	for _, key := range plain {
		t.Run(key, func(t *testing.T) {
			f, out := measured(t, exitOK, "run", s.url(t, key), "-d", greeting, "-n", "20", "-c", "2", "--no-keepalive")
			if arm := f.Arms[0]; arm.OK != 20 || arm.Connections.Opened < 20 {
				t.Errorf("%+v, connections %+v\n%s", arm.Counts, arm.Connections, out.stdout)
			}
		})
	}
}

func readResult(t *testing.T, path string) *result.File {
	t.Helper()
	f, err := readResultFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
