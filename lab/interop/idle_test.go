//go:build external

package interop

import (
	"context"
	"net"
	"strconv"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"wiregauge/lab/casesvc"
	"wiregauge/lab/wgpb"
)

// TestIdleConnectionsThatServersClose: calls are due a second apart, and the servers close connections that have
// been idle for a tenth of one. Every call opens its own connection when it is due, and none fails.
func TestIdleConnectionsThatServersClose(t *testing.T) {
	svc, err := casesvc.Start(casesvc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(svc.Close)
	up := newUpstream(t)
	front := nginx(t, up.address, svc.GRPC(), "keepalive_timeout 100ms;")
	proxy := haproxy(t, up.address, svc.GRPC(), "timeout http-keep-alive 100ms")
	call := []string{"-d", `{"id":1}`, "--contract", "../casesvc/t.proto"}
	echo := []string{"-d", `{"payload":"AQID"}`, "--contract", "../proto/echo.proto"}
	var rows []idleRow
	for _, client := range clients {
		rows = append(rows,
			idleRow{"nginx HTTP/1.1", client, front.base["http"] + "/files/1000", nil, "closed by server"},
			idleRow{"nginx HTTP/1.1 over TLS", client, front.base["https"] + "/files/1000", front.flags("https"), "closed by server"},
			idleRow{"nginx HTTP/2", client, front.base["h2c"] + "/files/1000", nil, "goaway"},
			idleRow{"nginx gRPC", client, front.base["grpc"] + "/t.Svc/Echo", call, "goaway"},
			idleRow{"nginx gRPC over TLS", client, front.base["grpcs"] + "/t.Svc/Echo", front.flags("grpcs", call...), "goaway"},
			idleRow{"haproxy HTTP/1.1", client, proxy.base["http"] + "/web/chunked/1000", nil, "closed by server"},
			idleRow{"haproxy HTTP/2", client, proxy.base["h2c"] + "/web/chunked/1000", nil, "goaway"},
			idleRow{"grpc-go", client, idleServer(t) + "/wg.v1.Echo/Echo", echo, "goaway"},
		)
	}
	t.Run("all at once", func(t *testing.T) {
		for _, row := range rows {
			t.Run(row.name+" "+row.client, row.check)
		}
	})
	t.Logf("%d calls", len(rows)*idleCalls)
}

const idleCalls = 5

type idleRow struct {
	name, client, url string
	flags             []string
	ended             string // why all connections but the last one have ended
}

func (row idleRow) check(t *testing.T) {
	t.Parallel()
	a := loads(t, 0, append([]string{"-n", strconv.Itoa(idleCalls), "-r", "1", "--connections", "1", "--client", row.client, row.url}, row.flags...)...)
	if a.Due != idleCalls || a.OK != idleCalls || a.Resent != 0 || a.HiddenTries != 0 {
		t.Errorf("counts %+v, errors %+v; want %d calls, all ok and none sent twice", a.Counts, a.Errors, idleCalls)
	}
	c := a.Connections
	if c.Asked != 1 || c.Opened != idleCalls && c.Opened != idleCalls+1 { // the first one may be closed before its call is due
		t.Errorf("%d connections opened, want one for each of %d calls", c.Opened, idleCalls)
	}
	if c.Ended[row.ended] < idleCalls-1 {
		t.Errorf("connections ended %v, want at least %d times %q", c.Ended, idleCalls-1, row.ended)
	}
	if n := a.Connect.N; row.client == "wire" && n != c.Opened {
		t.Errorf("%d times of connecting are told, want %d", n, c.Opened)
	}
}

// idleServer is grpc-go with a MaxConnectionIdle.
func idleServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: 100 * time.Millisecond}))
	wgpb.RegisterEchoServer(s, plainEcho{})
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return "grpc://" + l.Addr().String()
}

type plainEcho struct{ wgpb.UnimplementedEchoServer }

func (plainEcho) Echo(_ context.Context, m *wgpb.EchoMessage) (*wgpb.EchoMessage, error) {
	return m, nil
}
