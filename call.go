package wiregauge

import "time"

// Never is the time of something that did not happen or that the client kind cannot tell.
const Never time.Duration = -1

// A Call is one request in flight and then its outcome. Times are since the start of the run, Never when unknown.
// The lane owns it and reuses it; the session holds it from Start until Done, Cancel or End.
type Call struct {
	*Request
	// Due is when it should have been sent; Dispatched when its lane had it; Permit when it had its place on a
	// connection; Sent when its last byte went to the kernel; First and Done when the answer began and ended.
	Due, Dispatched, Permit, Sent, First, Done time.Duration
	Outcome                                    Outcome
	// Status is the protocol's own: 503, 14, 0x202; 0 when none came.
	Status int
	// Text explains a failure: the status message, or the first bytes of an error's body (at most 1 KiB).
	// It is filled only when Explain is set, because it allocates.
	Text    string
	Explain bool
	// Received counts the messages of the answer.
	Received int
	// Queued is how many bytes of the request are not yet appended: 0 after Start means that all of it is in
	// out and that Events.Sent will not fire.
	Queued int
	// ID is the session's own handle from Start to Done (a stream id).
	ID uint64
	// Slot is the lane's own: its place in the table of calls in flight.
	Slot int
	// Resent is how often the call was sent again after the peer had provably not processed it: once at most by our own
	// clients, more often by a library that does it on its own.
	Resent int
	// Detail, when the lane sets it, is filled by the session; nil on the hot path.
	Detail *Detail
}

// Reset makes the call ready for r, keeping Slot and what Detail points to.
func (c *Call) Reset(r *Request) {
	*c = Call{Request: r, Slot: c.Slot, Detail: c.Detail,
		Due: Never, Dispatched: Never, Permit: Never, Sent: Never, First: Never, Done: Never}
}

// Overdue turns a reset that comes after the call's own deadline into Timeout: the peer was told the deadline too,
// and its clock may speak a moment before the timer that would have cancelled the call.
func (c *Call) Overdue(now time.Duration) {
	if c.Outcome == Reset && c.Timeout > 0 && now-c.Permit >= c.Timeout {
		c.Outcome = Timeout
	}
}

// Detail is what a person wants to see of one call.
type Detail struct {
	// StatusLine is the answer's first line as its protocol shows it ("HTTP/1.1 200 OK", ":status 200").
	StatusLine string
	// Informational holds 1xx answers, Header and Trailer the fields of the answer in order.
	Informational []int
	Header        []Field
	Trailer       []Field
	// Encodings counts messages by their compression, "identity" for none.
	Encodings map[string]int
	// StatusDetails are the raw bytes of structured error details (grpc-status-details-bin).
	StatusDetails []byte
}
