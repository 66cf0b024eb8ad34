package grpc

import (
	"bytes"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

// do makes one call against a real server and returns it with its messages.
func do(t *testing.T, dial func(testing.TB) net.Conn, r *wiregauge.Request) (*wiregauge.Call, [][]byte) {
	t.Helper()
	l := prototest.NewLane(t, dial(t), open(protocol.Options{}))
	c := prototest.NewCall(r)
	c.Explain, c.Detail = true, &wiregauge.Detail{}
	l.Start(c)
	l.Wait(c)
	return c, l.Events.Messages(c)
}

func values(fields []wiregauge.Field, name string) (all []string) {
	for _, f := range fields {
		if f.Name == name {
			all = append(all, f.Value)
		}
	}
	return all
}

// TestMetadata sends metadata to grpc-go and gets it back as header and trailer.
func TestMetadata(t *testing.T) {
	r, err := Prepare(protocol.Input{Procedure: "/test.Echo/Meta", Header: []wiregauge.Field{
		{Name: "X-Text", Value: "one"}, {Name: "x-text", Value: "two"}, {Name: "x-bin", Value: "AAEC/w=="},
	}})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := do(t, serve(t), r)
	if c.Outcome != wiregauge.OK || c.Detail.StatusLine != ":status 200" {
		t.Fatalf("outcome %s (%s), %s", c.Outcome, c.Text, c.Detail.StatusLine)
	}
	if got := values(c.Detail.Header, "x-text"); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("x-text %q", got)
	}
	if got := values(c.Detail.Header, "x-bin"); !slices.Equal(got, []string{"AAEC/w"}) {
		t.Errorf("x-bin %q", got)
	}
	if got := values(c.Detail.Trailer, "t-bin"); !slices.Equal(got, []string{"AAEC/w"}) {
		t.Errorf("t-bin %q", got)
	}
	if got := values(c.Detail.Trailer, "grpc-status"); !slices.Equal(got, []string{"0"}) {
		t.Errorf("grpc-status %q", got)
	}
}

func TestStatusDetails(t *testing.T) {
	c, _ := do(t, serve(t), &wiregauge.Request{Method: "/test.Echo/Details", Messages: [][]byte{{}}})
	var got status.Status
	if err := proto.Unmarshal(c.Detail.StatusDetails, &got); err != nil || got.Code != 3 || got.Message != "details" || len(got.Details) != 1 {
		t.Errorf("outcome %s %d, details %v (%v)", c.Outcome, c.Status, &got, err)
	}
}

// TestGzip asks grpc-go for compressed messages and sends some.
func TestGzip(t *testing.T) {
	body := bytes.Repeat([]byte("compress me "), 1000)
	for _, compress := range []string{"", "gzip"} {
		for _, shape := range []wiregauge.Shape{wiregauge.Unary, wiregauge.Bidi} {
			r, err := Prepare(protocol.Input{Procedure: "/test.Echo/Gzip", Bodies: [][]byte{body}, Shape: shape, Compress: compress, Accept: "gzip"})
			if err != nil {
				t.Fatal(err)
			}
			if sent := len(r.Messages[0]); compress == "gzip" != (sent < 1000) {
				t.Errorf("compress %q: the message goes out as %d bytes", compress, sent)
			}
			r.Keep = true
			c, got := do(t, serve(t), r)
			if c.Outcome != wiregauge.OK || len(got) != 1 || !bytes.Equal(got[0], body) {
				t.Errorf("compress %q, %s: outcome %s (%s), %d messages", compress, shape, c.Outcome, c.Text, len(got))
			}
			if c.Detail.Encodings["gzip"] != 1 {
				t.Errorf("encodings %v, expected one message of gzip", c.Detail.Encodings)
			}
		}
	}
	r, _ := Prepare(protocol.Input{Procedure: "/test.Echo/Echo", Bodies: [][]byte{{}}, Compress: "gzip"})
	if c, _ := do(t, serve(t), r); c.Outcome != wiregauge.OK {
		t.Errorf("an empty message, compressed: %s (%s)", c.Outcome, c.Text)
	}
}

