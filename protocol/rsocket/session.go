package rsocket

import (
	"slices"
	"time"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/rsocket/frame"
)

// session is the client's end of one connection. See wiregauge.Session for the contract.
type session struct {
	ev    wiregauge.Events
	setup protocol.Setup
	hello hello
	limit int // most bytes of a received message
	most  int // calls in flight, 0 for any number
	once  bool
	c     carrier
	err   error // the connection cannot be opened as asked

	// Streams.
	all       []*stream // by place
	free      *stream
	table     streamTable
	started   uint64
	inFlight  int
	nextID    uint32
	wrapped   bool
	waiting   bool // a Start was refused: tell with Room when it is worth another try
	toldClose bool

	// Sending.
	templates []template // by Request.Index
	queue     streamQueue
	mid       *stream // whose frame is appended in part: nothing else may be
	behind    []byte  // what goes out behind that frame, before anything else
	departing []*stream
	drained   int64 // of all bytes appended, those that had left the lane's buffer at the last Flush
	owed      int   // bytes of replies since then
	word      [4]byte

	held     int // bytes of messages that are not whole yet
	alive    liveness
	lease    permit
	notes    Notes
	broken   error
	farewell *PeerError
	culprit  *wiregauge.Call // whose frame broke the connection
	ended    bool

	sent, received wiregauge.Traffic // without what the carrier counts
}

// Notes count what a connection has seen besides the answers to its calls.
type Notes struct {
	Late     int // frames for a stream that has ended
	Stray    int // frames for a stream that never was
	Requests int // of the server; answered with REJECTED
	Pushes   int // METADATA_PUSH
	Leases   int // LEASE frames
	Unasked  int // those of them that came although none were asked for
	Zero     int // REQUEST_N of no messages
	Beyond   int // messages that came without credit
	Ignored  int // frames that ask to be ignored by who does not know them
	Errors   int // APPLICATION_ERROR on stream 0, with which a server complains and goes on
}

// New makes the session of one connection. Options.Setup says how it opens; Options.Streams bounds the calls in flight.
func New(o protocol.Options, ev wiregauge.Events) wiregauge.Session {
	s := &session{ev: ev, setup: o.Setup, limit: o.Setup.MaxMessage, most: o.Streams, once: o.OneCall, nextID: 1}
	if s.limit <= 0 {
		s.limit = 64 << 20
	}
	s.c = newCarrier(o.Setup.Web, true, s.limit)
	s.hello, s.err = newHello(o)
	s.alive = newLiveness(o.Setup)
	return s
}

// Start takes c: its request and, where it fits, all its messages.
func (s *session) Start(out []byte, c *wiregauge.Call) ([]byte, error) {
	r := c.Request
	if reason := s.refusal(r); reason != 0 {
		s.waiting = true
		return out, reason
	}
	if s.err != nil {
		return out, s.err
	}
	t, err := s.template(r)
	if err != nil {
		return out, err
	}
	st := s.take(c)
	st.metadata = t.metadata
	if t.frame != nil && t.request == r && !s.blocked() {
		return s.appendWhole(out, st, t), nil
	}
	s.load(st)
	out = s.sendOrQueue(out, st)
	st.owesSent = c.Queued > 0
	return out, nil
}

// refusal says why r cannot start now, 0 when it can. Metadata that is pushed needs no lease.
func (s *session) refusal(r *wiregauge.Request) wiregauge.NoSlot {
	switch {
	case s.ended || s.broken != nil || s.once && s.started > 0:
		return wiregauge.Closing
	case s.err != nil:
		return 0
	case !s.Ready() || !s.hello.sent:
		return wiregauge.Handshake
	case s.most > 0 && s.inFlight >= s.most:
		return wiregauge.Streams
	case s.lease.missing() && (r == nil || !pushes(r)):
		return wiregauge.Credit
	}
	return 0
}

// Ready reports whether the connection is open: upgraded, and with Setup.Await proven by a KEEPALIVE.
func (s *session) Ready() bool {
	return s.err != nil || !s.hello.upgrading && !s.hello.awaiting // what is wrong is told by Start
}

