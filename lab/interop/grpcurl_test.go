//go:build external

package interop

import (
	"encoding/json"
	"strings"
	"testing"
)

// A grpcurlCase is one command line behind the flags of the connection, and what it must print.
type grpcurlCase struct {
	name  string
	flags []string // before the address
	args  []string // behind it
	code  int
	want  string   // the messages that come back, one after the other, without white space
	says  []string // or words that stand in what is printed
	calls int64    // that a service must have counted
}

var grpcurlCases = []grpcurlCase{
	{name: "list", args: []string{"list"}, says: []string{"grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
		"grpc.reflection.v1alpha.ServerReflection", "wg.v1.Echo", "wg.v1.Hello", "wg.v1.Inventory", "wg.v1.Random", "wg.v1.Ticker"}},
	{name: "list methods", args: []string{"list", "wg.v1.Echo"}, says: []string{"wg.v1.Echo.Echo", "wg.v1.Echo.ServerStream",
		"wg.v1.Echo.ClientStream", "wg.v1.Echo.BidiStream"}},
	{name: "describe a service", args: []string{"describe", "wg.v1.Hello"}, says: []string{"rpc SayHello ( .wg.v1.HelloRequest ) returns ( .wg.v1.HelloReply )"}},
	{name: "describe a method", args: []string{"describe", "wg.v1.Echo.BidiStream"}, says: []string{"stream .wg.v1.EchoMessage"}},
	{name: "describe a message with its template", flags: []string{"-msg-template"}, args: []string{"describe", "wg.v1.HelloRequest"},
		says: []string{"string greeting = 1", `"greeting": ""`}},
	{name: "unary", flags: []string{"-d", `{"greeting":"grpcurl"}`}, args: []string{"wg.v1.Hello/SayHello"}, want: `{"reply":"hellogrpcurl"}`, calls: 1},
	{name: "unary with every default", flags: []string{"-emit-defaults", "-d", `{"sku":"none","quantity":1000}`},
		args: []string{"wg.v1.Inventory/Check"}, says: []string{`"sku": "none"`, `"available": false`}, calls: 1},
	{name: "server stream", flags: []string{"-d", `{"payload":"AQID","count":3}`}, args: []string{"wg.v1.Echo/ServerStream"},
		want: strings.Repeat(`{"payload":"AQID"}`, 3), calls: 1},
	{name: "client stream", flags: []string{"-d", `{"payload":"AQID"} {"payload":"BA=="}`}, args: []string{"wg.v1.Echo/ClientStream"},
		want: `{"messages":2,"bytes":"4"}`, calls: 1},
	{name: "both ways", flags: []string{"-d", `{"payload":"AQID"} {"payload":"BA=="}`}, args: []string{"wg.v1.Echo/BidiStream"},
		want: `{"payload":"AQID"}{"payload":"BA=="}`, calls: 1},
	{name: "health", args: []string{"grpc.health.v1.Health/Check"}, want: `{"status":"SERVING"}`},
	{name: "planted", flags: []string{"-H", "wg-plant: status=UNAVAILABLE", "-d", `{}`}, args: []string{"wg.v1.Echo/Echo"},
		code: 64 + 14, says: []string{"Code: Unavailable", "Message: planted"}, calls: 1},
	{name: "no such method", flags: []string{"-d", `{}`}, args: []string{"wg.v1.Echo/Gone"}, code: 1, says: []string{`does not include a method named "Gone"`}},
}

// TestGRPCurl: grpcurl as a client of the reference services, with reflection, in clear text and under TLS.
func TestGRPCurl(t *testing.T) {
	server := serveReference(t)
	made, lines := int64(0), 0
	for _, p := range []struct {
		scheme string
		flags  []string
	}{
		{"grpc", []string{"-plaintext"}},
		{"grpcs", []string{"-cacert", server.ca}},
	} {
		for _, c := range grpcurlCases {
			t.Run(p.scheme+" "+c.name, func(t *testing.T) {
				args := append(append([]string{"-max-time", "20"}, p.flags...), c.flags...)
				c.check(t, append(append(args, server.address(p.scheme)), c.args...))
			})
			made, lines = made+c.calls, lines+1
		}
	}
	if got := server.counted(t).Received; got != made {
		t.Errorf("the server has counted %d calls, want %d", got, made)
	}
	t.Logf("%d command lines, %d calls that a service answered", lines, made)
}

func (c grpcurlCase) check(t *testing.T, args []string) {
	t.Helper()
	did := run(t, nil, peer(t, "grpcurl"), args...)
	text := string(did.stdout) + did.stderr
	if did.code != c.code {
		t.Fatalf("grpcurl %q: exit %d, want %d\n%s", args, did.code, c.code, text)
	}
	for _, word := range c.says {
		if !strings.Contains(text, word) {
			t.Errorf("grpcurl %q does not say %q:\n%s", args, word, text)
		}
	}
	if c.want == "" {
		return
	}
	var messages strings.Builder
	for d := json.NewDecoder(strings.NewReader(string(did.stdout))); d.More(); {
		var m json.RawMessage
		if err := d.Decode(&m); err != nil {
			t.Fatalf("grpcurl %q: %v\n%s", args, err, text)
		}
		messages.Write(m)
	}
	if got := strings.Join(strings.Fields(messages.String()), ""); got != c.want {
		t.Errorf("grpcurl %q: %s, want %s", args, got, c.want)
	}
}