// TestCompressedBomb is a small message of 64 MiB of zeros: refused after the limit, in bounded memory.
func TestCompressedBomb(t *testing.T) {
	bomb, err := deflate(make([]byte, 64<<20))
	if err != nil {
		t.Fatal(err)
	}
	s := newScript()
	s.ok("grpc-encoding", "gzip")
	s.data(false, string([]byte{1, byte(len(bomb) >> 24), byte(len(bomb) >> 16), byte(len(bomb) >> 8), byte(len(bomb))}))
	for part := range slices.Chunk(bomb, 16384) {
		s.data(false, string(part))
	}
	s.head(true, "grpc-status", "0")
	r := unary("")
	r.MaxReply = 1 << 20
	r.Keep = true
	var d *prototest.Driver
	var c *wiregauge.Call
	d, c = s.play(t, protocol.Options{}, r, prototest.Whole)
	if c.Outcome != wiregauge.TooLarge || c.Status != 8 || !strings.Contains(c.Text, "--max-reply") {
		t.Errorf("outcome %s, status %d (%s); expected too large, 8", c.Outcome, c.Status, c.Text)
	}
	d.Check(t)
	var f inflater
	if _, err := f.inflate(bomb, 1<<20); err != errTooLarge || cap(f.out) > 1<<20+1 {
		t.Errorf("%v with a buffer of %d bytes; expected %v and its limit", err, cap(f.out), errTooLarge)
	}
}

// TestTakeOfAnEndlessStream cancels a stream that never ends after three messages (K25): the server sees it
// cancelled, and the connection goes on.
func TestTakeOfAnEndlessStream(t *testing.T) {
	ended := make(chan struct{}, 1)
	handler := func(srv any, stream grpc.ServerStream) error {
		if method, _ := grpc.MethodFromServerStream(stream); method != "/test.Echo/Endless" {
			return handle(srv, stream)
		}
		for stream.SendMsg(&[]byte{'x'}) == nil {
		}
		ended <- struct{}{}
		return nil
	}
	l := prototest.NewLane(t, serve(t, grpc.UnknownServiceHandler(handler))(t), open(protocol.Options{}))
	c := prototest.NewCall(&wiregauge.Request{Method: "/test.Echo/Endless", Messages: [][]byte{{}}, Shape: wiregauge.ServerStream, Credit: 3})
	l.Start(c)
	l.Until("three messages", func() bool { return c.Received >= 3 })
	l.Cancel(c)
	<-ended
	if next := l.Do(unary("hello")); next.Outcome != wiregauge.OK {
		t.Errorf("the next call: %s (%s)", next.Outcome, next.Text)
	}
}

// TestCreditHoldsTheServerBack grants messages one by one: without a grant the window stays shut.
func TestCreditHoldsTheServerBack(t *testing.T) {
	s := newScript()
	s.ok()
	for range 3 {
		s.message(0, strings.Repeat("x", 1000))
	}
	r := unary("")
	r.Shape, r.Credit = wiregauge.ServerStream, 1
	d, c := s.play(t, protocol.Options{Window: 1005}, r, prototest.Whole)
	if n := d.Unsent(); n != 0 || c.Received != 3 {
		t.Errorf("%d messages, and %d bytes to send; expected no grant while the credit is spent", c.Received, n)
	}
	d.Grant(c, 2)
	want := unhex(t, "000004 08 00 00000001 00000bc7") // 3 * 1005 bytes
	if got := d.Take(100); !bytes.Equal(got, want) {
		t.Errorf("after a grant %x, expected %x", got, want)
	}
}

// TestConcurrentCalls has answers of many calls come in any order and in pieces.
func TestConcurrentCalls(t *testing.T) {
	dial := serve(t)
	l := prototest.NewLane(t, dial(t), open(protocol.Options{Window: 70_000}))
	type pair struct {
		c    *wiregauge.Call
		body []byte
	}
	var pairs []pair
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		body := prototest.Pattern(random.IntN(40_000))
		r, _ := echo(wiregauge.Unary, body)
		r.Keep = true
		c := prototest.NewCall(r)
		l.Start(c)
		pairs = append(pairs, pair{c, body})
	}
	for _, p := range pairs {
		l.Wait(p.c)
	}
	l.Close()
	for i, p := range pairs {
		if got := l.Events.Messages(p.c); p.c.Outcome != wiregauge.OK || len(got) != 1 || !bytes.Equal(got[0], p.body) {
			t.Fatalf("call %d: outcome %s (%s), %d messages", i, p.c.Outcome, p.c.Text, len(got))
		}
	}
}

func FuzzReceive(f *testing.F) {
	rec, open := recorded(f)
	requests := []*wiregauge.Request{
		{Method: "/a.B/C", Messages: [][]byte{{}}, Keep: true, MaxReply: 1 << 20},
		{Method: "/a.B/D", Index: 1, Messages: [][]byte{{1}, {2}}, Shape: wiregauge.Bidi, Credit: 1, MaxReply: 1 << 20},
		{Method: "/a.B/E", Index: 2, Messages: [][]byte{make([]byte, 100_000)}, Shape: wiregauge.ServerStream},
	}
	seeds := [][]byte{rec.Bytes()}
	for _, row := range odds {
		s := newScript()
		s.out.Write(serverHello)
		row.play(s)
		if s.out.Len() < 4096 {
			seeds = append(seeds, s.out.Bytes())
		}
	}
	prototest.FuzzReceive(f, open, requests, seeds...)
}
