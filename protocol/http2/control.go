package http2

import (
	"fmt"
	"strings"

	"wiregauge"
)

// control acts on the frames that carry no part of a call.
func (s *Session) control(kind, flags byte, id uint32, p []byte) error {
	switch kind {
	case frameWindowUpdate:
		return s.windowUpdate(id, p)
	case frameReset:
		return s.resetStream(id, p)
	case frameGoAway:
		return s.goAway(id, p)
	case framePushPromise:
		return s.fail(ProtocolError, "RFC 9113, section 8.4", "PUSH_PROMISE, though push is disabled")
	}
	if err := s.idled(kind); err != nil {
		return err
	}
	switch kind {
	case frameSettings:
		return s.settings(flags, id, p)
	case framePing:
		return s.ping(flags, id, p)
	case framePriority:
		return s.priority(id, p)
	}
	return nil // unknown types are ignored (RFC 9113, section 4.1)
}

func (s *Session) wrongSize(kind byte, p []byte) error {
	return s.fail(FrameSizeError, "RFC 9113, section 6", fmt.Sprintf("%s of %d bytes", frameName(kind), len(p)))
}

func (s *Session) wrongStream(kind byte, id uint32) error {
	return s.fail(ProtocolError, "RFC 9113, section 6", fmt.Sprintf("%s on stream %d", frameName(kind), id))
}

// priority is ignored, but its form is not (RFC 9113, section 6.3).
func (s *Session) priority(id uint32, p []byte) error {
	if id == 0 {
		return s.wrongStream(framePriority, id)
	}
	if len(p) != priorityLen {
		if st := s.streams.get(id); st != nil {
			s.breach(st, FrameSizeError, fmt.Sprintf("PRIORITY of %d bytes (RFC 9113, section 6.3)", len(p)))
			return nil
		}
		return s.wrongSize(framePriority, p)
	}
	return nil
}

// ping is answered with the same eight bytes (RFC 9113, section 6.7).
func (s *Session) ping(flags byte, id uint32, p []byte) error {
	switch {
	case id != 0:
		return s.wrongStream(framePing, id)
	case len(p) != 8:
		return s.wrongSize(framePing, p)
	case flags&flagAck != 0:
		return nil
	}
	s.out = append(appendFrame(s.out, 8, framePing, flagAck, 0), p...)
	s.sent.Control += frameHeaderLen + 8
	return nil
}

// settings takes the peer's values over in their order and acknowledges them (RFC 9113, section 6.5).
func (s *Session) settings(flags byte, id uint32, p []byte) error {
	switch {
	case id != 0:
		return s.wrongStream(frameSettings, id)
	case flags&flagAck != 0 && len(p) != 0, len(p)%settingLen != 0:
		return s.wrongSize(frameSettings, p)
	case flags&flagAck != 0:
		s.settingsAckd = true
		return nil
	}
	for ; len(p) > 0; p = p[settingLen:] {
		if err := s.setting(uint16(p[0])<<8|uint16(p[1]), readUint32(p[2:])); err != nil {
			return err
		}
	}
	s.out = appendFrame(s.out, 0, frameSettings, flagAck, 0)
	s.sent.Control += frameHeaderLen
	if !s.greeted {
		s.greeted, s.waiting = true, true // Room(nil) tells that calls may start
	}
	return nil
}

func (s *Session) setting(id uint16, v uint32) error {
	switch id {
	case settingTableSize:
		s.encoder.setLimit(v)
	case settingPush:
		if v != 0 {
			return s.fail(ProtocolError, "RFC 9113, section 6.5.2", fmt.Sprintf("a server sent ENABLE_PUSH %d", v))
		}
	case settingStreams:
		s.peerStreams = v
	case settingWindow:
		return s.initialWindow(v)
	case settingFrameSize:
		if v < defaultFrameSize || v > largestFrameSize {
			return s.fail(ProtocolError, "RFC 9113, section 6.5.2", fmt.Sprintf("MAX_FRAME_SIZE %d", v))
		}
		s.peerFrame = int(v)
	case settingHeaderList:
		if v != s.peerList {
			s.peerList = v
			s.encoder.version++ // blocks are measured against it when they are encoded
		}
	}
	return nil
}

// initialWindow shifts the window of every open stream, perhaps below zero (RFC 9113, section 6.9.2).
func (s *Session) initialWindow(v uint32) error {
	if v > largestWindow {
		return s.fail(FlowControlError, "RFC 9113, section 6.5.2", fmt.Sprintf("INITIAL_WINDOW_SIZE %d", v))
	}
	shift := int64(v) - s.peerWindow
	s.peerWindow = int64(v)
	if shift == 0 {
		return nil
	}
	for _, st := range s.collect(0) {
		if st.window += shift; st.window > largestWindow {
			return s.fail(FlowControlError, "RFC 9113, section 6.9.2", fmt.Sprintf("INITIAL_WINDOW_SIZE %d lifts a stream's window above 2^31-1", v))
		}
		s.rewindow(st)
	}
	return nil
}

// rewindow puts a stream back into the send queue once it has a window again.
func (s *Session) rewindow(st *Stream) {
	if st.left > 0 && st.window > 0 {
		s.ready.push(st)
	}
}

