//go:build external

package interop

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// clients are the two kinds of client; both must tell the same of a server.
var clients = []string{"wire", "stack"}

// A webCase is one call and what must come of it.
type webCase struct {
	name   string
	path   string
	flags  []string
	upload int // bytes of the body, -1 for none
	code   int // of the exit
	status int
	want   []byte // the body
	says   string // in what -vv tells, in lower case; "" for nothing in particular
	http1  bool   // means nothing on HTTP/2
}

func get(name, path string, status int, want []byte) webCase {
	return webCase{name: name, path: path, upload: -1, status: status, want: want}
}

func post(path string, size int) webCase {
	return webCase{name: fmt.Sprintf("POST of %d bytes", size), path: path, upload: size, status: 200, want: pattern(size)}
}

func (c webCase) with(flags ...string) webCase { c.flags = flags; return c }
func (c webCase) telling(text string) webCase  { c.says = text; return c }
func (c webCase) failing() webCase             { c.code = 4; return c }

// ownCases are answered by nginx itself.
func ownCases() []webCase {
	cases := append(fileCases(),
		get("204", "/empty", 204, nil),
		get("304", "/unchanged", 304, nil),
		get("302 is an answer", "/moved", 302, nil).telling("location: "),
		get("trailers", "/trailers", 200, pattern(1000)).telling("x-checksum: 4711"),
	)
	return cases
}

// fileCases are static files.
func fileCases() []webCase {
	cases := []webCase{
		get("HEAD", "/files/1000", 200, nil).with("-X", "HEAD").telling("content-length: 1000"),
		get("404", "/files/none", 404, nil).failing(),
	}
	for _, size := range fileSizes {
		cases = append(cases, get(fmt.Sprintf("GET of %d bytes", size), "/files/"+strconv.Itoa(size), 200, pattern(size)))
	}
	return cases
}

// proxyCases are answered by the upstream, through a proxy.
func proxyCases() []webCase {
	cases := []webCase{
		get("HEAD through", "/web/chunked/1000", 200, nil).with("-X", "HEAD"),
		get("204 through", "/web/status/204", 204, nil),
		get("304 through", "/web/status/304", 304, nil),
		get("404 through", "/web/status/404", 404, nil).failing(),
		get("503 through", "/web/status/503", 503, nil).failing(),
		post("/web/echo", 1000).with("-H", "Expect: 100-continue"),
	}
	cases[len(cases)-1].name = "100-continue"
	chunks := post("/web/echo", 100_000).with("-H", "Transfer-Encoding: chunked").telling("x-coding: chunked")
	chunks.name, chunks.http1 = "chunked upload", true
	cases = append(cases, chunks)
	for _, size := range fileSizes {
		path := fmt.Sprintf("/web/chunked/%d", size)
		cases = append(cases, post("/web/echo", size), get(fmt.Sprintf("%d bytes in chunks", size), path, 200, pattern(size)))
	}
	return cases
}

// TestWebCalls makes single calls of every kind against each web server, over each protocol and with both clients. What
// goes through a proxy must reach the server behind it exactly once.
func TestWebCalls(t *testing.T) {
	up := newUpstream(t)
	through := get("trailers through", "/web/trailers", 200, pattern(1000)).telling("x-checksum: 4711")
	sizes := []webCase{post("/files/1", 0), post("/files/1", 1), post("/files/1", 1000), post("/files/1", 64<<10), post("/files/1", 1<<20)}
	nghttp := append(fileCases(), sizes...)
	nghttp = append(nghttp, get("trailers", "/files/1000", 200, pattern(1000)).telling("x-checksum: 4711"))
	echoing := []string{"--echo-upload", "--trailer", "x-checksum: 4711"}
	web := []string{"http", "h2c", "h2", "https"}
	for _, row := range []struct {
		name    string
		server  *webServer
		schemes []string
		cases   []webCase
	}{
		{"nginx", nginx(t, up.address, "", ""), web, append(ownCases(), proxyCases()...)},
		{"haproxy", haproxy(t, up.address, "", ""), web, append(proxyCases(), through)},
		{"nghttpd", nghttpd(t, false, echoing...), []string{"h2c"}, nghttp},
		{"nghttpd with padding", nghttpd(t, true, append(echoing, "-b", "255")...), []string{"h2"}, nghttp},
	} {
		t.Run(row.name, func(t *testing.T) {
			made := 0
			for _, scheme := range row.schemes {
				for _, client := range clients {
					made += webCalls(t, row.server, scheme, client, row.cases, up)
				}
			}
			t.Logf("%d calls", made)
		})
	}
}

func webCalls(t *testing.T, s *webServer, scheme, client string, cases []webCase, up *upstream) (made int) {
	t.Helper()
	one := scheme == "http" || scheme == "https"
	for i, c := range cases {
		if c.http1 && !one {
			continue
		}
		t.Run(scheme+" "+client+" "+c.name, func(t *testing.T) {
			uri := fmt.Sprintf("%s?%s,%s,%s,%d", c.path, s.name, scheme, client, i)
			c.check(t, s, s.flags(scheme, "--client", client, s.base[scheme]+uri))
			if n := up.seen(uri); strings.HasPrefix(uri, "/web/") && n != 1 {
				t.Errorf("the server behind the proxy has seen it %d times, want once", n)
			}
		})
		made++
	}
	return made
}

// flags adds what it takes to trust the server. Under https only HTTP/1.1 is spoken: h2 has its own scheme.
func (s *webServer) flags(scheme string, more ...string) []string {
	switch scheme {
	case "https":
		return append(more, "--http1.1", "--cacert", s.ca)
	case "h2", "grpcs":
		return append(more, "--cacert", s.ca)
	}
	return more
}

func (c webCase) check(t *testing.T, s *webServer, flags []string) {
	t.Helper()
	body := filepath.Join(t.TempDir(), "body")
	args := append([]string{"call", "-vv", "-o", body}, flags...)
	args = append(args, c.flags...)
	if c.upload >= 0 {
		args = append(args, "-X", "POST", "--codec", "binary", "-d", "@"+s.write(t, "upload", pattern(c.upload)))
	}
	did := wg(t, args...)
	if did.code != c.code || !strings.Contains(did.stderr, fmt.Sprintf("< status %d ", c.status)) {
		t.Fatalf("wiregauge %q: exit %d, want %d with status %d\n%s", args, did.code, c.code, c.status, did.stderr)
	}
	if !strings.Contains(strings.ToLower(did.stderr), c.says) {
		t.Errorf("wiregauge %q does not say %q:\n%s", args, c.says, did.stderr)
	}
	if c.status != 200 {
		return
	}
	got, err := os.ReadFile(body)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, c.want) {
		t.Errorf("wiregauge %q: %d bytes came, want %d, or others", args, len(got), len(c.want))
	}
}
