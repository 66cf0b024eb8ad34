package frame

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	p, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const (
	composite = "message/x.rsocket.composite-metadata.v0"
	route     = "\xfe\x00\x00\x10\x0finventory.check"
	body      = "\xbf\x63sku\x62A1\x63qty\x02\xff"
	metaHex   = "000014 fe0000100f696e76656e746f72792e636865636b"
	bodyHex   = "bf63736b756241316371747902ff"
	setupHex  = "27 6d6573736167652f782e72736f636b65742e636f6d706f736974652d6d657461646174612e7630 10 6170706c69636174696f6e2f63626f72"
)

// frames are what real encoders wrote, or what follows from the layouts of the protocol.
var frames = []struct {
	name, wire string // with the length before it
	want       Frame
}{
	{"SETUP of Spring", "00004b 00000000 0400 0001 0000 00004e20 00015f90" + setupHex,
		Frame{Type: Setup, Major: 1, KeepAlive: 20000, Lifetime: 90000, MetadataMIME: []byte(composite), DataMIME: []byte("application/cbor")}},
	{"REQUEST_RESPONSE with a route", "00002b 00000001 1100" + metaHex + bodyHex,
		Frame{Stream: 1, Type: RequestResponse, Flags: Meta, Metadata: []byte(route), Data: []byte(body)}},
	{"KEEPALIVE that wants an answer", "00000f 00000000 0c80 0000000000000000 64", Frame{Type: KeepAlive, Flags: Respond, Data: []byte("d")}},
	{"KEEPALIVE that is one", "00000e 00000000 0c00 0000000000000000", Frame{Type: KeepAlive}},
	{"REQUEST_STREAM with metadata", "000010 00000001 1900 00000001 000002 6d64 64",
		Frame{Stream: 1, Type: RequestStream, Flags: Meta, N: 1, Metadata: []byte("md"), Data: []byte("d")}},
	{"REQUEST_STREAM without metadata", "00000b 00000001 1800 00000001 64", Frame{Stream: 1, Type: RequestStream, N: 1, Data: []byte("d")}},
	{"REQUEST_STREAM with metadata of no bytes", "00000e 00000001 1900 00000001 000000 64",
		Frame{Stream: 1, Type: RequestStream, Flags: Meta, N: 1, Metadata: []byte{}, Data: []byte("d")}},
	{"ERROR of an application", "00000b 00000001 2c00 00000201 64", Frame{Stream: 1, Type: Error, N: uint32(ApplicationError), Data: []byte("d")}},
	{"REQUEST_N", "00000a 00000001 2000 00000005", Frame{Stream: 1, Type: RequestN, N: 5}},
	{"REQUEST_N without bound", "00000a 00000003 2000 7fffffff", Frame{Stream: 3, Type: RequestN, N: MaxN}},
	{"PAYLOAD with a message", "000008 00000003 2820 6930", Frame{Stream: 3, Type: Payload, Flags: Next, Data: []byte("i0")}},
	{"PAYLOAD that only completes", "000006 00000003 2840", Frame{Stream: 3, Type: Payload, Flags: Complete}},
	{"PAYLOAD with the last message", "000008 00000001 2860 6869", Frame{Stream: 1, Type: Payload, Flags: Next | Complete, Data: []byte("hi")}},
	{"CANCEL", "000006 00000005 2400", Frame{Stream: 5, Type: Cancel}},
	{"REQUEST_FNF", "000007 00000007 1400 78", Frame{Stream: 7, Type: RequestFNF, Data: []byte("x")}},
	{"LEASE of rsocket-java", "00000e 00000000 0900 00000320 00000002", Frame{Type: Lease, Flags: Meta, TTL: 800, N: 2, Metadata: []byte{}}},
	{"LEASE of rsocket-js", "00000e 00000000 0800 00000320 00000002", Frame{Type: Lease, TTL: 800, N: 2}},
	{"METADATA_PUSH", "000007 00000000 3100 6d", Frame{Type: MetadataPush, Flags: Meta, Metadata: []byte("m")}},
	{"METADATA_PUSH of rsocket-js, without its flag", "000007 00000000 3000 6d", Frame{Type: MetadataPush, Metadata: []byte("m")}},
	{"RESUME", "00001e 00000000 3400 0001 0000 0002 746b 0000000000000015 000000000000000c",
		Frame{Type: Resume, Major: 1, Token: []byte("tk"), Position: 21, Available: 12}},
	{"RESUME_OK", "00000e 00000000 3800 000000000000002a", Frame{Type: ResumeOK, Position: 42}},
	{"REQUEST_CHANNEL", "00000b 00000001 1c00 00000008 61", Frame{Stream: 1, Type: RequestChannel, N: 8, Data: []byte("a")}},
	{"REQUEST_CHANNEL that completes", "00000b 00000001 1c40 00000008 61", Frame{Stream: 1, Type: RequestChannel, Flags: Complete, N: 8, Data: []byte("a")}},
	{"the first fragment", "00000f 00000001 1180 000004 4d4d4d4d 4444",
		Frame{Stream: 1, Type: RequestResponse, Flags: Meta | Follows, Metadata: []byte("MMMM"), Data: []byte("DD")}},
	{"the last fragment", "00000a 00000001 2820 44444444", Frame{Stream: 1, Type: Payload, Flags: Next, Data: []byte("DDDD")}},
	{"REQUEST_FNF with a route", "00002b 00000003 1500" + metaHex + bodyHex,
		Frame{Stream: 3, Type: RequestFNF, Flags: Meta, Metadata: []byte(route), Data: []byte(body)}},
	{"REQUEST_STREAM with a route and no bound", "00002f 00000005 1900 7fffffff" + metaHex + bodyHex,
		Frame{Stream: 5, Type: RequestStream, Flags: Meta, N: MaxN, Metadata: []byte(route), Data: []byte(body)}},
	{"REQUEST_STREAM with a route and a bound", "00002f 00000005 1900 00000020" + metaHex + bodyHex,
		Frame{Stream: 5, Type: RequestStream, Flags: Meta, N: 32, Metadata: []byte(route), Data: []byte(body)}},
	{"REQUEST_CHANNEL with a route", "00002f 00000007 1d00 7fffffff" + metaHex + bodyHex,
		Frame{Stream: 7, Type: RequestChannel, Flags: Meta, N: MaxN, Metadata: []byte(route), Data: []byte(body)}},
	{"PAYLOAD of a channel", "000014 00000007 2820" + bodyHex, Frame{Stream: 7, Type: Payload, Flags: Next, Data: []byte(body)}},
	{"SETUP that honours leases", "00004b 00000000 0440 0001 0000 00004e20 00015f90" + setupHex,
		Frame{Type: Setup, Flags: Leasing, Major: 1, KeepAlive: 20000, Lifetime: 90000, MetadataMIME: []byte(composite), DataMIME: []byte("application/cbor")}},
	{"SETUP that resumes", "00004f 00000000 0480 0001 0000 00004e20 00015f90 0002 746b" + setupHex,
		Frame{Type: Setup, Flags: Resuming, Major: 1, KeepAlive: 20000, Lifetime: 90000, Token: []byte("tk"), MetadataMIME: []byte(composite), DataMIME: []byte("application/cbor")}},
	{"ERROR that refuses leases", "000020 00000000 2c00 00000001 6c65617365206973206e6f7420737570706f72746564",
		Frame{Type: Error, N: uint32(InvalidSetup), Data: []byte("lease is not supported")}},
	{"ERROR at the end of rsocket-java", "000012 00000000 2c00 00000101 446973706f736564", Frame{Type: Error, N: uint32(ConnectionError), Data: []byte("Disposed")}},
	{"ERROR without a lease", "00002b 00000001 2c00 00000202 5b7365727665725d204c6561736520776173206e6f742069737375656420796574",
		Frame{Stream: 1, Type: Error, N: uint32(Rejected), Data: []byte("[server] Lease was not issued yet")}},
	{"LEASE with metadata", "000010 00000000 0900 00000000 00000000 6d64", Frame{Type: Lease, Flags: Meta, Metadata: []byte("md")}},
	{"EXT", "00000b 00000000 fe00 00000001 78", Frame{Type: Ext, Flags: Ignore, N: 1, Data: []byte("x")}},
}

