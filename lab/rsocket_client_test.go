package lab

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"

	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/metadata"
	"wiregauge/protocol/rsocket/websocket"
)

// A rawPeer is a client that speaks frames of RSocket, and no more than a test tells it to.
type rawPeer struct {
	t    testing.TB
	conn net.Conn
	web  bool
	in   []byte
	id   uint32
}

// connect connects, over any of the RSocket protocols, with that MIME type of data.
func connect(t testing.TB, s *Server, protocol, mime string, flags frame.Flags) *rawPeer {
	t.Helper()
	var host string
	for _, e := range s.Endpoints() {
		if e.Protocol == protocol {
			u, err := url.Parse(e.URL)
			if err != nil {
				t.Fatal(err)
			}
			host = u.Host
		}
	}
	var c net.Conn
	var err error
	if secure(protocol) {
		c, err = tls.Dial("tcp", host, trust(t, s))
	} else {
		c, err = net.Dial("tcp", host)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	p := &rawPeer{t: t, conn: c, web: overWebSocket(protocol), id: 1}
	if p.web {
		p.upgrade()
	}
	p.setUp(mime, flags)
	return p
}

func (p *rawPeer) setUp(mime string, flags frame.Flags) {
	p.send(frame.Frame{Type: frame.Setup, Flags: flags, Major: 1, KeepAlive: 20_000, Lifetime: 90_000,
		MetadataMIME: []byte(metadata.Composite), DataMIME: []byte(mime)})
}

func (p *rawPeer) upgrade() {
	p.t.Helper()
	const key = "dGhlIHNhbXBsZSBub25jZQ=="
	p.conn.Write(websocket.AppendRequest(nil, "/anything", "x", key, nil))
	for {
		n, err := websocket.ReadResponse(p.in, key)
		if err != nil {
			p.t.Fatal(err)
		}
		if n > 0 {
			p.in = p.in[n:]
			return
		}
		if err := p.read(); err != nil {
			p.t.Fatal(err)
		}
	}
}

// send writes frames with one write.
func (p *rawPeer) send(frames ...frame.Frame) {
	var out []byte
	for _, f := range frames {
		if !p.web {
			out = f.AppendPrefixed(out)
			continue
		}
		body := f.Append(nil)
		h := websocket.Head{Fin: true, Op: websocket.Binary, Masked: true, Mask: [4]byte{9, 8, 7, 6}, Len: len(body)}
		websocket.Apply(h.Mask, 0, body)
		out = append(h.Append(out), body...)
	}
	p.conn.Write(out)
}

func (p *rawPeer) read() error {
	buf := make([]byte, 64<<10)
	n, err := p.conn.Read(buf)
	p.in = append(p.in, buf[:n]...)
	if n > 0 {
		return nil
	}
	return err
}

// next is the next frame; keep-alives and messages of WebSocket's own are passed over.
func (p *rawPeer) next() (frame.Frame, error) {
	for {
		head, n := 3, 0
		binary := true
		if p.web {
			h, size, err := websocket.Read(p.in)
			if err != nil {
				return frame.Frame{}, err
			}
			head, n, binary = size, h.Len, h.Op == websocket.Binary
		} else if len(p.in) >= 3 {
			n = frame.Uint24(p.in)
		}
		if head == 0 || len(p.in) < head+n || len(p.in) < 2 {
			if err := p.read(); err != nil {
				return frame.Frame{}, err
			}
			continue
		}
		body := bytes.Clone(p.in[head : head+n])
		p.in = p.in[head+n:]
		if binary {
			return frame.Decode(body)
		}
	}
}

// request is the frame of a call with a route, and entries "name", "value" of metadata behind it.
func request(kind frame.Type, id uint32, route string, data []byte, n uint32, entries ...string) frame.Frame {
	tag, err := metadata.AppendTag(nil, route)
	if err != nil {
		panic(err)
	}
	md, _ := metadata.Append(nil, metadata.Routing, tag)
	for i := 0; i < len(entries); i += 2 {
		md, _ = metadata.Append(md, entries[i], []byte(entries[i+1]))
	}
	return frame.Frame{Type: kind, Stream: id, Flags: frame.Meta, Metadata: md, Data: data, N: n}
}

// call makes one call and gives its answer: the data, or the ERROR in words ("0x201 text"), or how it was lost.
func (p *rawPeer) call(route string, data []byte, entries ...string) (answer []byte, failure string) {
	p.t.Helper()
	id := p.id
	p.id += 2
	p.send(request(frame.RequestResponse, id, route, data, 0, entries...))
	return p.answer(id)
}

// answer reads one message of a stream, of all its fragments.
func (p *rawPeer) answer(id uint32) (data []byte, failure string) {
	p.t.Helper()
	for {
		f, err := p.next()
		switch {
		case err != nil:
			return nil, "lost"
		case f.Type == frame.Error && (f.Stream == id || f.Stream == 0 && f.N != uint32(frame.ConnectionClose)):
			return nil, fmt.Sprintf("0x%x %s", f.N, f.Data)
		case f.Stream != id || f.Type != frame.Payload:
			continue
		}
		data = append(data, f.Data...)
		if f.Flags&frame.Follows != 0 {
			continue
		}
		if f.Flags&frame.Next == 0 {
			return nil, "complete"
		}
		return data, ""
	}
}

// ends waits for the end of the connection.
func (p *rawPeer) ends() error {
	for {
		if _, err := p.next(); err != nil {
			return err
		}
	}
}

// helloOverRSocket is helloOnce for RSocket.
func helloOverRSocket(p *rawPeer, entries ...string) string {
	got, failure := p.call("hello", []byte(`{"greeting":"x"}`), entries...)
	switch {
	case failure == "" && strings.Contains(string(got), "hello x"):
		return "ok"
	case failure == "":
		return string(got)
	}
	word, _, _ := strings.Cut(failure, " ")
	return word
}
