package result

// Capacity is the highest rate that met a goal, searched for and then verified in a stage of its own.
type Capacity struct {
	Goal     string     `json:"goal"`    // "p99<50ms, errors<0.1%"
	Outcome  string     `json:"outcome"` // "verified", "widened", "generator_bound", "never_met", "unfinished"
	Low      *float64   `json:"low"`     // calls/s
	High     *float64   `json:"high"`
	Estimate *float64   `json:"estimate,omitempty"` // the likeliest within them
	Verified *float64   `json:"verified"`           // the highest rate that passed when it was tested again
	Bound    string     `json:"bound"`              // what ended it: "p99", "errors", "backlog", "client"
	Arrivals string     `json:"arrivals"`
	Ceiling  *float64   `json:"client_ceiling"` // calls/s of this client without a server
	Probes   []Probe    `json:"probes"`
	Fit      []FitPoint `json:"fit,omitempty"` // latency over the offered rate, as a curve that never falls
	USL      *USL       `json:"usl,omitempty"`
	Notes    []string   `json:"notes,omitempty"`
}

// The outcomes of a search for capacity.
const (
	CapacityVerified   = "verified"
	CapacityWidened    = "widened"         // tested again, it was not as the search had it: the range is wider
	CapacityGenerator  = "generator_bound" // this client was the limit
	CapacityNever      = "never_met"       // not even at the lowest rate
	CapacityUnfinished = "unfinished"      // stopped, or out of time, before the verifying stage was over
)

// A FitPoint is one rate of the fitted curve.
type FitPoint struct {
	Offered float64 `json:"offered"`
	P50     *int64  `json:"p50_ns"`
	P99     *int64  `json:"p99_ns"`
}

// A Probe is one rate that was tried.
type Probe struct {
	Stage    string  `json:"stage"` // "base", "bracket", "refine", "confirm"
	Offered  float64 `json:"offered"`
	Achieved float64 `json:"achieved"`
	Window   int64   `json:"window_ns"`
	P50      *int64  `json:"p50_ns"`
	P99      *int64  `json:"p99_ns"`
	Errors   float64 `json:"error_share"`
	Passed   bool    `json:"passed"`
	Why      string  `json:"why,omitempty"` // what failed it
}

// USL is a fit of the universal scalability law, X(N) = λN / (1 + σ(N−1) + κN(N−1)), to throughput over concurrency
// (Gunther, A General Theory of Computational Scalability, 2008).
type USL struct {
	Lambda float64  `json:"lambda"`
	Sigma  float64  `json:"sigma"`
	Kappa  float64  `json:"kappa"`
	Peak   *float64 `json:"peak"` // N* = sqrt((1−σ)/κ), null when throughput only grows
	R2     float64  `json:"r2"`
	// Little is how far throughput times mean latency is from the calls in flight, at the worst step, as a share.
	Little *float64 `json:"little_error,omitempty"`
}
