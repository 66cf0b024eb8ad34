package main

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"

	"wiregauge/lab"
	"wiregauge/protocol/rsocket/frame"
)

func TestCallOverRSocket(t *testing.T) {
	s := serve(t, lab.ServeConfig{TLS: true, Plain: true})
	tcp := func(route string) string {
		return strings.Replace(s.urls["rsocket+tcp inventory"], "inventory.check", route, 1)
	}
	over := func(scheme string) string { return s.urls[scheme+" inventory"] }
	stock := "{\n  \"available\": true,\n  \"inStock\": 67,\n  \"sku\": \"A1\",\n  \"warehouse\": \"ams-1\"\n}\n"
	proto := []string{"--proto", "../../lab/proto/inventory.proto", "--call", "wg.v1.Inventory/Check"}
	for _, c := range []struct {
		name, stdin string
		args        []string
		code        int
		stdout      string
		stderr      []string
	}{
		{"CBOR when nothing is said", "", []string{over("rsocket+tcp"), "-d", `{"sku":"A1","quantity":2}`, "-vv"}, 0, stock,
			[]string{"SETUP", "application/cbor", "REQUEST_RESPONSE stream 1", "route inventory.check", "data 18 bytes", "status OK"}},
		{"JSON", "", []string{over("rsocket+tcp"), "-d", `{"sku":"A1"}`, "--codec", "json"}, 0, "", nil},
		{"protobuf by a contract", "", append([]string{over("rsocket+tcp"), "-d", `{"sku":"A1"}`, "--codec", "protobuf", "-vv"}, proto...), 0, "", []string{"application/vnd.google.protobuf", "data 4 bytes"}},
		{"CBOR by a contract", "", append([]string{over("rsocket+tcp"), "-d", `{"sku":"A1"}`, "-vv"}, proto...), 0, "", []string{"data 8 bytes"}},
		{"over WebSocket", "", []string{over("rsocket+ws"), "-d", `{"sku":"A1"}`}, 0, stock, nil},
		{"over WebSocket, with the route in the query", "", []string{strings.Replace(over("rsocket+ws"), "inventory.check", "any/path?route=inventory.check&a=b", 1), "-d", `{"sku":"A1"}`}, 0, stock, nil},
		{"over TLS", "", []string{over("rsocket+tls"), "--cacert", s.CAFile(), "-d", `{"sku":"A1"}`}, 0, stock, nil},
		{"over WebSocket and TLS", "", []string{over("rsocket+wss"), "--cacert", s.CAFile(), "-d", `{"sku":"A1"}`}, 0, stock, nil},
		{"a route of its own", "", []string{tcp(""), "--route", "inventory.check", "-d", `{"sku":"A1"}`}, 0, stock, nil},
		{"text", "", []string{tcp("echo"), "--codec", "text", "-d", "hello"}, 0, "hello\n", nil},
		{"nothing at all", "", []string{tcp("echo"), "--codec", "binary"}, 0, "", nil},
		{"a stream, of which some is taken", "", []string{tcp("ticker"), "--stream", "-d", `{"everyMs":1,"count":50}`, "--take", "2", "-vv"}, 0,
			"{\n  \"number\": 1\n}\n{\n  \"number\": 2\n}\n", []string{"REQUEST_STREAM stream 1", "n 2", "CANCEL", "ended by --take 2"}},
		{"a stream in batches", "", []string{tcp("ticker"), "--stream", "-d", `{"everyMs":1,"count":9}`, "--limit-rate", "4", "-vv"}, 0, "",
			[]string{"n 4", "REQUEST_N stream 1, 10 bytes: n 3"}},
		{"a channel, message by message", `{"payload":"AQI="} {"payload":"AwQ="}`, []string{tcp("echo.channel"), "--channel", "-d", "@-"}, 0,
			"{\n  \"payload\": \"AQI=\"\n}\n{\n  \"payload\": \"AwQ=\"\n}\n", nil},
		{"fire and forget", "", []string{tcp("hello"), "--fnf", "-d", `{"greeting":"x"}`}, 0, "", []string{"sent, not answered"}},
		{"metadata alone", "", []string{tcp(""), "--interaction", "push", "-H", "text/plain: hi", "-vv"}, 0, "", []string{"METADATA_PUSH"}},
		{"no such route", "", []string{tcp("nope"), "-d", "{}"}, exitAnswer, "", []string{"0x201 APPLICATION_ERROR: No handler for destination 'nope'"}},
		{"a planted code", "", []string{tcp("hello"), "-d", "{}", "-H", "application/x.wg-plant: status=0x301"}, exitAnswer, "", []string{"0x301"}},
		{"the wrong interaction", "", []string{tcp("ticker"), "-d", "{}"}, exitAnswer, "", []string{"0x201", "does not support REQUEST_RESPONSE"}},
		{"an HTTP server", "", []string{strings.Replace(s.urls["http hello"], "http://", "rsocket+tcp://", 1), "-d", "{}", "-t", "1s"}, exitUnreachable, "",
			[]string{"an HTTP server answers where rsocket+tcp:// expects RSocket", "rsocket+ws://"}},
		{"RSocket behind http", "", []string{strings.Replace(over("rsocket+tcp"), "rsocket+tcp", "http", 1)}, exitUnreachable, "", []string{"the server speaks RSocket"}},
		{"plaintext behind TLS", "", []string{strings.Replace(over("rsocket+tcp"), "rsocket+tcp", "rsocket+tls", 1), "-k", "-d", "{}"}, exitUnreachable, "", []string{"does not speak TLS", "rsocket+tcp://"}},
		{"a lease of a server that has none", "", []string{tcp("hello"), "--lease", "-d", "{}"}, exitUnreachable, "", []string{"INVALID_SETUP (0x1): lease is not supported"}},
		{"a route given twice", "", []string{over("rsocket+tcp"), "--route", "x", "-d", "{}"}, exitUsage, "", []string{"the route is given twice"}},
		{"data of a push", "", []string{tcp(""), "--interaction", "push", "-d", "{}"}, exitUsage, "", []string{"metadata alone"}},
		{"a header of HTTP", "", []string{tcp("hello"), "-H", "X-A: 1", "-d", "{}"}, exitUsage, "", []string{"named by a MIME type"}},
		{"a bad keep-alive", "", []string{tcp("hello"), "--keepalive", "20s,10s", "-d", "{}"}, exitUsage, "", []string{"counts as dead"}},
		{"a fragment too small", "", []string{tcp("hello"), "--fragment", "10b", "-d", "{}"}, exitUsage, "", []string{"64 bytes"}},
		{"a header of the upgrade without one", "", []string{tcp("hello"), "--ws-header", "A: b", "-d", "{}"}, exitUsage, "", []string{"rsocket+ws://"}},
		{"data that is no JSON", "", []string{tcp("hello"), "-d", "{"}, exitUsage, "", []string{"JSON"}},
		{"words of RSocket on a gRPC target", "", []string{s.urls["grpc hello"], "--lease", "-d", "{}"}, exitUsage, "", []string{"--lease is for RSocket"}},
		{"a rate of messages without a stream", "", []string{tcp("hello"), "--limit-rate", "4", "-d", "{}"}, exitUsage, "", []string{"answered with a stream"}},
		{"protobuf without a contract", "", []string{tcp("hello"), "--codec", "protobuf", "-d", "{}"}, exitUsage, "", []string{"needs a contract"}},
		{"authentication twice", "", []string{tcp("hello"), "--auth", "bearer:x", "-u", "a:b", "-d", "{}"}, exitUsage, "", []string{"given twice"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := invokeWith(t, t.Context(), nil, c.stdin, append([]string{"call"}, c.args...)...)
			if got.code != c.code || c.stdout != "" && got.stdout != c.stdout {
				t.Errorf("exit %d, want %d; stdout %q, want %q\n%s", got.code, c.code, got.stdout, c.stdout, got.stderr)
			}
			for _, word := range c.stderr {
				if !strings.Contains(got.stderr, word) {
					t.Errorf("standard error lacks %q:\n%s", word, got.stderr)
				}
			}
		})
	}
}

