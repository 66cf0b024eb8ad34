package http2

import (
	"bytes"
	"fmt"

	"wiregauge"
)

// Bounds on what a hostile peer may make us do.
const (
	// idleFrames may come while nothing moves: PINGs, SETTINGS, empty DATA, PRIORITY, unknown frames.
	idleFrames = 10_000
	// owedBytes may be owed in replies before the lane has come to write them.
	owedBytes = 1 << 20
	// continuations may make up one header block, however short they are.
	continuations = 1 << 10
)

// gather collects a header block that comes in more than one frame.
type gather struct {
	stream uint32 // 0 when none is open
	flags  byte
	frames int
	block  []byte
}

// Receive takes in whole frames and leaves the rest to be offered again.
func (s *Session) Receive(in, out []byte) (used int, reply []byte, err error) {
	if s.broken != nil {
		return 0, out, s.broken
	}
	s.out = out
	for len(in)-used >= frameHeaderLen {
		p := in[used:]
		length := int(p[0])<<16 | int(p[1])<<8 | int(p[2])
		if length > defaultFrameSize {
			err = s.frameTooLong(p, length)
			break
		}
		if len(p) < frameHeaderLen+length {
			break
		}
		used += frameHeaderLen + length
		id := readUint32(p[5:]) & largestStream
		if err = s.frame(p[3], p[4], id, p[frameHeaderLen:frameHeaderLen+length]); err != nil {
			break
		}
	}
	if err == nil && !s.greeted && used == 0 {
		err = s.notHTTP2(in)
	}
	s.owed += len(s.out) - len(out)
	if err == nil && s.owed > owedBytes {
		err = s.fail(EnhanceYourCalm, "RFC 9113, section 10.5", "the peer asks for more replies than it reads")
	}
	reply, s.out = s.out, nil
	if s.waiting && s.refusal() == 0 {
		s.waiting = false
		s.events.Room(nil)
	}
	return used, reply, err
}

// frame acts on one frame.
func (s *Session) frame(kind, flags byte, id uint32, p []byte) error {
	if kind > frameHeaders && kind != frameContinuation {
		s.received.Control += int64(frameHeaderLen + len(p))
	} else {
		s.received.Framing += frameHeaderLen
	}
	if s.gather.stream != 0 && (kind != frameContinuation || id != s.gather.stream) {
		s.count(kind, p)
		return s.fail(ProtocolError, "RFC 9113, section 6.10", fmt.Sprintf("%s on stream %d inside the header block of stream %d", frameName(kind), id, s.gather.stream))
	}
	if !s.greeted && (kind != frameSettings || flags&flagAck != 0) {
		s.count(kind, p)
		return s.fail(ProtocolError, "RFC 9113, section 3.4", "the first frame is "+frameName(kind)+", not SETTINGS")
	}
	switch kind {
	case frameData:
		return s.data(flags, id, p)
	case frameHeaders:
		return s.headers(flags, id, p)
	case frameContinuation:
		return s.continuation(flags, id, p)
	}
	return s.control(kind, flags, id, p)
}

// count books the payload of a DATA or header frame that is refused as a whole.
func (s *Session) count(kind byte, p []byte) {
	if kind <= frameHeaders || kind == frameContinuation {
		s.received.Framing += int64(len(p))
	}
}

// idled counts a frame that moves nothing.
func (s *Session) idled(kind byte) error {
	if s.idle++; s.idle > idleFrames {
		return s.fail(EnhanceYourCalm, "RFC 9113, section 10.5", fmt.Sprintf("%d frames that move nothing, the last one %s", s.idle, frameName(kind)))
	}
	return nil
}

// frameTooLong refuses a frame by its header; a peer that does not speak HTTP/2 at all mostly shows here.
func (s *Session) frameTooLong(p []byte, length int) error {
	if err := s.notHTTP2(p); err != nil {
		return err
	}
	return s.fail(FrameSizeError, "RFC 9113, section 4.2", fmt.Sprintf("%s of %d bytes, allowed are %d", frameName(p[3]), length, defaultFrameSize))
}

// notHTTP2 recognises what other servers say first.
func (s *Session) notHTTP2(p []byte) error {
	if s.greeted {
		return nil
	}
	if bytes.HasPrefix(p, []byte("HTTP/1")) {
		line, _, _ := bytes.Cut(p[:min(len(p), 60)], []byte("\r\n"))
		return s.fail(ProtocolError, "RFC 9113, section 3.4", fmt.Sprintf("the peer speaks HTTP/1, not HTTP/2: it said %q", line))
	}
	// A TLS alert or handshake record of version 3.x.
	if len(p) >= 3 && (p[0] == 0x15 || p[0] == 0x16) && p[1] == 3 && p[2] <= 4 {
		return s.fail(ProtocolError, "RFC 9113, section 3.4", "the peer speaks TLS, and this is plaintext")
	}
	return nil
}

