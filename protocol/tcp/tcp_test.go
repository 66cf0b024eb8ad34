package tcp

import (
	"encoding/hex"
	"io"
	"net"
	"strings"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

// serve echoes whole messages with Framing.Echo; one that begins with "hang" is swallowed.
func serve(framing Framing) func(testing.TB) net.Conn {
	return func(t testing.TB) net.Conn {
		near, far := net.Pipe()
		t.Cleanup(func() { near.Close(); far.Close() })
		go echoConn(far, framing)
		return near
	}
}

func echoConn(conn net.Conn, framing Framing) {
	defer conn.Close()
	replies := make(chan []byte, 1<<12)
	defer close(replies)
	go func() { // writes while we read, or both ends would wait for each other
		for p := range replies {
			conn.Write(p)
		}
	}()
	var in []byte
	p := make([]byte, 64<<10)
	for {
		n, err := conn.Read(p)
		if err != nil {
			return
		}
		in = append(in, p[:n]...)
		if strings.Contains(string(in[:min(len(in), 8)]), "hang") {
			in = in[:0]
			continue
		}
		used, _, reply, err := framing.Echo(in, nil)
		if err != nil {
			return
		}
		in = in[:copy(in, in[used:])]
		replies <- reply
	}
}

func open(framing string) prototest.NewSession {
	return func(ev wiregauge.Events) wiregauge.Session { return New(protocol.Options{Framing: framing}, ev) }
}

func TestSuite(t *testing.T) {
	for _, framing := range framings {
		t.Run(framing, func(t *testing.T) {
			f, err := ParseFraming(framing)
			if err != nil {
				t.Fatal(err)
			}
			prototest.Suite(t, prototest.Config{
				New:  open(framing),
				Dial: serve(f),
				Echo: func(shape wiregauge.Shape, bodies ...[]byte) (*wiregauge.Request, [][]byte) {
					sent := make([][]byte, len(bodies))
					for i, b := range bodies {
						if sent[i] = b; f == Raw && len(b) == 0 {
							sent[i] = []byte{'-'} // nothing cannot come back
						}
					}
					return &wiregauge.Request{Method: "echo", Messages: sent, Shape: shape}, sent
				},
				Shapes:   []wiregauge.Shape{wiregauge.Unary},
				InFlight: 50,
				Hang:     &wiregauge.Request{Method: "echo", Messages: [][]byte{[]byte("hang")}},
			})
		})
	}
}

func TestBytesOnTheWire(t *testing.T) {
	for _, tt := range []struct{ framing, sent, echo string }{
		{"len32", "00000003616263" + "00000000", "00000003616263" + "00000000"},
		{"line", "6162630a" + "0a", "6162630a" + "0a"},
	} {
		t.Run(tt.framing, func(t *testing.T) {
			d := prototest.NewDriver(open(tt.framing))
			c := prototest.NewCall(&wiregauge.Request{Messages: [][]byte{[]byte("abc"), {}}, Keep: true})
			if err := d.Start(c); err != nil {
				t.Fatal(err)
			}
			if got := hex.EncodeToString(d.Take(1000)); got != tt.sent {
				t.Errorf("sent %s, expected %s", got, tt.sent)
			}
			echo, _ := hex.DecodeString(tt.echo)
			d.Feed(echo)
			if c.Outcome != wiregauge.OK || c.Received != 2 {
				t.Errorf("outcome %s with %d messages; expected ok with 2", c.Outcome, c.Received)
			}
			d.Check(t)
		})
	}
}

func TestWrongEchoes(t *testing.T) {
	abc := &wiregauge.Request{Messages: [][]byte{[]byte("abc")}, Keep: true, MaxReply: 8}
	for _, tt := range []struct {
		name, framing, echo string
		outcome             wiregauge.Outcome
		text                string
	}{
		{"a message beyond the limit", "len32", "00000009", wiregauge.TooLarge, "an echo of 9 bytes; the limit is 8"},
		{"a giant message", "len32", "ffffffff", wiregauge.TooLarge, "an echo of 4294967295 bytes"},
		{"a line without end", "line", "616263646566676869", wiregauge.TooLarge, "an echo of 9 bytes"},
		{"half a message", "len32", "0000000361", wiregauge.Closed, "closed the connection before the echo was complete"},
		{"half a length", "len32", "0000", wiregauge.Closed, "closed the connection before the echo was complete"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := prototest.NewDriver(open(tt.framing))
			first, second := prototest.NewCall(abc), prototest.NewCall(abc)
			first.Explain = true
			d.Start(first)
			d.Start(second)
			echo, _ := hex.DecodeString(tt.echo)
			err := d.Feed(echo)
			if (err != nil) != (tt.outcome == wiregauge.TooLarge) {
				t.Errorf("receive: %v", err)
			}
			d.End(io.EOF)
			if first.Outcome != tt.outcome || !strings.Contains(first.Text, tt.text) {
				t.Errorf("outcome %s (%s); expected %s (%s)", first.Outcome, first.Text, tt.outcome, tt.text)
			}
			if second.Outcome != wiregauge.Closed {
				t.Errorf("the call behind it: %s; expected closed", second.Outcome)
			}
			d.Check(t)
		})
	}
}

