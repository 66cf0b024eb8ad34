//go:build external

package interop

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"wiregauge/lab"
	"wiregauge/lab/casesvc"
	"wiregauge/lab/wgpb"
	"wiregauge/result"
)

// nginx ends a connection after its 1000th request by default: with a GOAWAY, or with "Connection: close".
var ageingLoads = []struct {
	name, scheme, path string
	n                  int
	flags              []string
	ended              string // what the result calls the ends
	wireOnly           bool
}{
	{"HTTP/1.1", "http", "/files/1000", 50_000, []string{"-c", "40"}, "closed by server", false},
	{"HTTP/1.1 pipelined", "http", "/files/1000", 20_000, []string{"-c", "40", "--connections", "4", "--streams", "10"}, "closed by server", true},
	{"HTTP/1.1 pipelined, through to a server", "http", "/web/echo", 10_000, []string{"-c", "40", "--connections", "4", "--streams", "10", "-d", `{"id":1}`}, "closed by server", true},
	{"HTTP/2", "h2c", "/files/1000", 20_000, []string{"-c", "40", "--connections", "2", "--streams", "20"}, "goaway", false},
	{"HTTP/2 over TLS", "h2", "/files/1000", 20_000, []string{"-c", "40", "--connections", "2", "--streams", "20"}, "goaway", false},
	{"gRPC", "grpc", "/t.Svc/Echo", 20_000, []string{"-c", "40", "--connections", "2", "--streams", "20", "-d", `{"id":1}`, "--contract", "../casesvc/t.proto"}, "goaway", false},
}

