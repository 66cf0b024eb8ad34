package wiregauge

import "time"

// Unsent bounds what a session appends at a time and what a lane keeps unsent per connection, in bytes.
const Unsent = 64 << 10

// A Session is one end of one connection, without the connection: bytes in, events and bytes out. It is made
// for one Events, used by one goroutine at a time, has no clock, keeps no reference to in after Receive
// returns, and is never called from inside an Events callback.
type Session interface {
	// Start takes c and appends what can go out now; what does not fit the peer's window or Unsent stays
	// queued and goes out through Flush. It fires no event. It returns a NoSlot, having appended nothing and
	// kept nothing, when c cannot start now; any other error is final for c (its request cannot be sent).
	Start(out []byte, c *Call) ([]byte, error)
	// Receive consumes what it can of in and appends what the protocol owes at once (acknowledgements,
	// keep-alives). What it does not use is offered again with more behind it. The bytes in reply are to be
	// written even when it fails; after an error the lane calls End.
	Receive(in, out []byte) (used int, reply []byte, err error)
	// Flush appends up to Unsent bytes of what is queued: the hello, then bodies, one frame per call in turn.
	// The lane calls it whenever no write is active and less than Unsent is unsent: at connect, after every
	// Start, Send, Grant, Receive, Cancel and Tick, and after each drained write.
	Flush(out []byte) []byte
	// Cancel forgets c, appends the bytes that abandon it and fires no event; ErrClose means that the
	// connection is spent (HTTP/1.1).
	Cancel(out []byte, c *Call) ([]byte, error)
	// End tells the session that the connection has ended, also after an error of Receive: it finishes every
	// open call (an answer that ends at EOF, a failure, or Unprocessed). A nil or io.EOF cause is a clean end.
	End(cause error)
}

// Events is how a session tells its lane what happened. It is called only from Receive, Flush and End.
type Events interface {
	Sent(c *Call)                 // the last queued byte has been appended
	First(c *Call)                // first byte of the answer
	Message(c *Call, body []byte) // one whole message, in the session's memory, until this returns; only when Keep
	Room(c *Call)                 // Send for c, or with nil Start, is worth another try
	Closing()                     // no call will be taken any more (GOAWAY, ids used up): open the replacement
	Done(c *Call)                 // Outcome and Status are set; the session has let go of c before
}

// A Streamer is a session whose calls can grow after Start.
type Streamer interface {
	// Send queues one more message of c. It refuses with Busy only while an earlier message of c is still
	// queued, and with ErrStopped once the peer wants no more. Send(nil, last) ends our side and costs no credit.
	Send(out []byte, c *Call, message []byte, last bool) ([]byte, error)
	// Grant lets the peer send that many messages more: request(n), a window, or nothing to do.
	Grant(out []byte, c *Call, messages int) []byte
}

// A Ticker is a session (or a Responder) that owes something to time: keep-alives, heartbeats, a lease that expires.
// The lane calls Tick after the hello, after every Receive with that read's stamp, and before Start or Send once now is
// Next or later; it reads Next again after each. An error of Tick ends the connection as one of Receive does.
type Ticker interface {
	// Next is when Tick is owed, on the clock of Tick; false while nothing is.
	Next() (at time.Duration, ok bool)
	Tick(now time.Duration, out []byte) ([]byte, error)
}

// A Greeter is a session that refuses Start with Handshake until the peer's hello has come. A session without it
// can start calls at once.
type Greeter interface {
	Ready() bool
}

// An Explainer puts the frames of one connection into words for -vv. It is fed the bytes of one direction in
// order and calls line once for each whole frame; it keeps what is left of a partial one.
type Explainer interface {
	Explain(p []byte, sent bool, line func(string))
}

// Traffic counts bytes of one direction by kind, since the session was made. TLS is what the lane adds.
type Traffic struct {
	Body    int64 // messages as the application sees them on the wire (compressed if they were)
	Framing int64 // frame headers, message prefixes, chunk lines, padding
	Headers int64 // header blocks, start lines, trailers, metadata
	Control int64 // settings, pings, windows, resets, the hello
}

// Total is the sum of all kinds.
func (t Traffic) Total() int64 { return t.Body + t.Framing + t.Headers + t.Control }

// A Counter is a session that can say what its bytes were; its total equals the bytes appended and used.
type Counter interface {
	Traffic() (sent, received Traffic)
}
