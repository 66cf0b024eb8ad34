package rsocket

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"wiregauge"
	"wiregauge/protocol/rsocket/frame"
)

// Receive takes whole frames off in.
func (r *Responder) Receive(in, out []byte) (used int, reply []byte, err error) {
	if r.phase >= parting {
		return 0, out, errAfterEnd
	}
	r.touched = true
	if r.phase == upgrading {
		if used, out, err = r.upgrade(in, out); err != nil {
			out, err = r.fail(out, err)
			return used, out, err
		}
		if r.phase == upgrading {
			return used, out, nil
		}
	}
	for {
		f, n, more, err := r.c.next(in[used:], out)
		out, used = more, used+n
		if err == nil && f == nil {
			if f = r.c.peek(in[used:]); f == nil || r.phase != opening || opens(f) {
				return used, out, nil
			}
		}
		if err == nil {
			out, err = r.frame(f, out)
		}
		if err != nil {
			out, err = r.fail(out, err)
			return used, out, err
		}
	}
}

// opens reports whether a head is that of a frame which a connection may begin with: another protocol's first bytes may
// read as one of millions of bytes that asks to be ignored.
func opens(head []byte) bool {
	_, t, _ := frame.Head(head)
	return t == frame.Setup || t == frame.Resume
}

// frame takes one frame, whose head the carrier has judged.
func (r *Responder) frame(f, out []byte) ([]byte, error) {
	id, t, flags := frame.Head(f)
	if r.phase == opening {
		return r.setUp(t, f, out)
	}
	p := f[frame.HeadLen:]
	switch t {
	case frame.RequestResponse, frame.RequestFNF, frame.RequestStream, frame.RequestChannel:
		return r.request(id, t, flags, p, out)
	case frame.Payload:
		return r.payload(id, flags, p, out)
	case frame.RequestN:
		return r.requestN(id, p, out)
	case frame.Cancel:
		r.cancel(r.streams.get(id))
	case frame.Error:
		return out, r.peerError(id, p)
	case frame.KeepAlive:
		return r.keepAlive(flags, p, out)
	case frame.MetadataPush:
		r.push(p)
	case frame.Setup:
		return r.appendError(out, 0, frame.ApplicationError, "Setup frame received post setup."), nil
	case frame.Ext:
		if flags&frame.Ignore == 0 {
			return r.appendError(out, 0, frame.ApplicationError, "Unexpected frame type: EXT"), nil
		}
	case frame.Resume, frame.ResumeOK:
		return out, &refusal{frame.ConnectionError, t.String() + " on a connection that is not resumed"}
	}
	return out, nil // a LEASE for requests that are never made; unknown types that ask to be ignored
}

// shapes are those of the four requests.
var shapes = [...]wiregauge.Shape{
	frame.RequestResponse: wiregauge.Unary, frame.RequestFNF: wiregauge.OneWay,
	frame.RequestStream: wiregauge.ServerStream, frame.RequestChannel: wiregauge.Bidi,
}

// request opens a call. One whose id is in use is dropped, as the answer to it would end the other.
func (r *Responder) request(id uint32, t frame.Type, flags frame.Flags, p, out []byte) ([]byte, error) {
	if id&1 == 0 {
		return out, &refusal{frame.ConnectionError, fmt.Sprintf("%s on stream %d; the streams of a client have odd numbers", t, id)}
	}
	shape := shapes[t]
	n := int64(1)
	if shape == wiregauge.ServerStream || shape == wiregauge.Bidi {
		if len(p) < 4 {
			return out, fmt.Errorf("%w: %s", frame.ErrShort, t)
		}
		n, p = int64(binary.BigEndian.Uint32(p)&frame.MaxN), p[4:]
	}
	if r.streams.get(id) != nil {
		return out, nil
	}
	if code, why := r.mayOpen(n); why != "" {
		if shape == wiregauge.OneWay {
			return out, nil
		}
		return r.appendError(out, id, code, why), nil
	}
	last := shape != wiregauge.Bidi
	if !last && flags&frame.Complete != 0 {
		last, flags = true, flags&^frame.Follows
	}
	s := r.open(id, shape, addCredit(0, uint32(n)))
	s.peerEnded = last
	return r.add(s, flags, p, out)
}

// mayOpen says why a call cannot begin.
func (r *Responder) mayOpen(n int64) (code frame.Code, why string) {
	switch {
	case n == 0:
		return frame.Invalid, "initial request(n) of 0"
	case r.leaving:
		return frame.Rejected, closingText
	case r.streams.n >= maxServed:
		return frame.Rejected, fmt.Sprintf("more than %d calls at once", maxServed)
	case r.serving.Lease.Requests > 0:
		return frame.Rejected, r.lease.take(r.serving.Lease)
	}
	return 0, ""
}

// payload is a fragment of a message, or one more message of a channel.
func (r *Responder) payload(id uint32, flags frame.Flags, p, out []byte) ([]byte, error) {
	s := r.streams.get(id)
	if s == nil {
		return out, nil
	}
	if flags&frame.Complete != 0 {
		flags &^= frame.Follows
	}
	if s.in.open {
		s.peerEnded = s.peerEnded || flags&frame.Complete != 0
		return r.add(s, flags, p, out)
	}
	const kinds = frame.Next | frame.Complete | frame.Follows
	switch {
	case s.peerEnded:
		return out, nil
	case flags&kinds == 0:
		return r.breakOff(s, frame.Invalid, "a PAYLOAD with neither Next nor Complete", out), nil
	case flags&kinds == frame.Complete:
		r.peerEnds(s, nil)
		return out, nil
	case s.granted <= 0:
		return r.breakOff(s, frame.Canceled, "The number of messages received exceeds the number requested", out), nil
	}
	if s.granted != unbounded {
		s.granted--
	}
	s.peerEnded = flags&frame.Complete != 0
	return r.add(s, flags, p, out)
}

