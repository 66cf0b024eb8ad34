package http1

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strings"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

func TestBytesOnTheWire(t *testing.T) {
	field := func(name, value string) []wiregauge.Field { return []wiregauge.Field{{Name: name, Value: value}} }
	body := func(s ...string) (all [][]byte) {
		for _, one := range s {
			all = append(all, []byte(one))
		}
		return all
	}
	const agent = "User-Agent: wiregauge/1\r\n"
	for _, tt := range []struct {
		name string
		opt  protocol.Options
		r    wiregauge.Request
		want string
	}{
		{"GET", protocol.Options{Authority: "a:80"}, wiregauge.Request{Method: "GET /x?y=1"},
			"GET /x?y=1 HTTP/1.1\r\nHost: a:80\r\n" + agent + "\r\n"},
		{"POST", protocol.Options{Authority: "a"}, wiregauge.Request{Method: "POST /", Messages: body("{}")},
			"POST / HTTP/1.1\r\nHost: a\r\n" + agent + "Content-Length: 2\r\n\r\n{}"},
		{"POST without a body says so", protocol.Options{Authority: "a"}, wiregauge.Request{Method: "POST /"},
			"POST / HTTP/1.1\r\nHost: a\r\n" + agent + "Content-Length: 0\r\n\r\n"},
		{"an empty body is a body", protocol.Options{Authority: "a"}, wiregauge.Request{Method: "DELETE /", Messages: body("")},
			"DELETE / HTTP/1.1\r\nHost: a\r\n" + agent + "Content-Length: 0\r\n\r\n"},
		{"one call per connection", protocol.Options{Authority: "a", OneCall: true}, wiregauge.Request{Method: "GET /"},
			"GET / HTTP/1.1\r\nHost: a\r\n" + agent + "Connection: close\r\n\r\n"},
		{"the user's fields win and keep their order", protocol.Options{Authority: "a"},
			wiregauge.Request{Method: "GET /", Header: append(field("user-agent", "me"), field("X-A", "1")...)},
			"GET / HTTP/1.1\r\nHost: a\r\nuser-agent: me\r\nX-A: 1\r\n\r\n"},
		{"compressed both ways", protocol.Options{Authority: "a"},
			wiregauge.Request{Method: "POST /", Messages: body("z"), Encoding: "gzip", Accept: "gzip"},
			"POST / HTTP/1.1\r\nHost: a\r\n" + agent + "Accept-Encoding: gzip\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nz"},
		{"chunks by the user's own field", protocol.Options{Authority: "a"},
			wiregauge.Request{Method: "POST /", Messages: body("hello world, hi"), Header: field("Transfer-Encoding", "chunked")},
			"POST / HTTP/1.1\r\nHost: a\r\n" + agent + "Transfer-Encoding: chunked\r\n\r\nf\r\nhello world, hi\r\n0\r\n\r\n"},
		{"a client stream goes in chunks, an empty message in none", protocol.Options{Authority: "a"},
			wiregauge.Request{Method: "POST /", Messages: body("a", "", "bc"), Shape: wiregauge.ClientStream},
			"POST / HTTP/1.1\r\nHost: a\r\n" + agent + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"},
		{"no authority is known on a unix socket", protocol.Options{Authority: "localhost"}, wiregauge.Request{Method: "OPTIONS *"},
			"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n" + agent + "\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := prototest.NewDriver(open(tt.opt))
			c := prototest.NewCall(&tt.r)
			if err := d.Start(c); err != nil {
				t.Fatal(err)
			}
			if got := string(d.Take(1 << 16)); got != tt.want {
				t.Errorf("sent\n%q\nexpected\n%q", got, tt.want)
			}
			if c.Queued != 0 {
				t.Errorf("%d bytes are queued, expected none", c.Queued)
			}
			d.Check(t)
		})
	}
}

// Requests that share an Index share their head, whatever their bodies; those that wrongly share one do not.
func TestHeadsByIndex(t *testing.T) {
	d := prototest.NewDriver(open(protocol.Options{Streams: 10}))
	send := func(r *wiregauge.Request) string {
		if err := d.Start(prototest.NewCall(r)); err != nil {
			t.Fatal(err)
		}
		return string(d.Take(1 << 16))
	}
	a := &wiregauge.Request{Index: 3, Method: "POST /a", Messages: [][]byte{[]byte("one")}}
	b := &wiregauge.Request{Index: 3, Method: "POST /a", Messages: [][]byte{[]byte("three")}}
	other := &wiregauge.Request{Index: 3, Method: "POST /other", Messages: [][]byte{[]byte("x")}}
	for _, r := range []*wiregauge.Request{a, b, a, other, a} {
		got := send(r)
		body := string(r.Messages[0])
		if !strings.HasPrefix(got, r.Method+" HTTP/1.1\r\n") || !strings.HasSuffix(got, "\r\n\r\n"+body) ||
			!strings.Contains(got, "Content-Length: "+string('0'+byte(len(body)))+"\r\n") {
			t.Errorf("%s with %q was sent as %q", r.Method, body, got)
		}
	}
}

