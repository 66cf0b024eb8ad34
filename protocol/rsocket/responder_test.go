package rsocket

import (
	"bytes"

	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"wiregauge"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/websocket"
)

const compositeMIME = "message/x.rsocket.composite-metadata.v0"

// setup is a SETUP frame, with its length before it.
func setup(flags frame.Flags, mime string) []byte {
	f := frame.Frame{Type: frame.Setup, Flags: flags, Major: 1, KeepAlive: 20000, Lifetime: 90000,
		MetadataMIME: []byte(compositeMIME), DataMIME: []byte(mime)}
	return f.AppendPrefixed(nil)
}

// routed is metadata with a route.
func routed(route string) []byte {
	tag := append([]byte{byte(len(route))}, route...)
	return append([]byte{0xfe, 0, 0, byte(len(tag))}, tag...)
}

func wire(f frame.Frame) []byte { return f.AppendPrefixed(nil) }

func call(t frame.Type, id uint32, route, data string) []byte {
	return callN(t, id, route, data, 0, 0)
}

func callN(t frame.Type, id uint32, route, data string, n uint32, flags frame.Flags) []byte {
	return wire(frame.Frame{Type: t, Stream: id, Flags: flags | frame.Meta, N: n, Metadata: routed(route), Data: []byte(data)})
}

func payload(id uint32, flags frame.Flags, data string) []byte {
	return wire(frame.Frame{Type: frame.Payload, Stream: id, Flags: flags, Data: []byte(data)})
}

func requestN(id, n uint32) []byte { return wire(frame.Frame{Type: frame.RequestN, Stream: id, N: n}) }

func failure(id uint32, code frame.Code) []byte {
	return wire(frame.Frame{Type: frame.Error, Stream: id, N: uint32(code), Data: []byte("x")})
}

func setUp() []byte { return setup(0, "text/plain") }

func setupRoute(route string) []byte {
	f := frame.Frame{Type: frame.Setup, Flags: frame.Meta, Major: 1, KeepAlive: 20000, Lifetime: 90000,
		MetadataMIME: []byte(compositeMIME), DataMIME: []byte("text/plain"), Metadata: routed(route)}
	return f.AppendPrefixed(nil)
}

func cat(all ...[]byte) []byte { return bytes.Join(all, nil) }

// Time decides about leases and silence.
func TestTicks(t *testing.T) {
	lease := Lease{Requests: 1, TimeToLive: 800 * time.Millisecond, Every: time.Second}
	type step struct {
		at   time.Duration
		sent []byte
	}
	echo := func(id uint32) []byte { return call(frame.RequestResponse, id, "echo", "a") }
	ms := time.Millisecond
	for _, tt := range []struct {
		name    string
		serving Serving
		steps   []step
		next    time.Duration // when Tick is owed at the end
		want    string
		err     string
	}{
		{"a lease that has expired", Serving{Lease: lease}, []step{{5 * ms, setUp()}, {900 * ms, echo(1)}}, 1005 * ms, "0: LEASE 800 1; 1: ERROR 0x202", ""},
		{"the next one", Serving{Lease: lease}, []step{{5 * ms, setUp()}, {6 * ms, echo(1)}, {7 * ms, echo(3)}, {1005 * ms, nil}, {1006 * ms, echo(5)}}, 1805 * ms, "0: LEASE 800 1 LEASE 800 1; 1: N C; 3: ERROR 0x202; 5: N C", ""},
		{"silence", Serving{}, []step{{0, setUp()}, {80 * time.Second, echo(1)}, {169 * time.Second, nil}, {170 * time.Second, nil}}, 0, "0: ERROR 0x101; 1: N C", "no bytes from the client within its lifetime of 1m30s"},
		{"a client that never sets up", Serving{}, []step{{5 * ms, []byte{0}}, {60 * time.Second, nil}, {60*time.Second + 5*ms, nil}}, 0, "0: ERROR 0x1", "no SETUP within 1m0s"},
		{"a lifetime of 0 is none", Serving{}, []step{{0, wire(frame.Frame{Type: frame.Setup, Major: 1})}, {1000 * time.Hour, echo(1)}}, 0, "1: N C", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newPeerLab(t, tt.serving)
			for i, s := range tt.steps {
				if s.sent == nil {
					l.tick(s.at)
				} else {
					l.feed(s.at, s.sent)
				}
				if i < len(tt.steps)-1 && l.err != nil {
					t.Fatalf("step %d: %v", i, l.err)
				}
			}
			if at, _ := l.r.Next(); at != tt.next {
				t.Errorf("owed next at %v, want %v", at, tt.next)
			}
			if got := inWords(l.words()); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
			if (l.err != nil) != (tt.err != "") || l.err != nil && !strings.Contains(l.err.Error(), tt.err) {
				t.Errorf("it ends with %v, want %q", l.err, tt.err)
			}
		})
	}
}

