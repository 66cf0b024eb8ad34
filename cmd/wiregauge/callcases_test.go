package main

import (
	"context"
	"io"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"wiregauge/lab/casesvc"
)

func startCases(t *testing.T, o casesvc.Options) *casesvc.Server {
	t.Helper()
	s, err := casesvc.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// K26: a server whose reflection knows the service and not the method.
func TestReflectionThatKnowsNoMethods(t *testing.T) {
	s := startCases(t, casesvc.Options{Reflection: casesvc.ReflectServiceOnly})
	target := "grpc://" + s.GRPC()
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"call", []string{"call", target + "/t.Svc/Echo", "-d", `{"id":7}`}, `"id": "7"`},
		{"run", []string{"run", target + "/t.Svc/Echo", "-d", `{"id":7}`, "-n", "20", "-c", "2"}, "20 ok"},
		{"list", []string{"list", target, "t.Svc"}, "t.Svc/Echo\n"},
		{"describe", []string{"describe", target + "/t.Svc/Echo"}, "rpc Echo(t.M) returns (t.M);"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := invoke(t, c.args...); got.code != 0 || !strings.Contains(got.stdout, c.want) {
				t.Errorf("exit %d, want %q\n%s\n%s", got.code, c.want, got.stdout, got.stderr)
			}
		})
	}
	names := startCases(t, casesvc.Options{Reflection: casesvc.ReflectNames})
	got := invoke(t, "call", "grpc://"+names.GRPC()+"/t.Svc/Echo")
	if got.code != 2 || !strings.Contains(got.stderr, `for symbol "t.Svc.Echo"`) || !strings.Contains(got.stderr, `for symbol "t.Svc"`) ||
		strings.Count(got.stderr, "NOT_FOUND") != 2 || strings.Contains(got.stderr, "did you mean") ||
		!strings.Contains(got.stderr, `service "t.Svc" on grpc://`+names.GRPC()+" is listed by reflection, but not described") {
		t.Errorf("exit %d; what was asked and answered is not told:\n%s", got.code, got.stderr)
	}
	alpha := startCases(t, casesvc.Options{Reflection: casesvc.ReflectAlpha})
	got = invoke(t, "call", "grpc://"+alpha.GRPC()+"/t.Svc/Echo", "-v")
	if got.code != 0 || !strings.Contains(got.stderr, "schema: reflection v1alpha") {
		t.Errorf("exit %d\n%s", got.code, got.stderr)
	}
}

