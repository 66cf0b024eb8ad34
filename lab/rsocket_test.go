package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"google.golang.org/protobuf/proto"

	"wiregauge/lab/wgpb"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/websocket"
)

// Every service answers over every carrier in every codec, under both of its names.
func TestRSocketServices(t *testing.T) {
	s := serve(t, ServeConfig{Protocols: rsocketNames})
	q := map[string]any{"sku": "A-1", "quantity": 1, "greeting": "Ada", "randomString": "r", "randomInt": 7}
	for _, protocol := range rsocketNames {
		for _, mime := range []string{"application/json", "application/cbor"} {
			p := connect(t, s, protocol, mime, 0)
			c := codecOf(mime)
			body, err := c.marshal(q)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range []struct{ route, want string }{
				{"hello", `{"reply":"hello Ada"}`},
				{"wg.v1.Hello/SayHello", `{"reply":"hello Ada"}`},
				{"random", `{"randomString":"r","randomInt":7}`},
				{"inventory.check", `{"sku":"A-1","available":true,"inStock":94,"warehouse":"sin-4"}`},
				{"wg.v1.Inventory/Check", `{"sku":"A-1","available":true,"inStock":94,"warehouse":"sin-4"}`},
			} {
				got, failure := p.call(row.route, body)
				if mime == "application/cbor" {
					got = asJSON(t, got)
				}
				if !sameJSON(got, row.want) {
					t.Errorf("%s on %s in %s: got %s %s, want %s", row.route, protocol, c.name, got, failure, row.want)
				}
			}
		}
		for _, mime := range []string{"application/vnd.google.protobuf", "application/x-protobuf"} {
			body, _ := proto.Marshal(&wgpb.CheckRequest{Sku: "A-1", Quantity: 1})
			got, failure := connect(t, s, protocol, mime, 0).call("inventory.check", body)
			var a wgpb.CheckReply
			if err := proto.Unmarshal(got, &a); err != nil || a.InStock != 94 || !a.Available || a.Warehouse != "sin-4" {
				t.Errorf("protobuf on %s: got %v %s, %v", protocol, &a, failure, err)
			}
		}
	}
}

func asJSON(t *testing.T, p []byte) []byte {
	t.Helper()
	var v map[string]any
	if err := cbor.Unmarshal(p, &v); err != nil {
		t.Fatalf("%x is no CBOR: %v", p, err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func sameJSON(got []byte, want string) bool {
	var a, b any
	return json.Unmarshal(got, &a) == nil && json.Unmarshal([]byte(want), &b) == nil && fmt.Sprint(a) == fmt.Sprint(b)
}

// The echo sends back bytes of any size and any media type.
func TestRSocketEcho(t *testing.T) {
	s := serve(t, ServeConfig{Protocols: rsocketNames})
	for _, protocol := range rsocketNames {
		p := connect(t, s, protocol, "text/plain", 0)
		for _, size := range []int{0, 1, 100, 70_000, 1 << 20, 3 << 20} {
			want := bytes.Repeat([]byte{byte(size)}, size)
			got, failure := p.call("echo", want)
			if failure != "" || !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes came back as %d, %s", protocol, size, len(got), failure)
			}
		}
	}
}

func TestRSocketCallsThatCannotBe(t *testing.T) {
	s := serve(t, ServeConfig{Protocols: []string{"rsocket+tcp"}, Services: []string{"hello", "echo"}})
	for _, row := range []struct {
		name, mime, route, body, want string
		kind                          frame.Type
	}{
		{"a route that is not there", "text/plain", "nope", "", "0x201 No handler for destination 'nope'", frame.RequestResponse},
		{"a service that was not chosen", "text/plain", "inventory.check", "", "0x201 No handler for destination 'inventory.check'", frame.RequestResponse},
		{"a stream of a single answer", "text/plain", "echo", "", "0x201 Destination 'echo' does not support REQUEST_STREAM. Supported interaction(s): [REQUEST_RESPONSE, REQUEST_FNF]", frame.RequestStream},
		{"a single answer of a stream", "text/plain", "echo.stream", "", "0x201 Destination 'echo.stream' does not support REQUEST_RESPONSE. Supported interaction(s): [REQUEST_STREAM]", frame.RequestResponse},
		{"no media type that says something", "text/plain", "hello", "x", "0x201 the SETUP names no media type that this route reads: want application/cbor, application/json or application/vnd.google.protobuf", frame.RequestResponse},
		{"a message that is none", "application/json", "hello", "x", "0x201 the message of 1 bytes is no JSON of this route: invalid character 'x' looking for beginning of value", frame.RequestResponse},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := connect(t, s, "rsocket+tcp", row.mime, 0)
			p.send(request(row.kind, 1, row.route, []byte(row.body), 1))
			if got, failure := p.answer(1); failure != row.want {
				t.Errorf("got %q %q\nwant %q", got, failure, row.want)
			}
		})
	}
}

