package rsocket

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"wiregauge"
	"wiregauge/protocol/rsocket/frame"
)

// owedBytes may be owed in replies before the lane has come to write them.
const owedBytes = 1 << 20

// Receive takes in whole frames and leaves the rest to be offered again.
func (s *session) Receive(in, out []byte) (used int, reply []byte, err error) {
	if s.broken != nil || s.ended {
		return 0, out, s.broken
	}
	before, waits := len(out), len(s.behind)
	booked := s.booked()
	for err == nil && used < len(in) {
		var n int
		if n, out, err = s.take1(in[used:], out); n == 0 {
			break
		}
		used += n
	}
	if s.owed += len(out) - before + len(s.behind) - waits; err == nil && s.owed > owedBytes {
		err = errors.New("the server asks for more answers than it reads")
	}
	if err != nil {
		s.received.Control += int64(used) - (s.booked() - booked)
		return used, s.fail(out, err), s.broken
	}
	if s.waiting && s.refusal(nil) == 0 {
		s.waiting = false
		s.ev.Room(nil)
	}
	return used, out, nil
}

// booked is how many bytes of what was received are counted by kind.
func (s *session) booked() int64 {
	return s.received.Total() + s.c.overhead.received + int64(len(s.c.held()))
}

// take1 takes one frame, the answer to the upgrade, or messages of WebSocket's own.
func (s *session) take1(in, out []byte) (used int, reply []byte, err error) {
	if s.hello.upgrading {
		return s.upgraded(in, out)
	}
	var f []byte
	if s.blocked() {
		f, used, s.behind, err = s.c.next(in, s.behind)
	} else {
		f, used, out, err = s.c.next(in, out)
	}
	if err != nil {
		return used, out, s.blame(in, err)
	}
	if f == nil {
		s.peek(in[used:])
		return used, out, s.stranger(in)
	}
	out, err = s.frame(f, out)
	return used, out, err
}

// peek tells of the first byte of an answer that is not whole yet.
func (s *session) peek(in []byte) {
	if h := s.c.peek(in); h != nil {
		if id, t, _ := frame.Head(h); t == frame.Payload || t == frame.Error {
			s.firstByte(s.table.get(id))
		}
	}
}

func (s *session) firstByte(st *stream) {
	if st != nil && !st.first {
		st.first = true
		s.ev.First(st.call)
	}
}

// blame notes whose frame is too long, and recognises peers that do not speak RSocket.
func (s *session) blame(in []byte, err error) error {
	var long *frame.LongError
	if h := s.c.peek(in); h != nil && errors.As(err, &long) {
		if id, _, _ := frame.Head(h); s.table.get(id) != nil {
			s.culprit = s.table.get(id).call
		}
	}
	if other := s.stranger(in); other != nil {
		return other
	}
	return err
}

// stranger recognises in the first bytes of a connection what is no RSocket.
func (s *session) stranger(in []byte) error {
	switch {
	case s.received.Total() > 0 || s.c.web || len(in) < 6:
		return nil
	case string(in[:6]) == "HTTP/1":
		line, _, _ := strings.Cut(string(in[:min(len(in), 60)]), "\r\n")
		return fmt.Errorf("the peer speaks HTTP, not RSocket over TCP: it said %q; over WebSocket write rsocket+ws://", line)
	case in[0] == 0x15 && in[1] == 3 && in[2] <= 4 && in[3] == 0 && in[4] == 2 && (in[5] == 1 || in[5] == 2): // an alert
		return errors.New("the peer speaks TLS, and this is plaintext: write rsocket+tls://")
	}
	return nil
}

// fail ends the connection. The peer is told what it did, unless it is the one that ends it.
func (s *session) fail(out []byte, err error) []byte {
	var said *PeerError
	var breach *wiregauge.ProtocolError
	switch {
	case errors.As(err, &said):
		s.farewell = said
	case errors.Is(err, errHangUp), s.hello.upgrading:
	default:
		if !errors.As(err, &breach) {
			err = &wiregauge.ProtocolError{Text: err.Error(), Code: uint32(frame.ConnectionError)}
		}
		if !s.blocked() {
			out = s.putError(out, 0, frame.ConnectionError, err.Error())
		}
	}
	s.broken = err
	return out
}