// The HTTP twin of the service, with the contract and without.
func TestCallTheHTTPTwin(t *testing.T) {
	s := startCases(t, casesvc.Options{})
	proto := protoFile(t)
	for _, scheme := range []string{"http", "h2c"} {
		for _, c := range []struct {
			name   string
			method string
			args   []string
			code   int
			stdout string
			stderr string
		}{
			{"unary", "Echo", []string{"-d", `{"id":"7"}`}, 0, "{\n  \"id\": \"7\"\n}\n", ""},
			{"unary with a contract", "Echo", []string{"--proto", proto, "--call", "t.Svc/Echo", "-d", `{"id":9223372036854775807}`}, 0,
				"{\n  \"id\": \"9223372036854775807\"\n}\n", ""},
			{"protobuf over HTTP", "Echo", []string{"--proto", proto, "--call", "t.Svc/Echo", "--codec", "protobuf", "-d", `{"id":7}`}, 0, "{\n  \"id\": \"7\"\n}\n", ""},
			{"a failure", "Fail", []string{"-d", "{}"}, 4, casesvc.FailureText, "HTTP 500 Internal Server Error"},
			{"no such method", "Gone", []string{"-d", "{}"}, 4, "", "HTTP 404 Not Found"},
			{"a stream, a line each", "Stream", []string{"-d", "{}"}, 0, "", ""},
			{"--take", "Stream", []string{"--proto", proto, "--call", "t.Svc/Stream", "--take", "3"}, 0, "{}\n{}\n{}\n", ""},
			{"--take without a contract", "Stream", []string{"-d", "{}", "--take", "3"}, 0, "{}\n{}\n{}\n", ""},
			{"--take of more than there are", "Stream", []string{"-d", "{}", "--take", "20"}, 0, strings.Repeat("{}\n", 10), ""},
			{"--take of a failure", "Fail", []string{"-d", "{}", "--take", "3"}, 4, casesvc.FailureText, "HTTP 500 Internal Server Error"},
			{"--take of one message", "Echo", []string{"--proto", proto, "--call", "t.Svc/Echo", "--take", "3"}, 2, "", "methods that answer with a stream"},
			{"--take of both sides' streams", "BidiEcho", []string{"--proto", proto, "--call", "t.Svc/BidiEcho", "--take", "3"}, 2, "", ""},
			{"--take of protobuf", "Stream", []string{"--proto", proto, "--call", "t.Svc/Stream", "--codec", "protobuf", "--take", "3"}, 2, "", "one body"},
		} {
			t.Run(scheme+" "+c.name, func(t *testing.T) {
				got := invoke(t, append([]string{"call", s.URL(scheme, c.method)}, c.args...)...)
				if got.code != c.code || c.stdout != "" && strings.TrimRight(got.stdout, "\n") != strings.TrimRight(c.stdout, "\n") || !strings.Contains(got.stderr, c.stderr) {
					t.Errorf("exit %d, want %d\n%q\n%s", got.code, c.code, got.stdout, got.stderr)
				}
				if c.method == "Stream" && c.code == 0 && c.stdout == "" && got.stdout != strings.Repeat("{}\n", 10) {
					t.Errorf("not ten messages: %q", got.stdout)
				}
			})
		}
	}
}

func TestCallOverUnixSockets(t *testing.T) {
	s := startSvc(t, true)
	socket := filepath.Join(t.TempDir(), "s")
	forward(t, socket, s.address)
	want := "{\n  \"id\": \"1\"\n}\n"
	invoke(t, "call", "grpc+unix://"+socket+"?method=/t.Svc/Echo", "-d", `{"id":1}`).expect(t, 0, want)
	invoke(t, "call", "grpc://shop.test/t.Svc/Echo", "--unix-socket", socket, "-d", `{"id":1}`).expect(t, 0, want)
	got := invoke(t, "call", "http+unix://"+socket+"?path=/x")
	if got.code != 3 || !strings.Contains(got.stderr, "wiregauge call h2c+unix://"+socket) {
		t.Errorf("exit %d\n%s", got.code, got.stderr)
	}
}

// forward listens on a socket and passes everything on.
func forward(t *testing.T, socket, address string) {
	t.Helper()
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", address)
			if err != nil {
				_ = from.Close()
				continue
			}
			for _, pair := range [][2]net.Conn{{from, to}, {to, from}} {
				go func() {
					_, _ = io.Copy(pair[1], pair[0])
					_ = from.Close()
					_ = to.Close()
				}()
			}
		}
	}()
}

func TestCallWithoutAProtocol(t *testing.T) {
	invoke(t, "call", "null://", "-d", "hello").expect(t, 0, "hello")
}

// Ctrl-C ends a call that hangs, with the code shells expect.
func TestCallInterrupted(t *testing.T) {
	s := startSvc(t, true)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	go func() {
		<-s.arrived // the request has come
		cancel(interrupted{syscall.SIGINT})
	}()
	got := invokeWith(t, ctx, nil, "", "call", "grpc://"+s.address+"/t.Svc/Hang", "-t", "1h")
	if got.code != exitInterrupt || got.stdout != "" {
		t.Errorf("exit %d\n%s", got.code, got.stderr)
	}
}

func TestIsText(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"lines", "a\r\n\tb\n", true}, {"letters of several bytes", "äöü€", true}, {"empty", "", true},
		{"an escape sequence", "\x1b[2J", false}, {"a zero byte", "a\x00", false}, {"bytes", "\xff\xfe", false}, {"a C1 control", "\u009b2J", false},
	} {
		if got := isText([]byte(c.text)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