func TestPlantsOverRSocket(t *testing.T) {
	rows := []struct {
		name, plant string
		want        string // of ten calls, one after the other
	}{
		{"nothing", "", "ok ok ok ok ok ok ok ok ok ok"},
		{"every second fails", "status=503/2", "ok 0x202 ok 0x202 ok 0x202 ok 0x202 ok 0x202"},
		{"a status of another kind", "status=500/5", "ok ok ok ok 0x201 ok ok ok ok 0x201"},
		{"a code of its own", "status=0x301/5", "ok ok ok ok 0x301 ok ok ok ok 0x301"},
		{"every fifth is reset", "reset=/5", "ok ok ok ok 0x203 ok ok ok ok 0x203"},
		{"every fifth is refused", "refuse=/5", "ok ok ok ok 0x202 ok ok ok ok 0x202"},
		{"every third breaks off", "cut=/3", "ok ok lost ok ok lost ok ok lost ok"},
		{"a delay", "delay=1ms", "ok ok ok ok ok ok ok ok ok ok"},
		{"a slow body", "body=1ms:2ms:2", "ok ok ok ok ok ok ok ok ok ok"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			for _, protocol := range rsocketNames {
				s := serve(t, ServeConfig{Services: []string{"hello"}, Protocols: []string{protocol}, Plant: row.plant, Clock: &asked{}})
				var got []string
				p := connect(t, s, protocol, "application/json", 0)
				for range 10 {
					word := helloOverRSocket(p)
					if got = append(got, word); word == "lost" {
						p = connect(t, s, protocol, "application/json", 0)
					}
				}
				if g := strings.Join(got, " "); g != row.want {
					t.Errorf("%s: %s\nwant %s", protocol, g, row.want)
				}
				if n := s.Stats(); n.Received != 10 || n.Answered != int64(strings.Count(row.want, "ok")) || n.Answered+n.Failed != 10 {
					t.Errorf("%s: received %d, answered %d, failed %d", protocol, n.Received, n.Answered, n.Failed)
				}
			}
		})
	}
}

