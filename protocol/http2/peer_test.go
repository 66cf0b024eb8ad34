package http2

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

// A peer is the server's end in memory, free to break every rule: it writes frames through the library's Framer
// and reads what the session sent through another.
type peer struct {
	*xhttp2.Framer
	t     testing.TB
	d     *prototest.Driver
	out   bytes.Buffer // to the session
	in    bytes.Buffer // from the session, behind the preface
	block bytes.Buffer
	hpack *hpack.Encoder
	seen  []seen
}

// newPeer makes a session whose hello is read, and sends settings.
func newPeer(t testing.TB, opt protocol.Options, settings ...xhttp2.Setting) *peer {
	p := silentPeer(t, opt)
	p.WriteSettings(settings...)
	p.feed()
	return p
}

// silentPeer makes a session whose hello is read, and says nothing.
func silentPeer(t testing.TB, opt protocol.Options) *peer {
	p := &peer{t: t, d: prototest.NewDriver(open(opt))}
	p.hpack = hpack.NewEncoder(&p.block)
	p.Framer = xhttp2.NewFramer(&p.out, &p.in)
	p.Framer.AllowIllegalWrites = true
	p.Framer.AllowIllegalReads = true
	p.Framer.SetReuseFrames()
	hello := p.d.Take(1 << 20)
	rest, ok := bytes.CutPrefix(hello, []byte(preface))
	if !ok {
		t.Fatalf("the hello %x does not start with the preface", hello)
	}
	p.in.Write(rest)
	return p
}

// feed gives the session what was written, and reads what it answered.
func (p *peer) feed() {
	p.d.Feed(p.out.Bytes())
	p.out.Reset()
	p.read()
}

// feedByteByByte is feed in the smallest pieces.
func (p *peer) feedByteByByte() {
	prototest.ByteByByte(p.d, p.out.Bytes())
	p.out.Reset()
	p.read()
}

// read takes the session's bytes apart. The frames are copied, since the Framer reuses them.
func (p *peer) read() {
	for p.d.Unsent() > 0 {
		p.in.Write(p.d.Take(1 << 20))
	}
	for p.in.Len() > 0 {
		f, err := p.ReadFrame()
		if err != nil {
			p.t.Fatalf("reading the session's frames: %v", err)
		}
		saw := seen{FrameHeader: f.Header()}
		switch f := f.(type) {
		case *xhttp2.DataFrame:
			saw.data = bytes.Clone(f.Data())
		case *xhttp2.RSTStreamFrame:
			saw.code = Code(f.ErrCode)
		case *xhttp2.GoAwayFrame:
			saw.code = Code(f.ErrCode)
		case *xhttp2.WindowUpdateFrame:
			saw.step = f.Increment
		case *xhttp2.PingFrame:
			saw.data = bytes.Clone(f.Data[:])
		case *xhttp2.HeadersFrame:
			saw.data = bytes.Clone(f.HeaderBlockFragment())
		case *xhttp2.ContinuationFrame:
			saw.data = bytes.Clone(f.HeaderBlockFragment())
		}
		p.seen = append(p.seen, saw)
	}
}

// seen is what matters of one frame of the session.
type seen struct {
	xhttp2.FrameHeader
	data []byte
	code Code
	step uint32
}

// frames lists the frames of a type that the session sent on a stream.
func (p *peer) frames(kind xhttp2.FrameType, id uint32) (all []seen) {
	for _, f := range p.seen {
		if f.Type == kind && f.StreamID == id {
			all = append(all, f)
		}
	}
	return all
}

// fields encodes a header block from names and values in turn.
func (p *peer) fields(pairs ...string) []byte {
	p.block.Reset()
	for i := 0; i < len(pairs); i += 2 {
		p.hpack.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return bytes.Clone(p.block.Bytes())
}

// headers writes a whole HEADERS frame.
func (p *peer) headers(id uint32, end bool, pairs ...string) {
	p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: id, BlockFragment: p.fields(pairs...), EndStream: end, EndHeaders: true})
}

// answer writes a complete good answer.
func (p *peer) answer(id uint32) { p.headers(id, true, ":status", "200") }

// start starts a call; it must be taken.
func (p *peer) start(r *wiregauge.Request) *wiregauge.Call {
	p.t.Helper()
	c := prototest.NewCall(r)
	c.Explain = true
	if err := p.d.Start(c); err != nil {
		p.t.Fatalf("start: %v", err)
	}
	p.read()
	return c
}

// resets lists the codes of the RST_STREAM frames that the session sent for a stream.
func (p *peer) resets(id uint32) (codes []Code) {
	for _, f := range p.frames(xhttp2.FrameRSTStream, id) {
		codes = append(codes, f.code)
	}
	return codes
}

// goAways lists the codes of the GOAWAY frames that the session sent.
func (p *peer) goAways() (codes []Code) {
	for _, f := range p.frames(xhttp2.FrameGoAway, 0) {
		codes = append(codes, f.code)
	}
	return codes
}

// sentBody is what the session sent as the body of a stream, and whether it ended it.
func (p *peer) sentBody(id uint32) (body []byte, ended bool) {
	for _, f := range p.frames(xhttp2.FrameData, id) {
		body = append(body, f.data...)
		ended = ended || f.Flags.Has(xhttp2.FlagDataEndStream)
	}
	return body, ended
}

func get() *wiregauge.Request { return &wiregauge.Request{Method: "GET /"} }

func post(body []byte) *wiregauge.Request {
	return &wiregauge.Request{Method: "POST /", Messages: [][]byte{body}}
}

// unhex reads hex digits; blanks between them are for the reader.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	p, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
