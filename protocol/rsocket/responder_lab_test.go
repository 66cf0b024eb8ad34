package rsocket

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"wiregauge"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/websocket"
)

// A peerLab is a connection to our answering end with the routes of the servers that the captures were taken from
// behind it (testdata/vectors).
type peerLab struct {
	t    testing.TB
	r    *Responder
	open []*labCall
	in   []byte
	out  []byte
	err  error // of Receive or Tick

	spring                  bool // refuses requests without a route
	notes, pushes, canceled int
	told                    []string // what the Handler heard of
}

// A labCall is a call with the answers that it will have.
type labCall struct {
	id      uint64
	items   [][]byte
	ends    bool
	failure error
	grant   int // owed after the first answer
	channel bool
}

func newPeerLab(t testing.TB, s Serving) *peerLab {
	l := &peerLab{t: t}
	l.r = NewResponder(s, l)
	return l
}

// Request answers as those servers do.
func (l *peerLab) Request(id uint64, r *wiregauge.Incoming) error {
	l.told = append(l.told, strings.TrimSpace(fmt.Sprintf("%d %s %s %q", id, r.Shape, r.Method, r.Data)))
	switch {
	case r.Opening && r.Method == "refuse":
		return errors.New("refused by lab")
	case r.Opening && r.Codec == "" && l.spring:
		return errors.New("No `dataMimeType` in ConnectionSetupPayload and no default value")
	case r.Opening:
		return nil
	case r.Push:
		l.pushes++
		return nil
	}
	c := &labCall{id: id, ends: true}
	if err := l.answers(c, r, string(r.Data)); err != nil {
		return err
	}
	if r.Shape != wiregauge.OneWay {
		l.open = append(l.open, c)
	}
	return nil
}

func (l *peerLab) answers(c *labCall, r *wiregauge.Incoming, data string) error {
	want := wiregauge.Unary
	switch r.Method {
	case "chan":
		want = wiregauge.Bidi
	case "ticks", "bigs", "ticker":
		want = wiregauge.ServerStream
	}
	known := strings.Contains(" echo inventory.check empty fail err never ticks ticker chan note big bigs counts ", " "+r.Method+" ")
	switch {
	case r.Method == "" && !l.spring:
		c.items = [][]byte{[]byte(data)}
	case !known:
		return fmt.Errorf("No handler for destination '%s'", r.Method)
	case r.Shape != want && (r.Shape != wiregauge.OneWay || want != wiregauge.Unary):
		return fmt.Errorf("Destination '%s' does not support %v", r.Method, r.Shape)
	}
	switch r.Method {
	case "echo":
		c.items = [][]byte{[]byte(data)}
	case "inventory.check":
		if data == "" || !strings.Contains("\xa2\xbf{", data[:1]) || (data[0] == '{') != (r.Codec == "application/json") || strings.HasSuffix(r.Codec, "x-lab") {
			return errors.New("Could not resolve method parameter at index 0")
		}
		c.items = [][]byte{[]byte("stock")}
	case "fail":
		return errors.New("failed by lab")
	case "err":
		code, err := strconv.ParseInt(data, 16, 64)
		if err != nil {
			return errors.New("none")
		}
		return &wiregauge.Failure{Status: int(code), Text: "by lab"}
	case "never", "ticker":
		c.ends = false
	case "ticks":
		n, _ := strconv.Atoi(strings.TrimSuffix(data, "!"))
		for i := range n {
			c.items = append(c.items, fmt.Appendf(nil, "tick-%d", i))
		}
		if strings.HasSuffix(data, "!") {
			c.failure = fmt.Errorf("after %d", n)
		}
	case "chan":
		c.items, c.ends, c.channel = [][]byte{[]byte(strings.ToUpper(data))}, r.Last, true
		c.grant = int(min(r.Credit-1, frame.MaxN))
		if r.Credit > frame.MaxN {
			c.grant = frame.MaxN
		}
	case "note":
		l.notes++
	case "big", "bigs":
		n, _ := strconv.Atoi(data)
		for i := range map[string]int{"big": 1, "bigs": 3}[r.Method] {
			c.items = append(c.items, bytes.Repeat([]byte{byte('0' + i)}, n))
		}
	case "counts":
		c.items = [][]byte{fmt.Appendf(nil, "notes=%d pushes=%d cancels=%d", l.notes, l.pushes, l.canceled)}
	}
	return nil
}

func (l *peerLab) Message(id uint64, body []byte, last bool) {
	l.told = append(l.told, fmt.Sprintf("%d message %q %t", id, body, last))
	for _, c := range l.open {
		if c.id == id {
			c.ends = c.ends || last
			if body != nil {
				c.items = append(c.items, bytes.ToUpper(body))
			}
		}
	}
}