func TestBytesThatEchoNothing(t *testing.T) {
	d := prototest.NewDriver(open("len32"))
	if err := d.Feed([]byte("junk")); err == nil || !strings.Contains(err.Error(), "echo nothing") {
		t.Errorf("receive: %v; expected an error about bytes that echo nothing", err)
	}
}

func TestEchoBeforeItsMessage(t *testing.T) {
	d := prototest.NewDriver(open("len32"))
	c := prototest.NewCall(&wiregauge.Request{Messages: [][]byte{make([]byte, 1<<20)}})
	d.Start(c)
	d.Feed([]byte{0, 0, 0, 1, 'x'})
	d.End(io.EOF)
	if c.Outcome != wiregauge.Malformed {
		t.Errorf("outcome %s; expected malformed", c.Outcome)
	}
	d.Check(t)
}

func TestRequestsThatCannotBeEchoed(t *testing.T) {
	for _, tt := range []struct {
		name, framing string
		r             wiregauge.Request
		want          string
	}{
		{"a line feed in a line", "line", wiregauge.Request{Messages: [][]byte{[]byte("a\nb")}}, "line feed"},
		{"nothing at all, raw", "raw", wiregauge.Request{Messages: [][]byte{{}}}, "empty message"},
		{"no message", "len32", wiregauge.Request{}, "0 messages"},
		{"one way", "len32", wiregauge.Request{Shape: wiregauge.OneWay, Messages: [][]byte{{1}}}, "one-way"},
		{"live messages", "len32", wiregauge.Request{Open: true, Messages: [][]byte{{1}}}, "with the request"},
		{"an unknown framing", "len16", wiregauge.Request{Messages: [][]byte{{1}}}, `"len16" is not known; write len32, line or raw`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := prototest.NewDriver(open(tt.framing))
			err := d.Start(prototest.NewCall(&tt.r))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("start: %v; expected %q", err, tt.want)
			}
			d.Check(t)
		})
	}
}

func TestPrepare(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   protocol.Input
		want string // of the error; empty: none
	}{
		{"one body", protocol.Input{Bodies: [][]byte{[]byte("a")}, HasBody: true}, ""},
		{"no body", protocol.Input{}, ""},
		{"several bodies", protocol.Input{Bodies: [][]byte{{1}, {2}}}, ""},
		{"one way", protocol.Input{Shape: wiregauge.OneWay}, "an echo comes back"},
		{"compression", protocol.Input{Compress: "gzip"}, "no compression"},
		{"a header", protocol.Input{Header: []wiregauge.Field{{Name: "a", Value: "b"}}}, "no headers"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Prepare(tt.in)
			if tt.want == "" && (err != nil || len(r.Messages) != max(1, len(tt.in.Bodies))) {
				t.Errorf("got %+v, %v", r, err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v; expected %q", err, tt.want)
			}
		})
	}
}

func TestNoAllocationPerCall(t *testing.T) {
	for _, framing := range framings {
		f, _ := ParseFraming(framing)
		r := &wiregauge.Request{Messages: [][]byte{prototest.Pattern(100)}}
		if n := prototest.Allocs(t, serve(f), open(framing), r, 200); n != 0 {
			t.Errorf("%s: %v allocations per call, expected 0", framing, n)
		}
	}
}

func FuzzReceive(f *testing.F) {
	requests := []*wiregauge.Request{
		{Messages: [][]byte{[]byte("abc")}},
		{Messages: [][]byte{[]byte("abc"), []byte("de")}, Keep: true, MaxReply: 100},
	}
	prototest.FuzzReceive(f, open("len32"), requests, []byte("\x00\x00\x00\x03abc\x00\x00\x00\x00\x00\x00\x00\x01a"))
}

func FuzzReceiveLines(f *testing.F) {
	requests := []*wiregauge.Request{{Messages: [][]byte{[]byte("abc")}, Keep: true, MaxReply: 10}}
	prototest.FuzzReceive(f, open("line"), requests, []byte("abc\n\nabcd\n"))
}

func FuzzReceiveRaw(f *testing.F) {
	requests := []*wiregauge.Request{{Messages: [][]byte{[]byte("abc"), []byte("d")}, Keep: true}}
	prototest.FuzzReceive(f, open("raw"), requests, []byte("abcdabcdab"))
}

func FuzzEcho(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x01a\x00\x00"), uint8(0))
	f.Add([]byte("a\nb"), uint8(1))
	f.Fuzz(func(t *testing.T, in []byte, framing uint8) {
		used, _, reply, err := Framing(framing%3).Echo(in, nil)
		if err == nil && string(reply) != string(in[:used]) {
			t.Errorf("echoed %q as %q", in[:used], reply)
		}
	})
}
