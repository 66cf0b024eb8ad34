package rsocket

import (
	"encoding/binary"

	"wiregauge"
	"wiregauge/protocol/rsocket/frame"
)

// blocked reports whether nothing may be appended but the rest of a frame, and what has to follow it.
func (s *session) blocked() bool { return s.mid != nil || len(s.behind) > 0 }

// appendWhole appends a request that is one small frame: only its stream id is new.
func (s *session) appendWhole(out []byte, st *stream, t *template) []byte {
	n := len(t.frame)
	out = s.c.begin(out, n)
	out = append(out, t.frame...)
	if !pushes(st.call.Request) {
		s.enlist(st)
		binary.BigEndian.PutUint32(out[len(out)-n:], st.id)
	}
	s.c.seal(out, n)
	s.sent.Framing += int64(t.head)
	s.sent.Headers += int64(t.meta)
	s.sent.Body += int64(t.body)
	s.asked(st)
	return out
}

// asked notes that the whole request is appended, which is all that a call sends unless it is a channel.
func (s *session) asked(st *stream) {
	st.requested = true
	if channel(st.call.Request) {
		return
	}
	st.ended, st.left = true, 0
	if st.call.Shape == wiregauge.OneWay {
		st.departs = s.appended()
		s.departing = append(s.departing, st)
	}
}

// load takes the messages of the request in.
func (s *session) load(st *stream) {
	r := st.call.Request
	st.messages, st.ending = bodies(r), !r.Open
	for _, m := range st.messages {
		st.left += len(m) + frame.HeadLen
	}
	if len(st.messages) > 0 {
		st.left += len(st.metadata)
	}
	if st.ending && channel(r) {
		st.left += frame.HeadLen
	}
}

// sendOrQueue appends what is due of st when it is little; else st goes to the end of the queue, for Flush.
func (s *session) sendOrQueue(out []byte, st *stream) []byte {
	if !s.blocked() && st.left <= wiregauge.Unsent {
		for st.due() {
			out = s.step(out, st, 2*wiregauge.Unsent)
		}
	}
	st.call.Queued = st.left
	if st.due() {
		s.queue.push(st)
	}
	return out
}

// step appends one frame of st, or as much of it as fits into room bytes.
func (s *session) step(out []byte, st *stream, room int) []byte {
	if !st.sending {
		if len(st.messages) == 0 {
			return s.appendEnd(out, st)
		}
		s.nextMessage(st)
	}
	o := &st.out
	if !st.opened {
		out = o.open(out, &s.c, st.size)
		s.sent.Framing += int64(o.now.gone)
		st.opened = true
	}
	out, whole := s.pour(out, st, room)
	if !whole {
		s.mid = st
		return out
	}
	st.opened, s.mid = false, nil
	if o.now.final {
		s.messageSent(st)
	}
	return out
}

// pour appends up to room bytes of the frame of st that is open.
func (s *session) pour(out []byte, st *stream, room int) (_ []byte, whole bool) {
	o := &st.out
	meta, data := len(o.metadata), len(o.data)
	out, whole = o.pour(out, &s.c, room)
	meta, data = meta-len(o.metadata), data-len(o.data)
	if o.kind == frame.MetadataPush {
		meta, data = data, 0
	}
	s.sent.Headers += int64(meta)
	s.sent.Body += int64(data)
	st.left -= meta + data
	return out, whole
}

// nextMessage puts the next message on its way, the first with the request.
func (s *session) nextMessage(st *stream) {
	r, m := st.call.Request, st.messages[0]
	st.messages, st.sending = st.messages[1:], true
	switch {
	case pushes(r):
		st.out = outgoing{kind: frame.MetadataPush, last: frame.Meta, data: st.metadata}
	case st.id == 0:
		s.enlist(st)
		st.out = outgoing{kind: kindOf(r), stream: st.id, n: initialN(r), hasMeta: st.metadata != nil, metadata: st.metadata, data: m}
	default:
		st.out = outgoing{kind: frame.Payload, stream: st.id, data: m}
		if st.credit != unbounded {
			st.credit--
		}
	}
	st.size = s.frameSize(st.out.left())
}

// messageSent is what follows the last byte of a message.
func (s *session) messageSent(st *stream) {
	st.sending, st.out = false, outgoing{}
	st.left -= frame.HeadLen
	if len(st.messages) == 0 {
		st.messages, st.single[0] = nil, nil
	}
	if !st.requested {
		s.asked(st)
	}
}

// appendEnd ends our side of a channel with a frame of its own: rsocket-js 0.0.27 looks nowhere else.
func (s *session) appendEnd(out []byte, st *stream) []byte {
	st.ended = true
	st.left -= frame.HeadLen
	return s.put(out, st.id, frame.Payload, frame.Complete, nil, nil)
}

