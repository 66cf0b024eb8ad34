package http2

import (
	"fmt"

	"wiregauge"
)

// A block is the constant header block of one header set: indexed fields only, once the table holds them.
type block struct {
	request *wiregauge.Request // one that it was made for
	version uint32             // of the table it refers to; 0 when it must be encoded anew
	bytes   []byte
}

// block returns the header block of r, encoding it only when r's header set is new here or the table changed.
func (s *Session) block(r *wiregauge.Request) ([]byte, error) {
	if r.Index < len(s.blocks) && r.Index >= 0 {
		b := &s.blocks[r.Index]
		if b.version == s.encoder.version && (b.request == r || sameHead(b.request, r)) {
			return b.bytes, nil
		}
	}
	return s.encode(r)
}

// sameHead reports whether two requests have one header block. The strings and slices of a header set are
// shared, so that the comparisons end at their pointers.
func sameHead(a, b *wiregauge.Request) bool {
	if a.Method != b.Method || a.Timeout != b.Timeout || a.Encoding != b.Encoding || a.Accept != b.Accept || len(a.Header) != len(b.Header) {
		return false
	}
	if len(a.Header) == 0 || &a.Header[0] == &b.Header[0] {
		return true
	}
	for i := range a.Header {
		if a.Header[i] != b.Header[i] {
			return false
		}
	}
	return true
}

func (s *Session) encode(r *wiregauge.Request) ([]byte, error) {
	if r.Index < 0 {
		return nil, fmt.Errorf("request has the index %d, expected 0 or more", r.Index)
	}
	var err error
	if s.fields, err = s.semantics.Head(s.fields[:0], r); err != nil {
		return nil, err
	}
	if size := listSize(s.fields); size > uint64(s.peerList) {
		return nil, fmt.Errorf("the headers are %d bytes and the server takes at most %d (its MAX_HEADER_LIST_SIZE): send fewer or shorter ones", size, s.peerList)
	}
	e := &s.encoder
	s.scratch = e.appendUpdate(s.scratch[:0])
	updates, version := len(s.scratch), e.version
	for _, f := range s.fields {
		s.scratch = e.appendField(s.scratch, f)
	}
	if r.Index >= len(s.blocks) {
		s.blocks = append(s.blocks, make([]block, r.Index+1-len(s.blocks))...)
	}
	b := &s.blocks[r.Index]
	*b = block{request: r, bytes: append(b.bytes[:0], s.scratch[updates:]...)}
	if e.version == version {
		b.version = version // nothing was inserted: it holds for the next call too
	}
	return s.scratch, nil
}

func listSize(fields []wiregauge.Field) (size uint64) {
	for _, f := range fields {
		size += uint64(len(f.Name) + len(f.Value) + entryOverhead)
	}
	return size
}

// appendHead appends HEADERS, and CONTINUATION frames when the block is longer than the peer's frames.
func (s *Session) appendHead(out []byte, st *Stream, b []byte, end bool) []byte {
	flags := byte(flagEndHeaders)
	if end {
		flags |= flagEndStream
	}
	from := len(out)
	out = appendFrame(out, len(b), frameHeaders, flags, st.id)
	out = append(out, b...)
	if s.framing == Bare && (len(st.Call.Messages) > 0 && !st.Call.Open) {
		out = s.encoder.appendLength(out, st.left)
		patchLength(out, from)
	}
	size := len(out) - from - frameHeaderLen
	s.sent.Framing += frameHeaderLen
	s.sent.Headers += int64(size)
	if size > s.peerFrame {
		return s.splitHead(out, from)
	}
	return out
}

// splitHead cuts the HEADERS frame that starts at from into one of the peer's size and CONTINUATIONs.
func (s *Session) splitHead(out []byte, from int) []byte {
	whole := append([]byte(nil), out[from+frameHeaderLen:]...)
	flags, id := out[from+4], readUint32(out[from+5:])
	out = out[:from]
	kind := byte(frameHeaders)
	flags &^= flagEndHeaders
	for len(whole) > 0 {
		n := min(len(whole), s.peerFrame)
		if n == len(whole) {
			flags |= flagEndHeaders
		}
		out = append(appendFrame(out, n, kind, flags, id), whole[:n]...)
		whole = whole[n:]
		if kind == frameContinuation {
			s.sent.Framing += frameHeaderLen
		}
		kind, flags = frameContinuation, 0
	}
	return out
}

// sendOrQueue appends what st has to send if one frame can take it and no other stream waits before it; else it
// goes to the end of the queue, for Flush.
func (s *Session) sendOrQueue(out []byte, st *Stream) []byte {
	n := int64(st.left)
	if n == 0 || s.ready.head == nil && n <= int64(s.frameLimit()) && n <= s.connWindow && n <= st.window {
		return s.appendData(out, st, st.left)
	}
	st.Call.Queued = st.left
	if st.window > 0 {
		s.ready.push(st)
	}
	return out
}

// frameLimit is how much one DATA frame may hold. Larger frames than the default would hold up other streams.
func (s *Session) frameLimit() int { return min(s.peerFrame, defaultFrameSize) }

