package rsocket

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/rsocket/frame"
)

// clientRules are what a client owes its server and its lane, a row for each.
var clientRules = []struct {
	name string
	test func(t *testing.T)
}{
	{"credit is without end once all that was ever asked for is 2^31-1", func(t *testing.T) {
		l := plain(t)
		l.call(wiregauge.Bidi, 0, "a", "b", "c", "d")
		l.sent()
		l.feed(requestN(1, 1<<30), requestN(1, 1<<30))
		st := l.Session.(*session).table.get(1)
		if st == nil || st.credit != unbounded {
			t.Errorf("the stream %+v; expected credit without end", st)
		}
	}},
	{"a peer that wants no more of a channel may still answer", func(t *testing.T) {
		l := plain(t)
		c := l.channel(0, "a")
		l.Send(c, []byte("queued"), false)
		l.sent()
		l.feed(wire(frame.Frame{Type: frame.Cancel, Stream: 1}))
		if err := l.Send(c, []byte("b"), true); err != wiregauge.ErrStopped || c.Queued != 0 {
			t.Errorf("send: %v, %d bytes queued", err, c.Queued)
		}
		l.feed(payload(1, next, "x"), payload(1, complete, ""))
		l.is(c, wiregauge.OK, 0, "", "x")
		l.said("")
	}},
	{"one message waits for credit, a second is refused", func(t *testing.T) {
		l := plain(t)
		c := l.channel(0, "a")
		if err := l.Send(c, []byte("b"), false); err != nil || c.Queued == 0 {
			t.Errorf("send: %v, %d bytes queued", err, c.Queued)
		}
		if err := l.Send(c, []byte("c"), false); err != wiregauge.Busy {
			t.Errorf("send: %v; expected busy", err)
		}
		l.sent()
		l.feed(requestN(1, 1))
		l.said("PAYLOAD stream 1, 7 bytes NEXT: data 1 bytes")
		if n := l.Events.Count("room", c); n != 1 || c.Queued != 0 {
			t.Errorf("room was told %d times, %d bytes queued; expected once, 0", n, c.Queued)
		}
		l.Send(c, nil, true)
		l.said("PAYLOAD stream 1, 6 bytes COMPLETE")
		if err := l.Send(c, []byte("d"), false); err != wiregauge.ErrStopped {
			t.Errorf("send after the end: %v", err)
		}
	}},
	{"a channel begins with its first message", func(t *testing.T) {
		l := plain(t)
		c := l.channel(3)
		l.said("")
		other := l.call(wiregauge.Unary, 0, "x")
		l.Send(c, []byte("a"), false)
		l.said("REQUEST_RESPONSE stream 1, 7 bytes: data 1 bytes; REQUEST_CHANNEL stream 3, 11 bytes: n 3, data 1 bytes")
		l.feed(payload(3, complete, ""), payload(1, complete, ""))
		l.is(c, wiregauge.OK, 0, "")
		l.is(other, wiregauge.OK, 0, "")
		l.said("PAYLOAD stream 3, 6 bytes COMPLETE")
	}},
	{"a channel that ends before its first message sends an empty one", func(t *testing.T) {
		l := plain(t)
		c := l.channel(0)
		l.Send(c, nil, true)
		l.said("REQUEST_CHANNEL stream 1, 10 bytes: n unbounded; PAYLOAD stream 1, 6 bytes COMPLETE")
	}},
	{"a call that is abandoned before its request says nothing", func(t *testing.T) {
		l := plain(t)
		l.Cancel(l.channel(0))
		l.said("")
	}},
	{"CANCEL abandons a call, and what still comes is late", func(t *testing.T) {
		l := plain(t)
		l.Cancel(l.call(wiregauge.ServerStream, 0, "x"))
		l.feed(payload(1, next, "a"), payload(1, complete, ""), errorOf(1, frame.Canceled, ""))
		l.said("REQUEST_STREAM stream 1, 11 bytes: n unbounded, data 1 bytes; CANCEL stream 1, 6 bytes")
		if l.notes().Late != 3 {
			t.Errorf("notes %+v; expected 3 late frames", l.notes())
		}
	}},
	{"credit is granted by the lane alone", func(t *testing.T) {
		l := plain(t)
		c := l.call(wiregauge.ServerStream, 2, "x")
		l.feed(payload(1, next, "a"), payload(1, next, "b"))
		l.Grant(c, 3)
		l.said("REQUEST_STREAM stream 1, 11 bytes: n 2, data 1 bytes; REQUEST_N stream 1, 10 bytes: n 3")
		l.feed(payload(1, next, "c"), payload(1, next, "d"), payload(1, next, "e"), payload(1, next, "f"))
		if l.notes().Beyond != 1 {
			t.Errorf("notes %+v; expected one message beyond the credit", l.notes())
		}
	}},
	{"what is sent one way is done when its bytes have left", func(t *testing.T) {
		l := plain(t)
		c := l.call(wiregauge.OneWay, 0, "x")
		if l.Events.Ended(c) {
			t.Error("it is done while its bytes are unsent")
		}
		l.said("REQUEST_FNF stream 1, 7 bytes: data 1 bytes")
		l.is(c, wiregauge.OK, 0, "")
		lost := l.call(wiregauge.OneWay, 0, "x")
		l.Cancel(l.call(wiregauge.OneWay, 0, "given up"))
		l.End(io.EOF)
		l.is(lost, wiregauge.Closed, 0, "")
		l.said("REQUEST_FNF stream 3, 7 bytes: data 1 bytes; REQUEST_FNF stream 5, 14 bytes: data 8 bytes")
	}},
	{"a channel ends with the answer", func(t *testing.T) {
		l := plain(t)
		c := l.call(wiregauge.Bidi, 0, "a", "b")
		l.sent()
		l.feed(payload(1, next|complete, "A"))
		l.is(c, wiregauge.OK, 0, "", "A")
		l.said("PAYLOAD stream 1, 6 bytes COMPLETE")
	}},
	{"an answer to half a request ends the request", func(t *testing.T) {
		l := client(t, protocol.Options{Setup: protocol.Setup{Fragment: 64}})
		l.sent()
		c := l.call(wiregauge.Unary, 0, strings.Repeat("x", 100<<10))
		l.feed(payload(1, next|complete, "enough"))
		l.is(c, wiregauge.OK, 0, "", "enough")
		if got := l.sent(); !strings.HasSuffix(got, "; CANCEL stream 1, 6 bytes") || strings.HasSuffix(got, "NEXT: data 0 bytes; CANCEL stream 1, 6 bytes") {
			t.Errorf("sent %q", got[max(0, len(got)-200):])
		}
		l.said("")
	}},
	{"EXT that must be understood", func(t *testing.T) {
		l := plain(t)
		l.feed(wire(frame.Frame{Type: frame.Ext, N: 0x17}))
		l.said("ERROR 82 bytes: CONNECTION_ERROR (0x101) EXT of type 0x17, which is not known here and does not ask to be ignored")
	}},
	{"a request of the server under an id of the client", func(t *testing.T) {
		l := plain(t)
		l.feed(call(frame.RequestResponse, 7, "x", "y"))
		if l.Err == nil || !strings.Contains(l.Err.Error(), "from the server on stream 7: its streams have even numbers") {
			t.Errorf("the connection: %v", l.Err)
		}
	}},
	{"frames shorter than their fields", func(t *testing.T) {
		for _, short := range []string{"00000800000001200000", "000008000000012c000000", "00000a000000000c0000000000", "00000a00000000080000000000", "000007000000012960000003"} {
			l := plain(t)
			l.call(wiregauge.Bidi, 0, "x")
			l.Feed(unhexAll(t, short)[0])
			l.Feed(make([]byte, 16))
			if l.Err == nil {
				t.Errorf("%s is taken", short)
			}
		}
	}},
	{"an answer over the limit of the call costs the call", func(t *testing.T) {
		l := plain(t)
		c, _ := l.try(&wiregauge.Request{MaxReply: 10}, "x")
		other := l.call(wiregauge.Unary, 0, "x")
		l.sent()
		l.feed(payload(1, next|complete, "eleven byte"), payload(3, next|complete, "hi"))
		l.is(c, wiregauge.TooLarge, 0, "a message of 11 bytes; the limit is 10, --max-reply raises it")
		l.is(other, wiregauge.OK, 0, "", "hi")
		l.said("CANCEL stream 1, 6 bytes")
		chain, _ := l.try(&wiregauge.Request{MaxReply: 10}, "x")
		l.sent()
		l.feed(payload(5, next|frame.Follows, "eight by"), payload(5, next|frame.Follows, "teen"), payload(5, next|complete, "late"))
		l.is(chain, wiregauge.TooLarge, 0, "a message of 12 bytes or more in fragments; the limit is 10")
		l.said("CANCEL stream 5, 6 bytes")
	}},
	{"a frame over the limit of the connection ends it, before it has come", func(t *testing.T) {
		l := client(t, protocol.Options{Setup: protocol.Setup{MaxMessage: 1000}})
		c, other := l.call(wiregauge.Unary, 0, "x"), l.call(wiregauge.Unary, 0, "x")
		l.Feed(payload(1, next|complete, strings.Repeat("x", 2000))[:9])
		l.End(l.Err)
		l.is(c, wiregauge.TooLarge, 0, "PAYLOAD of 2006 bytes; the limit is 1000")
		l.is(other, wiregauge.Closed, 0, "")
	}},
	{"messages that are never whole are bounded together", func(t *testing.T) {
		l := client(t, protocol.Options{Setup: protocol.Setup{MaxMessage: 1000}})
		var ended int
		for i := range 8 {
			c := l.call(wiregauge.Unary, 0, "x")
			l.feed(payload(uint32(2*i+1), next|frame.Follows, strings.Repeat("x", 600)))
			if l.Events.Ended(c) {
				ended++
				l.is(c, wiregauge.TooLarge, 0, "more than 2000 bytes of messages on this connection that are not whole")
			}
		}
		if ended != 5 {
			t.Errorf("%d of 8 calls ended; expected 5", ended)
		}
	}},
	{"a message that nobody wants is only counted", func(t *testing.T) {
		l := plain(t)
		c := l.call(wiregauge.ServerStream, 0, "x")
		c.Request.Keep = false
		l.feed(payload(1, next|frame.Follows, strings.Repeat("x", 600)), payload(1, next|frame.Follows, strings.Repeat("x", 600)))
		if st := l.Session.(*session).table.get(1); cap(st.in.data) != 0 {
			t.Errorf("%d bytes are kept", cap(st.in.data))
		}
		l.feed(payload(1, next|complete, ""))
		if c.Outcome != wiregauge.OK || c.Received != 1 {
			t.Errorf("outcome %s, %d messages", c.Outcome, c.Received)
		}
	}},
	{"a connection for each call", func(t *testing.T) {
		l := client(t, protocol.Options{OneCall: true})
		l.call(wiregauge.Unary, 0, "x")
		if _, err := l.try(&wiregauge.Request{}); err != wiregauge.Closing || !l.Events.SaidClosing() {
			t.Errorf("start: %v, closing said: %t", err, l.Events.SaidClosing())
		}
	}},
	{"no more calls than are wanted", func(t *testing.T) {
		l := client(t, protocol.Options{Streams: 1})
		l.call(wiregauge.Unary, 0, "x")
		if _, err := l.try(&wiregauge.Request{}); err != wiregauge.Streams {
			t.Errorf("start: %v; expected streams", err)
		}
		l.feed(payload(1, complete, ""))
		l.call(wiregauge.Unary, 0, "x")
	}},
	{"a request that never went out whole was not processed", func(t *testing.T) {
		l := plain(t)
		l.call(wiregauge.Unary, 0, "x")
		none, half := l.channel(0), l.call(wiregauge.Unary, 0, strings.Repeat("x", 3<<20))
		l.Take(10 << 10)
		l.End(&ErrReset{})
		l.is(half, wiregauge.Unprocessed, 0, "")
		l.is(none, wiregauge.Unprocessed, 0, "")
	}},
	{"metadata of a reply is kept for who looks at it", func(t *testing.T) {
		l := plain(t)
		c := l.call(wiregauge.Unary, 0, "x")
		c.Detail = &wiregauge.Detail{}
		l.feed(wire(frame.Frame{Type: frame.Payload, Stream: 1, Flags: next | complete | frame.Meta, Metadata: []byte("\xa1\x00\x00\x02hi"), Data: []byte("d")}))
		l.is(c, wiregauge.OK, 0, "", "d")
		if got := c.Detail.Trailer; len(got) != 1 || got[0].Name != "text/plain" || got[0].Value != "hi" {
			t.Errorf("metadata %+v", got)
		}
	}},
	{"what the server says about the end is said of every call", func(t *testing.T) {
		l := plain(t)
		c, _ := l.call(wiregauge.Unary, 0, "x"), l.call(wiregauge.Unary, 0, "x")
		l.feed(errorOf(0, frame.ConnectionClose, "going away\xff"))
		var f *wiregauge.Failure
		if !errors.As(l.Err, &f) || f.Status != 0x102 || l.Session.(*session).Ended() == "" {
			t.Errorf("the connection: %v; expected a failure 0x102", l.Err)
		}
		l.End(l.Err)
		l.is(c, wiregauge.Failed, 0x102, "CONNECTION_CLOSE (0x102): going away\ufffd")
	}},
	{"peers that speak something else", func(t *testing.T) {
		for text, p := range map[string]string{
			`the peer speaks HTTP, not RSocket over TCP: it said "HTTP/1.1 400 Bad Request"`: "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
			"the peer speaks TLS, and this is plaintext":                                     "\x15\x03\x01\x00\x02\x02\x46 and more",
		} {
			l := plain(t)
			l.Feed([]byte(p))
			if l.Err == nil || !strings.Contains(l.Err.Error(), text) {
				t.Errorf("the connection: %v; expected %s", l.Err, text)
			}
		}
	}},
	{"a server that asks for answers and does not read them", func(t *testing.T) {
		l := plain(t)
		for range 2000 {
			if l.feed(keepAliveOf(frame.Respond, strings.Repeat("x", 1000))); l.Err != nil {
				break
			}
		}
		if l.Err == nil || !strings.Contains(l.Err.Error(), "asks for more answers than it reads") || l.Unsent() > 2<<20 {
			t.Errorf("the connection: %v, %d bytes unsent", l.Err, l.Unsent())
		}
	}},
	{"the first byte of an answer is told before the last has come", func(t *testing.T) {
		for _, web := range []bool{false, true} {
			l := plain(t)
			p := payload(1, next|complete, strings.Repeat("x", 100))
			if web {
				l = upgraded(t, protocol.Setup{})
				p = append([]byte{0x82, 106}, p[3:]...)
			}
			c := l.call(wiregauge.Unary, 0, "x")
			l.Feed(p[:20])
			if l.Events.Count("first", c) != 1 || l.Events.Ended(c) {
				t.Errorf("first was told %d times", l.Events.Count("first", c))
			}
			l.Feed(p[20:])
			l.is(c, wiregauge.OK, 0, "", strings.Repeat("x", 100))
		}
	}},
}