// fail ends the connection: GOAWAY for the peer, a ProtocolError for the lane. Its open calls end in End.
func (s *Session) fail(code Code, rule, text string) error {
	debug := text
	if len(debug) > 128 {
		debug = debug[:128]
	}
	from := len(s.out)
	s.out = appendFrame(s.out, 8+len(debug), frameGoAway, 0, 0)
	s.out = appendUint32(appendUint32(s.out, 0), uint32(code))
	s.out = append(s.out, debug...)
	s.sent.Control += int64(len(s.out) - from)
	s.broken = &wiregauge.ProtocolError{Rule: rule, Text: text, Code: uint32(code)}
	return s.broken
}

// breach ends one stream whose peer broke a rule that concerns this stream only.
func (s *Session) breach(st *Stream, code Code, text string) {
	st.Abort(code, wiregauge.Malformed, s.semantics.Status(wiregauge.Malformed, code), text)
	s.settle(st, false)
}

// absent is for frames of a stream that is not open: fine if we dropped it, else a breach.
func (s *Session) absent(kind byte, id uint32) error {
	switch {
	case id == 0:
		return s.fail(ProtocolError, "RFC 9113, section 6", frameName(kind)+" on stream 0")
	case id&1 == 0:
		return s.fail(ProtocolError, "RFC 9113, section 5.1.1", fmt.Sprintf("%s on stream %d, which only the peer could have opened", frameName(kind), id))
	case id >= s.next:
		return s.fail(ProtocolError, "RFC 9113, section 5.1", fmt.Sprintf("%s on stream %d, which was never opened", frameName(kind), id))
	case s.dropped.has(id):
		return nil
	}
	return s.fail(StreamClosed, "RFC 9113, section 5.1", fmt.Sprintf("%s on stream %d after its end", frameName(kind), id))
}

// unpad takes the padding away. The bytes are counted as framing.
func (s *Session) unpad(kind, flags byte, p []byte) ([]byte, error) {
	if flags&flagPadded == 0 {
		return p, nil
	}
	if len(p) == 0 {
		return nil, s.fail(FrameSizeError, "RFC 9113, section 4.2", frameName(kind)+" is padded and has no pad length")
	}
	pad := int(p[0])
	if pad >= len(p) {
		s.received.Framing += int64(len(p))
		return nil, s.fail(ProtocolError, "RFC 9113, section 6.1", fmt.Sprintf("%s of %d bytes with padding of %d", frameName(kind), len(p), pad))
	}
	s.received.Framing += int64(1 + pad)
	return p[1 : len(p)-pad], nil
}

// data takes one DATA frame in.
func (s *Session) data(flags byte, id uint32, p []byte) error {
	size := len(p)
	p, err := s.unpad(frameData, flags, p)
	if err != nil {
		return err
	}
	s.received.Body += int64(len(p))
	end := flags&flagEndStream != 0
	if len(p) == 0 && !end {
		if err := s.idled(frameData); err != nil {
			return err
		}
	} else {
		s.idle = 0
	}
	if err := s.takeConnection(size); err != nil {
		return err
	}
	st := s.streams.get(id)
	if st == nil {
		return s.absent(frameData, id)
	}
	if st.receive -= int64(size); st.receive < 0 {
		s.breach(st, FlowControlError, "DATA beyond the stream's window (RFC 9113, section 6.9.1)")
		return nil
	}
	if !st.answered {
		s.breach(st, ProtocolError, "DATA before HEADERS (RFC 9113, section 8.1)")
		return nil
	}
	st.got += int64(len(p))
	if st.length >= 0 && (st.got > st.length || end && st.got != st.length) {
		s.breach(st, ProtocolError, fmt.Sprintf("a body of %d bytes with content-length %d (RFC 9113, section 8.1.1)", st.got, st.length))
		return nil
	}
	st.used += size
	s.semantics.Data(st, p, end)
	if !end && !st.over {
		s.out = s.grantStream(s.out, st)
		return nil
	}
	s.settle(st, end)
	return nil
}

