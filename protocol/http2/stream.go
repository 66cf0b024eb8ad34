package http2

import "wiregauge"

// A Stream is one call on a Session, as its semantics see it. The objects are reused.
type Stream struct {
	// Call is what the stream carries.
	Call *wiregauge.Call
	// Own is the semantics' state; it outlives the call, so that its memory is reused.
	Own any

	session *Session
	id      uint32

	// Sending: what is left of the messages, and where we are in the first of them (its prefix included).
	messages   [][]byte
	single     [1][]byte // what Send queued
	offset     int
	left       int   // bytes not yet appended, prefixes included
	window     int64 // what the peer takes; negative after it shrank its initial window
	compressed bool
	ending     bool // END_STREAM goes out with the last byte
	localEnd   bool // it has gone out
	owesSent   bool // Start left bytes queued: Sent tells when they are gone

	// Receiving.
	receive  int64 // what the peer may still send
	used     int   // taken in and not yet granted again
	credit   int   // messages the peer may still send, -1 for any number
	answered bool  // the final header block has come
	length   int64 // the answer's content-length, -1 when unknown
	got      int64 // of it

	over bool // finished, to be let go
	code Code // of the reset that says so, if the peer has not ended

	next, previous *Stream // in the send queue
	queued         bool
	chain          *Stream // in the table
	nextFree       *Stream
}

func (st *Stream) reset(c *wiregauge.Call, id uint32, window, receive int64) {
	st.Call, st.id = c, id
	st.window, st.receive = window, receive
	st.offset, st.left, st.used = 0, 0, 0
	st.compressed, st.ending, st.localEnd, st.owesSent = false, false, false, false
	st.answered, st.over, st.code = false, false, NoError
	st.length, st.got = -1, 0
	st.credit = -1
	if c.Credit > 0 {
		st.credit = c.Credit
	}
}

func (st *Stream) clear() {
	st.Call, st.messages, st.single[0] = nil, nil, nil
}

// load takes the messages of r in.
func (st *Stream) load(r *wiregauge.Request) {
	st.messages = r.Messages
	st.compressed = r.Encoding != ""
	st.ending = !r.Open
	for _, m := range r.Messages {
		st.left += len(m)
	}
	if st.session.framing == Prefixed {
		st.left += prefixLen * len(r.Messages)
	}
}

// emptyBody reports whether a bare request has a body of no bytes, so that END_STREAM can go with its header.
func (st *Stream) emptyBody() bool {
	return st.session.framing == Bare && st.ending && st.left == 0
}

// Keeps reports whether whole messages are wanted.
func (st *Stream) Keeps() bool { return st.Call.Keep || st.Call.Credit > 0 }

// Message counts one whole message of the answer and hands it over when it is wanted.
func (st *Stream) Message(body []byte) {
	st.Call.Received++
	if st.credit > 0 {
		st.credit--
	}
	if st.Keeps() {
		st.session.events.Message(st.Call, body)
	}
}

// Prefix says that n bytes of the data were not the application's but framing.
func (st *Stream) Prefix(n int) {
	st.session.received.Body -= int64(n)
	st.session.received.Framing += int64(n)
}

// Finish ends the call: as soon as the semantics return, the session lets go of it. If the peer has not ended
// the stream, it is reset with CANCEL; a second Finish changes nothing.
func (st *Stream) Finish(o wiregauge.Outcome, status int, text string) {
	st.Abort(CancelCode, o, status, text)
}

// Abort is Finish with the code that the peer is told if it has not ended the stream.
func (st *Stream) Abort(code Code, o wiregauge.Outcome, status int, text string) {
	if st.over {
		return
	}
	st.over, st.code = true, code
	c := st.Call
	c.Outcome, c.Status = o, status
	if c.Explain {
		c.Text = text
	}
}

// Over reports whether the call is finished.
func (st *Stream) Over() bool { return st.over }

// A table finds streams by id: chains over a power of two of slots. Ids count up by two, so that streams of the
// same time seldom share a slot.
type table struct {
	slots []*Stream
	used  int
}

func (t *table) init(size int) { t.slots = make([]*Stream, size) }

func (t *table) slot(id uint32) **Stream { return &t.slots[id>>1&uint32(len(t.slots)-1)] }

func (t *table) get(id uint32) *Stream {
	st := *t.slot(id)
	for st != nil && st.id != id {
		st = st.chain
	}
	return st
}

func (t *table) put(st *Stream) {
	if t.used == len(t.slots) {
		all := t.appendAll(nil)
		t.init(2 * len(t.slots))
		for _, other := range all {
			t.place(other)
		}
	}
	t.place(st)
	t.used++
}

func (t *table) place(st *Stream) {
	slot := t.slot(st.id)
	st.chain, *slot = *slot, st
}

func (t *table) remove(st *Stream) {
	at := t.slot(st.id)
	for *at != st {
		at = &(*at).chain
	}
	*at, st.chain = st.chain, nil
	t.used--
}

// appendAll appends all streams, in no order.
func (t *table) appendAll(to []*Stream) []*Stream {
	for _, st := range t.slots {
		for ; st != nil; st = st.chain {
			to = append(to, st)
		}
	}
	return to
}

// droppedIDs remembers the streams that we reset: what still arrives for them is not the peer's fault. Ids up to
// forgiven have fallen out of the memory and are all forgiven.
type droppedIDs struct {
	recent   [256]uint32
	at       int
	forgiven uint32
}

func (d *droppedIDs) add(id uint32) {
	d.forgiven = max(d.forgiven, d.recent[d.at])
	d.recent[d.at] = id
	d.at = (d.at + 1) % len(d.recent)
}

func (d *droppedIDs) has(id uint32) bool {
	if id <= d.forgiven {
		return true
	}
	for _, known := range d.recent {
		if known == id {
			return true
		}
	}
	return false
}

// bodiless reports whether an answer has no body whatever its content-length says (RFC 9110, section 6.4.1).
func (st *Stream) bodiless(status int) bool {
	return status == 204 || status == 304 || len(st.Call.Method) > 5 && st.Call.Method[:5] == "HEAD "
}