// What a handler hears, in its order.
func TestHandlers(t *testing.T) {
	l := newPeerLab(t, Serving{})
	l.feed(0, cat(setUp(), callN(frame.RequestChannel, 1, "chan", "a", 3, frame.Follows), payload(1, frame.Next, "b")))
	l.feed(0, payload(1, frame.Next|frame.Follows, "c"))
	l.feed(0, cat(payload(1, frame.Next, "d"), requestN(1, 5), payload(1, frame.Next|frame.Complete, "e")))
	l.feed(0, cat(call(frame.RequestFNF, 3, "note", "n"), call(frame.RequestResponse, 5, "never", ""), wire(frame.Frame{Type: frame.Cancel, Stream: 5})))
	want := `0 unary  ""|1 bidi chan "ab"|1 message "cd" false|1 room 7|1 message "e" true|3 one-way note "n"|5 unary never ""|5 cancel`
	if got := strings.Join(l.told, "|"); got != want {
		t.Errorf("told %s\nwant %s", got, want)
	}
	if got, want := inWords(l.words()), "1: N REQUEST_N 2 N N C"; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if l.r.streams.n != 0 || l.r.held != 0 {
		t.Errorf("%d calls and %d bytes are left", l.r.streams.n, l.r.held)
	}
}

// Messages over the limit go in fragments, of all calls in turn.
func TestFragmentsInTurn(t *testing.T) {
	big := bytes.Repeat([]byte("x"), 3<<20)
	l := newPeerLab(t, Serving{})
	l.feed(0, cat(setUp(), call(frame.RequestResponse, 1, "never", ""), call(frame.RequestResponse, 3, "never", "")))
	for _, id := range []uint64{1, 3} {
		out, err := l.r.Answer(nil, id, big, true, nil)
		if len(out) != 0 || err != nil {
			t.Fatalf("%d bytes at once, %v", len(out), err)
		}
	}
	if _, err := l.r.Answer(nil, 1, []byte("y"), false, nil); err != wiregauge.Busy {
		t.Errorf("a second message: %v", err)
	}
	var order []uint32
	sum := map[uint32]int{}
	for {
		out := l.r.Flush(nil)
		if len(out) == 0 {
			break
		}
		if len(out) > 2*wiregauge.Unsent {
			t.Fatalf("%d bytes at a time", len(out))
		}
		for _, p := range cutFrames(t, out, false) {
			f, err := frame.Decode(p)
			if err != nil || len(p)+3 > fragmentSize {
				t.Fatalf("a frame of %d bytes, %v", len(p), err)
			}
			order = append(order, f.Stream)
			if sum[f.Stream] += len(f.Data); (f.Flags&frame.Follows == 0) != (sum[f.Stream] == len(big)) {
				t.Fatalf("flags %x after %d bytes", f.Flags, sum[f.Stream])
			}
		}
	}
	for i, id := range order {
		if want := uint32(1 + 2*(i%2)); id != want {
			t.Fatalf("frame %d is of stream %d, want %d", i, id, want)
		}
	}
	if sum[1] != len(big) || sum[3] != len(big) {
		t.Errorf("sent %v", sum)
	}
}

// A message that is cancelled while it is on its way leaves the queue.
func TestCancelOfAQueuedMessage(t *testing.T) {
	l := newPeerLab(t, Serving{Fragment: 64})
	l.feed(0, cat(setUp(), call(frame.RequestResponse, 1, "never", ""), call(frame.RequestResponse, 3, "never", "")))
	for _, id := range []uint64{1, 3} {
		l.out, _ = l.r.Answer(l.out, id, make([]byte, 100_000), true, nil)
	}
	l.out = l.r.Flush(l.out)
	l.feed(0, wire(frame.Frame{Type: frame.Cancel, Stream: 1}))
	before := len(l.out)
	for n := -1; n != len(l.out); {
		n = len(l.out)
		l.out = l.r.Flush(l.out)
	}
	for _, p := range cutFrames(t, l.out[before:], false) {
		if id, _, _ := frame.Head(p); id != 3 {
			t.Fatal("a cancelled message goes on")
		}
	}
	if got := inWords(l.words()); got != "3: N C" {
		t.Errorf("sent %s", got)
	}
}

