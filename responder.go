package wiregauge

// A Responder is the answering end of one connection, equally without the connection, where no library can be had that
// a service would use. The same rules hold as for a Session: one goroutine at a time, no clock, nothing of in is kept.
// The server loop that owns the connection applies planted behaviour, once for all protocols.
type Responder interface {
	// Receive consumes what it can of in, tells h what arrived and appends what the protocol owes at once. The bytes in
	// reply are to be written even when it fails; after an error the connection is over.
	Receive(in, out []byte, h Handler) (used int, reply []byte, err error)
	// Answer sends one message of the call, later and out of order where the protocol allows it: with end it is the
	// last; a nil message with end only ends. A failure that is not nil ends the call with it instead, and message is of no
	// use. It returns a NoSlot, having taken nothing: Credit until the peer asks for more, Busy while an earlier message
	// of the call is queued; Handler.Room says when to try again. A call that has ended takes nothing, without an error.
	// The message is the Responder's until it has been appended by Flush.
	Answer(out []byte, id uint64, message []byte, end bool, failure error) ([]byte, error)
	// Grant lets the peer send that many messages more of the call.
	Grant(out []byte, id uint64, messages int) []byte
	// Flush appends up to Unsent bytes of what is queued, one frame per call in turn. The loop calls it as a lane does.
	Flush(out []byte) []byte
}

// A Handler is told what arrived at a Responder. It never calls the Responder back: answers go out after Receive.
type Handler interface {
	// Request is a call, or the opening of the connection. What r points to is valid until it returns. An error refuses:
	// the peer is told its text and, where it is a *Failure, its status.
	Request(id uint64, r *Incoming) error
	Message(id uint64, body []byte, last bool) // one more message of the call; a nil body only ends the peer's side
	Room(id uint64)                            // Answer is worth another try
	Cancel(id uint64)                          // the peer wants no more of it: the call is over
}

// Incoming is what a Handler is told of one call.
type Incoming struct {
	Opening bool // the connection's own set-up, with id 0: Data and Metadata are those of the set-up
	Push    bool // metadata alone, for the connection as a whole, with id 0: no answer is possible
	Shape   Shape
	Method  string // as the wire names it: a route
	// Metadata is as it came; Header what could be read of it besides the method.
	Metadata []byte
	Header   []Field
	Codec    string // the media type of Data, as the peer named it
	Data     []byte // the first message
	Credit   int    // how many messages the peer takes for now; of no meaning where the shape has one answer
	Last     bool   // no more messages follow
}

// A Failure is an error of a Handler or a handler's answer with a status of the protocol's own.
type Failure struct {
	Status int
	Text   string
}

// Error is the text.
func (f *Failure) Error() string { return f.Text }
