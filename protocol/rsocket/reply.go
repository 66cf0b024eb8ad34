package rsocket

import (
	"encoding/binary"
	"fmt"
	"strings"

	"wiregauge"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/metadata"
)

// payload takes one PAYLOAD in: a message of an answer, a part of one, or its end.
func (s *session) payload(id uint32, flags frame.Flags, p, out []byte) ([]byte, error) {
	st := s.table.get(id)
	if st == nil {
		s.received.Body += int64(len(p))
		s.absent(id)
		return out, nil
	}
	s.firstByte(st)
	if err := s.book(flags, p); err != nil {
		return out, err
	}
	chained := st.in.open
	if !chained && flags&(frame.Next|frame.Complete|frame.Follows) == 0 {
		return s.breach(st, wiregauge.Malformed, "a PAYLOAD with neither NEXT nor COMPLETE (Protocol.md, \"Payload Frame\")", out), nil
	}
	c := st.call
	st.in.counts = !st.keeps() && c.Detail == nil
	meta, data, whole, err := st.in.add(flags, p, s.bound(c))
	s.hold(st)
	if why := s.unfit(st, err, chained, len(p)); why != "" {
		return s.breach(st, wiregauge.TooLarge, why, out), nil
	}
	if err != nil || !whole {
		return out, err
	}
	if c.Detail != nil {
		c.Detail.Trailer = appendEntries(c.Detail.Trailer, meta)
	}
	if chained || flags&frame.Next != 0 {
		s.message(st, data)
	}
	if flags&frame.Complete != 0 || c.Shape == wiregauge.Unary {
		return s.answered(st, out), nil
	}
	st.trim()
	return out, nil
}

// book counts a PAYLOAD by what it holds.
func (s *session) book(flags frame.Flags, p []byte) error {
	meta, data, err := frame.Body(flags, p)
	if err != nil {
		return err
	}
	if meta != nil {
		s.received.Framing += frame.PrefixLen
	}
	s.received.Headers += int64(len(meta))
	s.received.Body += int64(len(data))
	return nil
}

// unfit says what is too large of a message, or of all that are not whole, once n bytes more have come; "" for nothing.
func (s *session) unfit(st *stream, err error, chained bool, n int) string {
	bound := s.bound(st.call)
	if long, ok := err.(*tooLong); ok {
		return long.Error()
	}
	switch {
	case err == nil && !chained && n > bound:
		return fmt.Sprintf("a message of %d bytes; the limit is %d, --max-reply raises it", n, bound)
	case s.held > 2*s.limit:
		return fmt.Sprintf("more than %d bytes of messages on this connection that are not whole", 2*s.limit)
	}
	return ""
}

// bound is the most bytes that one message of c's answer may have.
func (s *session) bound(c *wiregauge.Call) int {
	if c.MaxReply > 0 {
		return min(c.MaxReply, s.limit)
	}
	return s.limit
}

// hold counts what messages that are not whole take.
func (s *session) hold(st *stream) {
	n := 0
	if st.in.open && !st.in.counts {
		n = len(st.in.metadata) + len(st.in.data)
	}
	s.held += n - st.held
	st.held = n
}

// message counts one message and hands it over when it is wanted.
func (s *session) message(st *stream, data []byte) {
	c := st.call
	c.Received++
	if st.granted == 0 {
		s.notes.Beyond++
	} else if st.granted != unbounded && c.Credit > 0 {
		st.granted--
	}
	if st.keeps() {
		s.ev.Message(c, data)
	}
}

// answered ends a call whose answer is complete. Our side, if it goes on, ends too: nobody is there to answer it.
func (s *session) answered(st *stream, out []byte) []byte {
	id, open, cut := st.id, !st.ended && channel(st.call.Request), st.cutShort()
	s.finish(st, wiregauge.OK, 0, "")
	switch {
	case cut:
		return s.put(out, id, frame.Cancel, 0, nil, nil)
	case open:
		return s.put(out, id, frame.Payload, frame.Complete, nil, nil)
	}
	return out
}

// breach ends a call whose peer broke a rule that concerns this call only.
func (s *session) breach(st *stream, o wiregauge.Outcome, text string, out []byte) []byte {
	id := st.id
	s.finish(st, o, 0, text)
	return s.put(out, id, frame.Cancel, 0, nil, nil)
}

// A PeerError is an ERROR of the server on stream 0, which ends the connection. It is a *wiregauge.Failure too.
type PeerError struct {
	Code frame.Code
	Text string
}

// Error says what the server said.
func (e *PeerError) Error() string {
	text := fmt.Sprintf("the server ended the connection with %s", codeWords(e.Code))
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}

// Unwrap is the same as a failure of any protocol.
func (e *PeerError) Unwrap() error { return &wiregauge.Failure{Status: int(e.Code), Text: e.Text} }

// codeWords are a code's name and number.
func codeWords(c frame.Code) string {
	name, number := c.String(), fmt.Sprintf("0x%x", uint32(c))
	if name == number {
		return number
	}
	return name + " (" + number + ")"
}

// mostText bounds the text of a failure, in bytes.
const mostText = 1 << 10

func peerText(p []byte) string {
	return strings.ToValidUTF8(string(p[:min(len(p), mostText)]), "\ufffd")
}

// errorFrame ends a call, or on stream 0 the connection. An APPLICATION_ERROR there is a complaint of servers that go on
// (rsocket-java about a second SETUP).
func (s *session) errorFrame(id uint32, p, out []byte) ([]byte, error) {
	code := frame.Code(binary.BigEndian.Uint32(p))
	if id == 0 {
		if code == frame.ApplicationError && !s.hello.awaiting {
			s.notes.Errors++
			return out, nil
		}
		return out, &PeerError{Code: code, Text: peerText(p[4:])}
	}
	st := s.table.get(id)
	if st == nil {
		s.absent(id)
		return out, nil
	}
	s.firstByte(st)
	text := ""
	if st.call.Explain {
		text = peerText(p[4:])
	}
	if d := st.call.Detail; d != nil {
		d.StatusLine = "ERROR " + codeWords(code)
	}
	s.finish(st, outcomeOf(code), int(code), text)
	return out, nil
}

// outcomeOf is what became of a call that ended with an ERROR.
func outcomeOf(code frame.Code) wiregauge.Outcome {
	switch code {
	case frame.Rejected:
		return wiregauge.Refused
	case frame.Canceled:
		return wiregauge.Reset
	}
	return wiregauge.Failed
}

// appendEntries appends the metadata of a reply as fields: the entries of composite metadata by their MIME types, and
// what is none as it is.
func appendEntries(to []wiregauge.Field, p []byte) []wiregauge.Field {
	if len(p) == 0 {
		return to
	}
	entries, err := metadata.Entries(p)
	if err != nil {
		return append(to, wiregauge.Field{Name: "metadata", Value: string(p)})
	}
	for _, e := range entries {
		name := e.MIME
		if name == "" {
			name = fmt.Sprintf("0x%02x", e.ID)
		}
		to = append(to, wiregauge.Field{Name: name, Value: string(e.Data)})
	}
	return to
}
