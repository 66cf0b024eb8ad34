package rsocket

import (
	"bytes"
	"strings"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/websocket"
)

// A bareLane drives a session as a lane does that starts calls before it lets large messages go on.
type bareLane struct {
	t    testing.TB
	s    *session
	web  bool
	out  []byte
	sent []byte
}

// bare is a connection whose SETUP has gone.
func bare(t testing.TB, web bool) *bareLane {
	l := upgraded(t, protocol.Setup{})
	if !web {
		l = plain(t)
	}
	l.sent()
	return &bareLane{t: t, s: l.Session.(*session), web: web}
}

// start starts a call; the session's events go to the recorder of a Driver, which must know of it.
func (b *bareLane) start(r *wiregauge.Request) *wiregauge.Call {
	b.t.Helper()
	b.s.ev = ignored{}
	c := prototest.NewCall(r)
	out, err := b.s.Start(b.out, c)
	if b.out = out; err != nil {
		b.t.Fatalf("start: %v", err)
	}
	return c
}

func (b *bareLane) receive(p []byte) {
	b.t.Helper()
	if b.web {
		p = append([]byte{0x82, byte(len(p) - 3)}, p[3:]...)
	}
	used, out, err := b.s.Receive(p, b.out)
	if b.out = out; err != nil || used != len(p) {
		b.t.Fatalf("receive: %d of %d bytes, %v", used, len(p), err)
	}
}

// turn lets go what may go, and takes it.
func (b *bareLane) turn() (n int) {
	before := len(b.out)
	b.out = b.s.Flush(b.out)
	if grown := len(b.out) - before; grown > wiregauge.Unsent+100 {
		b.t.Errorf("%d bytes at once", grown)
	}
	n = len(b.out)
	b.sent, b.out = append(b.sent, b.out...), b.out[:0]
	return n
}

// frames lets everything go and cuts it.
func (b *bareLane) frames() [][]byte {
	for b.turn() > 0 {
	}
	r := replay{t: b.t, sent: b.sent}
	return r.frames(b.web)
}

// ignored are events that nobody wants.
type ignored struct{}

func (ignored) Sent(*wiregauge.Call)            {}
func (ignored) First(*wiregauge.Call)           {}
func (ignored) Message(*wiregauge.Call, []byte) {}
func (ignored) Room(*wiregauge.Call)            {}
func (ignored) Closing()                        {}
func (ignored) Done(*wiregauge.Call)            {}

func heads(frames [][]byte) string {
	var all []string
	for _, p := range frames {
		all = append(all, words(p[:min(len(p), 14)], len(p)))
	}
	return strings.Join(all, "; ")
}

func small(text string) *wiregauge.Request {
	return &wiregauge.Request{Shape: wiregauge.OneWay, Messages: [][]byte{[]byte(text)}}
}

// While a frame of a large message goes out bit by bit nothing else can; what has to goes right behind it.
func TestAWholeFrameOfALargeMessage(t *testing.T) {
	for _, web := range []bool{false, true} {
		b := bare(t, web)
		body := prototest.Pattern(300_000)
		c := b.start(&wiregauge.Request{Messages: [][]byte{body}})
		b.turn()
		b.receive(keepAliveOf(frame.Respond, "now"))
		b.start(small("small"))
		frames := b.frames()
		if len(frames) != 3 || !bytes.Equal(frames[0][6:], body) || string(frames[1][14:]) != "now" || string(frames[2][6:]) != "small" || c.Queued != 0 {
			t.Errorf("web %t: sent %s, %d bytes queued", web, heads(frames), c.Queued)
		}
	}
}

// A call that ends in the middle of its frame leaves the rest of it to the peer, and what follows comes behind.
func TestACallThatEndsWithinItsFrame(t *testing.T) {
	for name, end := range map[string]struct {
		size int
		do   func(b *bareLane, c *wiregauge.Call)
		want string // behind what has gone
	}{
		"cancelled":              {300_000, (*bareLane).cancel, "CANCEL stream 1, 6 bytes"},
		"answered":               {300_000, func(b *bareLane, c *wiregauge.Call) { b.receive(payload(1, next|complete, "hi")) }, ""},
		"refused":                {300_000, func(b *bareLane, c *wiregauge.Call) { b.receive(errorOf(1, frame.Rejected, "no")) }, ""},
		"cancelled in fragments": {3_000_000, (*bareLane).cancel, "CANCEL stream 1, 6 bytes"},
		"answered in fragments":  {3_000_000, func(b *bareLane, c *wiregauge.Call) { b.receive(payload(1, next|complete, "hi")) }, "CANCEL stream 1, 6 bytes"},
	} {
		for _, web := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				b := bare(t, web)
				body := prototest.Pattern(end.size)
				c := b.start(&wiregauge.Request{Messages: [][]byte{body}})
				b.turn()
				end.do(b, c)
				b.start(small("again"))
				frames := b.frames()
				first, last := frames[0], frames[len(frames)-1]
				if !bytes.Equal(first[6:], body[:len(first)-6]) || string(last[6:]) != "again" {
					t.Fatalf("sent %s", heads(frames))
				}
				for len(frames) > 0 && (frames[0][4]>>2 == byte(frame.RequestResponse) || frames[0][5]&byte(frame.Next) != 0) {
					frames = frames[1:]
				}
				if got := heads(frames[:len(frames)-1]); got != end.want {
					t.Errorf("sent %q behind it; expected %q", got, end.want)
				}
			})
		}
	}
}