// appendData appends one DATA frame of n bytes of st, with END_STREAM if they are its last.
func (s *Session) appendData(out []byte, st *Stream, n int) []byte {
	var flags byte
	if st.ending && n == st.left {
		flags = flagEndStream
		st.localEnd, st.ending = true, false
	}
	out = appendFrame(out, n, frameData, flags, st.id)
	s.sent.Framing += frameHeaderLen
	st.left -= n
	st.window -= int64(n)
	s.connWindow -= int64(n)
	if s.framing == Bare {
		s.sent.Body += int64(n)
	}
	for n > 0 {
		before := len(out)
		out = s.appendPiece(out, st, n)
		n -= len(out) - before
	}
	if st.left == 0 {
		st.messages, st.single[0] = nil, nil
	}
	return out
}

// appendPiece appends up to n bytes of st's first message, with or within its prefix.
func (s *Session) appendPiece(out []byte, st *Stream, n int) []byte {
	m := st.messages[0]
	body := st.offset
	if s.framing == Prefixed {
		body -= prefixLen
	}
	if body < 0 {
		var prefix [prefixLen]byte
		if st.compressed && len(m) > 0 {
			prefix[0] = 1
		}
		size := uint32(len(m))
		prefix[1], prefix[2], prefix[3], prefix[4] = byte(size>>24), byte(size>>16), byte(size>>8), byte(size)
		piece := prefix[st.offset:min(prefixLen, st.offset+n)]
		out = append(out, piece...)
		s.sent.Framing += int64(len(piece))
		st.offset += len(piece)
		if n -= len(piece); st.offset < prefixLen || n == 0 && len(m) > 0 {
			return out
		}
		body = 0
	}
	piece := m[body:min(len(m), body+n)]
	out = append(out, piece...)
	if s.framing == Prefixed {
		s.sent.Body += int64(len(piece))
	}
	if st.offset += len(piece); body+len(piece) == len(m) {
		st.messages, st.offset = st.messages[1:], 0
	}
	return out
}

// Flush appends the hello and then what is queued, one frame per stream in turn.
func (s *Session) Flush(out []byte) []byte {
	s.owed = 0
	if s.spent() && !s.toldClosing && !s.ended {
		s.toldClosing = true
		s.events.Closing()
	}
	from := len(out)
	if !s.helloSent {
		out = s.appendHello(out)
	}
	for s.ready.head != nil && s.connWindow > 0 && s.broken == nil {
		room := wiregauge.Unsent - (len(out) - from) - frameHeaderLen
		if room <= 0 {
			break
		}
		st := s.ready.head
		s.ready.remove(st)
		if st.window <= 0 {
			continue // WINDOW_UPDATE or SETTINGS put it back
		}
		n := int(min(int64(st.left), int64(room), int64(s.frameLimit()), s.connWindow, st.window))
		out = s.appendData(out, st, n)
		s.idle = 0
		st.Call.Queued = st.left
		if st.left > 0 {
			s.ready.push(st)
			continue
		}
		s.drained(st)
	}
	return out
}

// drained tells that nothing of st is queued any more.
func (s *Session) drained(st *Stream) {
	if st.owesSent {
		st.owesSent = false
		s.events.Sent(st.Call)
	}
	if !st.localEnd {
		s.events.Room(st.Call)
	}
}

// appendHello appends the preface, our SETTINGS and the connection's window.
func (s *Session) appendHello(out []byte) []byte {
	s.helloSent = true
	from := len(out)
	out = append(out, preface...)
	out = appendFrame(out, 2*settingLen, frameSettings, 0, 0)
	out = appendSetting(out, settingPush, 0)
	out = appendSetting(out, settingWindow, uint32(s.window))
	out = appendFrame(out, 4, frameWindowUpdate, 0, 0)
	out = appendUint32(out, connectionWindowStep)
	s.sent.Control += int64(len(out) - from)
	return out
}

// Send queues one more message of an open call; nil with last ends our side.
func (s *Session) Send(out []byte, c *wiregauge.Call, message []byte, last bool) ([]byte, error) {
	st := s.find(c)
	switch {
	case st == nil || st.localEnd || s.broken != nil:
		return out, wiregauge.ErrStopped
	case st.left > 0 || st.ending:
		return out, wiregauge.Busy
	case message == nil && !last:
		return out, nil
	}
	st.ending = last
	if message != nil {
		st.single[0] = message
		st.messages, st.offset, st.left = st.single[:], 0, len(message)
		if s.framing == Prefixed {
			st.left += prefixLen
		}
	}
	if st.left == 0 && !last {
		st.messages = nil // an empty piece of a bare body
		return out, nil
	}
	return s.sendOrQueue(out, st), nil
}

// Grant lets the peer send more messages of a call that was started with Credit: its window is given back.
func (s *Session) Grant(out []byte, c *wiregauge.Call, messages int) []byte {
	st := s.find(c)
	if st == nil || st.credit < 0 || messages <= 0 || s.broken != nil {
		return out
	}
	st.credit += messages
	return s.grantStream(out, st)
}

// A queue holds the streams that wait to send, in turn.
type queue struct{ head, tail *Stream }

func (q *queue) push(st *Stream) {
	if st.queued {
		return
	}
	st.queued, st.next, st.previous = true, nil, q.tail
	if q.tail == nil {
		q.head = st
	} else {
		q.tail.next = st
	}
	q.tail = st
}

func (q *queue) remove(st *Stream) {
	if !st.queued {
		return
	}
	if st.previous == nil {
		q.head = st.next
	} else {
		st.previous.next = st.next
	}
	if st.next == nil {
		q.tail = st.previous
	} else {
		st.next.previous = st.previous
	}
	st.queued, st.next, st.previous = false, nil, nil
}