func (s *Session) windowUpdate(id uint32, p []byte) error {
	if len(p) != 4 {
		return s.wrongSize(frameWindowUpdate, p)
	}
	step := int64(readUint32(p) & largestWindow)
	if err := s.idled(frameWindowUpdate); err != nil {
		return err
	}
	if id == 0 {
		return s.connectionUpdate(step)
	}
	st := s.streams.get(id)
	if st == nil {
		if id&1 == 0 || id >= s.next {
			return s.absent(frameWindowUpdate, id)
		}
		return nil // it may come long after a stream's end
	}
	if step == 0 {
		s.breach(st, ProtocolError, "WINDOW_UPDATE of 0 (RFC 9113, section 6.9)")
		return nil
	}
	if st.window += step; st.window > largestWindow {
		s.breach(st, FlowControlError, "WINDOW_UPDATE lifts the stream's window above 2^31-1 (RFC 9113, section 6.9.1)")
		return nil
	}
	s.rewindow(st)
	return nil
}

func (s *Session) connectionUpdate(step int64) error {
	if step == 0 {
		return s.fail(ProtocolError, "RFC 9113, section 6.9", "WINDOW_UPDATE of 0 on the connection")
	}
	if s.connWindow += step; s.connWindow > largestWindow {
		return s.fail(FlowControlError, "RFC 9113, section 6.9.1", "WINDOW_UPDATE lifts the connection's window above 2^31-1")
	}
	return nil
}

// takeConnection books n bytes of DATA against the connection's window and grants them again, seldom. Streams
// that we dropped count too: else the connection would run dry.
func (s *Session) takeConnection(n int) error {
	if s.connReceive -= int64(n); s.connReceive < 0 {
		return s.fail(FlowControlError, "RFC 9113, section 6.9.1", "DATA beyond the connection's window")
	}
	if s.connUsed += int64(n); s.connUsed >= connectionWindowStep/2 {
		s.out = appendFrame(s.out, 4, frameWindowUpdate, 0, 0)
		s.out = appendUint32(s.out, uint32(s.connUsed))
		s.sent.Control += windowUpdateLen
		s.connReceive += s.connUsed
		s.connUsed = 0
	}
	return nil
}

// grantStream gives a stream its window back once half of it is used, unless its credit of messages is spent.
func (s *Session) grantStream(out []byte, st *Stream) []byte {
	if st.credit == 0 || st.used == 0 || st.used < s.window/2 {
		return out
	}
	out = appendFrame(out, 4, frameWindowUpdate, 0, st.id)
	out = appendUint32(out, uint32(st.used))
	s.sent.Control += windowUpdateLen
	st.receive += int64(st.used)
	st.used = 0
	return out
}

func (s *Session) appendReset(out []byte, id uint32, code Code) []byte {
	s.dropped.add(id)
	out = appendFrame(out, 4, frameReset, 0, id)
	s.sent.Control += resetLen
	return appendUint32(out, uint32(code))
}

// resetStream ends the call whose stream the peer reset.
func (s *Session) resetStream(id uint32, p []byte) error {
	if len(p) != 4 {
		return s.wrongSize(frameReset, p)
	}
	st := s.streams.get(id)
	if st == nil {
		if id == 0 || id&1 == 0 || id >= s.next {
			return s.absent(frameReset, id)
		}
		return s.idled(frameReset) // it closed early what was over already
	}
	code := Code(readUint32(p))
	outcome := wiregauge.Reset
	if code == RefusedStream {
		outcome = wiregauge.Refused
	}
	text := ""
	if st.Call.Explain {
		text = fmt.Sprintf("RST_STREAM %s (%d)", code, uint32(code))
	}
	st.Finish(outcome, s.semantics.Status(outcome, code), text)
	s.dropped.add(id)
	s.events.Done(s.release(st))
	return nil
}

// goAway stops new calls and finishes those that the peer will not process (RFC 9113, section 6.8). A later
// GOAWAY can only lower the last id.
func (s *Session) goAway(id uint32, p []byte) error {
	if id != 0 {
		return s.wrongStream(frameGoAway, id)
	}
	if len(p) < 8 {
		return s.wrongSize(frameGoAway, p)
	}
	s.lastID = min(s.lastID, readUint32(p)&largestStream)
	s.goingAway = true
	s.farewell = farewell(Code(readUint32(p[4:])), p[8:])
	if !s.toldClosing {
		s.toldClosing = true
		s.events.Closing()
	}
	if len(s.collect(s.lastID)) == 0 {
		return s.idled(frameGoAway)
	}
	for _, st := range s.victims {
		s.dropped.add(st.id)
		s.unprocessed(st)
	}
	s.fireVictims()
	return nil
}

// unprocessed finishes a call above the last id. One that was answered in part has been processed, whatever
// the GOAWAY says: it may not be sent again.
func (s *Session) unprocessed(st *Stream) {
	outcome := wiregauge.Unprocessed
	if st.answered {
		outcome = wiregauge.Closed
	}
	st.Finish(outcome, s.semantics.Status(outcome, RefusedStream), s.farewell)
}

// farewell puts a GOAWAY into words; the debug text is the peer's and is cut.
func farewell(code Code, debug []byte) string {
	text := "GOAWAY " + code.String()
	if len(debug) > 0 {
		text += ": " + strings.ToValidUTF8(string(debug[:min(len(debug), 256)]), "\uFFFD")
	}
	return text
}