func (b *bareLane) cancel(c *wiregauge.Call) { b.out, _ = b.s.Cancel(b.out, c) }

// Messages beyond 1 MiB go in fragments, in turn with each other and with all that is small.
func TestFragmentsOfLargeMessages(t *testing.T) {
	for _, web := range []bool{false, true} {
		b := bare(t, web)
		bodies := map[uint32][]byte{1: prototest.Pattern(2 << 20), 5: prototest.Pattern(3 << 20)} // 3 is a small one's
		for _, id := range []uint32{1, 5} {
			b.start(&wiregauge.Request{Method: "big", Index: int(id), Messages: [][]byte{bodies[id]}})
			b.turn()
		}
		for range 20 {
			b.receive(keepAliveOf(frame.Respond, "now"))
			b.start(small("small"))
			b.turn()
		}
		got := map[uint32][]byte{}
		longest, others, turns := 0, 0, 0
		last := uint32(0)
		for _, p := range b.frames() {
			f, err := frame.Decode(p)
			if err != nil {
				t.Fatal(err)
			}
			got[f.Stream] = append(got[f.Stream], f.Data...)
			longest = max(longest, len(p)+frame.PrefixLen)
			switch {
			case bodies[f.Stream] == nil:
				others++
			case last != f.Stream:
				last, turns = f.Stream, turns+1
			}
		}
		if !bytes.Equal(got[1], bodies[1]) || !bytes.Equal(got[5], bodies[5]) || longest != fragmentSize || others != 40 || turns < 60 {
			t.Errorf("web %t: %d and %d bytes, longest frame %d, %d other frames, %d turns", web, len(got[1]), len(got[5]), longest, others, turns)
		}
	}
}

// What a carrier refuses of WebSocket, and what it answers.
func TestCarrierOfWebSocket(t *testing.T) {
	ping := func(text string) []byte { return append([]byte{0x89, byte(len(text))}, text...) }
	for _, row := range []struct {
		name, sent, want string // in: by the server; want: of the error
		in               []byte
	}{
		{"a ping", "WebSocket pong of 2 bytes", "", ping("hi")},
		{"a pong", "", "", []byte{0x8a, 0}},
		{"a text message", "", "a text message of WebSocket", []byte{0x81, 1, 'x'}},
		{"a masked frame", "", "mask bit true", []byte{0x82, 0x81, 1, 2, 3, 4, 'x'}},
		{"a piece of nothing", "", "that was not begun", []byte{0x80, 1, 'x'}},
		{"a message within a message", "", "before the last piece", []byte{0x02, 1, 'x', 0x82, 1, 'x'}},
		{"a message beyond the limit", "", "the limit is", []byte{0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0}},
		{"a frame that is no frame of RSocket", "", "unknown type", append([]byte{0x82, 6}, 0, 0, 0, 0, 0x80, 0)},
		{"reserved bits", "", "reserved bits", []byte{0xf2, 0}},
		{"a close", "WebSocket close with code 1001", "closed the WebSocket with code 1001", []byte{0x88, 2, 0x03, 0xe9}},
		{"a message in three pieces with a ping between", "WebSocket pong of 1 bytes; KEEPALIVE 14 bytes", "",
			cat([]byte{0x02, 3, 0, 0, 0}, ping("x"), []byte{0x00, 3, 0, 0x0c, 0x80}, []byte{0x80, 8, 0, 0, 0, 0, 0, 0, 0, 0})},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, feed := range []func(*prototest.Driver, []byte){prototest.Whole, prototest.ByteByByte} {
				l := upgraded(t, protocol.Setup{})
				l.x.sides[1] = explained{begun: true, web: true, upgraded: true}
				feed(l.Driver, row.in)
				if (l.Err != nil) != (row.want != "") || l.Err != nil && !strings.Contains(l.Err.Error(), row.want) {
					t.Errorf("%v; expected %q", l.Err, row.want)
				}
				if got := l.sent(); row.sent != "" && got != row.sent {
					t.Errorf("sent %q; expected %q", got, row.sent)
				}
			}
		})
	}
}

// Each frame has a mask of its own, and nobody can know the next.
func TestMasks(t *testing.T) {
	seen := map[[4]byte]bool{}
	for range 2 {
		l := upgraded(t, protocol.Setup{})
		for range 50 {
			l.call(wiregauge.Unary, 0, "x")
			h, n, err := websocket.Read(l.Take(1 << 20))
			if err != nil || n == 0 || !h.Masked || seen[h.Mask] {
				t.Fatalf("head %+v, %v", h, err)
			}
			seen[h.Mask] = true
		}
	}
}