func TestFramesOnTheWire(t *testing.T) {
	for _, tt := range frames {
		t.Run(tt.name, func(t *testing.T) {
			wire := unhex(t, tt.wire)
			if n := Uint24(wire); n != len(wire)-PrefixLen {
				t.Fatalf("the prefix says %d bytes, there are %d", n, len(wire)-PrefixLen)
			}
			got, err := Decode(wire[PrefixLen:])
			if err != nil || !same(got, tt.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, tt.want)
			}
			if (got.Metadata == nil) != (tt.want.Metadata == nil) {
				t.Errorf("metadata %v; expected %v", got.Metadata, tt.want.Metadata)
			}
			if again := tt.want.AppendPrefixed(nil); !bytes.Equal(again, wire) {
				t.Errorf("encodes as\n%x; expected\n%x", again, wire)
			}
			for cut := range len(wire) - PrefixLen {
				_, _ = Decode(wire[PrefixLen : PrefixLen+cut]) // it may be refused, it may not panic
			}
		})
	}
}

func same(a, b Frame) bool {
	equal := bytes.Equal(a.MetadataMIME, b.MetadataMIME) && bytes.Equal(a.DataMIME, b.DataMIME) &&
		bytes.Equal(a.Token, b.Token) && bytes.Equal(a.Metadata, b.Metadata) && bytes.Equal(a.Data, b.Data)
	for _, f := range []*Frame{&a, &b} {
		f.MetadataMIME, f.DataMIME, f.Token, f.Metadata, f.Data = nil, nil, nil, nil, nil
	}
	return equal && a.Stream == b.Stream && a.Type == b.Type && a.Flags == b.Flags && a.N == b.N && a.TTL == b.TTL &&
		a.Major == b.Major && a.Minor == b.Minor && a.KeepAlive == b.KeepAlive && a.Lifetime == b.Lifetime &&
		a.Position == b.Position && a.Available == b.Available
}

func TestFramesThatAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name, wire string
		want       error
	}{
		{"no head", "00000000 04", ErrShort},
		{"SETUP without its MIME types", "00000000 0400 0001 0000 00004e20 00015f90", ErrShort},
		{"SETUP with a MIME type beyond its end", "00000000 0400 0001 0000 00004e20 00015f90 27 6d", ErrShort},
		{"a token beyond the end", "00000000 3400 0001 0000 0009 746b", ErrShort},
		{"REQUEST_STREAM without initialN", "00000001 1800 0000", ErrShort},
		{"metadata beyond the end", "00000001 1100 000009 6d", ErrMetadata},
		{"metadata without a length", "00000001 1100 0000", ErrMetadata},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if f, err := Decode(unhex(t, tt.wire)); !errors.Is(err, tt.want) {
				t.Errorf("got %+v, %v; expected %v", f, err, tt.want)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	http := []byte("HTTP/1.1 400 Bad Request\r\n")
	for _, tt := range []struct {
		name   string
		head   []byte
		length int
		want   string // of the error; empty: none
	}{
		{"a reply", unhex(t, "00000001 2860"), 8, ""},
		{"an HTTP answer", http[PrefixLen:], Uint24(http), "METADATA_PUSH on stream"},
		{"a frame without a head", unhex(t, "000000"), 3, "shorter than its fields"},
		{"a frame of no bytes", nil, 0, "shorter than its fields"},
		{"a reply beyond the limit", unhex(t, "00000001 2860"), 1001, "PAYLOAD of 1001 bytes; the limit is 1000"},
		{"an unknown type", unhex(t, "00000000 8000"), 7, "unknown type 0x20"},
		{"an unknown type that may be ignored", unhex(t, "00000000 8200"), 7, ""},
		{"KEEPALIVE on a stream", unhex(t, "00000001 0c00"), 14, "KEEPALIVE on stream 1"},
		{"a request on stream 0", unhex(t, "00000000 1100"), 14, "REQUEST_RESPONSE on stream 0"},
		{"a reply on stream 0", unhex(t, "00000000 2860"), 14, "PAYLOAD on stream 0"},
		{"a stream id of 32 bits", unhex(t, "80000001 2860"), 14, "first bit set"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := Judge(tt.head, tt.length, 1000)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v; expected %q", err, tt.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{RequestFNF.String(), "REQUEST_FNF"}, {Ext.String(), "EXT"}, {Type(0x20).String(), "type 0x20"}, {Type(0).String(), "type 0x00"},
		{Rejected.String(), "REJECTED"}, {Code(0xdead).String(), "0xdead"}, {ConnectionClose.String(), "CONNECTION_CLOSE"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s; expected %s", tt.got, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, tt := range frames {
		f.Add(unhex(f, tt.wire)[PrefixLen:])
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		got, err := Decode(p)
		if len(p) >= HeadLen {
			_ = Judge(p, len(p), 1000)
		}
		if err != nil || p[0]&0x80 != 0 {
			return
		}
		if again := got.Append(nil); !bytes.Equal(again, p) {
			t.Errorf("%x came back as %x", p, again)
		}
	})
}