// take gives c a stream.
func (s *session) take(c *wiregauge.Call) *stream {
	st := s.free
	if st == nil {
		st = &stream{place: len(s.all)}
		s.all = append(s.all, st)
	} else {
		s.free, st.free = st.free, nil
	}
	s.started++
	s.inFlight++
	st.call, st.order = c, s.started
	st.granted = frame.MaxN
	if c.Credit > 0 {
		st.granted = int64(min(c.Credit, frame.MaxN))
	}
	c.ID, c.Queued = uint64(st.place)+1, 0
	if !pushes(c.Request) {
		s.lease.take()
	}
	return st
}

// enlist gives st its stream id. Ids wrap, and then those in use are skipped.
func (s *session) enlist(st *stream) {
	id := s.nextID
	for s.wrapped && s.table.get(id) != nil {
		id = (id + 2) & frame.MaxN
	}
	s.nextID = (id + 2) & frame.MaxN
	s.wrapped = s.wrapped || s.nextID < id
	st.id = id
	if st.call.Shape != wiregauge.OneWay {
		s.table.put(st)
		st.listed = true
	}
}

// find is the stream of c, nil when the session does not hold c.
func (s *session) find(c *wiregauge.Call) *stream {
	if c.ID == 0 || c.ID > uint64(len(s.all)) {
		return nil
	}
	if st := s.all[c.ID-1]; st.call == c {
		return st
	}
	return nil
}

// release takes a stream away from its call. What is left of a frame that is on its way still goes out.
func (s *session) release(st *stream) *wiregauge.Call {
	c := st.call
	s.finishFrame(st)
	s.queue.remove(st)
	if st.listed {
		s.table.remove(st)
	}
	if st.departs > 0 {
		s.departing[slices.Index(s.departing, st)] = nil
	}
	s.held -= st.held
	st.trim()
	s.inFlight--
	*st = stream{place: st.place, in: st.in, free: s.free}
	s.free = st
	return c
}

// finish ends the call of st.
func (s *session) finish(st *stream, o wiregauge.Outcome, status int, text string) {
	c := s.release(st)
	c.Outcome, c.Status = o, status
	if c.Explain {
		c.Text = text
	}
	s.ev.Done(c)
}

// Cancel abandons c with CANCEL. A one-way call of which all is sent cannot be called back.
func (s *session) Cancel(out []byte, c *wiregauge.Call) ([]byte, error) {
	st := s.find(c)
	if st == nil {
		return out, nil
	}
	id, tell := st.id, st.id != 0 && (st.listed || st.cutShort())
	s.release(st)
	if tell && s.broken == nil && !s.ended {
		out = s.put(out, id, frame.Cancel, 0, nil, nil)
	}
	return out, nil
}

// Traffic implements wiregauge.Counter.
func (s *session) Traffic() (sent, received wiregauge.Traffic) {
	sent, received = s.sent, s.received
	sent.Framing += s.c.overhead.sent
	sent.Control -= int64(len(s.behind)) // not appended yet
	received.Framing += s.c.overhead.received + int64(len(s.c.held()))
	return sent, received
}

// appended is how many bytes were appended so far.
func (s *session) appended() int64 {
	return s.sent.Total() + s.c.overhead.sent - int64(len(s.behind))
}

// Notes is what the connection has seen so far besides the answers to its calls.
func (s *session) Notes() Notes { return s.notes }

// Ended says why the connection takes no call any more, "" while it does.
func (s *session) Ended() string {
	if s.broken != nil {
		return s.broken.Error()
	}
	return ""
}

// Next implements wiregauge.Ticker.
func (s *session) Next() (at time.Duration, ok bool) {
	if !s.hello.sent || s.broken != nil || s.ended {
		return 0, false
	}
	at = s.alive.next()
	if until, ok := s.lease.ends(); ok {
		at = min(at, until)
	}
	return at, true
}

var (
	_ wiregauge.Session  = (*session)(nil)
	_ wiregauge.Streamer = (*session)(nil)
	_ wiregauge.Counter  = (*session)(nil)
	_ wiregauge.Greeter  = (*session)(nil)
	_ wiregauge.Ticker   = (*session)(nil)
)
