// Package pace says when each call of a run is due, as a pure function of its index. It knows no clock and no lane.
package pace

import "time"

// A Pacer says when each call of a run is due, since the start of the run.
type Pacer interface {
	Due(n uint64) time.Duration // never decreases; safe for concurrent use; no allocation
	String() string             // as a user writes it: "500/s", "0..100/s over 10s"
}