func TestPlantsByEntry(t *testing.T) {
	s := serve(t, ServeConfig{Services: []string{"hello"}, Protocols: []string{"rsocket+tcp"}})
	p := connect(t, s, "rsocket+tcp", "application/json", 0)
	var got []string
	for _, plant := range []string{"status=404/2", "status=404/2", "reset", "dely=1s", "lease=1/1s", "size=10"} {
		got = append(got, helloOverRSocket(p, plantMIME, plant))
	}
	got = append(got, helloOverRSocket(p, "wg-plant", "status=429"), helloOverRSocket(p, "text/x.a", "status=429"))
	if want := []string{"ok", "0x201", "0x203", "0x204", "0x204", "ok", "0x202", "ok"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRSocketAnswersGrow(t *testing.T) {
	s := serve(t, ServeConfig{Protocols: []string{"rsocket+tcp"}, Plant: "size=1000"})
	for _, mime := range []string{"application/json", "application/cbor"} {
		p := connect(t, s, "rsocket+tcp", mime, 0)
		empty, _ := codecOf(mime).marshal(map[string]any{})
		for _, route := range []string{"hello", "inventory.check", "random", "echo"} {
			if got, failure := p.call(route, empty); len(got) < 1000 || len(got) > 1500 {
				t.Errorf("%s of %s answers %d bytes, %s", route, mime, len(got), failure)
			}
		}
	}
	if got, _ := connect(t, s, "rsocket+tcp", "text/plain", 0).call("echo", []byte("abc")); len(got) != 1003 {
		t.Errorf("the echo of bytes answers %d", len(got))
	}
}

// A call that hangs holds up nobody, and its client's CANCEL ends it.
func TestHangOverRSocket(t *testing.T) {
	s := serve(t, ServeConfig{Services: []string{"hello"}, Protocols: []string{"rsocket+tcp"}})
	p := connect(t, s, "rsocket+tcp", "application/json", 0)
	p.send(request(frame.RequestResponse, 101, "hello", []byte("{}"), 0, plantMIME, "hang"))
	if got := helloOverRSocket(p); got != "ok" {
		t.Errorf("a call beside it: %s", got)
	}
	if n := s.Stats(); n.Received != 2 || n.Answered != 1 || n.Failed != 0 {
		t.Errorf("received %d, answered %d, failed %d", n.Received, n.Answered, n.Failed)
	}
	p.send(frame.Frame{Type: frame.Cancel, Stream: 101})
	until(t, func() bool { return s.Stats().Failed == 1 })
	p.send(request(frame.RequestResponse, 103, "hello", []byte("{}"), 0, plantMIME, "hang"))
	until(t, func() bool { return s.Stats().Received == 3 })
	p.conn.Close()
	until(t, func() bool { return s.Stats().Failed == 2 && s.Stats().OpenConnections == 0 })
}

// Leases go to every client, which is held to them.
func TestLeasesOverRSocket(t *testing.T) {
	for _, flags := range []frame.Flags{0, frame.Leasing} {
		s := serve(t, ServeConfig{Services: []string{"hello"}, Protocols: []string{"rsocket+tcp"}, Plant: "lease=2/1h"})
		p := connect(t, s, "rsocket+tcp", "application/json", flags)
		f, err := p.next()
		if err != nil || f.Type != frame.Lease || f.TTL != 3_600_000 || f.N != 2 {
			t.Fatalf("got %v of %d ms for %d, %v", f.Type, f.TTL, f.N, err)
		}
		got := []string{helloOverRSocket(p), helloOverRSocket(p), helloOverRSocket(p)}
		if want := []string{"ok", "ok", "0x202"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	s := serve(t, ServeConfig{Services: []string{"hello"}, Protocols: []string{"rsocket+tcp"}, Plant: "lease=1/1ms"})
	p := connect(t, s, "rsocket+tcp", "application/json", 0)
	for range 3 { // sent by the clock, although nothing comes
		if f, err := p.next(); err != nil || f.Type != frame.Lease {
			t.Fatalf("got %v, %v", f.Type, err)
		}
	}
}

// A connection is asked to go away, and its calls are answered first.
func TestRSocketConnectionsAreAged(t *testing.T) {
	for _, plant := range []string{"requests=4", "age=1s"} {
		clock := &asked{}
		s := serve(t, ServeConfig{Services: []string{"hello"}, Protocols: []string{"rsocket+tcp"}, Plant: plant, Clock: clock})
		p := connect(t, s, "rsocket+tcp", "application/json", 0)
		calls := 0
		for range 12 {
			if helloOverRSocket(p) != "ok" {
				t.Errorf("%s: call %d fails", plant, calls)
			}
			clock.move(300 * time.Millisecond)
			if calls++; calls%4 == 0 && plant == "requests=4" || plant == "age=1s" && calls%5 == 0 {
				if f, err := p.next(); err != nil || f.Type != frame.Error || frame.Code(f.N) != frame.ConnectionClose {
					t.Fatalf("%s: after %d calls %v, %v; want CONNECTION_CLOSE", plant, calls, f.Type, err)
				}
				if got := helloOverRSocket(p); got != "0x202" {
					t.Errorf("%s: a call after that is answered %s", plant, got)
				}
				p = connect(t, s, "rsocket+tcp", "application/json", 0)
			}
		}
	}
}

// An echo of fifty calls is one write and takes no memory.
func TestRSocketEchoAllocatesNothing(t *testing.T) {
	s := serve(t, ServeConfig{Services: []string{"echo"}, Protocols: []string{"rsocket+tcp"}})
	for _, route := range []string{"echo", "wg.v1.Echo/Echo"} {
		conn := &nowhere{}
		d := echoDesk(t, s, conn)
		setup := frame.Frame{Type: frame.Setup, Major: 1, KeepAlive: 20_000, Lifetime: 90_000,
			MetadataMIME: []byte("message/x.rsocket.composite-metadata.v0"), DataMIME: []byte("application/cbor")}
		d.take(setup.AppendPrefixed(nil))
		var in []byte
		for i := range uint32(50) {
			f := request(frame.RequestResponse, 1+2*i, route, []byte("0123456789"), 0)
			in = f.AppendPrefixed(in)
		}
		d.take(in)
		conn.writes, conn.bytes = 0, 0
		if n := testing.AllocsPerRun(100, func() { d.take(in) }); n != 0 {
			t.Errorf("%s: %v allocations for 50 calls", route, n)
		}
		if want := 101 * 50 * (3 + 6 + 10); conn.writes != 101 || conn.bytes != want {
			t.Errorf("%s: %d bytes in %d writes for 101 reads, want %d", route, conn.bytes, conn.writes, want)
		}
		d.close()
	}
}

func echoDesk(t testing.TB, s *Server, conn net.Conn) *desk {
	t.Helper()
	return s.newCounter("rsocket+tcp").newDesk(conn)
}

// nowhere is a connection that takes everything.
type nowhere struct {
	net.Conn
	writes, bytes int
}

func (n *nowhere) Write(p []byte) (int, error) {
	n.writes++
	n.bytes += len(p)
	return len(p), nil
}
func (n *nowhere) Close() error                    { return nil }
func (n *nowhere) SetReadDeadline(time.Time) error { return nil }

// An idle connection is ended, and so is one that was asked to go and had its grace.
func TestConnectionsThatAreEnded(t *testing.T) {
	for _, plant := range []string{"idle=20ms", "age=20ms+20ms"} {
		clock := &asked{}
		s := serve(t, ServeConfig{Services: []string{"hello"}, Protocols: []string{"rsocket+tls"}, Plant: plant, Clock: clock})
		p := connect(t, s, "rsocket+tls", "application/json", 0)
		if got := helloOverRSocket(p); got != "ok" {
			t.Errorf("%s: %s", plant, got)
		}
		clock.move(20 * time.Millisecond)
		f, err := p.next()
		if err != nil || f.Type != frame.Error || frame.Code(f.N) != frame.ConnectionClose {
			t.Errorf("%s: %v, %v; want CONNECTION_CLOSE", plant, f.Type, err)
		}
		clock.move(20 * time.Millisecond)
		if err := p.ends(); err == nil {
			t.Errorf("%s: the connection goes on", plant)
		}
	}
}

// A client that dies at any byte of what it says leaves nothing behind.
func TestClientsThatDie(t *testing.T) {
	s := serve(t, ServeConfig{Services: []string{"echo"}, Protocols: []string{"rsocket+tcp", "rsocket+ws"}})
	conns := int64(0)
	for _, protocol := range []string{"rsocket+tcp", "rsocket+ws"} {
		said := &said{}
		p := &rawPeer{t: t, conn: said, web: overWebSocket(protocol)}
		if p.web {
			said.Write(websocket.AppendRequest(nil, "/", "x", "dGhlIHNhbXBsZSBub25jZQ==", nil))
		}
		p.setUp("text/plain", 0)
		p.send(request(frame.RequestStream, 1, "echo.stream", []byte("hi"), 2), request(frame.RequestChannel, 3, "echo.channel", []byte("hi"), 1),
			request(frame.RequestResponse, 5, "echo", []byte("hi"), 0, plantMIME, "hang"))
		for cut := range len(said.bytes) + 1 {
			c, err := net.Dial("tcp", hostOf(t, endpoint(t, s, "echo", protocol)))
			if err != nil {
				t.Fatal(err)
			}
			c.Write(said.bytes[:cut])
			c.Close()
			conns++
		}
	}
	until(t, func() bool { st := s.Stats(); return st.Connections == conns && st.OpenConnections == 0 })
	if st := s.Stats(); st.Received == 0 || st.Received != st.Answered+st.Failed {
		t.Errorf("received %d, answered %d, failed %d", st.Received, st.Answered, st.Failed)
	}
}

// said is a connection that keeps what is written to it.
type said struct {
	net.Conn
	bytes []byte
}

func (s *said) Write(p []byte) (int, error) {
	s.bytes = append(s.bytes, p...)
	return len(p), nil
}

// A call that is given up in the read that brought it is counted and not answered.
func TestCallsThatAreGivenUpAtOnce(t *testing.T) {
	s := serve(t, ServeConfig{Services: []string{"echo"}, Protocols: []string{"rsocket+tcp"}})
	p := connect(t, s, "rsocket+tcp", "text/plain", 0)
	p.send(request(frame.RequestResponse, 101, "echo", []byte("a"), 0), frame.Frame{Type: frame.Cancel, Stream: 101},
		request(frame.RequestStream, 103, "echo.stream", []byte("b"), 5), frame.Frame{Type: frame.Cancel, Stream: 103},
		request(frame.RequestFNF, 105, "echo", []byte("c"), 0), request(frame.RequestFNF, 105, "echo", []byte("d"), 0, plantMIME, "delay=1ms"),
		request(frame.RequestResponse, 107, "echo", []byte("e"), 0))
	f, err := p.next()
	if err != nil || f.Stream != 107 || string(f.Data) != "e" {
		t.Errorf("got %v on stream %d, %q, %v", f.Type, f.Stream, f.Data, err)
	}
	until(t, func() bool { st := s.Stats(); return st.Received == 5 && st.Answered == 5 })
}

func BenchmarkRSocketEcho(b *testing.B) {
	s, err := Serve(context.Background(), ServeConfig{Services: []string{"echo"}, Protocols: []string{"rsocket+tcp"}})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	d := echoDesk(b, s, &nowhere{})
	setup := frame.Frame{Type: frame.Setup, Major: 1, MetadataMIME: []byte("message/x.rsocket.composite-metadata.v0")}
	d.take(setup.AppendPrefixed(nil))
	var in []byte
	for i := range uint32(50) {
		f := request(frame.RequestResponse, 1+2*i, "echo", []byte("0123456789"), 0)
		in = f.AppendPrefixed(in)
	}
	b.ReportAllocs()
	for b.Loop() {
		d.take(in)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/50, "ns/call")
}
