package rsocket

import (
	"errors"
	"io"
	"math"
	"time"

	"wiregauge"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/websocket"
)

// Serving shapes an answering end. The zero value answers over TCP.
type Serving struct {
	WebSocket bool // the connection begins with an upgrade, on any path
	// MaxMessage is the most bytes of one received message, its metadata included; 0 means 64 MiB.
	MaxMessage int
	// Fragment 0 sends messages over 1 MiB in fragments of 64 KiB. Any other value is the most bytes of a frame, its
	// length before it included: longer messages go in fragments.
	Fragment int
	Lease    Lease
}

// A Lease lets each client make so many requests within a time, as servers of rsocket-java do: one that has not asked
// for leases is sent them too. The zero value leases nothing, and refuses clients that ask for it.
type Lease struct {
	Requests   int
	TimeToLive time.Duration // in whole milliseconds
	Every      time.Duration // between two leases; 0 means as long as each lives
}

const (
	wholeUpTo    = 1 << 20          // bytes of a message that goes in one frame, unless Fragment says otherwise
	fragmentSize = 64 << 10         // bytes of a frame of longer ones
	maxServed    = 1 << 16          // calls open at once on one connection
	setupWait    = 60 * time.Second // for SETUP; rsocket-java waits as long
	unbounded    = math.MaxInt64    // credit without end
)

// A Responder is the answering end of one connection of RSocket 1.0. It refuses resumption. It is a
// wiregauge.Responder and a wiregauge.Ticker.
//
// Where the protocol leaves a choice it does what servers of rsocket-java do, with two exceptions: it tells the peer why
// it ends a connection, and it answers no request on stream 0.
type Responder struct {
	h       wiregauge.Handler
	serving Serving
	c       carrier
	phase   phase

	codec  string // the SETUP's MIME type of data
	routes routes
	told   wiregauge.Incoming // what the Handler is shown; reused

	streams servedTable
	queue   servedQueue
	free    *served
	spare   int // served objects in free
	held    int // bytes of messages that are not whole yet
	leaving bool

	born, heard    time.Duration
	begun, touched bool          // Tick has been called; bytes have come since
	lifetime       time.Duration // the client's own bound on silence; 0 for none
	lease          leasing
}

// The phases of a connection.
type phase uint8

const (
	upgrading phase = iota // to WebSocket
	opening                // SETUP is awaited
	opened
	parting // the peer has said that it leaves
	over
)

var (
	_ wiregauge.Responder = (*Responder)(nil)
	_ wiregauge.Ticker    = (*Responder)(nil)
)

// errAfterEnd is a Receive after one that has failed.
var errAfterEnd = errors.New("the connection has ended")

// NewResponder makes the answering end of a new connection.
func NewResponder(s Serving, h wiregauge.Handler) *Responder {
	if s.MaxMessage <= 0 {
		s.MaxMessage = 64 << 20
	}
	if s.Lease.Every <= 0 {
		s.Lease.Every = s.Lease.TimeToLive
	}
	r := &Responder{h: h, serving: s, phase: opening, c: newCarrier(s.WebSocket, false, s.MaxMessage)}
	if s.WebSocket {
		r.phase = upgrading
	}
	return r
}

// Answer sends one message of a call, or ends it, or both.
func (r *Responder) Answer(out []byte, id uint64, message []byte, end bool, failure error) ([]byte, error) {
	if id == 0 {
		return r.leave(out, end, failure), nil
	}
	s := r.streams.get(uint32(id))
	switch {
	case r.phase == over, s == nil, s.ended:
		return out, nil
	case s.queued && failure == nil:
		s.refused = true
		return out, wiregauge.Busy
	case failure != nil:
		r.forget(s)
		return r.appendFailure(out, uint32(id), frame.ApplicationError, failure), nil
	case message == nil && !end:
		return out, nil
	case message == nil:
		out = r.appendEmpty(out, s.id, frame.Payload, frame.Complete)
		r.end(s)
		return out, nil
	case s.shape != wiregauge.Unary && s.credit <= 0:
		return out, wiregauge.Credit
	}
	if s.credit != unbounded {
		s.credit--
	}
	return r.send(out, s, message, end || s.shape == wiregauge.Unary), nil
}

// send appends a message or queues it. A channel ends with a frame of its own: rsocket-js 0.0.27 looks nowhere else.
func (r *Responder) send(out []byte, s *served, message []byte, end bool) []byte {
	size := r.frameSize(len(message))
	s.ending = end
	flags := frame.Next
	if end && s.shape != wiregauge.Bidi {
		flags |= frame.Complete
	}
	if len(message) > wiregauge.Unsent || len(message) > size {
		s.out, s.size = outgoing{kind: frame.Payload, last: flags &^ frame.Next, stream: s.id, data: message}, size
		for len(message) <= wiregauge.Unsent {
			var done bool
			if out, done = s.out.next(out, &r.c, size); done {
				return r.sent(out, s)
			}
		}
		r.queue.push(s)
		return out
	}
	n := frame.HeadLen + len(message)
	out = r.c.begin(out, n)
	out = frame.AppendHead(out, s.id, frame.Payload, flags)
	out = append(out, message...)
	r.c.seal(out, n)
	return r.sent(out, s)
}