func TestLoadOverRSocket(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	tcp := func(route string) string {
		return strings.Replace(s.urls["rsocket+tcp inventory"], "inventory.check", route, 1)
	}
	f, _ := measured(t, exitOK, "run", tcp("inventory.check"), "-d", `[{"sku":"A1"},{"sku":"B2"}]`, "-n", "500", "-c", "8", "--connections", "2")
	if a := f.Arms[0]; a.OK != 500 || a.Failed != 0 || a.Statuses[0].Name != "ok" {
		t.Errorf("%+v", a.Counts)
	}
	f, _ = measured(t, exitOK, "run", tcp("ticker"), "--stream", "-d", `{"everyMs":1,"count":20}`, "--limit-rate", "4", "-n", "10", "-c", "2")
	if a := f.Arms[0]; a.OK != 10 || a.Messages != 200 {
		t.Errorf("streams: %+v", a.Counts)
	}
	f, slow := measured(t, exitOK, "run", tcp("ticker"), "--stream", "-d", `{"everyMs":1,"count":20}`, "--slow-consumer", "1000/s", "-n", "4", "-c", "2")
	if a := f.Arms[0]; a.OK != 4 || a.Slow == nil || a.Slow.Consumed+a.Slow.Left != a.Messages || a.Slow.AheadMax != 1 {
		t.Errorf("taken slowly, a message at a time: %+v, %+v", a.Counts, a.Slow)
	}
	if !strings.Contains(slow.stdout, "the server was ahead by") {
		t.Errorf("no word of how far the server was ahead:\n%s", slow.stdout)
	}
	f, got := measured(t, exitOK, "run", tcp("hello"), "--fnf", "-d", `{"greeting":"x"}`, "-n", "300", "-c", "4")
	if a := f.Arms[0]; a.OK != 300 || !a.OneWay || !strings.Contains(got.stderr, "sent and not answered") ||
		!strings.Contains(got.stdout, "300 sent, not answered") || !strings.Contains(got.stdout, "from due, sent, not answered") {
		t.Errorf("one way: %+v\n%s%s", a.Counts, got.stdout, got.stderr)
	}
	refused := serve(t, lab.ServeConfig{Plain: true, Protocols: []string{"rsocket+tcp"}})
	got = invoke(t, "run", refused.urls["rsocket+tcp inventory"], "-d", "{}", "-n", "5", "--lease")
	if got.code != exitUnreachable || !strings.Contains(got.stderr, "lease is not supported") {
		t.Errorf("a refused SETUP: exit %d\n%s", got.code, got.stderr)
	}
}

