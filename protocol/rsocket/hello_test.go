package rsocket

import (
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/metadata"
	"wiregauge/protocol/rsocket/websocket"
)

// The SETUP and a request of Spring's inventory example, byte for byte as its requester sends them; our own body, with a
// map whose length is said, is one byte shorter.
func TestBytesOfTheInventoryExample(t *testing.T) {
	l := client(t, protocol.Options{})
	body, _ := hex.DecodeString("bf63736b756241316371747902ff")
	l.Start(prototest.NewCall(&wiregauge.Request{Method: "inventory.check", Messages: [][]byte{body}}))
	const want = "00004b0000000004000001000000004e2000015f90276d6573736167652f782e72736f636b65742e636f6d706f736974652d6d657461646174612e7630106170706c69636174696f6e2f63626f72" +
		"00002b000000011100000014fe0000100f696e76656e746f72792e636865636bbf63736b756241316371747902ff"
	if got := hex.EncodeToString(l.Take(1 << 20)); got != want {
		t.Errorf("sent\n%s; expected\n%s", got, want)
	}
}

func TestSetup(t *testing.T) {
	l := client(t, protocol.Options{Setup: protocol.Setup{MetadataType: "text/plain", DataType: "application/json", Metadata: []byte("md"), Data: []byte("data"),
		KeepAlive: time.Second, Lifetime: 5 * time.Second, Lease: true}})
	f, err := frame.Decode(l.Take(1 << 20)[frame.PrefixLen:])
	want := frame.Frame{Type: frame.Setup, Flags: frame.Meta | frame.Leasing, Major: 1, KeepAlive: 1000, Lifetime: 5000}
	if err != nil || f.Flags != want.Flags || f.Major != 1 || f.Minor != 0 || f.KeepAlive != 1000 || f.Lifetime != 5000 ||
		string(f.MetadataMIME) != "text/plain" || string(f.DataMIME) != "application/json" || string(f.Metadata) != "md" || string(f.Data) != "data" {
		t.Errorf("got %+v, %v; expected %+v", f, err, want)
	}
	for text, s := range map[string]protocol.Setup{
		"255 are the most":           {DataType: strings.Repeat("x", 256)},
		"61440 are the most here":    {Data: make([]byte, 61<<10)},
		"on one line":                {Web: true, Header: []wiregauge.Field{{Name: "a", Value: "b\r\nc"}}},
		"line ends are not possible": {Web: true, Path: "/a b"},
	} {
		if _, err := client(t, protocol.Options{Setup: s}).try(&wiregauge.Request{}); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("start: %v; expected %q", err, text)
		}
	}
}

func TestDataTypes(t *testing.T) {
	for codec, want := range map[string]string{"": "application/cbor", "cbor": "application/cbor", "json": "application/json", "protobuf": "application/vnd.google.protobuf",
		"text": "text/plain", "binary": "application/octet-stream", "hessian": "application/x-hessian", "x/y": "x/y"} {
		if got := DataType(codec); got != want {
			t.Errorf("%q is %s; expected %s", codec, got, want)
		}
	}
}

// The upgrade asks as RFC 6455 has it; SETUP follows the 101, and a call can start at once.
func TestUpgrade(t *testing.T) {
	setup := protocol.Setup{Web: true, Path: "/rsocket", Header: []wiregauge.Field{{Name: "X-Token", Value: "t"}}}
	s := New(protocol.Options{Setup: setup, Authority: "host:7000"}, ignored{})
	asked := string(s.Flush(nil))
	if !strings.HasPrefix(asked, "GET /rsocket HTTP/1.1\r\nHost: host:7000\r\n") || !strings.Contains(asked, "\r\nX-Token: t\r\n") || strings.Contains(asked, "Sec-WebSocket-Protocol") {
		t.Errorf("sent %q", asked)
	}
	path, key, n, err := websocket.ReadRequest([]byte(asked))
	if path != "/rsocket" || n != len(asked) || err != nil {
		t.Fatalf("%s, %d bytes, %v", path, n, err)
	}
	c := prototest.NewCall(&wiregauge.Request{})
	if _, err := s.Start(nil, c); err != wiregauge.Handshake || s.(wiregauge.Greeter).Ready() {
		t.Errorf("start: %v; expected handshake", err)
	}
	used, out, err := s.Receive(websocket.AppendResponse(nil, key), nil)
	if h, n, _ := websocket.Read(out); err != nil || used == 0 || !h.Masked || h.Len != 75 || n+75 != len(out) {
		t.Errorf("after the answer: %d used, %d bytes, %v", used, len(out), err)
	}
	if _, err := s.Start(nil, c); err != nil {
		t.Errorf("start: %v", err)
	}
	other := New(protocol.Options{Setup: setup}, ignored{}).(*session)
	if other.hello.key == key {
		t.Error("two connections have the same key")
	}
}

