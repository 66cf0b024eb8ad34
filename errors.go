package wiregauge

import "errors"

// NoSlot says why a call cannot start now. It is a byte, so that returning one does not allocate.
type NoSlot uint8

// The reasons: Handshake, the peer's hello is still to come; Streams, its limit of streams is reached; Credit, a
// lease is needed; Busy, one call per connection, or an earlier message is still queued; Closing, never again.
const (
	Handshake NoSlot = iota + 1
	Streams
	Credit
	Busy
	Closing
)

var noSlotNames = [...]string{"", "handshake", "streams", "credit", "busy", "closing"}

// Error names the reason.
func (n NoSlot) Error() string { return "no slot: " + noSlotNames[n] }

// String is the bare reason, as reports list slot waits.
func (n NoSlot) String() string { return noSlotNames[n] }

// ErrClose is Cancel's way to say that the connection cannot be used any more.
var ErrClose = errors.New("the connection is spent")

// ErrStopped is Send's way to say that the peer wants no more messages.
var ErrStopped = errors.New("the peer wants no more messages")

// A ProtocolError is a rule of the protocol that the peer broke. After it the connection is over.
type ProtocolError struct {
	Rule string // the source of the rule: "RFC 9113, section 6.5.2"
	Text string // what the peer did
	Code uint32 // the protocol's own error code, where it has one
}

// Error says what the peer did and which rule forbids it.
func (e *ProtocolError) Error() string {
	if e.Rule == "" {
		return e.Text
	}
	return e.Text + " (" + e.Rule + ")"
}