// headers takes a HEADERS frame in.
func (s *Session) headers(flags byte, id uint32, p []byte) error {
	p, err := s.unpad(frameHeaders, flags, p)
	if err != nil {
		return err
	}
	if flags&flagPriority != 0 {
		if len(p) < priorityLen {
			s.received.Framing += int64(len(p))
			return s.fail(FrameSizeError, "RFC 9113, section 6.2", fmt.Sprintf("HEADERS with a priority and only %d bytes", len(p)))
		}
		s.received.Framing += priorityLen
		p = p[priorityLen:]
	}
	s.received.Headers += int64(len(p))
	if id == 0 {
		return s.absent(frameHeaders, id)
	}
	if flags&flagEndHeaders == 0 {
		s.gather = gather{stream: id, flags: flags, block: append(s.gather.block[:0], p...)}
		return nil
	}
	return s.headerBlock(id, flags&flagEndStream != 0, p)
}

// continuation takes a CONTINUATION frame in.
func (s *Session) continuation(flags byte, id uint32, p []byte) error {
	s.received.Headers += int64(len(p))
	g := &s.gather
	if g.stream == 0 {
		return s.fail(ProtocolError, "RFC 9113, section 6.10", fmt.Sprintf("CONTINUATION on stream %d without HEADERS", id))
	}
	if g.frames++; g.frames > continuations {
		return s.fail(EnhanceYourCalm, "RFC 9113, section 10.5.1", fmt.Sprintf("a header block of more than %d frames", continuations))
	}
	if most := 2*s.decoder.limit + defaultFrameSize; len(g.block)+len(p) > most {
		return s.fail(EnhanceYourCalm, "RFC 9113, section 10.5.1", fmt.Sprintf("a header block of more than %d bytes", most))
	}
	g.block = append(g.block, p...)
	if flags&flagEndHeaders == 0 {
		return nil
	}
	g.stream = 0
	err := s.headerBlock(id, g.flags&flagEndStream != 0, g.block)
	if cap(g.block) > wiregauge.Unsent {
		g.block = nil
	}
	return err
}

// headerBlock decodes a whole header block, also of a dropped stream, and hands it to the stream.
func (s *Session) headerBlock(id uint32, end bool, p []byte) error {
	head, err := s.decoder.decode(p)
	if err != nil {
		return s.fail(CompressionError, "RFC 9113, section 4.3", "a header block: "+err.Error())
	}
	st := s.streams.get(id)
	if st == nil {
		return s.absent(frameHeaders, id)
	}
	switch {
	case head.breach != "":
		s.breach(st, ProtocolError, head.breach)
	case head.tooLarge:
		st.Abort(CancelCode, wiregauge.TooLarge, s.semantics.Status(wiregauge.TooLarge, NoError),
			fmt.Sprintf("headers of %d bytes, allowed are %d", head.size, s.decoder.limit))
		s.settle(st, end)
	case st.answered && !end:
		s.breach(st, ProtocolError, "a second HEADERS without END_STREAM (RFC 9113, section 8.1)")
	case st.answered && head.Status != 0:
		s.breach(st, ProtocolError, ":status in trailers (RFC 9113, section 8.1)")
	case !st.answered && head.Status == 0:
		s.breach(st, ProtocolError, "an answer without :status (RFC 9113, section 8.3.2)")
	case head.Status >= 100 && head.Status < 200:
		return s.informational(st, head.Status, end)
	default:
		return s.answer(st, head, end)
	}
	return nil
}

// informational skips a 1xx block.
func (s *Session) informational(st *Stream, status int, end bool) error {
	if end {
		s.breach(st, ProtocolError, fmt.Sprintf(":status %d with END_STREAM (RFC 9113, section 8.1)", status))
		return nil
	}
	if d := st.Call.Detail; d != nil {
		d.Informational = append(d.Informational, status)
	}
	return s.idled(frameHeaders)
}

// answer hands the final header block, or the trailers, to the semantics.
func (s *Session) answer(st *Stream, head *Head, end bool) error {
	s.idle = 0
	if !st.answered {
		st.answered = true
		if st.length = head.Length; st.bodiless(head.Status) {
			st.length = -1
		}
		s.events.First(st.Call)
	}
	if end && st.length > 0 && st.got != st.length {
		s.breach(st, ProtocolError, fmt.Sprintf("a body of %d bytes with content-length %d (RFC 9113, section 8.1.1)", st.got, st.length))
		return nil
	}
	s.semantics.Header(st, head, end)
	if end || st.over {
		s.settle(st, end)
	}
	return nil
}

// settle lets go of a finished stream and tells the lane. Remote says that the peer has ended it.
func (s *Session) settle(st *Stream, remote bool) {
	if !st.over {
		st.Finish(wiregauge.Malformed, s.semantics.Status(wiregauge.Malformed, NoError), "the answer ended without a result")
	}
	switch {
	case !remote:
		s.out = s.appendReset(s.out, st.id, st.code)
	case !st.localEnd:
		s.out = s.appendReset(s.out, st.id, NoError)
	}
	s.events.Done(s.release(st))
}