func TestUpgradeRefused(t *testing.T) {
	for text, answer := range map[string]string{
		"the server answered 404 Not Found to the upgrade to WebSocket": "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nno\n",
		"Sec-WebSocket-Accept":                 "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\n\r\n",
		"where \"HTTP/1.\" begins the upgrade": "\x00\x00\x0b\x00\x00\x00\x00\x2c\x00",
	} {
		for _, feed := range []func(*prototest.Driver, []byte){prototest.Whole, prototest.ByteByByte} {
			l := client(t, protocol.Options{Setup: protocol.Setup{Web: true}})
			l.Take(1 << 20)
			feed(l.Driver, []byte(answer))
			if l.Err == nil || !strings.Contains(l.Err.Error(), text) || l.sent() != "" {
				t.Errorf("%v; expected %q", l.Err, text)
			}
		}
	}
	l := client(t, protocol.Options{Setup: protocol.Setup{Web: true}})
	l.Feed([]byte("HTTP/1.1 404 Not Found\r\n\r\n"))
	var status *websocket.StatusError
	if !errors.As(l.Err, &status) || !strings.Contains(status.Status, http.StatusText(404)) {
		t.Errorf("%v; expected the status", l.Err)
	}
}

func TestMetadata(t *testing.T) {
	header := []wiregauge.Field{{Name: "text/x.a", Value: "hi"}, {Name: "application/json", Value: "{}"}}
	for _, tt := range []struct {
		name, mime, route string
		header            []wiregauge.Field
		want, err         string
	}{
		{"nothing", "", "", nil, "", ""},
		{"a route", "", "inventory.check", nil, "fe0000100f696e76656e746f72792e636865636b", ""},
		{"entries", metadata.Composite, "", header, "07746578742f782e61000002686985000002" + "7b7d", ""},
		{"a route alone", metadata.Routing, "abc", nil, "03616263", ""},
		{"a route where there is no room", "text/plain", "abc", nil, "", "the connection's metadata is text/plain"},
		{"metadata as it is", "text/x.a", "", header[:1], "6869", ""},
		{"metadata of another type", "text/plain", "", header[:1], "", "write -H 'text/plain: value'"},
		{"a route too long", "", strings.Repeat("x", 256), nil, "", "255 are the most"},
		{"a name too long", "", "", []wiregauge.Field{{Name: "x/" + strings.Repeat("x", 127)}}, "", "1 to 128 are possible"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Metadata(tt.mime, &wiregauge.Request{Method: tt.route, Header: tt.header})
			if hex.EncodeToString(got) != tt.want || tt.want == "" && got != nil {
				t.Errorf("got %x; expected %s", got, tt.want)
			}
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %v; expected %q", err, tt.err)
			}
		})
	}
}

// Requests that share an Index have one header set; one with another set is encoded anew.
func TestTemplates(t *testing.T) {
	l := plain(t)
	for _, r := range []*wiregauge.Request{
		{Method: "a", Messages: [][]byte{[]byte("1")}},
		{Method: "a", Messages: [][]byte{[]byte("22")}},
		{Method: "bb", Messages: [][]byte{[]byte("333")}},
		{Method: "bb", Shape: wiregauge.OneWay},
		{Method: "bb", Shape: wiregauge.ServerStream, Credit: 7},
	} {
		l.Start(prototest.NewCall(r))
	}
	l.said("REQUEST_RESPONSE stream 1, 16 bytes METADATA: route a, metadata 6 bytes, data 1 bytes; " +
		"REQUEST_RESPONSE stream 3, 17 bytes METADATA: route a, metadata 6 bytes, data 2 bytes; " +
		"REQUEST_RESPONSE stream 5, 19 bytes METADATA: route bb, metadata 7 bytes, data 3 bytes; " +
		"METADATA_PUSH 13 bytes METADATA: route bb, metadata 7 bytes; " +
		"REQUEST_STREAM stream 7, 20 bytes METADATA: n 7, route bb, metadata 7 bytes")
	for text, r := range map[string]*wiregauge.Request{
		"expected 0 or more":       {Index: -1},
		"65472 bytes are the most": {Index: 5, Shape: wiregauge.OneWay, Header: []wiregauge.Field{{Name: "text/x", Value: strings.Repeat("x", 70_000)}}},
		"255 are the most":         {Index: 6, Method: strings.Repeat("x", 256)},
	} {
		if err := l.Start(prototest.NewCall(r)); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("start: %v; expected %q", err, text)
		}
	}
}
