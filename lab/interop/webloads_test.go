//go:build external

package interop

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"wiregauge/result"
)

// A webLoad is one load and what must come of it, exactly.
type webLoad struct {
	name   string
	path   string
	flags  []string
	n, c   int
	body   int // bytes of each answer
	status int
	fails  bool
}

// ownLoads are answered by the server itself.
var ownLoads = []webLoad{
	{name: "empty files", path: "/files/0", n: 500, c: 10, status: 200},
	{name: "1000 bytes", path: "/files/1000", n: 900, c: 10, body: 1000, status: 200},
	{name: "1 MiB", path: "/files/1048576", n: 60, c: 6, body: 1 << 20, status: 200},
	{name: "HEAD", path: "/files/1000", flags: []string{"-X", "HEAD"}, n: 300, c: 10, status: 200},
	{name: "404", path: "/files/none", flags: []string{"--max-errors", "100%"}, n: 300, c: 10, body: -1, status: 404, fails: true},
	{name: "fewer calls than callers", path: "/files/1", n: 49, c: 50, body: 1, status: 200},
	{name: "a remainder", path: "/files/1", n: 101, c: 10, body: 1, status: 200},
	{name: "one call", path: "/files/1", n: 1, c: 1, body: 1, status: 200},
	{name: "a connection per call", path: "/files/1000", flags: []string{"--no-keepalive"}, n: 200, c: 4, body: 1000, status: 200},
}

// proxyLoads are answered by the upstream, which counts them.
var proxyLoads = []webLoad{
	{name: "POST of 1000 bytes", path: "/web/echo", n: 900, c: 10, body: 1000, status: 200},
	{name: "POST of 64 KiB", path: "/web/echo", n: 200, c: 10, body: 64 << 10, status: 200},
	{name: "POST of nothing", path: "/web/echo", n: 300, c: 10, status: 200},
	{name: "chunked answers", path: "/web/chunked/100000", n: 200, c: 10, body: 100_000, status: 200},
	{name: "204", path: "/web/status/204", n: 300, c: 10, status: 204},
	{name: "503", path: "/web/status/503", flags: []string{"--max-errors", "100%"}, n: 300, c: 10, status: 503, fails: true},
}

// TestWebLoads loads each web server over each protocol with both clients and compares what the result file says with
// what the servers have logged: as many calls, answered so, with as many bytes, on as many connections.
func TestWebLoads(t *testing.T) {
	up := newUpstream(t)
	for _, row := range []struct {
		server  *webServer
		schemes []string
		loads   []webLoad
	}{
		{nginx(t, up.address, "", ""), []string{"http", "h2c", "h2", "https"}, append(slices.Clone(ownLoads), proxyLoads...)},
		{haproxy(t, up.address, "", ""), []string{"http", "h2c", "h2", "https"}, proxyLoads},
		{nghttpd(t, false, "-b", "100"), []string{"h2c"}, ownLoads},
	} {
		t.Run(row.server.name, func(t *testing.T) {
			var done []webLoaded
			calls := 0
			for _, scheme := range row.schemes {
				for _, client := range clients {
					for i, l := range row.loads {
						uri := fmt.Sprintf("%s?%s,%s,%d", l.path, scheme, client, i)
						t.Run(scheme+" "+client+" "+l.name, func(t *testing.T) { l.check(t, row.server, scheme, client, uri, up) })
						done = append(done, webLoaded{l, uri})
						calls += l.n
					}
				}
			}
			log := row.server.stop(t)
			for _, l := range done {
				l.checkLog(t, row.server, log)
			}
			t.Logf("%d loads, %d calls", len(done), calls)
		})
	}
}

func (l webLoad) check(t *testing.T, s *webServer, scheme, client, uri string, up *upstream) {
	t.Helper()
	args := s.flags(scheme, append([]string{"--client", client, "-n", strconv.Itoa(l.n), "-c", strconv.Itoa(l.c), s.base[scheme] + uri}, l.flags...)...)
	upload := 0
	if l.path == "/web/echo" {
		upload = l.body
		args = append(args, "-X", "POST", "--codec", "binary", "-d", "@"+s.write(t, "upload", pattern(upload)))
	}
	a := loads(t, 0, args...)
	l.checkCounts(t, a)
	if n := up.seen(uri); strings.HasPrefix(uri, "/web/") && n != l.n {
		t.Errorf("%d calls have reached the server behind the proxy, want %d", n, l.n)
	}
	if a.SentBytes.Body != int64(l.n*upload) || l.body >= 0 && a.RecvBytes.Body != int64(l.n*l.body) {
		t.Errorf("bodies: %d bytes sent and %d received, want %d and %d", a.SentBytes.Body, a.RecvBytes.Body, l.n*upload, l.n*l.body)
	}
	if client == "wire" && (sum(a.SentBytes) != a.SentBytes.Wire || sum(a.RecvBytes) != a.RecvBytes.Wire) {
		t.Errorf("bytes by kind do not add up to those on the wire: sent %+v, received %+v", a.SentBytes, a.RecvBytes)
	}
	l.checkConnections(t, a, scheme)
}

func sum(b result.Bytes) int64 { return b.Body + b.Framing + b.Headers + b.Control + b.TLS }

func (l webLoad) checkCounts(t *testing.T, a *result.Arm) {
	t.Helper()
	n := int64(l.n)
	good, bad := n, int64(0)
	if l.fails {
		good, bad = 0, n
	}
	if a.Due != n || a.Sent != n || a.OK != good || a.Failed != bad || a.Resent != 0 || a.Unfinished != 0 || a.HiddenTries != 0 {
		t.Errorf("counts %+v with %d hidden tries, want %d calls, %d of them ok", a.Counts, a.HiddenTries, n, good)
	}
	if len(a.Statuses) != 1 || a.Statuses[0].Status != l.status || a.Statuses[0].Count != n {
		t.Errorf("statuses %+v, want %d times %d", a.Statuses, n, l.status)
	}
}

// checkConnections wants those that were asked for and no other: none of the loads reaches the servers' limits.
func (l webLoad) checkConnections(t *testing.T, a *result.Arm, scheme string) {
	t.Helper()
	want := 1
	switch {
	case slices.Contains(l.flags, "--no-keepalive"):
		want = l.n + 1 // and one that finds out that the server is there
	case scheme == "http" || scheme == "https":
		want = l.c
	}
	if a.Connections.Opened != int64(want) || a.Connections.Failed != 0 {
		t.Errorf("%d connections opened, %d failed; want %d and none", a.Connections.Opened, a.Connections.Failed, want)
	}
}

// A webLoaded is a load that has been carried out under a URI of its own.
type webLoaded struct {
	webLoad
	uri string
}

func (l webLoaded) checkLog(t *testing.T, s *webServer, log string) {
	t.Helper()
	want := l.n
	mark := l.uri + fmt.Sprintf(" %d ", l.status) // a line of the access log
	if s.name == "nghttpd" {
		mark = ":path: " + l.uri + "\n" // of a request that came
	}
	if n := strings.Count(log, mark); n != want {
		t.Errorf("%s: %q stands in the log of %s %d times, want %d", l.name, mark, s.name, n, want)
	}
}
