package grpc

import (
	"bytes"
	"testing"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

// A script is what a server sends, written with the library's Framer.
type script struct {
	*xhttp2.Framer
	out   bytes.Buffer
	block bytes.Buffer
	hpack *hpack.Encoder
}

func newScript() *script {
	s := &script{}
	s.hpack = hpack.NewEncoder(&s.block)
	s.Framer = xhttp2.NewFramer(&s.out, nil)
	s.AllowIllegalWrites = true
	return s
}

// head writes a HEADERS frame of names and values in turn.
func (s *script) head(end bool, pairs ...string) {
	s.block.Reset()
	for i := 0; i < len(pairs); i += 2 {
		s.hpack.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	s.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: s.block.Bytes(), EndStream: end, EndHeaders: true})
}

// ok writes the usual first header block.
func (s *script) ok(more ...string) {
	s.head(false, append([]string{":status", "200", "content-type", "application/grpc"}, more...)...)
}

// message writes a DATA frame of one whole message.
func (s *script) message(flag byte, body string) {
	n := len(body)
	s.WriteData(1, false, append([]byte{flag, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, body...))
}

func (s *script) data(end bool, p string) { s.WriteData(1, end, []byte(p)) }

// serverHello is what a server says first.
var serverHello = []byte{0, 0, 0, 4, 0, 0, 0, 0, 0}

// play starts a call of r on a fresh session and feeds it what the script wrote.
func (s *script) play(t testing.TB, opt protocol.Options, r *wiregauge.Request, feed func(*prototest.Driver, []byte)) (*prototest.Driver, *wiregauge.Call) {
	t.Helper()
	d := prototest.NewDriver(open(opt))
	d.Feed(serverHello)
	c := prototest.NewCall(r)
	c.Explain, c.Detail = true, &wiregauge.Detail{}
	if err := d.Start(c); err != nil {
		t.Fatal(err)
	}
	d.Take(1 << 20)
	feed(d, s.out.Bytes())
	return d, c
}

// resets lists the codes of the RST_STREAM frames in what a session sent.
func resets(t testing.TB, sent []byte) (codes []xhttp2.ErrCode) {
	t.Helper()
	f := xhttp2.NewFramer(nil, bytes.NewReader(sent))
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return codes
		}
		if r, ok := frame.(*xhttp2.RSTStreamFrame); ok {
			codes = append(codes, r.ErrCode)
		}
	}
}

func unary(body string) *wiregauge.Request {
	return &wiregauge.Request{Method: "/test.Echo/Echo", Messages: [][]byte{[]byte(body)}}
}