func (l *peerLab) Room(id uint64, credit int64) {
	l.told = append(l.told, fmt.Sprintf("%d room %d", id, credit))
}

func (l *peerLab) Cancel(id uint64) {
	l.canceled++
	l.told = append(l.told, fmt.Sprintf("%d cancel", id))
	for i, c := range l.open {
		if c.id == id {
			l.open = append(l.open[:i:i], l.open[i+1:]...)
			return
		}
	}
}

// feed has p arrive at a moment; what is sent back is in out.
func (l *peerLab) feed(now time.Duration, p []byte) {
	if l.err != nil {
		return
	}
	l.tick(now)
	l.in = append(l.in, p...)
	used, out, err := l.r.Receive(l.in, l.out)
	if used > len(l.in) {
		l.t.Fatalf("used %d of %d bytes", used, len(l.in))
	}
	l.in, l.out = append([]byte(nil), l.in[used:]...), out
	l.err = err
	l.tick(now)
	if l.err == nil || errors.Is(l.err, io.EOF) {
		l.answer()
	}
}

func (l *peerLab) tick(now time.Duration) {
	if l.err == nil {
		l.out, l.err = l.r.Tick(now, l.out)
	}
}

// answer sends what the calls can send.
func (l *peerLab) answer() {
	for again := true; again; {
		again = false
		for i := 0; i < len(l.open); i++ {
			c := l.open[i]
			done, moved := l.step(c)
			again = again || moved
			if done {
				l.open = append(l.open[:i:i], l.open[i+1:]...)
				i--
			}
		}
		for from := -1; from != len(l.out); {
			from = len(l.out)
			l.out = l.r.Flush(l.out)
		}
	}
}

func (l *peerLab) step(c *labCall) (done, moved bool) {
	var err error
	switch {
	case len(c.items) > 0:
		last := c.ends && len(c.items) == 1 && c.failure == nil && !c.channel
		if l.out, err = l.r.Answer(l.out, c.id, c.items[0], last, nil); err != nil {
			return false, false
		}
		c.items = c.items[1:]
		l.out = l.r.Grant(l.out, c.id, c.grant)
		c.grant = 0
		return last, true
	case !c.ends:
		return false, false
	}
	l.out, err = l.r.Answer(l.out, c.id, nil, true, c.failure)
	return err == nil, true
}

// frames cuts what was sent into frames, WebSocket's own dropped.
func (l *peerLab) frames() [][]byte {
	l.t.Helper()
	return cutFrames(l.t, l.out, l.r.c.web)
}

func cutFrames(t testing.TB, p []byte, web bool) (all [][]byte) {
	t.Helper()
	if web {
		if i := bytes.Index(p, []byte("\r\n\r\n")); i >= 0 && bytes.HasPrefix(p, []byte("HTTP")) {
			p = p[i+4:]
		}
	}
	for len(p) > 0 {
		n := 0
		binary := true
		if web {
			h, head, err := websocket.Read(p)
			if err != nil || head == 0 || len(p) < head+h.Len {
				t.Fatalf("%x is no whole message of WebSocket (%v)", p, err)
			}
			p, n, binary = p[head:], h.Len, h.Op == websocket.Binary
		} else {
			n, p = frame.Uint24(p), p[frame.PrefixLen:]
		}
		if binary {
			all = append(all, p[:n])
		}
		p = p[n:]
	}
	return all
}

// shorthand is what is compared of frames, stream by stream: type, flags and code. Fragments are one message, a last
// message with Complete is the same as one and a Complete behind it, and a server's own KEEPALIVEs are left out.
func shorthand(t testing.TB, frames [][]byte) map[uint32]string {
	t.Helper()
	all := map[uint32]string{}
	for _, p := range frames {
		f, err := frame.Decode(p)
		if err != nil {
			t.Fatalf("%x: %v", p, err)
		}
		word := f.Type.String()
		switch f.Type {
		case frame.KeepAlive:
			if f.Flags&frame.Respond != 0 {
				continue
			}
			word += " " + string(f.Data)
		case frame.Payload:
			if f.Flags&frame.Follows != 0 {
				continue
			}
			word = ""
			if f.Flags&frame.Next != 0 {
				word = "N"
			}
			if f.Flags&frame.Complete != 0 {
				word = strings.TrimSpace(word + " C")
			}
		case frame.Error:
			word = fmt.Sprintf("ERROR 0x%x", f.N)
		case frame.RequestN:
			word = fmt.Sprintf("REQUEST_N %d", f.N)
		case frame.Lease:
			word = fmt.Sprintf("LEASE %d %d", f.TTL, f.N)
		}
		all[f.Stream] = strings.TrimSpace(all[f.Stream] + " " + strings.TrimSpace(word))
	}
	return all
}
