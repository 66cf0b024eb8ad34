package http2

import (
	"bytes"
	"testing"

	"golang.org/x/net/http2/hpack"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

// TestHello compares what the session says first with the vectors of net/http and grpc-go's peers.
func TestHello(t *testing.T) {
	v := readVectors(t)
	want := unhex(t, v["G1"]+v["G2"]+"000004 08 00 00000000 40000000")
	if hello := prototest.NewDriver(open(protocol.Options{})).Take(1 << 10); !bytes.Equal(hello, want) {
		t.Errorf("hello %x, expected %x", hello, want)
	}
}

// TestServerHellos feeds what real servers say first.
func TestServerHellos(t *testing.T) {
	v := readVectors(t)
	for _, row := range []struct {
		name, bytes string
		reply       string
		check       func(s *Session) bool
	}{
		{"grpc-go", v["G8"], "000000 04 01 00000000 000008 06 01 00000000 02041010090e0707",
			func(s *Session) bool {
				return s.peerFrame == 16384 && s.settingsAckd && s.connWindow == defaultWindow+5
			}},
		{"net/http", v["G10"], "000000 04 01 00000000", func(s *Session) bool {
			return s.peerFrame == 1<<20 && s.peerStreams == 250 && s.peerList == 1_048_896 && s.peerWindow == 1<<20
		}},
	} {
		for _, feed := range []func(*prototest.Driver, []byte){prototest.Whole, prototest.ByteByByte} {
			d := prototest.NewDriver(open(protocol.Options{}))
			d.Take(1 << 10)
			feed(d, unhex(t, row.bytes))
			if reply := d.Take(1 << 10); d.Err != nil || !bytes.Equal(reply, unhex(t, row.reply)) || !row.check(d.Session.(*Session)) {
				t.Errorf("%s: error %v, reply %x, expected %s", row.name, d.Err, reply, row.reply)
			}
		}
	}
}

// TestDecoderVectors decodes blocks that another decoder reads, in the order in which they depend on each other.
func TestDecoderVectors(t *testing.T) {
	v := readVectors(t)
	const grpc = ":method=POST;:scheme=http;:path=/grpc.testing.TestService/EmptyCall;:authority=127.0.0.1:50077;content-type=application/grpc;user-agent=wiregauge/1;te=trailers;"
	for _, row := range []struct{ name, setup, want string }{
		{"P1", "", grpc}, {"P2", "P1", grpc}, {"P3", "P1", grpc + "grpc-timeout=1S;"},
		{"P4", "", "authorization=Bearer abc;"}, {"P5", "", ":method=POST;te=trailers;"},
		{"P6", "", ":method=GET;:scheme=http;:path=/;:authority=www.example.com;"},
	} {
		for n := range unhex(t, v[row.name]) { // each vector cut short at every byte, too
			var got string
			d := newDecoder(1 << 20)
			d.hpack.SetEmitFunc(func(f hpack.HeaderField) { got += f.Name + "=" + f.Value + ";" })
			if row.setup != "" {
				if _, err := d.decode(unhex(t, v[row.setup])); err != nil {
					t.Fatal(err)
				}
			}
			got = ""
			if d.decode(unhex(t, v[row.name])[:n]); len(got) >= len(row.want) {
				t.Errorf("%s cut at %d: %s", row.name, n, got)
			}
		}
		var got string
		d := newDecoder(1 << 20)
		d.hpack.SetEmitFunc(func(f hpack.HeaderField) { got += f.Name + "=" + f.Value + ";" })
		if row.setup != "" {
			d.decode(unhex(t, v[row.setup]))
		}
		got = ""
		if _, err := d.decode(unhex(t, v[row.name])); err != nil || got != row.want {
			t.Errorf("%s: %s (%v), expected %s", row.name, got, err, row.want)
		}
	}
}

// TestEncoderVectors makes the blocks of the vectors, byte for byte.
func TestEncoderVectors(t *testing.T) {
	v := readVectors(t)
	secret := []wiregauge.Field{{Name: "authorization", Value: "Bearer abc", Sensitive: true}}
	lists := map[string][]wiregauge.Field{
		"P5": {{Name: ":method", Value: "POST"}, {Name: "te", Value: "trailers"}},
		"P6": {{Name: ":method", Value: "GET"}, {Name: ":scheme", Value: "http"}, {Name: ":path", Value: "/"}, {Name: ":authority", Value: "www.example.com"}},
	}
	for name, fields := range lists {
		e := newEncoder()
		if name == "P5" {
			e.setLimit(0)
		}
		block := e.appendUpdate(nil)
		for _, f := range fields {
			block = e.appendField(block, f)
		}
		if want := unhex(t, v[name]); !bytes.Equal(block, want) {
			t.Errorf("%s: %x, expected %x", name, block, want)
		}
	}
	e := newEncoder()
	// P4 is without Huffman; ours has it where it is shorter, and the same first byte and name.
	if block := e.appendField(nil, secret[0]); !bytes.Equal(block[:2], unhex(t, v["P4"])[:2]) || len(e.entries) != 0 {
		t.Errorf("a secret is %x with %d entries in the table", block, len(e.entries))
	}
}

// TestBlockSplitAtEveryByte cuts the answer's header block into HEADERS and CONTINUATION at every byte.
func TestBlockSplitAtEveryByte(t *testing.T) {
	block := unhex(t, "885f8b1d75d0620d263d4c4d6564")
	for n := range len(block) + 1 {
		p := newPeer(t, protocol.Options{})
		c := p.start(get())
		p.out.Write(append(appendFrame(nil, n, frameHeaders, flagEndStream, 1), block[:n]...))
		p.out.Write(append(appendFrame(nil, len(block)-n, frameContinuation, flagEndHeaders, 1), block[n:]...))
		p.feed()
		if c.Outcome != wiregauge.OK {
			t.Errorf("cut at %d: outcome %s (%v)", n, c.Outcome, p.d.Err)
		}
		p.d.Check(t)
	}
}