func TestRequestsThatCannotBeSent(t *testing.T) {
	for _, tt := range []struct {
		name, method, header, value, want string
	}{
		{"a line end in a value", "GET /", "X", "a\r\nY: b", "line end"},
		{"a colon in a name", "GET /", "X:", "a", "header name"},
		{"a space in the path", "GET /a b", "X", "a", "white space"},
		{"no path", "GET", "X", "a", "empty"},
		{"a line end in the path", "GET /a\r\nX:", "X", "a", "white space"},
		{"a method with a comma", "GE,T /", "X", "a", "method"},
		{"CONNECT", "CONNECT a:1", "X", "a", "tunnel"},
		{"another transfer coding", "POST /", "Transfer-Encoding", "gzip", "chunked"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &wiregauge.Request{Method: tt.method, Header: []wiregauge.Field{{Name: tt.header, Value: tt.value}}}
			d := prototest.NewDriver(open(protocol.Options{}))
			err := d.Start(prototest.NewCall(r))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("start: %v; expected %q", err, tt.want)
			}
			verb, path, _ := strings.Cut(tt.method, " ")
			if path == "" {
				return // Prepare has a default for it
			}
			if _, err := Prepare(protocol.Input{Verb: verb, Path: path, Header: r.Header}); err == nil {
				t.Error("Prepare took it")
			}
		})
	}
}

func TestPrepare(t *testing.T) {
	type fields = []wiregauge.Field
	one := [][]byte{[]byte(`{"a":1}`)}
	for _, tt := range []struct {
		name   string
		in     protocol.Input
		method string
		header fields
		bodies int
	}{
		{"nothing", protocol.Input{}, "GET /", nil, 0},
		{"a body makes it POST", protocol.Input{Path: "/x?y", Bodies: one, HasBody: true, Codec: "json"}, "POST /x?y",
			fields{{Name: "Content-Type", Value: "application/json"}}, 1},
		{"an empty body is one", protocol.Input{HasBody: true}, "POST /", nil, 1},
		{"the user's type wins", protocol.Input{Verb: "PUT", Bodies: one, HasBody: true, Codec: "json",
			Header: fields{{Name: "content-type", Value: "text/plain"}}}, "PUT /", fields{{Name: "content-type", Value: "text/plain"}}, 1},
		{"no body, no type", protocol.Input{Verb: "DELETE", Codec: "json"}, "DELETE /", nil, 0},
		{"the right length is no news", protocol.Input{Bodies: one, HasBody: true,
			Header: fields{{Name: "Content-Length", Value: "7"}}}, "POST /", fields{{Name: "Content-Length", Value: "7"}}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Prepare(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if r.Method != tt.method || !slices.Equal(r.Header, tt.header) || len(r.Messages) != tt.bodies {
				t.Errorf("got %s %v with %d bodies; expected %s %v with %d", r.Method, r.Header, len(r.Messages), tt.method, tt.header, tt.bodies)
			}
		})
	}
}

func TestPrepareRefuses(t *testing.T) {
	for name, in := range map[string]protocol.Input{
		"a bidirectional stream":  {Shape: wiregauge.Bidi},
		"one way":                 {Shape: wiregauge.OneWay},
		"an unknown compression":  {HasBody: true, Compress: "zstd"},
		"a length that is wrong":  {HasBody: true, Header: []wiregauge.Field{{Name: "content-length", Value: "5"}}},
		"a length without a body": {Header: []wiregauge.Field{{Name: "Content-Length", Value: "5"}}},
	} {
		if r, err := Prepare(in); err == nil {
			t.Errorf("%s: got %+v; expected an error", name, r)
		}
	}
}

func TestPrepareCompresses(t *testing.T) {
	r, err := Prepare(protocol.Input{Bodies: [][]byte{prototest.Pattern(5000)}, HasBody: true, Compress: "gzip"})
	if err != nil || r.Encoding != "gzip" {
		t.Fatalf("%v, encoding %q", err, r.Encoding)
	}
	z, err := gzip.NewReader(bytes.NewReader(r.Messages[0]))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, prototest.Pattern(5000)) {
		t.Errorf("%v, %d bytes back", err, len(got))
	}
}