// frame acts on one frame, whose head the carrier has judged.
func (s *session) frame(f, out []byte) ([]byte, error) {
	id, t, flags := frame.Head(f)
	p := f[frame.HeadLen:]
	if t == frame.Payload {
		s.received.Framing += frame.HeadLen
		return s.payload(id, flags, p, out)
	}
	s.received.Control += int64(len(f))
	if n := fixed(t); len(p) < n {
		return out, fmt.Errorf("%w: %s of %d bytes", frame.ErrShort, t, len(f))
	}
	switch t {
	case frame.Error:
		return s.errorFrame(id, p, out)
	case frame.RequestN:
		s.requestN(id, binary.BigEndian.Uint32(p)&frame.MaxN)
	case frame.Cancel:
		s.cancelled(id)
	case frame.KeepAlive:
		return s.keepAlive(flags, p, out), nil
	case frame.Lease:
		s.leased(p)
	case frame.MetadataPush:
		s.notes.Pushes++
	case frame.RequestResponse, frame.RequestFNF, frame.RequestStream, frame.RequestChannel:
		return s.request(id, t, out)
	case frame.Setup, frame.Resume, frame.ResumeOK:
		return out, fmt.Errorf("%s from a server, which was not asked for it", t)
	default:
		if flags&frame.Ignore == 0 {
			return out, fmt.Errorf("EXT of type 0x%x, which is not known here and does not ask to be ignored", binary.BigEndian.Uint32(p))
		}
		s.notes.Ignored++
	}
	return out, nil
}

// fixed is how many bytes of fields a frame of the type has at least.
func fixed(t frame.Type) int {
	switch t {
	case frame.Error, frame.RequestN, frame.Ext:
		return 4
	case frame.KeepAlive, frame.Lease:
		return 8
	}
	return 0
}

// request refuses a call of the server.
func (s *session) request(id uint32, t frame.Type, out []byte) ([]byte, error) {
	if id&1 != 0 {
		return out, fmt.Errorf("%s from the server on stream %d: its streams have even numbers", t, id)
	}
	s.notes.Requests++
	if t == frame.RequestFNF {
		return out, nil
	}
	return s.putError(out, id, frame.Rejected, "this client takes no requests"), nil
}

// keepAlive answers at once, with the same data.
func (s *session) keepAlive(flags frame.Flags, p, out []byte) []byte {
	s.alive.heard = true
	if flags&frame.Respond == 0 {
		s.hello.awaiting = false
		return out
	}
	var position [8]byte // none without resumption
	return s.put(out, 0, frame.KeepAlive, 0, position[:], p[8:])
}

// leased replaces what was leased before.
func (s *session) leased(p []byte) {
	s.notes.Leases++
	if !s.setup.Lease {
		s.notes.Unasked++
	}
	s.lease.grant(binary.BigEndian.Uint32(p)&frame.MaxN, binary.BigEndian.Uint32(p[4:])&frame.MaxN)
}

// absent counts a frame of a stream that is not open.
func (s *session) absent(id uint32) {
	if id&1 == 1 && (s.wrapped || id < s.nextID) {
		s.notes.Late++
		return
	}
	s.notes.Stray++
}

// requestN lets a channel send more.
func (s *session) requestN(id, n uint32) {
	st := s.table.get(id)
	switch {
	case n == 0:
		s.notes.Zero++
		return
	case st == nil:
		s.absent(id)
		return
	case st.ended || !channel(st.call.Request):
		return
	}
	if st.asked += int64(n); st.asked >= frame.MaxN {
		st.credit = unbounded // a peer stops asking when what it ever asked for is as much
	} else {
		st.credit += int64(n)
	}
	if st.due() && s.mid != st {
		s.queue.push(st)
	}
}

// cancelled is the peer's word that it wants no more messages of a channel. The answer goes on.
func (s *session) cancelled(id uint32) {
	st := s.table.get(id)
	if st == nil {
		s.absent(id)
		return
	}
	if !channel(st.call.Request) {
		s.notes.Stray++
		return
	}
	s.finishFrame(st)
	s.queue.remove(st)
	st.messages, st.single[0], st.out = nil, nil, outgoing{}
	st.sending, st.opened, st.ended = false, false, true
	st.left, st.call.Queued = 0, 0
}
