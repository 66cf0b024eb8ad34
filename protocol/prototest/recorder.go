package prototest

import (
	"fmt"

	"wiregauge"
)

// A Recorder is Events that remembers. It also notes in Faults each rule of the seam that the session breaks.
type Recorder struct {
	Events []Event
	Faults []string

	calls map[*wiregauge.Call]*callState
	// quiet names the method that is running now and may fire no event; "" when events are allowed.
	quiet   string
	closing bool
}

// An Event is one call of Events, in a form that can be compared and printed.
type Event struct {
	Kind    Kind
	Call    int // in order of Start, from 0; -1 for none
	Body    string
	Outcome wiregauge.Outcome
	Status  int
}

// Kind says which method of Events was called.
type Kind string

// The kinds of events.
const (
	Sent    Kind = "sent"
	First   Kind = "first"
	Message Kind = "message"
	Room    Kind = "room"
	Closing Kind = "closing"
	Done    Kind = "done"
)

// String shows the event in one line, long bodies shortened.
func (e Event) String() string {
	switch e.Kind {
	case Message:
		if len(e.Body) > 40 {
			return fmt.Sprintf("message %d %q… (%d bytes)", e.Call, e.Body[:40], len(e.Body))
		}
		return fmt.Sprintf("message %d %q", e.Call, e.Body)
	case Done:
		return fmt.Sprintf("done %d %s %d", e.Call, e.Outcome, e.Status)
	}
	return fmt.Sprintf("%s %d", e.Kind, e.Call)
}

// callState is what the rules need to know of one call.
type callState struct {
	n                       int
	open, sent, first, done bool
	owesSent                bool
}

// Answers lists what a user sees of all calls: First, Message, Closing and Done. Sent and Room depend on when
// bytes are flushed and are left out, so that two ways of feeding the same bytes can be compared.
func (r *Recorder) Answers() []string {
	var all []string
	for _, e := range r.Events {
		if e.Kind != Sent && e.Kind != Room {
			all = append(all, e.String())
		}
	}
	return all
}

// Messages are the bodies that arrived for c, in order.
func (r *Recorder) Messages(c *wiregauge.Call) [][]byte {
	st := r.calls[c]
	if st == nil {
		return nil
	}
	var all [][]byte
	for _, e := range r.Events {
		if e.Kind == Message && e.Call == st.n {
			all = append(all, []byte(e.Body))
		}
	}
	return all
}

// Count is how many events of a kind came for c; for a nil c, of all calls and none.
func (r *Recorder) Count(kind Kind, c *wiregauge.Call) int {
	n := 0
	for _, e := range r.Events {
		if e.Kind == kind && (c == nil || r.calls[c] != nil && r.calls[c].n == e.Call) {
			n++
		}
	}
	return n
}

// Ended reports whether c has ended.
func (r *Recorder) Ended(c *wiregauge.Call) bool { return r.calls[c] != nil && r.calls[c].done }

// SaidClosing reports whether the session has said that it takes no more calls.
func (r *Recorder) SaidClosing() bool { return r.closing }

// Open counts the calls that were taken and have neither ended nor been cancelled.
func (r *Recorder) Open() int {
	n := 0
	for _, st := range r.calls {
		if st.open {
			n++
		}
	}
	return n
}

func (r *Recorder) fault(format string, args ...any) {
	if len(r.Faults) < 20 {
		r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
	}
}

// started begins the record of c, or begins it again when the call is reused.
func (r *Recorder) started(c *wiregauge.Call) {
	st := r.calls[c]
	if st == nil {
		st = &callState{n: len(r.calls)}
		r.calls[c] = st
	}
	*st = callState{n: st.n, open: true, owesSent: c.Queued > 0}
}

// cancelled ends the record of c: no event may follow.
func (r *Recorder) cancelled(c *wiregauge.Call) {
	if st := r.calls[c]; st != nil {
		st.open = false
	}
}

// note checks the rules that hold for every event and records it.
func (r *Recorder) note(kind Kind, c *wiregauge.Call, e Event) *callState {
	if r.quiet != "" {
		r.fault("%s fired the event %q; it may fire none", r.quiet, kind)
	}
	e.Kind, e.Call = kind, -1
	var st *callState
	if c != nil {
		if st = r.calls[c]; st == nil || !st.open {
			r.fault("event %q for a call that is not open", kind)
			return &callState{}
		}
		e.Call = st.n
	}
	r.Events = append(r.Events, e)
	return st
}

// Sent implements wiregauge.Events.
func (r *Recorder) Sent(c *wiregauge.Call) {
	st := r.note(Sent, c, Event{})
	if st.sent {
		r.fault("sent fired twice for call %d", st.n)
	}
	if !st.owesSent {
		r.fault("sent fired for call %d, whose Queued was 0 after Start", st.n)
	}
	if c.Queued != 0 {
		r.fault("sent fired for call %d while Queued is %d", st.n, c.Queued)
	}
	st.sent = true
}

// First implements wiregauge.Events.
func (r *Recorder) First(c *wiregauge.Call) {
	st := r.note(First, c, Event{})
	if st.first {
		r.fault("first fired twice for call %d", st.n)
	}
	st.first = true
}

// Message implements wiregauge.Events.
func (r *Recorder) Message(c *wiregauge.Call, body []byte) {
	st := r.note(Message, c, Event{Body: string(body)})
	if !st.first {
		r.fault("a message of call %d came before first", st.n)
	}
	if !c.Keep && c.Credit == 0 {
		r.fault("message fired for call %d, which does not keep", st.n)
	}
}

// Room implements wiregauge.Events.
func (r *Recorder) Room(c *wiregauge.Call) { r.note(Room, c, Event{}) }

// Closing implements wiregauge.Events.
func (r *Recorder) Closing() {
	r.note(Closing, nil, Event{})
	if r.closing {
		r.fault("closing fired twice")
	}
	r.closing = true
}

// Done implements wiregauge.Events.
func (r *Recorder) Done(c *wiregauge.Call) {
	st := r.note(Done, c, Event{Outcome: c.Outcome, Status: c.Status})
	if c.Outcome == wiregauge.Unfinished {
		r.fault("call %d is done without an outcome", st.n)
	}
	if c.Outcome == wiregauge.OK && !st.first && c.Shape != wiregauge.OneWay {
		r.fault("call %d is OK without a first byte", st.n)
	}
	st.open, st.done = false, true
}

var _ wiregauge.Events = (*Recorder)(nil)
