package rsocket

import (
	"encoding/binary"

	"wiregauge"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/websocket"
)

// mostCanned bounds a body of canned answers, in bytes: it goes in one frame.
const mostCanned = 512 << 10

// canned answers every request of unary calls with a PAYLOAD of zeros, and what is sent one way with nothing. Over
// WebSocket it answers the upgrade first.
func canned(r *wiregauge.Request, body int) func(out, in []byte) []byte {
	if r.Open || body > mostCanned || r.Shape != wiregauge.Unary && r.Shape != wiregauge.OneWay {
		return nil
	}
	f := frame.Frame{Type: frame.Payload, Flags: frame.Next | frame.Complete, Data: make([]byte, body)}
	return (&cannedPeer{c: newCarrier(false, false, frame.MaxLen), reply: f.Append(nil)}).answer
}

// A cannedPeer looks at the heads of the client's frames only.
type cannedPeer struct {
	c     carrier
	reply []byte // with stream id 0
	rest  []byte // of a frame that is not whole
	begun bool
}

func (p *cannedPeer) answer(out, in []byte) []byte {
	if len(p.rest) > 0 {
		p.rest = append(p.rest, in...)
		in = p.rest
	}
	used := 0
	if !p.begun {
		if used, out = p.begin(out, in); !p.begun {
			p.rest = append(p.rest[:0], in...)
			return out
		}
	}
	for {
		f, n, reply, err := p.c.next(in[used:], out)
		out, used = reply, used+n
		if err != nil {
			return out
		}
		if f == nil {
			break
		}
		out = p.frame(out, f)
	}
	p.rest = append(p.rest[:0], in[used:]...)
	return out
}

// begin looks whether the connection opens with an upgrade.
func (p *cannedPeer) begin(out, in []byte) (used int, reply []byte) {
	if len(in) < 3 {
		return 0, out
	}
	if string(in[:3]) == "GET" {
		_, key, n, err := websocket.ReadRequest(in)
		if n == 0 || err != nil {
			return 0, out
		}
		p.c, used, out = newCarrier(true, false, frame.MaxLen), n, websocket.AppendResponse(out, key)
	}
	p.begun = true
	return used, out
}

func (p *cannedPeer) frame(out, f []byte) []byte {
	id, t, flags := frame.Head(f)
	switch {
	case t == frame.KeepAlive && flags&frame.Respond != 0:
		n := len(f)
		out = append(p.c.begin(out, n), f...)
		frame.PutHead(out[len(out)-n:], 0, frame.KeepAlive, 0)
	case t == frame.RequestResponse && flags&frame.Follows == 0, t == frame.Payload && flags&frame.Follows == 0:
		n := len(p.reply)
		out = append(p.c.begin(out, n), p.reply...)
		binary.BigEndian.PutUint32(out[len(out)-n:], id)
	}
	return out
}
