package http2

import (
	"testing"

	xhttp2 "golang.org/x/net/http2"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

func FuzzReceive(f *testing.F) {
	requests := []*wiregauge.Request{
		{Method: "POST /echo", Messages: [][]byte{[]byte("hello")}, Keep: true},
		{Method: "GET /echo", Index: 1, MaxReply: 100},
		{Method: "POST /echo", Index: 2, Messages: [][]byte{make([]byte, 100_000)}, Credit: 1},
		{Method: "HEAD /length", Index: 3},
	}
	opt := protocol.Options{MaxHeader: 1 << 12}
	rec := prototest.Record(f, serve(f)(f), open(opt), requests[0], requests[1])
	p := newPeer(f, opt)
	p.start(get())
	p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 10})
	for _, row := range hostileFrames {
		if !row.silent {
			row.play(p)
		}
	}
	mix := append([]byte(nil), rec.Hello...)
	mix = append(mix, p.out.Bytes()...)
	prototest.FuzzReceive(f, open(opt), requests, rec.Bytes(), mix)
}

// FuzzExplain feeds anything: whatever comes, it is put into words without a panic.
func FuzzExplain(f *testing.F) {
	rec := prototest.Record(f, serve(f)(f), open(protocol.Options{}), &wiregauge.Request{Method: "GET /echo"})
	f.Add(rec.Bytes(), true)
	f.Add(rec.Bytes(), false)
	f.Fuzz(func(t *testing.T, p []byte, sent bool) {
		for _, framing := range []Framing{Bare, Prefixed} {
			e := NewExplainer(framing)
			for i := range p {
				e.Explain(p[i:i+1], sent, func(string) {})
			}
		}
	})
}