// ErrReset is how a connection ends that its peer has reset.
type ErrReset struct{}

func (*ErrReset) Error() string { return "read: connection reset by peer" }
func (*ErrReset) Unwrap() error { return syscall.ECONNRESET }

func TestClientRules(t *testing.T) {
	for _, row := range clientRules {
		t.Run(row.name, row.test)
	}
}

// A proof of the SETUP is wanted: no call starts before it, and a refusal is an error of the connection.
func TestAwait(t *testing.T) {
	await := protocol.Options{Setup: protocol.Setup{Await: true}}
	l := client(t, await)
	l.feed(keepAliveOf(frame.Respond, "of the server's own"))
	if _, err := l.try(&wiregauge.Request{}); err != wiregauge.Handshake {
		t.Errorf("start: %v; expected handshake", err)
	}
	l.feed(keepAliveOf(0, ""))
	if l.Events.Count("room", nil) != 1 {
		t.Error("no room was told")
	}
	l.call(wiregauge.Unary, 0, "x")

	l = client(t, await)
	l.feed(errorOf(0, frame.ApplicationError, "no"))
	var f *wiregauge.Failure
	if !errors.As(l.Err, &f) || f.Status != 0x201 || f.Text != "no" {
		t.Errorf("the connection: %v; expected a failure", l.Err)
	}
}

