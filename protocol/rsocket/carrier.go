package rsocket

import (
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"

	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/websocket"
)

// errHangUp is a WebSocket peer's word that it closes; what follows it in the text is its code and reason.
var errHangUp = errors.New("the peer closed the WebSocket")

// A carrier wraps frames for the connection below: behind their length on TCP and TLS, as one binary message each on
// WebSocket. It is one end of one connection; the upgrade to WebSocket is over before it is used.
type carrier struct {
	web    bool
	client bool // of WebSocket: masks what it sends, and takes nothing that is masked
	limit  int  // most bytes of a received frame, over 0

	random *rand.ChaCha8 // of masks
	mask   [4]byte       // of the message that is being appended

	message []byte // of a WebSocket message that came in pieces, or masked
	pieces  bool   // more of it come

	overhead struct{ sent, received int64 } // lengths and heads around frames; whole messages of WebSocket's own
}

func newCarrier(web, client bool, limit int) carrier {
	c := carrier{web: web, client: client, limit: limit}
	if web && client {
		var seed [32]byte
		_, _ = crand.Read(seed[:])
		c.random = rand.NewChaCha8(seed)
	}
	return c
}

// begin appends what stands before a frame of n bytes.
func (c *carrier) begin(out []byte, n int) []byte {
	if !c.web {
		c.overhead.sent += frame.PrefixLen
		return frame.AppendUint24(out, n)
	}
	return c.head(out, websocket.Binary, n)
}

func (c *carrier) head(out []byte, op websocket.Op, n int) []byte {
	h := websocket.Head{Fin: true, Op: op, Masked: c.client, Len: n}
	if c.client {
		binary.LittleEndian.PutUint32(c.mask[:], uint32(c.random.Uint64()))
		h.Mask = c.mask
	}
	c.overhead.sent += int64(h.Size())
	return h.Append(out)
}

// seal finishes the frame, which is the last n bytes of out.
func (c *carrier) seal(out []byte, n int) {
	c.veil(c.mask, 0, out[len(out)-n:])
}

// veil masks p, which begins at byte at of a frame that was begun with that mask.
func (c *carrier) veil(mask [4]byte, at int, p []byte) {
	if c.web && c.client {
		websocket.Apply(mask, at, p)
	}
}

// next cuts the first frame off in. The frame is valid until the next call; nil without an error means that more bytes
// are needed, or that what was used was WebSocket's own. Pongs are appended to out.
func (c *carrier) next(in, out []byte) (f []byte, used int, reply []byte, err error) {
	if c.web {
		return c.nextMessage(in, out)
	}
	if len(in) < frame.PrefixLen {
		return nil, 0, out, nil
	}
	n := frame.Uint24(in)
	rest := in[frame.PrefixLen:]
	if err := c.judge(rest, n); err != nil || len(rest) < n {
		return nil, 0, out, err
	}
	c.overhead.received += frame.PrefixLen
	return rest[:n:n], frame.PrefixLen + n, out, nil
}

// peek is the head of the frame that in begins with, nil while it is not there. The frame itself is not whole: next has
// been asked.
func (c *carrier) peek(in []byte) []byte {
	at := frame.PrefixLen
	if c.web {
		h, n, err := websocket.Read(in)
		if n == 0 || err != nil || c.pieces || !h.Fin || h.Masked || h.Op != websocket.Binary {
			return nil
		}
		at = n
	}
	if len(in) < at+frame.HeadLen {
		return nil
	}
	return in[at : at+frame.HeadLen]
}

// judge looks at the head of a frame of n bytes as soon as it is there.
func (c *carrier) judge(p []byte, n int) error {
	if len(p) < min(n, frame.HeadLen) {
		return nil
	}
	return frame.Judge(p[:min(len(p), frame.HeadLen)], n, c.limit)
}

// nextMessage reads frames of WebSocket until one of ours is whole.
func (c *carrier) nextMessage(in, out []byte) (f []byte, used int, reply []byte, err error) {
	for {
		h, n, err := websocket.Read(in[used:])
		if err != nil {
			return nil, used, out, err
		}
		if n == 0 {
			return nil, used, out, nil
		}
		if err := c.allowed(h); err != nil {
			return nil, used, out, err
		}
		body := in[used+n:]
		if whole := !c.pieces && h.Fin && !h.Masked && h.Op == websocket.Binary; whole {
			if err := c.judge(body, h.Len); err != nil {
				return nil, used, out, err
			}
		}
		if len(body) < h.Len {
			return nil, used, out, nil
		}
		body = body[:h.Len:h.Len]
		used += n + h.Len
		c.overhead.received += int64(n)
		if h.Op.Control() {
			if out, err = c.control(h, body, out); err != nil {
				return nil, used, out, err
			}
			continue
		}
		if f, err = c.piece(h, body); f != nil || err != nil {
			return f, used, out, err
		}
	}
}

// allowed refuses heads that break RFC 6455 and messages that are no frames of RSocket or beyond the limit.
func (c *carrier) allowed(h websocket.Head) error {
	switch {
	case h.Masked == c.client:
		return fmt.Errorf("a WebSocket frame with its mask bit %t; masks are the client's (RFC 6455, section 5.1)", h.Masked)
	case h.Op == websocket.Text:
		return errors.New("a text message of WebSocket; frames of RSocket are binary messages")
	case h.Op == websocket.Binary && c.pieces:
		return errors.New("a new WebSocket message before the last piece of the one before (RFC 6455, section 5.4)")
	case h.Op == websocket.Continuation && !c.pieces:
		return errors.New("a piece of a WebSocket message that was not begun (RFC 6455, section 5.4)")
	case !h.Op.Control() && h.Len > c.limit-len(c.held()):
		return fmt.Errorf("a WebSocket message of %d bytes or more; the limit is %d", len(c.held())+h.Len, c.limit)
	}
	return nil
}

// held is what has come of a message in pieces.
func (c *carrier) held() []byte {
	if !c.pieces {
		return nil
	}
	return c.message
}

// piece takes the payload of a data frame and returns the whole message with its last.
func (c *carrier) piece(h websocket.Head, body []byte) (f []byte, err error) {
	if !c.pieces && h.Fin && !h.Masked {
		return body, nil
	}
	from := len(c.held())
	c.message = append(c.message[:from], body...)
	if h.Masked {
		websocket.Apply(h.Mask, 0, c.message[from:])
	}
	c.pieces = !h.Fin
	if c.pieces {
		return nil, nil
	}
	f = c.message
	if cap(c.message) > 1<<20 {
		c.message = nil // one huge message does not keep its memory for ever
	}
	return f, c.judge(f, len(f))
}

// control answers pings and ends the connection at a close.
func (c *carrier) control(h websocket.Head, body, out []byte) ([]byte, error) {
	c.overhead.received += int64(len(body))
	var plain [websocket.MaxControl]byte
	p := plain[:copy(plain[:], body)]
	if h.Masked {
		websocket.Apply(h.Mask, 0, p)
	}
	switch h.Op {
	case websocket.Ping:
		return c.own(out, websocket.Pong, p), nil
	case websocket.Close:
		return c.own(out, websocket.Close, p[:min(len(p), 2)]), fmt.Errorf("%w %s", errHangUp, websocket.CloseText(p))
	}
	return out, nil
}

// own appends a message of WebSocket's own.
func (c *carrier) own(out []byte, op websocket.Op, p []byte) []byte {
	out = append(c.head(out, op, len(p)), p...)
	c.seal(out, len(p))
	c.overhead.sent += int64(len(p))
	return out
}
