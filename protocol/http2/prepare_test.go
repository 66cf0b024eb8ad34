package http2

import (
	"slices"
	"strings"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/content"
)

func TestPrepare(t *testing.T) {
	body := [][]byte{[]byte(`{"a":1}`)}
	kind := wiregauge.Field{Name: "content-type", Value: "application/json"}
	with := func(name, value string) protocol.Input {
		return protocol.Input{Path: "/", Header: []wiregauge.Field{{Name: name, Value: value}}}
	}
	for _, row := range []struct {
		name     string
		in       protocol.Input
		method   string
		header   []wiregauge.Field
		messages int
		err      string
	}{
		{name: "nothing said", method: "GET /"},
		{name: "a body makes it a POST", in: protocol.Input{Path: "/x?y=1", Bodies: body, HasBody: true, Codec: "json"}, method: "POST /x?y=1",
			header: []wiregauge.Field{kind}, messages: 1},
		{name: "the user's content-type wins", in: protocol.Input{Path: "/", Bodies: body, HasBody: true, Codec: "json",
			Header: []wiregauge.Field{{Name: "Content-Type", Value: "text/x"}}}, method: "POST /",
			header: []wiregauge.Field{{Name: "content-type", Value: "text/x"}}, messages: 1},
		{name: "a POST without a body has an empty one", in: protocol.Input{Verb: "POST", Path: "/", Codec: "json"}, method: "POST /", messages: 1},
		{name: "an empty body", in: protocol.Input{Verb: "DELETE", Path: "/", HasBody: true}, method: "DELETE /", messages: 1},
		{name: "a right content-length", in: protocol.Input{Verb: "POST", Path: "/", Bodies: body, Header: []wiregauge.Field{{Name: "Content-Length", Value: "7"}}},
			method: "POST /", header: []wiregauge.Field{{Name: "content-length", Value: "7"}}, messages: 1},
		{name: "a wrong content-length", in: protocol.Input{Verb: "POST", Path: "/", Bodies: body, Header: []wiregauge.Field{{Name: "Content-Length", Value: "8"}}},
			err: "the body has 7 bytes"},
		{name: "te: trailers", in: with("TE", "trailers"), method: "GET /", header: []wiregauge.Field{{Name: "te", Value: "trailers"}}},
		{name: "te: gzip", in: with("TE", "gzip"), err: "only \"trailers\""},
		{name: "a hop-by-hop header", in: with("Connection", "close"), err: "not allowed on HTTP/2"},
		{name: "transfer-encoding", in: with("Transfer-Encoding", "chunked"), err: "not allowed on HTTP/2"},
		{name: "a header name with a blank", in: with("a b", "c"), err: "not a word"},
		{name: "a header value with a line end", in: with("a", "b\r\nc: d"), err: "line end"},
		{name: "a method with a blank", in: protocol.Input{Verb: "GET IT"}, err: "not a word"},
		{name: "CONNECT", in: protocol.Input{Verb: "CONNECT"}, err: "tunnel"},
		{name: "a path with a blank", in: protocol.Input{Path: "/a b"}, err: "%20"},
		{name: "a path without a slash", in: protocol.Input{Path: "a"}, err: "slash"},
		{name: "a one-way call", in: protocol.Input{Shape: wiregauge.OneWay}, err: "one-way"},
		{name: "an unknown compression", in: protocol.Input{Bodies: body, HasBody: true, Compress: "zstd"}, err: "gzip"},
	} {
		r, err := Prepare(row.in)
		if row.err != "" {
			if err == nil || !strings.Contains(err.Error(), row.err) {
				t.Errorf("%s: error %v, expected one that says %q", row.name, err, row.err)
			}
			continue
		}
		if err != nil || r.Method != row.method || !slices.Equal(r.Header, row.header) || len(r.Messages) != row.messages {
			t.Errorf("%s: %+v (%v), expected %s %v and %d messages", row.name, r, err, row.method, row.header, row.messages)
		}
	}
}

func TestCompressedBody(t *testing.T) {
	body := []byte(strings.Repeat("compress me ", 100))
	r, err := Prepare(protocol.Input{Path: "/", Bodies: [][]byte{body}, HasBody: true, Compress: "gzip"})
	if err != nil || r.Encoding != "gzip" || len(r.Messages[0]) > 100 {
		t.Fatalf("%+v (%v)", r, err)
	}
	if got, err := content.Inflate(r.Messages[0], 0); err != nil || string(got) != string(body) {
		t.Errorf("inflated to %d bytes (%v)", len(got), err)
	}
}

func TestClass(t *testing.T) {
	for _, row := range []struct {
		outcome wiregauge.Outcome
		status  int
		want    string
	}{
		{wiregauge.Failed, 503, "503"}, {wiregauge.Reset, 2, "reset INTERNAL_ERROR"}, {wiregauge.Reset, 0, ""},
		{wiregauge.Reset, 99, "reset 0x63"}, {wiregauge.Closed, 0, ""},
	} {
		if got := Class(row.outcome, row.status); got != row.want {
			t.Errorf("%s %d: %q, expected %q", row.outcome, row.status, got, row.want)
		}
	}
}
