package result

// A Point is one setting of a sweep over concurrency, rate or payload size, with every arm measured at it.
type Point struct {
	Label       string     `json:"label"` // "c=8", "500/s", "1 kB"
	Concurrency int        `json:"concurrency,omitempty"`
	Rate        float64    `json:"rate,omitempty"`    // offered, calls/s
	Payload     int64      `json:"payload,omitempty"` // bytes
	Arms        []PointArm `json:"arms"`
	Verdicts    []Verdict  `json:"verdicts,omitempty"` // at points declared for one
}

// A PointArm is one arm at one point. Low and High bound the rate with 95 % confidence, null when that is unknown.
type PointArm struct {
	Name      string   `json:"name"`
	Rate      float64  `json:"rate"`
	Low       *float64 `json:"rate_low"`
	High      *float64 `json:"rate_high"`
	Goodput   float64  `json:"goodput"`
	P50       *int64   `json:"p50_ns"`
	P99       *int64   `json:"p99_ns"`
	Errors    float64  `json:"error_share"`
	Bytes     *float64 `json:"bytes_per_call"`
	ClientCPU *int64   `json:"client_cpu_ns_per_call"`
	ServerCPU *int64   `json:"server_cpu_ns_per_call"`
	Limited   string   `json:"limited_by,omitempty"`
}

// NewPointArm is an arm at one point. The interval of its rate is left open.
func NewPointArm(a *Arm) PointArm {
	p := PointArm{
		Name: a.Name, Rate: a.AchievedRate, Goodput: a.Goodput, P50: a.Latency.Percentile(50).NS, P99: a.Latency.Percentile(99).NS,
		Errors: a.ErrorShare(), ClientCPU: a.ClientCPU.PerCall(a.Finished()), Limited: a.Limited,
	}
	if n := a.Finished(); n > 0 {
		bytes := float64(a.SentBytes.Wire+a.RecvBytes.Wire) / float64(n)
		p.Bytes = &bytes
	}
	if a.Server != nil {
		p.ServerCPU = a.Server.PerCall(a.Finished())
	}
	return p
}
