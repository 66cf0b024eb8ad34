package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wiregauge/lab"
)

// TestOneAddressPerRun: a name is resolved once, and the address that every connection took is in the result.
func TestOneAddressPerRun(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	url := strings.Replace(s.url(t, "http hello"), "127.0.0.1", "localhost", 1)
	f, out := measured(t, exitOK, "run", url, "-n", "10", "-c", "3", "-v", "-d", greeting)
	addresses := f.Arms[0].Connections.Addrs
	if len(addresses) != 1 || !strings.HasPrefix(addresses[0], "127.0.0.1:") || !strings.Contains(out.stderr, "address: 127.0.0.1:") {
		t.Errorf("addresses %q\n%s", addresses, out.stderr)
	}
}

// TestResolveFlag: as in curl, a name goes to the given address without the resolver.
func TestResolveFlag(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	_, port, err := net.SplitHostPort(hostOf(s.url(t, "http hello")))
	if err != nil {
		t.Fatal(err)
	}
	url := "http://shop.test:" + port + "/v1/hello"
	f, _ := measured(t, exitOK, "run", url, "-n", "10", "-c", "2", "-d", greeting, "--resolve", "shop.test:"+port+":127.0.0.1")
	if f.Arms[0].OK != 10 {
		t.Errorf("%+v", f.Arms[0].Counts)
	}
}

// hostOf is host:port of a URL.
func hostOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// TestALPNIsReadOnceAndSaid: https:// takes what the server prefers, or what a flag says.
func TestALPNIsReadOnceAndSaid(t *testing.T) {
	s := serve(t, lab.ServeConfig{TLS: true})
	for _, c := range []struct {
		name, protocol, alpn string
		args                 []string
		note                 bool
	}{
		{"asked", "HTTP/2", "h2", nil, true},
		{"forced to HTTP/1.1", "HTTP/1.1", "http/1.1", []string{"--http1.1"}, false},
		{"forced to HTTP/2", "HTTP/2", "h2", []string{"--http2"}, false},
		{"forced by the option", "HTTP/1.1", "http/1.1", []string{"--http", "1.1"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"run", s.url(t, "https hello"), "-n", "10", "-c", "2", "-d", greeting, "--cacert", s.CAFile()}, c.args...)
			f, _ := measured(t, exitOK, args...)
			arm := f.Arms[0]
			if arm.Protocol != c.protocol || arm.Connections.ALPN != c.alpn || (len(arm.Notes) == 1) != c.note {
				t.Errorf("%s over %s, notes %q", arm.Protocol, arm.Connections.ALPN, arm.Notes)
			}
		})
	}
}

// TestKeyLog: SSLKEYLOGFILE is written, so that a capture can be read.
func TestKeyLog(t *testing.T) {
	s := serve(t, lab.ServeConfig{TLS: true})
	path := filepath.Join(t.TempDir(), "keys")
	out := invokeWith(t, t.Context(), map[string]string{"SSLKEYLOGFILE": path}, "", "run", s.url(t, "grpcs hello"), "-n", "2", "-c", "1", "-d", greeting, "--cacert", s.CAFile())
	if out.code != exitOK {
		t.Fatal(out.stderr)
	}
	keys, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(keys), "CLIENT_TRAFFIC_SECRET_0") {
		t.Errorf("%v %q", err, keys)
	}
}

// TestNotices are said once, on standard error, and never stop a run.
func TestNotices(t *testing.T) {
	s := serve(t, lab.ServeConfig{})
	for _, c := range []struct {
		name, want string
		env        map[string]string
		args       []string
	}{
		{"a proxy", "notice: HTTPS_PROXY is set; proxies are not used here", map[string]string{"HTTPS_PROXY": "http://p:1"}, []string{"null://"}},
		{"ghz's word for plaintext", `"--insecure" skips certificate checks here; ghz uses it for plaintext`, nil, []string{s.url(t, "grpcs hello"), "-d", greeting, "-k"}},
		{"no TLS to check", `"--insecure" does nothing on http://`, nil, []string{s.url(t, "http hello"), "-d", greeting, "-k"}},
		{"a long timeout", "notice: -t 1m is the time limit of a call", nil, []string{"null://", "-t", "1m"}},
		{"fewer calls than callers", "notice: -n 4 is below -c 9", nil, []string{"null://", "-c", "9"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := invokeWith(t, t.Context(), c.env, "", append([]string{"run", "-n", "4"}, c.args...)...)
			if out.code != exitOK || strings.Count(out.stderr, c.want) != 1 {
				t.Errorf("exit %d\n%s", out.code, out.stderr)
			}
		})
	}
}

func TestPlaintextTwin(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"grpcs://h/x", "grpc://h/x"}, {"https://h", "http://h"}, {"h2://h", "h2c://h"}, {"tls://h:1", "tcp://h:1"},
		{"grpc://h", "grpc://h"}, {"h:50051", "grpc://h:50051"},
	} {
		if got := plaintext(c.raw); got != c.want {
			t.Errorf("%s became %s, want %s", c.raw, got, c.want)
		}
	}
}

func TestParseResolve(t *testing.T) {
	for _, c := range []struct{ name, text, key, addr string }{
		{"IPv4", "h:80:127.0.0.1", "h:80", "127.0.0.1:80"},
		{"IPv6 address", "h:80:[::1]", "h:80", "[::1]:80"},
		{"IPv6 name", "[::2]:80:[::1]", "[::2]:80", "[::1]:80"},
		{"no address", "h:80", "", ""},
		{"a name for a name", "h:80:other", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			key, addr, err := parseResolve(c.text)
			if key != c.key || addr != c.addr || (err == nil) != (c.key != "") {
				t.Errorf("%q %q %v", key, addr, err)
			}
		})
	}
}