func TestCompareOverRSocket(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	f, _ := measured(t, exitOK, "compare", "rest="+s.urls["http inventory"], "grpc="+s.urls["grpc inventory"], "rsocket="+s.urls["rsocket+tcp inventory"],
		"-d", `{"sku":"A1","quantity":2}`, "--rounds", "2", "--turn", "20ms", "--warmup", "10", "-c", "2")
	if !f.Fair.OK() {
		t.Errorf("the same message in CBOR is no fair test: %+v", f.Fair.Checks)
	}
	if a := f.Arms[2]; a.OK == 0 || a.Failed > 0 {
		t.Errorf("rsocket %+v", a.Counts)
	}
	rsocket := strings.Replace(s.urls["rsocket+tcp inventory"], "inventory.check", "hello", 1)
	got := invoke(t, "compare", "a="+rsocket, "b="+rsocket, "--set", "b.interaction=fnf", "-d", `{"greeting":"x"}`, "--rounds", "2")
	if got.code != exitUsage || !strings.Contains(got.stderr, "waits for nothing") {
		t.Errorf("one way beside answered: exit %d\n%s", got.code, got.stderr)
	}
}

// leasing is a server that does what rsocket-java's do with leases: it refuses requests before the first LEASE, which it
// sends only to clients that ask for it here. It answers two connections.
func leasing(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for range 2 {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			r := bufio.NewReader(c)
			read := func() (f frame.Frame) {
				var head [frame.PrefixLen]byte
				if _, err := io.ReadFull(r, head[:]); err != nil {
					return f
				}
				p := make([]byte, frame.Uint24(head[:]))
				_, _ = io.ReadFull(r, p)
				f, _ = frame.Decode(p)
				return f
			}
			send := func(f frame.Frame) { _, _ = c.Write(f.AppendPrefixed(nil)) }
			if setup := read(); setup.Flags&frame.Leasing == 0 {
				read()
				send(frame.Frame{Stream: 1, Type: frame.Error, N: uint32(frame.Rejected), Data: []byte("[server] Lease was not issued yet")})
				continue
			}
			send(frame.Frame{Type: frame.Lease, TTL: 10_000, N: 1})
			if f := read(); f.Type == frame.RequestResponse {
				send(frame.Frame{Stream: 1, Type: frame.Payload, Flags: frame.Next | frame.Complete, Data: f.Data})
			}
		}
	}()
	return l.Addr().String()
}

func TestACallThatLacksALeaseIsSentOnceMore(t *testing.T) {
	got := invoke(t, "call", "rsocket+tcp://"+leasing(t)+"/echo", "-d", `{"a":1}`, "-v")
	if got.code != exitOK || got.stdout != "{\n  \"a\": 1\n}\n" || !strings.Contains(got.stderr, "sent again with --lease") {
		t.Errorf("exit %d, %q\n%s", got.code, got.stdout, got.stderr)
	}
}
