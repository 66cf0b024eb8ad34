//go:build external

package interop

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wiregauge/lab/casesvc"
	"wiregauge/result"
)

// An rpcLoad is one load of t.Svc and what must come of it, exactly.
type rpcLoad struct {
	method   string
	data     string
	flags    []string
	n, c     int
	messages int    // of each answer
	class    string // of the failures; "" when all calls are OK
}

var rpcLoads = []rpcLoad{
	{method: "Echo", data: `{"id":1}`, n: 800, c: 10, messages: 1},
	{method: "Echo", data: `{"s":"` + strings.Repeat("x", 64<<10) + `"}`, n: 100, c: 10, messages: 1},
	{method: "Echo", data: `{"id":1}`, flags: []string{"--compress", "gzip", "--compressed"}, n: 300, c: 10, messages: 1},
	{method: "Echo", data: `{"id":1}`, flags: []string{"--no-keepalive"}, n: 100, c: 4, messages: 1},
	{method: "Stream", data: `{"id":1}`, n: 200, c: 10, messages: 10},
	{method: "Up", data: `[{"id":1},{"id":2},{"id":3}]`, n: 200, c: 10, messages: 1},
	{method: "BidiEcho", data: `[{"id":1},{"id":2},{"id":3}]`, n: 200, c: 10, messages: 3},
	{method: "Fail", data: `{"id":1}`, flags: []string{"--max-errors", "100%"}, n: 300, c: 10, class: "INTERNAL"},
}

// maxBehindHaproxy is the largest message for grpc-go's client through haproxy 2.6: many large ones at once stall the
// connection between the two, and so they do with ghz. Our own client has no such limit.
const maxBehindHaproxy = 16 << 10

// TestRPCThroughProxies loads a grpc-go server through nginx and haproxy, in clear text and under TLS, with both
// clients: as many calls reach it as were asked for, and all that it says comes back.
func TestRPCThroughProxies(t *testing.T) {
	svc, err := casesvc.Start(casesvc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(svc.Close)
	for _, s := range []*webServer{nginx(t, "", svc.GRPC(), ""), haproxy(t, newUpstream(t).address, svc.GRPC(), "")} {
		t.Run(s.name, func(t *testing.T) {
			calls := 0
			for _, scheme := range []string{"grpc", "grpcs"} {
				for _, client := range clients {
					for _, l := range rpcLoads {
						if s.name == "haproxy" && client == "stack" && len(l.data) > maxBehindHaproxy {
							continue
						}
						t.Run(fmt.Sprintf("%s %s %s %v", scheme, client, l.method, l.flags), func(t *testing.T) { l.check(t, s, svc, scheme, client) })
						calls += l.n
					}
				}
			}
			t.Logf("%d calls", calls)
		})
	}
}

func (l rpcLoad) check(t *testing.T, s *webServer, svc *casesvc.Server, scheme, client string) {
	t.Helper()
	before := svc.Calls(l.method)
	args := append([]string{"--client", client, "-n", strconv.Itoa(l.n), "-c", strconv.Itoa(l.c), "-d", l.data,
		"--contract", "../casesvc/t.proto", s.base[scheme] + "/t.Svc/" + l.method}, l.flags...)
	a := loads(t, 0, s.flags(scheme, args...)...)
	checkRPC(t, a, l.n, l.class)
	if got := svc.Calls(l.method) - before; got != int64(l.n) {
		t.Errorf("%d calls have reached the server, want %d", got, l.n)
	}
	if a.Messages != int64(l.n*l.messages) {
		t.Errorf("%d messages came back, want %d", a.Messages, l.n*l.messages)
	}
	if l.class != "" && len(a.Errors) == 1 && a.Errors[0].Message != casesvc.FailureText {
		t.Errorf("the failure says %q, want %q", a.Errors[0].Message, casesvc.FailureText)
	}
}

// checkRPC wants n calls that are all OK or all of one class of failure.
func checkRPC(t *testing.T, a *result.Arm, n int, class string) {
	t.Helper()
	good, bad := int64(n), int64(0)
	if class != "" {
		good, bad = bad, good
	}
	if a.Due != int64(n) || a.OK != good || a.Failed != bad || a.Resent != 0 || a.HiddenTries != 0 {
		t.Errorf("counts %+v with %d hidden tries, errors %+v; want %d calls, %d of them ok", a.Counts, a.HiddenTries, a.Errors, n, good)
	}
	if class != "" && (len(a.Errors) != 1 || a.Errors[0].Class != class || a.Errors[0].Count != int64(n)) {
		t.Errorf("errors %+v, want %d of class %s", a.Errors, n, class)
	}
}

// TestGoodHeadersBadEnd: an answer that says 200, brings a whole message and then fails, or does not say how it went,
// is a failure (nginx plays the server).
func TestGoodHeadersBadEnd(t *testing.T) {
	s := nginx(t, "", "", "")
	if err := os.Mkdir(filepath.Join(s.dir, "t.Ends"), 0o755); err != nil {
		t.Fatal(err)
	}
	message := []byte("\x00\x00\x00\x00\x02\x08\x01")
	s.write(t, "t.Ends/Fails", message)
	s.write(t, "t.Ends/Stops", message)
	proto := s.write(t, "ends.proto", []byte(`syntax = "proto3"; package t; message M { int64 id = 1; }
		service Ends { rpc Fails(M) returns (M); rpc Stops(M) returns (M); }`))
	const n = 1000
	for _, row := range []struct{ method, class, text string }{{"Fails", "INTERNAL", "too late"}, {"Stops", "no grpc-status", ""}} {
		for _, scheme := range []string{"grpc", "grpcs"} {
			for _, client := range clients {
				t.Run(row.method+" "+scheme+" "+client, func(t *testing.T) {
					a := loads(t, 0, s.flags(scheme, "--client", client, "-n", strconv.Itoa(n), "-c", "20", "--connections", "4", "-d", `{"id":1}`,
						"--max-errors", "100%", "--contract", proto, s.base[scheme]+"/t.Ends/"+row.method)...)
					checkRPC(t, a, n, row.class)
					if a.Goodput != 0 {
						t.Errorf("goodput %v, want 0", a.Goodput)
					}
					if len(a.Errors) == 1 && row.text != "" && a.Errors[0].Message != row.text {
						t.Errorf("the failure says %q, want %q", a.Errors[0].Message, row.text)
					}
				})
			}
		}
	}
	t.Logf("%d calls", 8*n)
}
