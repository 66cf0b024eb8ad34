package result

// WarmUp is what was found out about how an arm came to its pace. Calls that were discarded are in the arm's count of
// warm-up calls, and told here strip by strip.
type WarmUp struct {
	Outcome string `json:"outcome"` // "found", "fixed", "no_steady_state", "too_few_calls"
	Calls   int64  `json:"calls"`   // before the arm was steady; all that were watched when it never was
	Length  int64  `json:"length_ns"`
	// Measured says that no warm-up was asked for: the trajectory is the beginning of the measured window itself, and
	// its slow start, when there is one, is part of the numbers.
	Measured   bool        `json:"measured,omitempty"`
	Observed   int64       `json:"observed_ns"` // how long the arm was watched
	Trajectory []WarmStrip `json:"trajectory"`
}

// The outcomes of a warm-up.
const (
	WarmFound    = "found"
	WarmFixed    = "fixed"           // a count or a time that the user set
	WarmTooFew   = "too_few_calls"   // in the time allowed there were too few to tell
	WarmUnsteady = "no_steady_state" // the arm never settled in the time allowed: a legal result, told as such
)

// A WarmStrip is one short strip of the trajectory. P50 and CPU are null where nothing was recorded.
type WarmStrip struct {
	At      int64   `json:"at_ns"`
	Length  int64   `json:"length_ns"`
	Calls   int64   `json:"calls"`
	Rate    float64 `json:"rate"`
	P50     *int64  `json:"p50_ns"`
	CPU     *int64  `json:"client_cpu_ns_per_call"`
	Segment int     `json:"segment"` // between two change points, from 0
}