// frameSize is the longest frame, its length before it included, for a message of n bytes.
func (r *Responder) frameSize(n int) int {
	const heads = frame.PrefixLen + frame.HeadLen
	switch {
	case r.serving.Fragment == 0 && n > wholeUpTo:
		return fragmentSize
	case r.serving.Fragment > 0 && n+heads > r.serving.Fragment:
		return r.serving.Fragment
	}
	return n + heads
}

// sent is what follows the last byte of a message.
func (r *Responder) sent(out []byte, s *served) []byte {
	s.out = outgoing{}
	if !s.ending {
		return out
	}
	if s.shape == wiregauge.Bidi {
		out = r.appendEmpty(out, s.id, frame.Payload, frame.Complete)
	}
	r.end(s)
	return out
}

// end closes our side of a call, which is over when the peer's is too.
func (r *Responder) end(s *served) {
	s.ended = true
	if s.shape != wiregauge.Bidi || s.peerEnded {
		r.forget(s)
	}
}

// Flush appends what is queued, one frame per call in turn.
func (r *Responder) Flush(out []byte) []byte {
	from := len(out)
	for len(out)-from < wiregauge.Unsent && r.phase != over {
		s := r.queue.pop()
		if s == nil {
			break
		}
		var done bool
		if out, done = s.out.next(out, &r.c, s.size); !done {
			r.queue.push(s)
			continue
		}
		if out = r.sent(out, s); s.refused && !s.ended {
			s.refused = false
			r.h.Room(uint64(s.id), s.credit)
		}
	}
	return out
}

// Grant sends REQUEST_N.
func (r *Responder) Grant(out []byte, id uint64, messages int) []byte {
	s := r.streams.get(uint32(id))
	if r.phase == over || s == nil || s.shape != wiregauge.Bidi || s.peerEnded || messages <= 0 {
		return out
	}
	messages = min(messages, frame.MaxN)
	s.granted = addCredit(s.granted, uint32(messages))
	n := frame.HeadLen + 4
	out = r.c.begin(out, n)
	out = frame.AppendHead(out, s.id, frame.RequestN, 0)
	out = append(out, byte(messages>>24), byte(messages>>16), byte(messages>>8), byte(messages))
	r.c.seal(out, n)
	return out
}

// addCredit adds what a peer asked for; a sum of 2^31-1 or more has no end.
func addCredit(have int64, n uint32) int64 {
	if have == unbounded || have+int64(n) >= frame.MaxN {
		return unbounded
	}
	return have + int64(n)
}

// leave asks the peer to go, and refuses what it asks for from then on.
func (r *Responder) leave(out []byte, end bool, failure error) []byte {
	if !end || r.phase != opened || r.leaving {
		return out
	}
	r.leaving = true
	if failure == nil {
		failure = errors.New(closingText)
	}
	return r.appendFailure(out, 0, frame.ConnectionClose, failure)
}

const closingText = "the connection is closing"

// A refusal ends the connection with an ERROR on stream 0.
type refusal struct {
	code frame.Code
	text string
}

// Error is what the peer is told.
func (e *refusal) Error() string { return e.code.String() + ": " + e.text }

// fail ends the connection: the peer is told why, unless it is the one that ends it.
func (r *Responder) fail(out []byte, err error) ([]byte, error) {
	code, text := frame.ConnectionError, err.Error()
	if r.phase != opened {
		code = frame.InvalidSetup
	}
	upgraded := r.phase != upgrading
	var why *refusal
	if errors.Is(err, io.EOF) {
		r.phase = parting
		return out, err
	}
	r.phase = over
	switch {
	case errors.Is(err, errHangUp):
		return out, io.EOF
	case !upgraded:
		return out, err
	case errors.As(err, &why):
		code, text = why.code, why.text
	}
	out = r.appendError(out, 0, code, text)
	if r.c.web {
		out = r.c.own(out, websocket.Close, []byte{0x03, 0xea}) // 1002: a protocol error
	}
	return out, err
}

// appendFailure tells the peer of an error in its own words.
func (r *Responder) appendFailure(out []byte, id uint32, code frame.Code, err error) []byte {
	var f *wiregauge.Failure
	if errors.As(err, &f) && f.Status != 0 {
		code = frame.Code(f.Status)
	}
	return r.appendError(out, id, code, err.Error())
}

// maxText bounds the text of an ERROR in bytes.
const maxText = 16 << 10

func (r *Responder) appendError(out []byte, id uint32, code frame.Code, text string) []byte {
	text = text[:min(len(text), maxText)]
	n := frame.HeadLen + 4 + len(text)
	out = r.c.begin(out, n)
	out = frame.AppendHead(out, id, frame.Error, 0)
	out = append(out, byte(code>>24), byte(code>>16), byte(code>>8), byte(code))
	out = append(out, text...)
	r.c.seal(out, n)
	return out
}

// appendEmpty appends a frame that is a head alone.
func (r *Responder) appendEmpty(out []byte, id uint32, t frame.Type, flags frame.Flags) []byte {
	out = r.c.begin(out, frame.HeadLen)
	out = frame.AppendHead(out, id, t, flags)
	r.c.seal(out, frame.HeadLen)
	return out
}
