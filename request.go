package wiregauge

import "time"

// Shape says how many messages each side of a call sends.
type Shape uint8

// The shapes of a call. OneWay is done when it is sent: its outcome says "sent", not "processed".
const (
	Unary Shape = iota
	ClientStream
	ServerStream
	Bidi
	OneWay
)

// String names the shape as users write it.
func (s Shape) String() string {
	return [...]string{"unary", "client stream", "server stream", "bidi", "one-way"}[s]
}

// StreamsOut reports whether the caller may send more or fewer than one message.
func (s Shape) StreamsOut() bool { return s == ClientStream || s == Bidi }

// StreamsIn reports whether the answer may hold more or fewer than one message.
func (s Shape) StreamsIn() bool { return s == ServerStream || s == Bidi }

// A Field is one header field or metadata entry. Names of fields that start with ':' are never put here.
type Field struct {
	Name, Value string
	// Sensitive asks HPACK to keep the field out of every table (RFC 7541, section 7.1.3).
	Sensitive bool
}

// A Request is what is sent: prepared once, immutable, sent many times and shared by all lanes.
type Request struct {
	// Index is its place among the plan's distinct header sets, from 0. A session keeps what it
	// encoded for a header set (an HPACK block) under it, so equal sets share an Index.
	Index int
	// Method is as the wire names it: "/pkg.Service/Method", "POST /v1/check", a route.
	Method string
	// Header is what the user asked for beyond what the protocol itself sends, in order.
	Header []Field
	// Messages are the encoded bodies without the wire's framing; one for Unary. They are already
	// compressed when Encoding is set.
	Messages [][]byte
	// Encoding names the compression of Messages ("gzip"); empty for none.
	Encoding string
	// Accept names the compressions the answer may use, as they go into the request's header; empty for none.
	Accept string
	Shape  Shape
	// Open says that more messages come through Streamer.Send.
	Open bool
	// Credit 0 keeps the peer unbounded; n opens the call with n messages and only the lane grants more.
	Credit int
	// Keep makes Events.Message fire with whole, decompressed bodies; else messages are only counted and
	// nothing is buffered. Implied by Credit > 0.
	Keep bool
	// MaxReply bounds one received message after decompression, in bytes; 0 means no bound beyond the protocol's.
	MaxReply int
	// Timeout is what the peer is told (grpc-timeout), 0 for nothing. The lane enforces its own.
	Timeout time.Duration
}