func TestLease(t *testing.T) {
	l := client(t, protocol.Options{Setup: protocol.Setup{Lease: true}})
	starts := func(when string, want error) {
		t.Helper()
		if _, err := l.try(&wiregauge.Request{}); err != want {
			t.Errorf("%s: start: %v; expected %v", when, err, want)
		}
	}
	starts("before a lease", wiregauge.Credit)
	if _, err := l.try(&wiregauge.Request{Shape: wiregauge.OneWay, Method: "push"}); err != nil {
		t.Errorf("a push needs no lease, but: %v", err)
	}
	l.Tick(time.Second)
	l.feed(leaseOf(800, 2))
	starts("within it", nil)
	l.Tick(1799 * time.Millisecond)
	starts("in its last moment", nil)
	starts("used up", wiregauge.Credit)
	l.feed(leaseOf(800, 5), leaseOf(800, 1))
	starts("the last lease counts", nil)
	starts("alone", wiregauge.Credit)
	l.feed(leaseOf(100, 7))
	if at, ok := l.Session.(wiregauge.Ticker).Next(); !ok || at != 1899*time.Millisecond {
		t.Errorf("next at %s; expected the end of the lease", at)
	}
	l.Tick(1899 * time.Millisecond)
	starts("expired", wiregauge.Credit)
	l.feed(leaseOf(0, 3))
	starts("of no time", wiregauge.Credit)
}

