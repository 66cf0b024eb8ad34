package rsocket

import (
	"strings"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
)

func TestPrepare(t *testing.T) {
	hi := [][]byte{[]byte("hi")}
	for _, tt := range []struct {
		name     string
		in       protocol.Input
		route    string
		messages int
		err      string
	}{
		{name: "a path", in: protocol.Input{Path: "/inventory.check", Bodies: hi}, route: "inventory.check", messages: 1},
		{name: "a path with escapes", in: protocol.Input{Path: "/a%20b/c"}, route: "a b/c", messages: 1},
		{name: "a query", in: protocol.Input{Path: "/rsocket?route=a.b&x=1"}, route: "a.b", messages: 1},
		{name: "an empty route in the query", in: protocol.Input{Path: "/rsocket?route="}, route: "", messages: 1},
		{name: "a method", in: protocol.Input{Procedure: "/a.B/C", Path: "/x"}, route: "a.B/C", messages: 1},
		{name: "nothing", in: protocol.Input{}, messages: 1},
		{name: "a push", in: protocol.Input{Shape: wiregauge.OneWay, Path: "/x"}, route: "x"},
		{name: "fire and forget of nothing", in: protocol.Input{Shape: wiregauge.OneWay, Path: "/x", HasBody: true}, route: "x", messages: 1},
		{name: "a channel of none", in: protocol.Input{Shape: wiregauge.Bidi}},
		{name: "a channel of two", in: protocol.Input{Shape: wiregauge.Bidi, Bodies: [][]byte{{1}, {2}}}, messages: 2},
		{name: "two bodies", in: protocol.Input{Bodies: [][]byte{{1}, {2}}}, err: "2 messages for a unary call: expected one"},
		{name: "compression", in: protocol.Input{Compress: "gzip"}, err: `RSocket has no compression; leave "gzip" out`},
		{name: "a header of HTTP", in: protocol.Input{Header: []wiregauge.Field{{Name: "x-id", Value: "1"}}}, err: "write -H 'text/plain: value'"},
		{name: "authorization", in: protocol.Input{Header: []wiregauge.Field{{Name: "Authorization", Value: "Bearer x"}}}, err: "write --auth"},
		{name: "a route too long", in: protocol.Input{Path: "/" + strings.Repeat("x", 256)}, err: "255 are the most"},
		{name: "a bad escape", in: protocol.Input{Path: "/%zz"}, err: "route"},
		{name: "a bad query", in: protocol.Input{Path: "/a?route=%zz"}, err: "query"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Prepare(tt.in)
			switch {
			case tt.err != "":
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v; expected %q", err, tt.err)
				}
			case err != nil || r.Method != tt.route || len(r.Messages) != tt.messages || r.Shape != tt.in.Shape:
				t.Errorf("got %+v, %v; expected route %q, %d messages", r, err, tt.route, tt.messages)
			}
		})
	}
}

func TestAuthentication(t *testing.T) {
	for spec, want := range map[string]string{
		"simple:user:pa:ss": "\x80\x00\x04userpa:ss",
		"bearer:a:b":        "\x81a:b",
	} {
		f, err := Authentication(spec)
		if err != nil || f.Value != want || f.Name != "message/x.rsocket.authentication.v0" || !f.Sensitive {
			t.Errorf("%s: %+v, %v; expected %q", spec, f, err, want)
		}
	}
	for spec, want := range map[string]string{
		"": "write simple:USER:PASSWORD", "bearer": "without a token", "simple:user": "without a password", "digest:x": `kind "digest" is not known`,
	} {
		if _, err := Authentication(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; expected %q", spec, err, want)
		}
	}
}

func TestClass(t *testing.T) {
	for _, tt := range []struct {
		o      wiregauge.Outcome
		status int
		want   string
	}{
		{wiregauge.Failed, 0x201, "APPLICATION_ERROR"}, {wiregauge.Failed, 0x301, "0x301"}, {wiregauge.Failed, 0, ""},
		{wiregauge.Refused, 0x202, "REJECTED"}, {wiregauge.Reset, 0x203, "CANCELED"}, {wiregauge.Reset, 0, ""}, {wiregauge.Closed, 0, ""},
	} {
		if got := Class(tt.o, tt.status); got != tt.want {
			t.Errorf("%s 0x%x: %q; expected %q", tt.o, tt.status, got, tt.want)
		}
	}
}