// add takes a frame of a message and tells the Handler when the message is whole.
func (r *Responder) add(s *served, flags frame.Flags, p, out []byte) ([]byte, error) {
	metadata, data, whole, err := s.in.add(flags, p, r.serving.MaxMessage)
	if err != nil {
		return r.unfit(s, err, out)
	}
	r.hold(s)
	switch {
	case !whole && r.held > 2*r.serving.MaxMessage:
		return r.breakOff(s, frame.Rejected, "too much of messages that are not whole on this connection", out), nil
	case !whole:
		return out, nil
	case !s.requested:
		out = r.deliver(s, metadata, data, out)
	case data == nil:
		r.message(s, []byte{}) // nil is for the end
	default:
		r.message(s, data)
	}
	s.trim()
	return out, nil
}

// unfit is a message that cannot be put together: one that is too long costs its call, a broken frame the connection.
func (r *Responder) unfit(s *served, err error, out []byte) ([]byte, error) {
	var long *tooLong
	if !errors.As(err, &long) {
		return out, err
	}
	return r.breakOff(s, frame.Invalid, err.Error(), out), nil
}

// message tells the Handler of one more message of a channel.
func (r *Responder) message(s *served, data []byte) {
	if s.peerEnded {
		r.peerEnds(s, data)
		return
	}
	r.h.Message(uint64(s.id), data, false)
}

// hold counts what unfinished messages take.
func (r *Responder) hold(s *served) {
	n := 0
	if s.in.open {
		n = len(s.in.metadata) + len(s.in.data)
	}
	r.held += n - s.held
	s.held = n
}

// deliver tells the Handler of a request.
func (r *Responder) deliver(s *served, metadata, data, out []byte) []byte {
	s.requested = true
	known := r.routes.of(metadata)
	err := known.err
	if err == nil {
		r.told = wiregauge.Incoming{Shape: s.shape, Method: known.method, Metadata: metadata, Header: known.header,
			Codec: r.codec, Data: data, Credit: s.credit, Last: s.peerEnded}
		err = r.h.Request(uint64(s.id), &r.told)
	}
	switch {
	case s.shape == wiregauge.OneWay:
		r.forget(s)
	case err != nil:
		id := s.id
		r.forget(s)
		return r.appendFailure(out, id, frame.ApplicationError, err)
	}
	return out
}

// peerEnds tells the Handler that the peer's side of a channel has ended, with a last message or without.
func (r *Responder) peerEnds(s *served, body []byte) {
	s.peerEnded = true
	r.h.Message(uint64(s.id), body, true)
	if s.ended {
		r.forget(s)
	}
}

// breakOff ends a call whose peer broke the rules.
func (r *Responder) breakOff(s *served, code frame.Code, why string, out []byte) []byte {
	id := s.id
	r.cancel(s)
	return r.appendError(out, id, code, why)
}

// cancel ends a call that the peer gave up; nil is a call that is over.
func (r *Responder) cancel(s *served) {
	if s == nil {
		return
	}
	id, told := uint64(s.id), s.requested
	r.forget(s)
	if told {
		r.h.Cancel(id)
	}
}

// requestN adds to what the peer takes.
func (r *Responder) requestN(id uint32, p, out []byte) ([]byte, error) {
	if len(p) < 4 {
		return out, fmt.Errorf("%w: %s", frame.ErrShort, frame.RequestN)
	}
	s := r.streams.get(id)
	if s == nil {
		return out, nil
	}
	n := binary.BigEndian.Uint32(p) & frame.MaxN
	if n == 0 {
		return r.breakOff(s, frame.Invalid, "request(n) of 0", out), nil
	}
	s.credit = addCredit(s.credit, n)
	if s.requested {
		r.h.Room(uint64(id), s.credit)
	}
	return out, nil
}

// peerError is an ERROR: of a channel's peer, or of a client that leaves.
func (r *Responder) peerError(id uint32, p []byte) error {
	if len(p) < 4 {
		return fmt.Errorf("%w: %s", frame.ErrShort, frame.Error)
	}
	if id != 0 {
		r.cancel(r.streams.get(id))
		return nil
	}
	if code := frame.Code(binary.BigEndian.Uint32(p)); code <= frame.ConnectionClose {
		return io.EOF
	}
	return nil
}

// keepAlive answers at once, with the same data.
func (r *Responder) keepAlive(flags frame.Flags, p, out []byte) ([]byte, error) {
	if len(p) < 8 {
		return out, fmt.Errorf("%w: %s", frame.ErrShort, frame.KeepAlive)
	}
	if flags&frame.Respond == 0 {
		return out, nil
	}
	n := frame.HeadLen + len(p)
	out = r.c.begin(out, n)
	out = frame.AppendHead(out, 0, frame.KeepAlive, 0)
	out = append(out, 0, 0, 0, 0, 0, 0, 0, 0) // no position without resumption
	out = append(out, p[8:]...)
	r.c.seal(out, n)
	return out, nil
}

// push tells the Handler of metadata that no call belongs to. Nobody hears of what is wrong with it.
func (r *Responder) push(p []byte) {
	known := r.routes.of(p)
	if known.err != nil {
		return
	}
	r.told = wiregauge.Incoming{Push: true, Shape: wiregauge.OneWay, Method: known.method, Metadata: p, Header: known.header, Codec: r.codec, Last: true}
	_ = r.h.Request(0, &r.told)
}
