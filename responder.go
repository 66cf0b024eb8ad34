package wiregauge

// A Responder is the answering end of one connection, equally without the connection, where no library can be had that
// a service would use. The same rules hold as for a Session: it is made for one Handler, used by one goroutine at a time,
// has no clock, keeps nothing of in, and is never called from inside the Handler. The server loop that owns the
// connection applies planted behaviour, once for all protocols. One that is a Ticker too gets Tick before its first
// Receive, before each that comes when Next is due, and after each.
type Responder interface {
	// Receive consumes what it can of in, tells the Handler what arrived and appends what the protocol owes at once. The
	// bytes in reply are to be written even when it fails; after an error the connection is over. io.EOF is a peer that
	// has said that it leaves: what it asked for before may still be answered.
	Receive(in, out []byte) (used int, reply []byte, err error)
	// Answer sends one message of the call, later and out of order where the protocol allows it: with end it is the
	// last; a nil message with end only ends. A failure that is not nil ends the call with it instead, and message is of
	// no use. It returns a NoSlot, having taken nothing: Credit until the peer asks for more, Busy while an earlier
	// message of the call is queued; Handler.Room says when to try again. A call that has ended takes nothing, without an
	// error. A message of at most Unsent bytes has been appended when Answer returns; a longer one is the Responder's
	// from then on and goes out through Flush. Call 0 is the connection: to end it asks the peer to leave.
	Answer(out []byte, id uint64, message []byte, end bool, failure error) ([]byte, error)
	// Grant lets the peer send that many messages more of the call; the first one needs none.
	Grant(out []byte, id uint64, messages int) []byte
	// Flush appends up to Unsent bytes of what is queued, one frame per call in turn. The loop calls it as a lane does.
	Flush(out []byte) []byte
}

// A Handler is told what arrived at a Responder, from inside Receive and Flush. It never calls the Responder back:
// answers go out afterwards.
type Handler interface {
	// Request is a call, or the opening of the connection. What r points to is valid until it returns. An error refuses:
	// the peer is told its text and, where it is a *Failure, its status.
	Request(id uint64, r *Incoming) error
	// Message is one more message of the call, valid until it returns; a nil body only ends the peer's side.
	Message(id uint64, body []byte, last bool)
	// Room says how many messages of the call the peer takes now; Answer, if it was refused, is worth another try.
	Room(id uint64, credit int64)
	Cancel(id uint64) // the peer wants no more of it, or broke its rules: the call is over
}

// Incoming is what a Handler is told of one call.
type Incoming struct {
	Opening bool // the connection's own set-up, with id 0: Data and Metadata are those of the set-up
	Push    bool // metadata alone, for the connection as a whole, with id 0: no answer is possible
	Shape   Shape
	Method  string // as the wire names it: a route
	// Metadata is as it came; Header what could be read of it besides the method. Header may be kept.
	Metadata []byte
	Header   []Field
	Codec    string // the media type of Data, as the peer named it
	Data     []byte // the first message
	Credit   int64  // how many messages the peer takes for now; of no meaning where the shape has one answer
	Last     bool   // no more messages follow
}

// A Failure is an error of a Handler or a handler's answer with a status of the protocol's own.
type Failure struct {
	Status int
	Text   string
}

// Error is the text.
func (f *Failure) Error() string { return f.Text }
