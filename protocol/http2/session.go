package http2

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"syscall"

	"wiregauge"
	"wiregauge/protocol"
)

const (
	defaultReceiveWindow = 1 << 20
	defaultMaxHeader     = 1 << 20
)

// A Session is the client side of one HTTP/2 connection. See wiregauge.Session for the contract.
type Session struct {
	events    wiregauge.Events
	semantics Semantics
	framing   Framing
	oneCall   bool
	window    int // what a stream may send us, in bytes
	ownLimit  int // most calls in flight we want; 0 for no limit of ours

	// What the peer allows.
	greeted      bool // its SETTINGS have come
	peerStreams  uint32
	peerWindow   int64 // what a new stream may be sent
	peerFrame    int
	peerList     uint32 // its MAX_HEADER_LIST_SIZE
	connWindow   int64  // what the connection may be sent
	settingsAckd bool   // it has taken our SETTINGS in

	// Sending.
	helloSent bool
	encoder   encoder
	blocks    []block // by Request.Index
	scratch   []byte
	fields    []wiregauge.Field
	ready     queue // streams with bytes to send and a window for them

	// Receiving.
	out         []byte // the reply being built, inside Receive only
	decoder     *decoder
	gather      gather
	connReceive int64 // what the peer may still send on the connection
	connUsed    int64 // taken in and not yet granted again
	idle        int   // frames since something last moved
	owed        int   // bytes of reply since Flush was last called

	// Streams.
	next    uint32
	streams table
	free    *Stream
	dropped droppedIDs
	victims []*Stream
	waiting bool // a Start was refused: tell with Room when it is worth another try

	goingAway   bool
	lastID      uint32
	farewell    string // what the peer's GOAWAY said
	toldClosing bool
	broken      error
	ended       bool

	sent, received wiregauge.Traffic
}

// New makes the session of one connection. The semantics belong to it from now on.
func New(o protocol.Options, events wiregauge.Events, semantics Semantics, framing Framing) *Session {
	s := &Session{
		events: events, semantics: semantics, framing: framing, oneCall: o.OneCall,
		window: defaultReceiveWindow, ownLimit: o.Streams,
		peerStreams: largestStream, peerWindow: defaultWindow, peerFrame: defaultFrameSize,
		peerList: 1<<32 - 1, connWindow: defaultWindow,
		encoder: newEncoder(), next: 1, lastID: largestStream,
		connReceive: defaultWindow + connectionWindowStep,
	}
	if o.Window > 0 {
		s.window = min(o.Window, largestWindow)
	}
	limit := defaultMaxHeader
	if o.MaxHeader > 0 {
		limit = o.MaxHeader
	}
	s.decoder = newDecoder(limit)
	s.streams.init(16)
	return s
}

// refusal says why no call can start now, 0 when one can.
func (s *Session) refusal() wiregauge.NoSlot {
	switch {
	case s.spent():
		return wiregauge.Closing
	case !s.greeted:
		return wiregauge.Handshake
	case uint32(s.streams.used) >= s.peerStreams, s.ownLimit > 0 && s.streams.used >= s.ownLimit:
		return wiregauge.Streams
	}
	return 0
}

// Ready reports whether the peer's SETTINGS have come, before which no call starts.
func (s *Session) Ready() bool { return s.greeted }

// spent reports whether the connection takes no call any more.
func (s *Session) spent() bool {
	return s.goingAway || s.ended || s.broken != nil || s.next > largestStream || s.oneCall && s.next > 1
}

// Start takes c: its header block and, when it fits one frame and nothing waits before it, its body.
func (s *Session) Start(out []byte, c *wiregauge.Call) ([]byte, error) {
	if reason := s.refusal(); reason != 0 {
		s.waiting = true
		return out, reason
	}
	r := c.Request
	b, err := s.block(r)
	if err != nil {
		return out, err
	}
	st := s.open(c)
	st.load(r)
	end := !r.Open && len(r.Messages) == 0 && s.framing == Bare || st.emptyBody()
	out = s.appendHead(out, st, b, end)
	if end {
		st.localEnd, st.ending = true, false
		return out, nil
	}
	if st.left > 0 || st.ending {
		out = s.sendOrQueue(out, st)
		st.owesSent = c.Queued > 0
	}
	return out, nil
}

