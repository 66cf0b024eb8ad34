package main

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"wiregauge/lab"
	"wiregauge/lab/hostile"
)

// TestHostileServers runs a few calls against every hostile server over every protocol it is meant for: no call
// is ok, none is lost, the end comes soon after the deadline, and memory stays bounded.
func TestHostileServers(t *testing.T) {
	clients := map[string][]string{
		"any": {"http", "h2c", "grpc", "tcp"}, "http1": {"http"}, "http2": {"h2c", "grpc"}, "grpc": {"grpc"},
	}
	for _, p := range hostile.Plays() {
		for _, scheme := range clients[p.For] {
			t.Run(p.Name+" "+scheme, func(t *testing.T) {
				t.Parallel()
				againstHostile(t, p, scheme)
			})
		}
	}
}

// nothingThere names what is not even a broken server: no connection stands long enough to be measured.
func nothingThere(p hostile.Named, scheme string) bool {
	return (scheme == "h2c" || scheme == "grpc") && (p.For == "any" || p.Name == "http2: an HTTP/1.1 server")
}

func againstHostile(t *testing.T, p hostile.Named, scheme string) {
	args := append(hostileTarget(t, p.Play, scheme), "-n", "3", "-c", "1", "-t", "500ms", "--connect-timeout", "1s")
	args = append([]string{"run"}, args...)
	defer bounded(t)()
	if p.Name == "resets at once" {
		// Whether the reset comes inside the connect or after it is a matter of luck.
		if s := invoke(t, args...); s.code != exitUnreachable && s.code != exitErrors {
			t.Errorf("exit %d\n%s", s.code, s.stderr)
		}
		return
	}
	if nothingThere(p, scheme) {
		if s := invoke(t, args...); s.code != exitUnreachable || !strings.Contains(s.stderr, "error: ") {
			t.Errorf("exit %d\n%s", s.code, s.stderr)
		}
		return
	}
	if p.Name == "grpc: a compressed bomb" {
		return // run counts messages and unpacks none: see TestHostileMessages
	}
	f, out := measured(t, exitErrors, args...)
	arm := f.Arms[0]
	conserved(t, arm.Counts)
	if arm.OK != 0 || arm.Failed != 3 || len(arm.Errors) == 0 {
		t.Errorf("%+v\n%s", arm.Counts, out.stdout)
	}
	for _, e := range arm.Errors {
		if e.Class == "" || e.Class == "local" {
			t.Errorf("no clear class: %+v", e)
		}
	}
}

// hostileTarget is a target and its data that a hostile server plays for.
func hostileTarget(t *testing.T, play hostile.Play, scheme string) []string {
	t.Helper()
	server, err := hostile.Listen(play, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	path := map[string]string{"http": "/", "h2c": "/", "grpc": "/t.Svc/Echo"}[scheme]
	return []string{scheme + "://" + server.Address() + path, "--proto", "../../lab/casesvc/t.proto", "-d", `{}`}
}

// bounded checks at the end that neither time nor memory ran away, far beyond what noise can do.
func bounded(t *testing.T) func() {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	started := time.Now()
	return func() {
		runtime.ReadMemStats(&after)
		if grown := int64(after.Sys) - int64(before.Sys); grown > 300<<20 {
			t.Errorf("memory grew by %d MB", grown>>20)
		}
		if took := time.Since(started); took > time.Minute {
			t.Errorf("it took %v", took)
		}
	}
}

// TestHostileMessages makes one call, which unpacks the answer: what is too large is refused without being held.
func TestHostileMessages(t *testing.T) {
	for _, c := range []struct {
		name, want string
		handle     func(*hostile.Stream)
	}{
		{"a compressed bomb", "--max-reply", hostile.CompressedBomb},
		{"a message of 4 GiB", "--max-reply", hostile.GiantMessage},
		{"half a message", "inside a message", hostile.HalfMessage},
		{"no trailers", "grpc-status", hostile.NoTrailers},
		{"an HTML page", "502", hostile.ErrorPage},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer bounded(t)()
			args := append([]string{"call", "-t", "20s"}, hostileTarget(t, (&hostile.HTTP2{Handle: c.handle}).Play, "grpc")...)
			if s := invoke(t, args...); s.code == exitOK || !strings.Contains(s.stderr, c.want) {
				t.Errorf("exit %d\n%s%s", s.code, s.stdout, s.stderr)
			}
		})
	}
}

// TestFailuresBehindA200 is case K29: what fails in the trailers, or ends without a status, has failed.
func TestFailuresBehindA200(t *testing.T) {
	for _, c := range []struct {
		name, class string
		handle      func(*hostile.Stream)
	}{
		{"a message, then INTERNAL", "INTERNAL", hostile.LateStatus(13, "late")},
		{"no trailers", "no grpc-status", hostile.NoTrailers},
		{"a reset after the request", "reset", hostile.ResetWith(http2.ErrCodeInternal)},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := hostileTarget(t, (&hostile.HTTP2{Handle: c.handle}).Play, "grpc")
			f, out := measured(t, exitErrors, append(append([]string{"run"}, args...), "-n", "1000", "-c", "20")...)
			arm := f.Arms[0]
			conserved(t, arm.Counts)
			if arm.Failed != 1000 || arm.Goodput != 0 || len(arm.Errors) != 1 || !strings.HasPrefix(arm.Errors[0].Class, c.class) || arm.Errors[0].Count != 1000 {
				t.Errorf("%+v, errors %+v\n%s", arm.Counts, arm.Errors, out.stdout)
			}
		})
	}
}

// TestAgedByGoAway is the hostile part of case K28: GOAWAYs whose last id is below streams already received lose
// no call and double none; what was sent again is counted.
func TestAgedByGoAway(t *testing.T) {
	for _, key := range []string{"h2c hello", "grpc hello"} {
		for _, plant := range []string{"goaway=1000", "requests=1000"} {
			t.Run(key+" "+plant, func(t *testing.T) {
				s := serve(t, lab.ServeConfig{Plain: true, Plant: plant})
				f, out := measured(t, exitOK, "run", s.url(t, key), "-d", greeting, "-n", "20000", "-c", "40", "--connections", "2",
					"--server-stats", s.AdminURL())
				arm := f.Arms[0]
				conserved(t, arm.Counts)
				if arm.OK != 20000 || arm.ServerStats.Received != 20000 || arm.ServerStats.Conserve != "ok" {
					t.Errorf("%+v, server %+v\n%s", arm.Counts, arm.ServerStats, out.stdout)
				}
				if arm.Connections.Opened < 20 {
					t.Errorf("%d connections were opened for 1,000 calls each", arm.Connections.Opened)
				}
				if plant == "goaway=1000" && arm.Resent == 0 {
					t.Errorf("nothing was sent again: %+v", arm.Counts)
				}
			})
		}
	}
}