// Asked to leave, a peer is refused what it asks for then; what is open goes on.
func TestLeave(t *testing.T) {
	l := newPeerLab(t, Serving{})
	l.feed(0, cat(setUp(), call(frame.RequestResponse, 1, "never", "")))
	l.out, _ = l.r.Answer(l.out, 0, nil, true, nil)
	l.feed(0, call(frame.RequestResponse, 3, "echo", "a"))
	l.out, _ = l.r.Answer(l.out, 1, []byte("late"), true, nil)
	if got, want := inWords(l.words()), "0: ERROR 0x102; 1: N C; 3: ERROR 0x202"; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}

func TestWebSocketUpgrade(t *testing.T) {
	l := newPeerLab(t, Serving{WebSocket: true})
	l.feed(0, []byte("GET /any/path HTTP/1.1\r\nHost: x\r\n\r\n"))
	if l.err == nil || !strings.HasPrefix(string(l.out), "HTTP/1.1 400 ") || !strings.HasSuffix(string(l.out), "is expected\n") {
		t.Errorf("sent %q, %v", l.out, l.err)
	}
	head, body, _ := strings.Cut(noUpgrade, "\r\n\r\n")
	if want := fmt.Sprintf("Content-Length: %d", len(body)); !strings.Contains(head, want) {
		t.Errorf("%q has no %q", head, want)
	}
	l = newPeerLab(t, Serving{WebSocket: true})
	l.feed(0, websocket.AppendRequest(nil, "/any/path", "x", "dGhlIHNhbXBsZSBub25jZQ==", nil))
	l.feed(0, masked(websocket.Binary, setUp()[3:]))
	l.feed(0, masked(websocket.Close, []byte{3, 232}))
	if !errors.Is(l.err, io.EOF) || !bytes.HasSuffix(l.out, []byte{0x88, 2, 3, 232}) {
		t.Errorf("a close is answered %x, %v", l.out, l.err)
	}
}

func masked(op websocket.Op, p []byte) []byte {
	h := websocket.Head{Fin: true, Op: op, Masked: true, Mask: [4]byte{1, 2, 3, 4}, Len: len(p)}
	p = bytes.Clone(p)
	websocket.Apply(h.Mask, 0, p)
	return append(h.Append(nil), p...)
}

// Whatever pieces the bytes come in, the answers are the same; and a peer that dies at any byte leaves nothing behind
// but its open calls.
func TestEveryCut(t *testing.T) {
	for _, name := range []string{"frag-request-py", "frag-ws-java-spring", "stream-limitrate2-java", "lease-over-allowance-java"} {
		c := readCapture(t, "testdata/vectors/"+name+".hex", 0)
		var all []byte
		for _, l := range c.lines {
			if l.fromClient {
				all = append(all, l.bytes...)
			}
		}
		whole := newPeerLab(t, c.serving())
		whole.feed(0, all)
		want := inWords(whole.words())
		for cut := range all {
			l := newPeerLab(t, c.serving())
			l.feed(0, all[:cut])
			if l.err != nil && !errors.Is(l.err, io.EOF) {
				t.Fatalf("%s cut at %d: %v", name, cut, l.err)
			}
			l.feed(0, all[cut:])
			if got := inWords(l.words()); got != want {
				t.Fatalf("%s cut at %d: sent %s\nwant %s", name, cut, got, want)
			}
		}
		single := newPeerLab(t, c.serving())
		for _, b := range all {
			single.feed(0, []byte{b})
		}
		if got := inWords(single.words()); got != want {
			t.Errorf("%s in single bytes: sent %s\nwant %s", name, got, want)
		}
	}
}

// What a client can make us hold is bounded: calls that are open, and what is kept of those that are over.
func TestOpenCallsAreBounded(t *testing.T) {
	e := newEchoes(false)
	var in []byte
	for i := range uint32(maxServed + 2) {
		in = append(in, call(frame.RequestResponse, 1+2*i, "echo", "")...)
	}
	_, out, err := e.r.Receive(in, nil)
	if got, want := inWords(shorthand(t, cutFrames(t, out, false))), "131073: ERROR 0x202; 131075: ERROR 0x202"; got != want || err != nil {
		t.Errorf("got %.200s, %v; want %s", got, err, want)
	}
	for _, id := range e.ids {
		out, _ = e.r.Answer(out[:0], id, nil, true, nil)
	}
	if e.r.streams.n != 0 || e.r.spare != maxSpare {
		t.Errorf("%d calls are open and %d are kept, want 0 and %d", e.r.streams.n, e.r.spare, maxSpare)
	}
}