// TestConnectionsOfNginxAge: no call is lost, doubled or invented where connections end after 1000 requests.
func TestConnectionsOfNginxAge(t *testing.T) {
	svc, err := casesvc.Start(casesvc.Options{Keep: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(svc.Close)
	up := newUpstream(t)
	for _, row := range ageingLoads {
		for _, client := range clients {
			if row.wireOnly && client != "wire" {
				continue
			}
			t.Run(row.name+" "+client, func(t *testing.T) {
				s := nginx(t, up.address, svc.GRPC(), "")
				svc.Reset()
				uri := row.path + "?" + client + strconv.Itoa(row.n)
				if row.scheme == "grpc" {
					uri = row.path
				}
				args := append([]string{"-n", strconv.Itoa(row.n), "--client", client, "--max-errors", "100%", s.base[row.scheme] + uri}, row.flags...)
				a := loads(t, 0, s.flags(row.scheme, args...)...)
				seen := strings.Count(s.stop(t), uri+" 200 ")
				checkAged(t, a, client, row.n, seen)
				checkReplaced(t, a, client, row.ended, row.scheme, 0)
				behind := map[string]int{"/t.Svc/Echo": int(svc.Calls("Echo")), "/web/echo": up.seen(uri)}
				if n, ok := behind[row.path]; ok && n != seen {
					t.Errorf("nginx has logged %d calls, and %d have reached the server behind it", seen, n)
				}
				t.Logf("%d calls: %d ok, %d failed, %d resent, %d retried; %d connections, ended %v; nginx logged %d",
					a.Due, a.OK, a.Failed, a.Resent, a.HiddenTries, a.Connections.Opened, a.Connections.Ended, seen)
			})
		}
	}
}

// checkAged wants exactly n calls: with our own client all of them OK, with a library those failed that it sent twice
// on its own.
func checkAged(t *testing.T, a *result.Arm, client string, n, seen int) {
	t.Helper()
	all := int64(n)
	if a.Due != all || a.Sent != all || a.Finished() != all {
		t.Errorf("counts %+v, want exactly %d calls, all of them finished", a.Counts, n)
	}
	if client == "wire" && a.OK != all {
		t.Errorf("%d calls are ok, want all %d; errors %+v", a.OK, n, a.Errors)
	}
	if a.Failed != a.HiddenTries || slices.ContainsFunc(a.Errors, func(e result.ErrorClass) bool { return e.Class != "retried" }) {
		t.Errorf("%d failed, errors %+v; want none but the %d that were retried", a.Failed, a.Errors, a.HiddenTries)
	}
	if int64(seen) < a.OK || int64(seen) > all+a.Resent+a.HiddenTries {
		t.Errorf("the server has seen %d calls; %d are ok, %d sent, %d resent", seen, a.OK, a.Sent, a.Resent)
	}
}

// checkReplaced wants every connection that ended to be told, with the reason. Some that take no more calls may not
// have ended yet: those that still have calls to finish.
func checkReplaced(t *testing.T, a *result.Arm, client, ended, scheme string, finishing int64) {
	t.Helper()
	c := a.Connections
	if c.Opened <= int64(c.Asked) {
		t.Errorf("%d connections opened for %d asked, want more", c.Opened, c.Asked)
	}
	var told int64
	for _, n := range c.Ended {
		told += n
	}
	if told < c.Opened-int64(c.Asked)-finishing || told > c.Opened {
		t.Errorf("%d connections opened, %d asked, at most %d finishing, ended: %v", c.Opened, c.Asked, finishing, c.Ended)
	}
	if client == "stack" && scheme == "h2" {
		ended = "closed by the library" // under TLS its frames cannot be read
	}
	if c.Ended[ended] == 0 || client == "wire" && c.Ended[ended] != told {
		t.Errorf("connections ended %v, want %q", c.Ended, ended)
	}
}

// ageingEcho answers at once, but every 5000th call only when its connection is cut.
type ageingEcho struct {
	wgpb.UnimplementedEchoServer
	received, cut atomic.Int64
}

func (s *ageingEcho) Echo(ctx context.Context, m *wgpb.EchoMessage) (*wgpb.EchoMessage, error) {
	if s.received.Add(1)%5000 != 0 {
		return m, nil
	}
	<-ctx.Done()
	s.cut.Add(1)
	return nil, status.FromContextError(ctx.Err()).Err()
}

// TestConnectionsOfGRPCAge: connections of a grpc-go server live for 300 ms, and calls on them for a second more. Only
// calls that this cuts may fail.
func TestConnectionsOfGRPCAge(t *testing.T) {
	for _, client := range clients {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			echo := &ageingEcho{}
			a := loads(t, 0, "-z", "5s", "-c", "40", "--connections", "2", "--streams", "20", "--client", client,
				"-d", `{"payload":"AQID"}`, "--contract", "../proto/echo.proto", ageingServer(t, echo))
			received, cut := echo.received.Load(), echo.cut.Load()
			var failed, retried int64
			for _, e := range a.Errors {
				switch e.Class {
				case "closed", "reset":
					failed += e.Count
				case "retried":
					retried += e.Count
				default:
					t.Errorf("%d calls failed as %q: %q", e.Count, e.Class, e.Message)
				}
			}
			if failed > cut || retried != a.HiddenTries {
				t.Errorf("%d calls failed and %d were retried; the server has cut %d, hidden tries %d", failed, retried, cut, a.HiddenTries)
			}
			if client == "wire" && retried != 0 {
				t.Errorf("our own client retried %d calls", retried)
			}
			if received < a.Finished() || received > a.Sent+a.Resent+a.HiddenTries {
				t.Errorf("the server has received %d calls; %d finished, %d sent, %d resent", received, a.Finished(), a.Sent, a.Resent)
			}
			if a.Connections.Opened < 10 {
				t.Errorf("%d connections opened in 5 s, want at least 10", a.Connections.Opened)
			}
			checkReplaced(t, a, client, "goaway", "grpc", a.Connections.Opened/2)
			t.Logf("%d calls: %d ok, %d failed, %d unfinished, %d resent, %d retried; the server received %d and cut %d; %d connections, ended %v",
				a.Sent, a.OK, a.Failed, a.Unfinished, a.Resent, a.HiddenTries, received, cut, a.Connections.Opened, a.Connections.Ended)
		})
	}
}

// ageingServer starts grpc-go with MaxConnectionAge and gives the URL of its Echo.
func ageingServer(t *testing.T, echo *ageingEcho) string {
	t.Helper()
	port, err := lab.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionAge: 300 * time.Millisecond, MaxConnectionAgeGrace: time.Second}))
	wgpb.RegisterEchoServer(s, echo)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return "grpc://" + l.Addr().String() + "/wg.v1.Echo/Echo"
}
