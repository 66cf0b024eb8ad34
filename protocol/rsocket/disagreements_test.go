package rsocket

import (
	"io"
	"strings"
	"testing"
	"time"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/rsocket/frame"
)

const (
	next     = frame.Next
	complete = frame.Complete
)

// disagreements are those of the implementations that were captured, as far as they concern a client, by the letters
// under which they were listed.
var disagreements = []struct {
	name string
	test func(t *testing.T)
}{
	{"A a server that a push kills closes without a word", func(t *testing.T) {
		l := plain(t)
		push, err := l.try(&wiregauge.Request{Shape: wiregauge.OneWay, Method: "meta.push"})
		if err != nil {
			t.Fatal(err)
		}
		l.said("METADATA_PUSH 20 bytes METADATA: route meta.push, metadata 14 bytes")
		c := l.call(wiregauge.Unary, 0, "x")
		l.End(io.EOF)
		l.is(push, wiregauge.OK, 0, "")
		l.is(c, wiregauge.Closed, 0, "closed the connection without an ERROR")
	}},
	{"B a server that demands leases and grants none", func(t *testing.T) {
		l := client(t, protocol.Options{Setup: protocol.Setup{Lease: true}})
		for range 3 {
			if _, err := l.try(&wiregauge.Request{}); err != wiregauge.Credit {
				t.Errorf("start: %v; expected to wait for credit", err)
			}
			l.Tick(l.Now + time.Second)
		}
		l = plain(t)
		l.feed(errorOf(0, frame.RejectedSetup, "Lease has to be enabled"))
		if l.Err == nil || !strings.Contains(l.Err.Error(), "REJECTED_SETUP (0x3): Lease has to be enabled") {
			t.Errorf("the connection: %v", l.Err)
		}
	}},
	{"C every error is 0x201", func(t *testing.T) {
		l := plain(t)
		c := l.call(wiregauge.Unary, 0, "x")
		l.feed(errorOf(1, frame.ApplicationError, "rejected by lab"))
		l.is(c, wiregauge.Failed, 0x201, "rejected by lab")
	}},
	{"D an empty reply that cannot be sent", func(t *testing.T) {
		l := plain(t)
		c := l.call(wiregauge.Unary, 0, "x")
		l.feed(errorOf(1, frame.ApplicationError, "Cannot read properties of undefined (reading 'data')"))
		l.is(c, wiregauge.Failed, 0x201, "Cannot read properties")
	}},
	{"E one lease and no other", func(t *testing.T) {
		l := client(t, protocol.Options{Setup: protocol.Setup{Lease: true}})
		l.feed(leaseOf(1600, 1))
		l.call(wiregauge.Unary, 0, "x")
		if _, err := l.try(&wiregauge.Request{}); err != wiregauge.Credit {
			t.Errorf("start: %v; expected to wait for credit", err)
		}
	}},
	{"F a server that stays open after it has refused", func(t *testing.T) {
		l := client(t, protocol.Options{Setup: protocol.Setup{Await: true}})
		l.feed(errorOf(0, frame.RejectedSetup, "refused by lab"), payload(1, next|complete, "alive"))
		if _, err := l.try(&wiregauge.Request{}); err != wiregauge.Closing {
			t.Errorf("start: %v; expected closing", err)
		}
	}},
	{"H a reply of Complete alone", func(t *testing.T) {
		l := plain(t)
		c := l.call(wiregauge.Unary, 0, "x")
		l.feed(payload(1, complete, ""))
		l.is(c, wiregauge.OK, 0, "")
		l.said("REQUEST_RESPONSE stream 1, 7 bytes: data 1 bytes")
	}},
	{"I over the allowance a call waits", func(t *testing.T) {
		l := client(t, protocol.Options{Setup: protocol.Setup{Lease: true}})
		l.feed(leaseOf(800, 0))
		if _, err := l.try(&wiregauge.Request{}); err != wiregauge.Credit {
			t.Errorf("start: %v; expected to wait for credit", err)
		}
		l.feed(leaseOf(800, 1))
		if n := l.Events.Count("room", nil); n != 1 {
			t.Errorf("room was told %d times; expected once", n)
		}
		l.call(wiregauge.Unary, 0, "x")
	}},
	{"J codes that nobody listed end the call", func(t *testing.T) {
		l := plain(t)
		for i, code := range []frame.Code{0x301, 0xdead, 0, 0xfffffffe} {
			c := l.call(wiregauge.Unary, 0, "x")
			l.feed(errorOf(uint32(2*i+1), code, "custom"))
			l.is(c, wiregauge.Failed, int(code), "custom")
		}
	}},
	{"K an empty reply is not one of no bytes", func(t *testing.T) {
		l := plain(t)
		none, empty := l.call(wiregauge.Unary, 0, "x"), l.call(wiregauge.Unary, 0, "x")
		l.feed(payload(1, complete, ""), payload(3, next|complete, ""))
		if none.Received != 0 || empty.Received != 1 {
			t.Errorf("received %d and %d messages; expected 0 and 1", none.Received, empty.Received)
		}
	}},
	{"L times in SETUP have their milliseconds once", func(t *testing.T) {
		l := client(t, protocol.Options{Setup: protocol.Setup{KeepAlive: 500 * time.Millisecond, Lifetime: 1200 * time.Millisecond}})
		if got := l.sent(); !strings.Contains(got, "version 1.0, keep-alive 500ms, lifetime 1.2s,") {
			t.Errorf("sent %q", got)
		}
	}},
	{"M a lease that was not asked for is kept to", func(t *testing.T) {
		l := plain(t)
		c := l.call(wiregauge.Unary, 0, "x")
		l.feed(errorOf(1, frame.Rejected, "[server] Lease was not issued yet"), leaseOf(800, 1))
		l.is(c, wiregauge.Refused, 0x202, "not issued yet")
		l.call(wiregauge.Unary, 0, "x")
		if _, err := l.try(&wiregauge.Request{}); err != wiregauge.Credit || l.notes().Unasked != 1 {
			t.Errorf("start: %v, notes %+v; expected to wait for credit", err, l.notes())
		}
	}},
	{"N a server that ticks too is answered with its data", func(t *testing.T) {
		l := plain(t)
		l.feed(keepAliveOf(frame.Respond, "tick"), keepAliveOf(frame.Respond, ""))
		l.said("KEEPALIVE 18 bytes: data 4 bytes; KEEPALIVE 14 bytes")
	}},
	{"O a bare close", func(t *testing.T) {
		l := plain(t)
		c := l.call(wiregauge.ServerStream, 0, "x")
		l.feed(payload(1, next, "a"))
		l.End(io.EOF)
		l.is(c, wiregauge.Closed, 0, "closed the connection without an ERROR", "a")
	}},
	{"P frames of streams that only the server could open", func(t *testing.T) {
		l := plain(t)
		c := l.call(wiregauge.Unary, 0, "x")
		l.feed(payload(2, next, "a"), errorOf(4, frame.ApplicationError, "b"), requestN(6, 1), payload(7, next, "unused"), payload(1, next|complete, "hi"))
		l.is(c, wiregauge.OK, 0, "", "hi")
		if got := l.notes(); got.Stray != 4 {
			t.Errorf("notes %+v; expected 4 stray frames", got)
		}
	}},
	{"Q no fragment in the middle is under 64 bytes, and small ones are taken", func(t *testing.T) {
		l := client(t, protocol.Options{Setup: protocol.Setup{Fragment: 20}})
		l.sent()
		c := l.call(wiregauge.Unary, 0, strings.Repeat("x", 150))
		for i, p := range cutFrames(t, l.Take(1<<30), false) {
			if _, _, flags := frame.Head(p); flags&frame.Follows != 0 && len(p)+frame.PrefixLen < 64 {
				t.Errorf("fragment %d has %d bytes with its length; 64 are the least", i, len(p)+frame.PrefixLen)
			}
		}
		l.feed(payload(1, next|frame.Follows, "a"), payload(1, next|frame.Follows, ""), payload(1, next|complete, "b"))
		l.is(c, wiregauge.OK, 0, "", "ab")
	}},
	{"R the size of a fragment counts the length before it, on WebSocket too", func(t *testing.T) {
		l := client(t, protocol.Options{Setup: protocol.Setup{Fragment: 100}})
		l.sent()
		l.call(wiregauge.Unary, 0, strings.Repeat("x", 150))
		l.said("REQUEST_RESPONSE stream 1, 97 bytes FOLLOWS: data 91 bytes; PAYLOAD stream 1, 65 bytes NEXT: data 59 bytes")
	}},
	{"S the hello is in one piece", func(t *testing.T) {
		l := client(t, protocol.Options{Setup: protocol.Setup{Await: true}})
		l.said("SETUP 75 bytes: version 1.0, keep-alive 20s, lifetime 1m30s, metadata is message/x.rsocket.composite-metadata.v0, data is application/cbor; KEEPALIVE 14 bytes RESPOND")
	}},
	{"T the last item and the end come together or apart", func(t *testing.T) {
		l := plain(t)
		one, two := l.call(wiregauge.ServerStream, 0, "x"), l.call(wiregauge.ServerStream, 0, "x")
		l.feed(payload(1, next, "a"), payload(1, next|complete, "b"), payload(3, next, "a"), payload(3, next, "b"), payload(3, complete, ""))
		l.is(one, wiregauge.OK, 0, "", "a", "b")
		l.is(two, wiregauge.OK, 0, "", "a", "b")
	}},
	{"U a channel sends nothing beyond its credit", func(t *testing.T) {
		l := plain(t)
		c := l.call(wiregauge.Bidi, 0, "a", "b", "c", "d")
		l.said("REQUEST_CHANNEL stream 1, 11 bytes: n unbounded, data 1 bytes")
		l.feed(payload(1, next, "A"))
		l.said("")
		l.feed(requestN(1, 2))
		l.said("PAYLOAD stream 1, 7 bytes NEXT: data 1 bytes; PAYLOAD stream 1, 7 bytes NEXT: data 1 bytes")
		l.feed(requestN(1, 1))
		l.said("PAYLOAD stream 1, 7 bytes NEXT: data 1 bytes; PAYLOAD stream 1, 6 bytes COMPLETE")
		l.feed(payload(1, next|complete, "D"))
		l.is(c, wiregauge.OK, 0, "", "A", "D")
	}},
	{"V REQUEST_N of nothing", func(t *testing.T) {
		l := plain(t)
		c := l.channel(1, "a")
		l.said("REQUEST_CHANNEL stream 1, 11 bytes: n 1, data 1 bytes")
		l.feed(requestN(1, 0))
		l.Grant(c, 0)
		l.said("")
		if l.notes().Zero != 1 {
			t.Errorf("notes %+v; expected one REQUEST_N of nothing", l.notes())
		}
	}},
	{"W REQUEST_N with its first bit set", func(t *testing.T) {
		l := plain(t)
		l.call(wiregauge.Bidi, 0, "a", "b", "c")
		l.sent()
		l.feed(wire(frame.Frame{Type: frame.RequestN, Stream: 1, N: 0x80000001}))
		l.said("PAYLOAD stream 1, 7 bytes NEXT: data 1 bytes")
	}},
	{"X a server that complains on stream 0 and goes on", func(t *testing.T) {
		l := plain(t)
		c := l.call(wiregauge.Unary, 0, "x")
		l.feed(errorOf(0, frame.ApplicationError, "Setup frame received post setup."), payload(1, next|complete, "hi"))
		l.is(c, wiregauge.OK, 0, "", "hi")
		if l.notes().Errors != 1 {
			t.Errorf("notes %+v; expected one error", l.notes())
		}
	}},
	{"Y no id is used while it is in use", func(t *testing.T) {
		l := plain(t)
		held := l.call(wiregauge.ServerStream, 0, "x")
		l.Session.(*session).nextID = frame.MaxN
		l.call(wiregauge.Unary, 0, "x")
		l.call(wiregauge.Unary, 0, "x")
		l.said("REQUEST_STREAM stream 1, 11 bytes: n unbounded, data 1 bytes; REQUEST_RESPONSE stream 2147483647, 7 bytes: data 1 bytes; REQUEST_RESPONSE stream 3, 7 bytes: data 1 bytes")
		l.feed(payload(5, next|complete, "late"), payload(1, next|complete, "a"))
		l.is(held, wiregauge.OK, 0, "", "a")
		if l.notes().Late != 1 {
			t.Errorf("notes %+v; expected one late frame", l.notes())
		}
	}},
	{"AA an answer on stream 0", func(t *testing.T) {
		l := plain(t)
		c := l.call(wiregauge.Unary, 0, "x")
		l.sent()
		l.feed(payload(0, next|complete, "hi"))
		l.said("ERROR 64 bytes: CONNECTION_ERROR (0x101) PAYLOAD on stream 0: it belongs to a stream of its own")
		l.End(l.Err)
		l.is(c, wiregauge.Malformed, 0, "PAYLOAD on stream 0")
	}},
	{"AB a server that does not take the version", func(t *testing.T) {
		l := plain(t)
		c := l.call(wiregauge.Unary, 0, "x")
		l.feed(errorOf(0, frame.InvalidSetup, "Unsupported version: 1.0"))
		l.End(l.Err)
		l.is(c, wiregauge.Failed, 1, "Unsupported version: 1.0")
	}},
	{"AC no resumption is asked for, and none is taken", func(t *testing.T) {
		for _, f := range []frame.Frame{{Type: frame.ResumeOK}, {Type: frame.Resume}, {Type: frame.Setup}} {
			l := client(t, protocol.Options{})
			if got := l.sent(); strings.Contains(got, "RESUME") {
				t.Errorf("sent %q", got)
			}
			l.feed(wire(f))
			if l.Err == nil || !strings.Contains(l.Err.Error(), f.Type.String()+" from a server") {
				t.Errorf("after %s the connection: %v", f.Type, l.Err)
			}
		}
	}},
	{"AE flags of LEASE and METADATA_PUSH", func(t *testing.T) {
		l := client(t, protocol.Options{Setup: protocol.Setup{Lease: true}})
		l.feed(wire(frame.Frame{Type: frame.Lease, Flags: frame.Meta, TTL: 800, N: 1}))
		l.call(wiregauge.Unary, 0, "x")
		l.feed(wire(frame.Frame{Type: frame.Lease, TTL: 800, N: 1}), wire(frame.Frame{Type: frame.MetadataPush, Data: []byte("m")}),
			wire(frame.Frame{Type: frame.MetadataPush, Flags: frame.Meta, Metadata: []byte("m")}))
		l.call(wiregauge.Unary, 0, "x")
		if got := l.notes(); got.Leases != 2 || got.Unasked != 0 || got.Pushes != 2 {
			t.Errorf("notes %+v", got)
		}
	}},
	{"AF the end of a connection over WebSocket", func(t *testing.T) {
		for text, close := range map[string]string{"without a code": "\x88\x00", "with code 1000": "\x88\x02\x03\xe8", "without an ERROR": ""} {
			l := upgraded(t, protocol.Setup{})
			c := l.call(wiregauge.Unary, 0, "x")
			l.Feed([]byte(close))
			l.End(l.Err)
			l.is(c, wiregauge.Closed, 0, text)
		}
	}},
}

func TestDisagreements(t *testing.T) {
	for _, row := range disagreements {
		t.Run(row.name, row.test)
	}
}

// upgraded is a connection over WebSocket whose SETUP has gone.
func upgraded(t testing.TB, s protocol.Setup) *clientLab {
	s.Web = true
	l := client(t, protocol.Options{Setup: s, Authority: "host:1"})
	l.Feed([]byte("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n\r\n"))
	if l.Err != nil {
		t.Fatal(l.Err)
	}
	l.sent()
	return l
}
