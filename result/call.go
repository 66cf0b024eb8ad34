package result

import "time"

// A Call is one call of a measured window, for a log of single calls. Times are -1 where there are none.
type Call struct {
	Index            uint64        // its number in the turn, warm-up counted: which request was sent
	Step             int           // of a ramp, from 0
	Due              time.Duration // since the start of the measured window
	Latency, Service time.Duration // from due and from permit; none when it never finished, or never had a connection
	Outcome          string        // "ok", "failed", "timeout", "unfinished" …
	Status           int           // the protocol's own, when Answered
	Answered         bool
	Class, Text      string // of a failure: its row in the error table, and why
}
