package websocket

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

func TestHeadsOfRFC6455(t *testing.T) {
	for _, tt := range []struct {
		name, wire, payload string
		op                  Op
		fin                 bool
	}{
		{"an unmasked text", "810548656c6c6f", "Hello", Text, true},
		{"a masked text", "818537fa213d7f9f4d5158", "Hello", Text, true},
		{"the first of two pieces", "010348656c", "Hel", Text, false},
		{"the second of two pieces", "80026c6f", "lo", Continuation, true},
		{"a ping", "890548656c6c6f", "Hello", Ping, true},
		{"a masked pong", "8a8537fa213d7f9f4d5158", "Hello", Pong, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wire, _ := hex.DecodeString(tt.wire)
			h, n, err := Read(wire)
			if err != nil || h.Op != tt.op || h.Fin != tt.fin || h.Len != len(tt.payload) {
				t.Fatalf("got %+v, %d, %v", h, n, err)
			}
			p := bytes.Clone(wire[n:])
			Apply(h.Mask, 0, p)
			if string(p) != tt.payload {
				t.Errorf("payload %q; expected %q", p, tt.payload)
			}
			if got := h.Append(nil); !bytes.Equal(got, wire[:n]) || h.Size() != n {
				t.Errorf("encodes as %x; expected %x", got, wire[:n])
			}
			for cut := range n {
				if _, n, err := Read(wire[:cut]); n != 0 || err != nil {
					t.Errorf("%d bytes of the head: %d, %v; expected to wait for more", cut, n, err)
				}
			}
		})
	}
}

func TestLengths(t *testing.T) {
	for _, n := range []int{0, 125, 126, 127, 65535, 65536, 1 << 24} {
		for _, masked := range []bool{false, true} {
			h := Head{Fin: true, Op: Binary, Masked: masked, Len: n}
			if masked {
				h.Mask = [4]byte{1, 2, 3, 4}
			}
			p := h.Append(nil)
			got, size, err := Read(p)
			if got != h || size != len(p) || size != h.Size() || err != nil {
				t.Errorf("%d bytes: got %+v, %d, %v", n, got, size, err)
			}
		}
	}
}

func TestHeadsThatAreRefused(t *testing.T) {
	for _, tt := range []struct{ name, wire, want string }{
		{"a compressed frame", "c105", "reserved bits"},
		{"a long ping", "897e0080", "ping frame of 128 bytes"},
		{"a ping in pieces", "0900", "in pieces"},
		{"an unknown kind", "8300", "opcode 0x3"},
		{"an unknown control frame", "8b00", "opcode 0xb"},
		{"more bytes than there are", "827fffffffffffffffff", "a frame of"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wire, _ := hex.DecodeString(tt.wire)
			if _, _, err := Read(wire); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v; expected %q", err, tt.want)
			}
		})
	}
}

func TestMaskAtAnyPlace(t *testing.T) {
	mask := [4]byte{0x37, 0xfa, 0x21, 0x3d}
	plain := []byte("0123456789abcdefghijklmnopqrstuvwxyz")
	want := bytes.Clone(plain)
	for i := range want {
		want[i] ^= mask[i&3]
	}
	for cut := range plain {
		got := bytes.Clone(plain)
		Apply(mask, 0, got[:cut])
		Apply(mask, cut, got[cut:])
		if !bytes.Equal(got, want) {
			t.Errorf("cut at %d: %x; expected %x", cut, got, want)
		}
	}
}

func TestUpgrade(t *testing.T) {
	const key = "dGhlIHNhbXBsZSBub25jZQ==" // RFC 6455, section 1.3
	if got := Accept(key); got != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" {
		t.Errorf("accept %s", got)
	}
	request := AppendRequest(nil, "/rsocket?route=a", "h:7000", key, []Field{{"X-A", "b"}})
	path, got, n, err := ReadRequest(append(bytes.Clone(request), "more"...))
	if path != "/rsocket?route=a" || got != key || n != len(request) || err != nil {
		t.Errorf("request: %q %q %d %v", path, got, n, err)
	}
	response := AppendResponse(nil, key)
	if n, err := ReadResponse(append(bytes.Clone(response), 0x82), key); n != len(response) || err != nil {
		t.Errorf("response: %d %v", n, err)
	}
	for cut := range len(response) {
		if n, err := ReadResponse(response[:cut], key); n != 0 || err != nil {
			t.Fatalf("response cut at %d: %d %v", cut, n, err)
		}
	}
	for cut := range len(request) {
		if _, _, n, err := ReadRequest(request[:cut]); n != 0 || err != nil {
			t.Fatalf("request cut at %d: %d %v", cut, n, err)
		}
	}
}

func TestUpgradesThatFail(t *testing.T) {
	const key = "dGhlIHNhbXBsZSBub25jZQ=="
	for _, tt := range []struct{ name, response, want string }{
		{"another status", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "answered 404 Not Found"},
		{"another key", strings.Replace(string(AppendResponse(nil, key)), "s3p", "xxx", 1), "Sec-WebSocket-Accept"},
		{"an extension", strings.Replace(string(AppendResponse(nil, key)), "Upgrade:", "Sec-WebSocket-Extensions: permessage-deflate\r\nUpgrade:", 1), "permessage-deflate"},
		{"no HTTP at all", "\x00\x00\x0e", "begins the upgrade"},
		{"no end", "HTTP/1.1 101 x" + strings.Repeat("a", MaxUpgrade), "a head of more than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := ReadResponse([]byte(tt.response), key); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v; expected %q", err, tt.want)
			}
		})
	}
	for _, bad := range []string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST / HTTP/1.1\r\n\r\n", "\x00\x00\x4b"} {
		if _, _, _, err := ReadRequest([]byte(bad)); err == nil {
			t.Errorf("%q was taken for an upgrade", bad)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("\x82\x7e\x01\x00"))
	f.Add([]byte("\x81\x85\x37\xfa\x21\x3d"))
	f.Fuzz(func(t *testing.T, p []byte) {
		h, n, err := Read(p)
		if err != nil || n == 0 {
			return
		}
		if again, size, err := Read(h.Append(nil)); again != h || err != nil || size > n {
			t.Errorf("%x: %+v came back as %+v, %v", p[:n], h, again, err)
		}
	})
}

func FuzzReadUpgrade(f *testing.F) {
	f.Add(AppendResponse(nil, "k"))
	f.Add(AppendRequest(nil, "/", "h", "k", nil))
	f.Fuzz(func(t *testing.T, p []byte) {
		if n, _ := ReadResponse(p, "k"); n > len(p) {
			t.Errorf("used %d of %d", n, len(p))
		}
		if _, _, n, _ := ReadRequest(p); n > len(p) {
			t.Errorf("used %d of %d", n, len(p))
		}
	})
}
