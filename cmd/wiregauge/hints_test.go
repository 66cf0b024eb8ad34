package main

import (
	"strings"
	"testing"

	"wiregauge/lab"
	"wiregauge/load"
)

// TestTargetsWithoutScheme: what a host:port speaks is found out, and where that is not enough the error says what to
// type.
func TestTargetsWithoutScheme(t *testing.T) {
	patientProbes(t)
	s := serve(t, lab.ServeConfig{Plain: true, TLS: true})
	host := func(key string) string {
		_, rest, _ := strings.Cut(s.url(t, key), "://")
		host, _, _ := strings.Cut(rest, "/")
		return host
	}
	rpc, rest := host("grpc hello"), host("http hello")
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string // of stderr
	}{
		{"a port of HTTP/1.1 and HTTP/2", []string{"call", rest + "/v1/hello", "-d", greeting}, exitOK, []string{"the full URL is http://" + rest + "/v1/hello"}},
		{"a port of gRPC and nothing to call", []string{"call", rpc}, exitUsage,
			[]string{"wiregauge list grpc://" + rpc, "wiregauge call " + rpc + " package.Service/Method", "wiregauge call h2c://" + rpc + "/"}},
		{"a method beside it", []string{"call", rpc, "wg.v1.Hello/SayHello", "-d", greeting}, exitOK, []string{"the full URL is grpc://" + rpc + "/wg.v1.Hello/SayHello"}},
		{"a service beside it", []string{"call", rpc, "wg.v1.Echo"}, exitUsage,
			[]string{"wg.v1.Echo is a service", "Echo, ServerStream", "wiregauge call grpc://" + rpc + "/wg.v1.Echo/Echo"}},
		{"a service without method", []string{"run", "grpc://" + rpc + "/wg.v1.Hello", "-n", "1"}, exitUsage, []string{"SayHello", "wiregauge run grpc://" + rpc + "/wg.v1.Hello/SayHello"}},
		{"no such service", []string{"call", "grpc://" + rpc + "/wg.v1.Hallo"}, exitUsage, []string{"no service"}},
		{"a page of a gRPC server", []string{"call", "h2c://" + rpc + "/"}, exitAnswer, []string{"a gRPC server answered", "wiregauge list grpc://" + rpc}},
		{"a load on gRPC", []string{"run", rpc}, exitUsage, []string{"wiregauge run grpc://" + rpc + "/package.Service/Method", "wiregauge run h2c://" + rpc + "/"}},
		{"a load on HTTP", []string{"run", rest + "/v1/hello"}, exitUsage, []string{"wiregauge run http://" + rest + "/v1/hello"}},
		{"a load on a method", []string{"run", rpc + "/wg.v1.Hello/SayHello"}, exitUsage, []string{"wiregauge run grpc://" + rpc + "/wg.v1.Hello/SayHello"}},
		{"a load on nothing", []string{"run", "127.0.0.1:1"}, exitUsage, []string{"wiregauge run http://127.0.0.1:1/", "wiregauge run grpc://127.0.0.1:1/package.Service/Method"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := invoke(t, c.args...)
			if got.code != c.code {
				t.Errorf("exit %d, want %d\n%s", got.code, c.code, got.stderr)
			}
			for _, w := range c.want {
				if !strings.Contains(got.stderr, w) {
					t.Errorf("it does not say %q\n%s", w, got.stderr)
				}
			}
		})
	}
}

// TestTemplatesAreNotRead: data with braces is sent as it is, and that is said once; headers of a body say that -d 2s is one.
func TestTemplatesAreNotRead(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	url := s.url(t, "http hello")
	got := invoke(t, "call", url, "-d", `{"greeting":"{{.RequestNumber}}"}`)
	if got.code != exitOK || !strings.Contains(got.stdout, "{{.RequestNumber}}") || strings.Count(got.stderr, "templates are not in this version") != 1 {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if got := invoke(t, "call", "-s", url, "-d", `{"a":"{{x}}"}`); strings.Contains(got.stderr, "templates") {
		t.Errorf("-s says %s", got.stderr)
	}
	for _, args := range [][]string{{"-H", "Content-Type: text/plain"}, {"-X", "PUT"}, {"--codec", "binary"}} {
		if got := invoke(t, append([]string{"run", "--dry-run", url, "-d", "2s"}, args...)...); got.code != exitOK {
			t.Errorf("%v: exit %d\n%s", args, got.code, got.stderr)
		}
	}
}

// TestNothingWorks: a run of which nothing goes well says so early, once, with the class.
func TestNothingWorks(t *testing.T) {
	failing := load.Snapshot{Failed: 1200, Failure: "404"}
	warming := load.Snapshot{Failure: "INTERNAL"}
	warming.Warm.Failed = 7
	mixed := failing
	mixed.OK = 1
	for _, c := range []struct {
		name string
		s    load.Snapshot
		want string
	}{
		{"nothing has ended", load.Snapshot{Inflight: 50}, ""},
		{"all fail", failing, "notice: no call has gone well so far, 1,200 failed: 404"},
		{"all of the warm-up fail", warming, "notice: no call has gone well so far, 7 failed: INTERNAL"},
		{"one went well", mixed, ""},
	} {
		if got := nothingWorks(c.s); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSilentRun: -s leaves the first sentence and the errors; a text that is asked for is whole.
func TestSilentRun(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	args := []string{"run", s.url(t, "http hello"), "-d", greeting, "-n", "20", "-s"}
	if got := invoke(t, args...); got.code != exitOK || got.stderr != "" || strings.Contains(got.stdout, "p99.9") || !strings.Contains(got.stdout, "calls/s") {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	if got := invoke(t, append(args, "-o", "text=-")...); got.code != exitOK || !strings.Contains(got.stdout, "p99.9") {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
	got := invoke(t, append(args, "--expect-status", "404")...)
	if got.code != exitErrors || !strings.Contains(got.stderr, "errors: 100 %") {
		t.Errorf("exit %d\n%s%s", got.code, got.stdout, got.stderr)
	}
}

// TestHintsOfAComparison: every arm without a name gets one in what is to be typed, and nobody is told to start a
// server that is started here.
func TestHintsOfAComparison(t *testing.T) {
	if got := named([]string{"http://h/?x=1", "b=http://i", "grpc://j/a.B/C"}); got != "a=http://h/?x=1 b=http://i c=grpc://j/a.B/C" {
		t.Errorf("got %s", got)
	}
	hint := func(command ...string) string {
		c := &comparison{arms: []*arm{{name: "x"}, {name: "y", command: command}}}
		e := unreachable("z").with("try", "start the server, or check host and port")
		c.startsIt(e, "y")
		return e.hints[0].text
	}
	if got := hint(); !strings.HasPrefix(got, "start the server") {
		t.Errorf("an arm that runs: %s", got)
	}
	if got := hint("./server"); strings.Contains(got, "start the server") || !strings.Contains(got, "{port}") {
		t.Errorf("an arm with a command: %s", got)
	}
}