// The time without an answer runs while a KEEPALIVE is on its way, not while it waits behind what we have to send.
func TestLifetime(t *testing.T) {
	l := client(t, protocol.Options{Setup: protocol.Setup{KeepAlive: time.Second, Lifetime: 3 * time.Second}})
	l.sent()
	l.Tick(time.Second)
	l.said("KEEPALIVE 14 bytes RESPOND")
	l.feed(keepAliveOf(0, ""))
	l.call(wiregauge.OneWay, 0, strings.Repeat("x", 60<<10))
	for at := 2 * time.Second; at < time.Minute; at += time.Second {
		if err := l.Tick(at); err != nil {
			t.Fatalf("at %s: %v, although the KEEPALIVE is still unsent", at, err)
		}
	}
	if got := l.sent(); strings.Count(got, "KEEPALIVE") != 1 {
		t.Errorf("sent %q; expected one KEEPALIVE", got)
	}
	l.Tick(time.Minute)
	l.sent()
	l.Tick(time.Minute + 2999*time.Millisecond)
	if l.Err != nil {
		t.Errorf("before its time: %v", l.Err)
	}
	l.feed(payload(7, next, "other frames are no sign of life"))
	l.Tick(time.Minute + 3*time.Second)
	if l.Err == nil || !strings.Contains(l.Err.Error(), "no answer to KEEPALIVE for 3s") {
		t.Errorf("the connection: %v", l.Err)
	}
}
