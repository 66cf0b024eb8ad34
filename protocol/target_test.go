package protocol

import (
	"errors"
	"strings"
	"testing"
)

// register fills the table for the test with the schemes that this version knows.
func register(t *testing.T) {
	t.Helper()
	before := table
	table = map[string]*Protocol{}
	t.Cleanup(func() { table = before })
	Register(&Protocol{Name: "http1", Schemes: []Scheme{{Name: "http", Port: 80, Unix: true}, {Name: "https", TLS: true, Port: 443}}})
	Register(&Protocol{Name: "http2", Schemes: []Scheme{{Name: "h2c", Port: 80, Unix: true}, {Name: "h2", TLS: true, Port: 443}, {Name: "https", TLS: true, Port: 443}}})
	Register(&Protocol{Name: "grpc", Schemes: []Scheme{{Name: "grpc", Port: 50051, Unix: true}, {Name: "grpcs", TLS: true, Port: 443}}})
	Register(&Protocol{Name: "tcp", Schemes: []Scheme{{Name: "tcp"}, {Name: "tls", TLS: true}}})
	Register(&Protocol{Name: "null", Schemes: []Scheme{{Name: "null"}}})
}

func TestParseTarget(t *testing.T) {
	register(t)
	for _, c := range []struct{ name, raw, network, address, host, authority, request, first string }{
		{"default port of http", "http://example.test", "tcp", "example.test:80", "example.test", "example.test", "/", "http1"},
		{"port, path and query", "http://h:8080/a/b%2Fc?x=1&y=%20", "tcp", "h:8080", "h", "h:8080", "/a/b%2Fc?x=1&y=%20", "http1"},
		{"the default port typed out is not sent", "http://h:80/x", "tcp", "h:80", "h", "h", "/x", "http1"},
		{"https prefers HTTP/2", "https://h/x", "tcp", "h:443", "h", "h", "/x", "http2"},
		{"capital scheme", "HTTP://h/x", "tcp", "h:80", "h", "h", "/x", "http1"},
		{"gRPC keeps its default port in the authority", "grpc://h/p.S/M", "tcp", "h:50051", "h", "h:50051", "/p.S/M", "grpc"},
		{"gRPC over TLS", "grpcs://h/p.S/M", "tcp", "h:443", "h", "h", "/p.S/M", "grpc"},
		{"IPv6", "grpc://[::1]:50051/p.S/M", "tcp", "[::1]:50051", "::1", "[::1]:50051", "/p.S/M", "grpc"},
		{"IPv6 without port", "http://[::1]/x", "tcp", "[::1]:80", "::1", "[::1]", "/x", "http1"},
		{"unix socket with a method", "grpc+unix:///run/a.sock?method=p.S/M", "unix", "/run/a.sock", "localhost", "localhost", "/p.S/M", "grpc"},
		{"unix socket with a path and a query", "http+unix:///run/a.sock?path=/x&q=1", "unix", "/run/a.sock", "localhost", "localhost", "/x?q=1", "http1"},
		{"unix socket and nothing else", "h2c+unix:///run/a.sock", "unix", "/run/a.sock", "localhost", "localhost", "/", "http2"},
		{"tcp", "tcp://127.0.0.1:7?framing=line", "tcp", "127.0.0.1:7", "127.0.0.1", "127.0.0.1:7", "/?framing=line", "tcp"},
		{"no network", "null://", "null", "", "null", "null", "/", "null"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseTarget(c.raw)
			if err != nil {
				t.Fatal(err)
			}
			have := [...]string{got.Network, got.Address, got.Host, got.Authority, got.RequestPath(), got.Candidates[0].Name}
			want := [...]string{c.network, c.address, c.host, c.authority, c.request, c.first}
			if have != want {
				t.Errorf("got  %q\nwant %q", have, want)
			}
		})
	}
}

func TestParseTargetRefuses(t *testing.T) {
	register(t)
	for _, c := range []struct{ name, raw, want string }{
		{"bare host and port", "localhost:50051", `has no scheme: it could be grpc://localhost:50051 or http://localhost:50051`},
		{"bare host", "localhost", `has no scheme: write for example http://localhost`},
		{"nothing", "", "an empty target"},
		{"a typing mistake", "grcp://h:1/x", "unknown scheme grcp:// - did you mean grpc://h:1/x?"},
		{"a scheme like nothing we know", "gopherspace://h", "known are grpc grpc+unix grpcs h2 h2c"},
		{"Dubbo", "dubbo://h/x", "dubbo:// (Dubbo) is not in this version"},
		{"HTTP/3", "h3://h/x", "h3:// (HTTP/3) is not in this version"},
		{"no host", "http:///x", "has no host: write http://host:port/x"},
		{"no port where there is no default", "tcp://h", "has no port"},
		{"a port beyond the last", "http://h:70000", "port 70000 is not between 1 and 65535"},
		{"port 0", "http://h:0", "port 0 is not"},
		{"a word as port", "http://h:x/", "is not a URL"},
		{"two slashes before a socket path", "grpc+unix://run/a.sock", "with three slashes"},
		{"a host behind null", "null://h:1", "takes no host"},
		{"a bad query escape", "http://h/?a=%zz", "query"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseTarget(c.raw)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := ParseTarget("localhost:1"); !errors.Is(err, ErrNoScheme) {
		t.Errorf("a bare host:port is not ErrNoScheme: %v", err)
	}
}

func TestSplitName(t *testing.T) {
	for _, c := range []struct{ name, arg, arm, target string }{
		{"named", "rest=http://h/x?a=b", "rest", "http://h/x?a=b"},
		{"not named, with = in the query", "http://h/x?a=b", "", "http://h/x?a=b"},
		{"not named", "grpc://h/x", "", "grpc://h/x"},
		{"a dot would be read as arm.metric", "a.b=http://h", "", "a.b=http://h"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if arm, target := SplitName(c.arg); arm != c.arm || target != c.target {
				t.Errorf("got %q %q", arm, target)
			}
		})
	}
}

func FuzzParseTarget(f *testing.F) {
	for _, s := range []string{"http://h:1/x?y=z", "grpc+unix:///a?method=b", "null://", "tcp://[::1]:2", "h2c://%zz"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		target, err := ParseTarget(raw)
		if err != nil {
			return
		}
		if target.Network == "tcp" && target.Host == "" {
			t.Errorf("%q has no host", raw)
		}
		if !strings.HasPrefix(target.RequestPath(), "/") && target.Path != "*" {
			t.Errorf("%q asks for %q", raw, target.RequestPath())
		}
	})
}
