package rsocket

import (
	crand "crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"

	"wiregauge/protocol"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/metadata"
	"wiregauge/protocol/rsocket/websocket"
)

// A hello is how a connection opens: the upgrade where there is one, then SETUP, then a KEEPALIVE whose answer is the
// proof that it was taken, where that is wanted.
type hello struct {
	upgrade []byte // the request; nil once it has gone, or for TCP
	key     string // what it asks with
	frame   []byte // SETUP

	upgrading bool // the 101 is awaited
	awaiting  bool // the answer to the KEEPALIVE is
	sent      bool // SETUP has gone
}

// mostSetup bounds the payload of SETUP, in bytes: it is sent whole.
const mostSetup = 60 << 10

func newHello(o protocol.Options) (hello, error) {
	s := o.Setup
	f := frame.Frame{Type: frame.Setup, Major: 1, KeepAlive: millis(newLiveness(s).every), Lifetime: millis(newLiveness(s).lifetime),
		MetadataMIME: []byte(s.MetadataType), DataMIME: []byte(s.DataType), Metadata: s.Metadata, Data: s.Data}
	if s.MetadataType == "" {
		f.MetadataMIME = []byte(metadata.Composite)
	}
	if s.DataType == "" {
		f.DataMIME = []byte(DataType(""))
	}
	if s.Metadata != nil {
		f.Flags |= frame.Meta
	}
	if s.Lease {
		f.Flags |= frame.Leasing
	}
	h := hello{awaiting: s.Await}
	switch n := len(s.Metadata) + len(s.Data); {
	case len(f.MetadataMIME) > 255, len(f.DataMIME) > 255:
		return h, fmt.Errorf("a MIME type of %d bytes for SETUP: 255 are the most", max(len(f.MetadataMIME), len(f.DataMIME)))
	case n > mostSetup:
		return h, fmt.Errorf("a payload of %d bytes for SETUP: %d are the most here", n, mostSetup)
	}
	h.frame = f.Append(nil)
	if !s.Web {
		return h, nil
	}
	h.upgrading = true
	return h, h.ask(o)
}

// ask makes the request for the upgrade.
func (h *hello) ask(o protocol.Options) error {
	var nonce [16]byte
	_, _ = crand.Read(nonce[:])
	h.key = base64.StdEncoding.EncodeToString(nonce[:])
	var fields []websocket.Field
	for _, f := range o.Setup.Header {
		if strings.ContainsAny(f.Name+f.Value, "\r\n") || strings.Trim(f.Name, " :") != f.Name || f.Name == "" {
			return fmt.Errorf("header %q of the upgrade to WebSocket: expected 'Name: value' on one line", f.Name+": "+f.Value)
		}
		fields = append(fields, websocket.Field{Name: f.Name, Value: f.Value})
	}
	if strings.ContainsAny(o.Setup.Path+o.Authority, " \r\n") {
		return fmt.Errorf("path %q of the upgrade to WebSocket: spaces and line ends are not possible", o.Setup.Path)
	}
	path := "/" + strings.TrimPrefix(o.Setup.Path, "/")
	h.upgrade = websocket.AppendRequest(nil, path, o.Authority, h.key, fields)
	return nil
}

// DataType is the MIME type that messages of a codec have: "cbor", "json", "protobuf", "hessian", "text", "binary", or a
// MIME type as it is. Empty means CBOR.
func DataType(codec string) string {
	switch codec {
	case "", "cbor":
		return "application/cbor"
	case "json":
		return "application/json"
	case "protobuf", "proto":
		return "application/vnd.google.protobuf"
	case "hessian":
		return "application/x-hessian"
	case "text":
		return "text/plain"
	case "binary":
		return "application/octet-stream"
	}
	return codec
}

// appendHello appends what can go out of the hello.
func (s *session) appendHello(out []byte) []byte {
	h := &s.hello
	if h.upgrade != nil {
		out = append(out, h.upgrade...)
		s.sent.Control += int64(len(h.upgrade))
		h.upgrade = nil
	}
	if h.upgrading || h.sent {
		return out
	}
	h.sent = true
	out = s.c.begin(out, len(h.frame))
	out = append(out, h.frame...)
	s.c.seal(out, len(h.frame))
	s.sent.Control += int64(len(h.frame))
	h.frame = nil
	if h.awaiting {
		out = s.put(out, 0, frame.KeepAlive, frame.Respond, make([]byte, 8), nil)
		s.alive.open, s.alive.at = true, s.appended()
	}
	s.lease.wanted = s.lease.wanted || s.setup.Lease
	return out
}

// upgraded reads the server's answer to the upgrade. SETUP follows at once.
func (s *session) upgraded(in, out []byte) (used int, reply []byte, err error) {
	n, err := websocket.ReadResponse(in, s.hello.key)
	if err != nil || n == 0 {
		return n, out, err
	}
	s.received.Control += int64(n)
	s.hello.upgrading = false
	return n, s.appendHello(out), nil
}