// put appends a small frame of two parts, or keeps it until the frame that is on its way is whole.
func (s *session) put(out []byte, id uint32, t frame.Type, flags frame.Flags, a, b []byte) []byte {
	n := frame.HeadLen + len(a) + len(b)
	s.sent.Control += int64(n)
	if s.blocked() {
		s.behind = s.appendFrame(s.behind, id, t, flags, a, b)
		return out
	}
	return s.appendFrame(out, id, t, flags, a, b)
}

func (s *session) appendFrame(out []byte, id uint32, t frame.Type, flags frame.Flags, a, b []byte) []byte {
	n := frame.HeadLen + len(a) + len(b)
	out = s.c.begin(out, n)
	out = frame.AppendHead(out, id, t, flags)
	out = append(append(out, a...), b...)
	s.c.seal(out, n)
	return out
}

// number is n as four bytes, valid until the next.
func (s *session) number(n uint32) []byte {
	binary.BigEndian.PutUint32(s.word[:], n)
	return s.word[:]
}

// putError appends an ERROR.
func (s *session) putError(out []byte, id uint32, code frame.Code, text string) []byte {
	return s.put(out, id, frame.Error, 0, s.number(uint32(code)), []byte(text[:min(len(text), 256)]))
}

// finishFrame keeps the rest of a frame of st that is on its way: the peer must have it whatever became of the call.
func (s *session) finishFrame(st *stream) {
	if s.mid != st {
		return
	}
	rest, _ := s.pour(nil, st, st.out.left())
	s.behind = append(rest, s.behind...)
	s.mid = nil
	if st.out.now.final {
		st.sending = false
	}
}

// Flush appends the hello and then what is queued, one frame per call in turn.
func (s *session) Flush(out []byte) []byte {
	s.owed = 0
	s.drained = s.appended() - int64(len(out))
	s.depart()
	if s.refusal(nil) == wiregauge.Closing && !s.toldClose && !s.ended {
		s.toldClose = true
		s.ev.Closing()
	}
	if s.broken != nil || s.ended || s.err != nil {
		return out
	}
	limit := len(out) + wiregauge.Unsent
	out = s.appendHello(out)
	for len(out) < limit {
		if st := s.mid; st != nil {
			out = s.turn(out, st, limit-len(out))
			continue
		}
		if len(s.behind) > 0 {
			out = s.follow(out, limit-len(out))
			continue
		}
		st := s.queue.pop()
		if st == nil {
			break
		}
		out = s.turn(out, st, limit-len(out))
	}
	return out
}

// turn appends a frame of st, or more of one, and tells what that leads to.
func (s *session) turn(out []byte, st *stream, room int) []byte {
	if out = s.step(out, st, room); s.mid == st {
		st.call.Queued = st.left
		return out
	}
	st.call.Queued = st.left
	if st.due() {
		s.queue.push(st)
		return out
	}
	if st.left > 0 {
		return out // a REQUEST_N is awaited
	}
	c := st.call
	if st.owesSent {
		st.owesSent = false
		s.ev.Sent(c)
	}
	if !st.ended && !st.ending {
		s.ev.Room(c)
	}
	return out
}

// follow appends what had to wait for the end of a frame.
func (s *session) follow(out []byte, room int) []byte {
	n := min(len(s.behind), room)
	out = append(out, s.behind[:n]...)
	if s.behind = s.behind[n:]; len(s.behind) == 0 {
		s.behind = nil
	}
	return out
}

// depart finishes the one-way calls whose bytes have left for the kernel.
func (s *session) depart() {
	n := 0
	for _, st := range s.departing {
		if st != nil {
			if st.departs > s.drained {
				break
			}
			st.departs = 0
			s.finish(st, wiregauge.OK, 0, "")
		}
		n++
	}
	s.departing = s.departing[:copy(s.departing, s.departing[n:])]
}

// Send queues one more message of an open call; nil with last ends our side.
func (s *session) Send(out []byte, c *wiregauge.Call, message []byte, last bool) ([]byte, error) {
	st := s.find(c)
	switch {
	case st == nil || st.ended || st.ending || s.broken != nil || s.ended:
		return out, wiregauge.ErrStopped
	case st.sending || len(st.messages) > 0:
		return out, wiregauge.Busy
	case message == nil && !last:
		return out, nil
	}
	if message == nil && st.id == 0 {
		message = noMessage[0] // a channel begins with a message
	}
	if st.ending = last; last {
		st.left += frame.HeadLen
	}
	if message != nil {
		st.single[0] = message
		st.messages = st.single[:]
		st.left += len(message) + frame.HeadLen
		if st.id == 0 {
			st.left += len(st.metadata)
		}
	}
	return s.sendOrQueue(out, st), nil
}

// Grant lets the peer send that many messages more.
func (s *session) Grant(out []byte, c *wiregauge.Call, messages int) []byte {
	st := s.find(c)
	if st == nil || st.id == 0 || messages <= 0 || c.Credit <= 0 || s.broken != nil || s.ended {
		return out
	}
	n := min(messages, frame.MaxN)
	st.granted = addCredit(st.granted, uint32(n))
	return s.put(out, st.id, frame.RequestN, 0, s.number(uint32(n)), nil)
}