// open gives c a stream.
func (s *Session) open(c *wiregauge.Call) *Stream {
	st := s.free
	if st == nil {
		st = &Stream{session: s}
	} else {
		s.free = st.nextFree
	}
	st.reset(c, s.next, s.peerWindow, s.receiveWindow())
	s.next += 2
	s.streams.put(st)
	c.ID, c.Queued = uint64(st.id), 0
	s.idle = 0
	s.semantics.Open(st)
	return st
}

// receiveWindow is what a new stream may send us. Until the peer has acknowledged our SETTINGS it may still
// believe in the default.
func (s *Session) receiveWindow() int64 {
	if s.settingsAckd {
		return int64(s.window)
	}
	return max(int64(s.window), defaultWindow)
}

// release takes a stream away from its call; the object is reused.
func (s *Session) release(st *Stream) *wiregauge.Call {
	c := st.Call
	s.ready.remove(st)
	s.streams.remove(st)
	st.clear()
	st.nextFree, s.free = s.free, st
	return c
}

// find is the stream of c, nil when the session does not hold c.
func (s *Session) find(c *wiregauge.Call) *Stream {
	if c.ID == 0 || c.ID > largestStream {
		return nil
	}
	if st := s.streams.get(uint32(c.ID)); st != nil && st.Call == c {
		return st
	}
	return nil
}

// Cancel abandons c with RST_STREAM CANCEL.
func (s *Session) Cancel(out []byte, c *wiregauge.Call) ([]byte, error) {
	st := s.find(c)
	if st == nil {
		return out, nil
	}
	if s.broken == nil && !s.ended {
		out = s.appendReset(out, st.id, CancelCode)
	}
	s.release(st)
	return out, nil
}

// End finishes every open call. What the peer said or broke last is the reason of each.
func (s *Session) End(cause error) {
	if s.ended {
		return
	}
	s.ended = true
	outcome, text := s.verdict(cause)
	for _, st := range s.collect(0) {
		st.Finish(outcome, s.semantics.Status(outcome, NoError), text)
	}
	s.fireVictims()
}

// verdict turns the end of a connection into the outcome of the calls that were open on it.
func (s *Session) verdict(cause error) (wiregauge.Outcome, string) {
	var breach *wiregauge.ProtocolError
	switch {
	case errors.As(cause, &breach):
		return wiregauge.Malformed, breach.Error()
	case s.farewell != "":
		return wiregauge.Closed, "the connection ended after " + s.farewell
	case errors.Is(cause, syscall.ECONNRESET), errors.Is(cause, syscall.EPIPE):
		return wiregauge.Reset, cause.Error()
	case cause == nil || errors.Is(cause, io.EOF):
		return wiregauge.Closed, "the connection ended before the answer was complete"
	}
	return wiregauge.Closed, cause.Error()
}

// collect gathers the open streams above id, in the order of their calls.
func (s *Session) collect(above uint32) []*Stream {
	all := s.streams.appendAll(s.victims[:0])
	s.victims = slices.DeleteFunc(all, func(st *Stream) bool { return st.id <= above })
	slices.SortFunc(s.victims, func(a, b *Stream) int { return cmp.Compare(a.id, b.id) })
	return s.victims
}

// fireVictims lets go of the collected streams and then tells of each: no event sees a half-emptied session.
func (s *Session) fireVictims() {
	calls := make([]*wiregauge.Call, len(s.victims))
	for i, st := range s.victims {
		calls[i] = s.release(st)
		s.victims[i] = nil
	}
	for _, c := range calls {
		s.events.Done(c)
	}
}

// Ended says why the connection takes no call any more, "" while it does: for the list of connections that a
// server closed.
func (s *Session) Ended() string {
	switch {
	case s.broken != nil:
		return s.broken.Error()
	case s.farewell != "":
		return s.farewell
	case s.next > largestStream:
		return "its stream ids are used up"
	}
	return ""
}

// Traffic is what the bytes were so far.
func (s *Session) Traffic() (sent, received wiregauge.Traffic) { return s.sent, s.received }

var (
	_ wiregauge.Session  = (*Session)(nil)
	_ wiregauge.Streamer = (*Session)(nil)
	_ wiregauge.Counter  = (*Session)(nil)
)
