package result

import (
	"time"

	"wiregauge/hist"
)

// Schema names the format; it stands first in every file.
const Schema = "wiregauge.result/v1"

// A File is a run (one arm) or a comparison (several) as it is saved.
type File struct {
	Schema     string            `json:"schema"`
	ID         string            `json:"id"`
	Kind       string            `json:"kind"` // "run" or "comparison"
	Title      string            `json:"title,omitempty"`
	Created    time.Time         `json:"created"`
	Elapsed    int64             `json:"elapsed_ns"`
	Partial    bool              `json:"partial"`
	Labels     map[string]string `json:"labels,omitempty"`
	Command    []string          `json:"command"` // as typed, secrets redacted
	Tool       Tool              `json:"tool"`
	Host       Host              `json:"host"`
	Plan       Plan              `json:"plan"`
	Trust      Trust             `json:"trust"`
	Arms       []Arm             `json:"arms"`
	Turns      []Row             `json:"turns,omitempty"` // comparison: numbers per turn, no histograms
	Fair       *Fair             `json:"fair_test,omitempty"`
	Verdicts   []Verdict         `json:"verdicts,omitempty"`
	Gates      []Gate            `json:"gates,omitempty"`
	NoiseFloor *NoiseFloor       `json:"noise_floor,omitempty"` // comparison with --control: the baseline against itself
	Against    *Against          `json:"against,omitempty"`     // --against FILE: something measured at another time
	Sweep      []Point           `json:"sweep,omitempty"`
	Capacity   *Capacity         `json:"capacity,omitempty"` // run with --find-max
	Notes      []string          `json:"notes,omitempty"`    // said once for the whole file
}

// Tool is the program that measured.
type Tool struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
}

// Host is where the client ran.
type Host struct {
	Name   string `json:"name"`
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	Kernel string `json:"kernel,omitempty"`
	CPUs   int    `json:"cpus"`
	CPU    string `json:"cpu,omitempty"`
	Procs  int    `json:"gomaxprocs"`
}

// Plan is what was asked for, resolved; strings are as a user writes them. Zero fields were not asked for.
type Plan struct {
	Loop        string    `json:"loop"` // "closed" or "open"
	Rate        string    `json:"rate,omitempty"`
	Arrivals    string    `json:"arrivals,omitempty"`
	Concurrency int       `json:"concurrency,omitempty"`
	Connections int       `json:"connections,omitempty"`
	Streams     int       `json:"streams,omitempty"`
	MaxInflight int       `json:"max_inflight,omitempty"`
	Total       int64     `json:"total,omitempty"`
	Duration    int64     `json:"duration_ns,omitempty"`
	Warmup      string    `json:"warmup,omitempty"`
	Timeout     int64     `json:"timeout_ns,omitempty"`
	Think       string    `json:"think,omitempty"`
	Ramp        string    `json:"ramp,omitempty"`
	Seed        uint64    `json:"seed"`
	Launches    int       `json:"launches,omitempty"`
	Rounds      int       `json:"rounds,omitempty"`
	Turn        int64     `json:"turn_ns,omitempty"`
	Baseline    string    `json:"baseline,omitempty"`
	Percentiles []float64 `json:"percentiles"`
	Contract    string    `json:"contract,omitempty"`
	Payload     string    `json:"payload,omitempty"` // a description, not the bytes
}

// An Arm is one of the things compared, or the only thing of a run: its turns merged.
type Arm struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	Protocol string `json:"protocol"` // "gRPC"
	Client   string `json:"client"`   // "wire" or "stack"
	Method   string `json:"method,omitempty"`
	Baseline bool   `json:"baseline,omitempty"`
	Floor    bool   `json:"floor,omitempty"`   // a reference row without a verdict
	Control  bool   `json:"control,omitempty"` // the baseline once more, for the noise floor
	OneWay   bool   `json:"one_way,omitempty"` // its calls are not answered: ok is sent, and latency ends with the last byte given to the system
	Counts
	Window       int64    `json:"window_ns"`
	AskedRate    *float64 `json:"asked_rate"` // calls/s, null in a closed loop
	AchievedRate float64  `json:"achieved_rate"`
	Goodput      float64  `json:"goodput"`
	Limited      string   `json:"limited_by,omitempty"` // "client", "inflight" (the most calls in flight), "slots" (places on connections), "server"

	Latency       Distribution  `json:"latency"`
	FailedLatency Distribution  `json:"failed_latency"`
	Service       Distribution  `json:"service"`
	FailedService Distribution  `json:"failed_service"`
	FirstByte     Distribution  `json:"first_byte"`
	Dispatched    *Distribution `json:"from_dispatch,omitempty"` // OK calls, without what this client was late; where it could be late
	Lateness      Distribution  `json:"lateness"`
	SlotWait      Distribution  `json:"slot_wait"`
	Connect       Distribution  `json:"connect"`
	FirstMessage  *Distribution `json:"first_message,omitempty"` // of a stream, from when its call was sent
	MessageGap    *Distribution `json:"message_gap,omitempty"`
	Ages          Distribution  `json:"unfinished_ages"`
	UnsentAges    Distribution  `json:"unsent_ages"`
	// Oversleep is how late a thread of the client ran that was due every millisecond: in an open loop of each of those
	// milliseconds, in a closed loop of each time that it ran.
	Oversleep *Distribution `json:"oversleep,omitempty"`

	Statuses    []Status      `json:"statuses"`
	Errors      []ErrorClass  `json:"errors"`
	Connections Connections   `json:"connections"`
	SentBytes   Bytes         `json:"sent_bytes"`
	RecvBytes   Bytes         `json:"received_bytes"`
	ClientCPU   CPU           `json:"client_cpu"`
	Server      *CPU          `json:"server_cpu"`
	Host        HostLoad      `json:"host"`
	HiddenTries int64         `json:"hidden_retries"`
	Vitals      *Vitals       `json:"vitals,omitempty"`
	Ceiling     *float64      `json:"ceiling,omitempty"` // calls/s that this client makes of them without a network
	Stalls      *Stalls       `json:"stalls,omitempty"`
	ServerStats *ServerStats  `json:"server_stats,omitempty"`
	Slow        *SlowConsumer `json:"slow_consumer,omitempty"`
	Warm        *Counts       `json:"warmup,omitempty"`
	KeptAlive   int64         `json:"keepalive_calls,omitempty"` // of the warm-up's calls, those that kept an idle arm awake
	Strips      []Strip       `json:"strips,omitempty"`
	Steps       []Step        `json:"steps,omitempty"`       // a ramp: one row per step
	USL         *USL          `json:"scalability,omitempty"` // of a ramp of concurrency
	WarmUp      *WarmUp       `json:"warmup_found,omitempty"`
	Notes       []string      `json:"notes,omitempty"`
}

// A Distribution is one histogram told: exact ends, percentiles with how many values lie beyond them, and the
// whole as HdrHistogram V2 (compressed, base64).
type Distribution struct {
	From        string          `json:"from,omitempty"` // "due", "permit", "sent"
	N           int64           `json:"n"`
	Min         *int64          `json:"min_ns"`
	Mean        *int64          `json:"mean_ns"`
	Max         *int64          `json:"max_ns"`
	Percentiles []Percentile    `json:"percentiles"`
	HDR         string          `json:"hdr_v2,omitempty"`
	Hist        *hist.Histogram `json:"-"`
}

// Percentile is printed only with at least 10 values beyond it; else NS is nil and Needs says how many values it
// takes. Few marks fewer than 100 beyond.
type Percentile struct {
	P      float64 `json:"p"`
	NS     *int64  `json:"ns"`
	Beyond int64   `json:"beyond"`
	Few    bool    `json:"few,omitempty"`
	Needs  int64   `json:"needs,omitempty"`
}

// Stalls are times in which all callers of a closed loop were blocked for longer than ten times p99: what users would
// have asked for meanwhile was never sent, so that the latencies do not show it.
type Stalls struct {
	Count   int64 `json:"count"`
	Longest int64 `json:"longest_ns"`
	Total   int64 `json:"total_ns"`
	Missing int64 `json:"missing_calls"` // what the callers would have sent at their pace of the rest of the time
}

// Step is one step of a ramp.
type Step struct {
	Label   string  `json:"label"` // "c=8", "500/s"
	Window  int64   `json:"window_ns"`
	OK      int64   `json:"ok"`
	Failed  int64   `json:"failed"`
	Goodput float64 `json:"goodput"`
	P50     *int64  `json:"p50_ns"`
	P99     *int64  `json:"p99_ns"`
}

// ServerStats is what the server says of itself over the same time (wiregauge serve, GET /stats).
type ServerStats struct {
	URL      string `json:"url"`
	Received int64  `json:"received"`
	Answered int64  `json:"answered"`
	P50      *int64 `json:"service_p50_ns"`
	P99      *int64 `json:"service_p99_ns"`
	Conserve string `json:"conservation"` // "ok", or what is wrong in words
}

// A Row is a turn without histograms.
type Row struct {
	Arm      string  `json:"arm"`
	Launch   int     `json:"launch"`
	Round    int     `json:"round"`
	Place    int     `json:"place"`
	Window   int64   `json:"window_ns"`
	OK       int64   `json:"ok"`
	Failed   int64   `json:"failed"`
	Rate     float64 `json:"rate"`
	P50      *int64  `json:"p50_ns"`
	P99      *int64  `json:"p99_ns"`
	CPU      *int64  `json:"client_cpu_ns_per_call"`
	Server   *int64  `json:"server_cpu_ns_per_call"`
	Invalid  string  `json:"invalid,omitempty"`
	Requeued bool    `json:"requeued,omitempty"`
}

// Fair is the fair-test check: Faults void the verdict, Differs is a list of what differs by protocol.
type Fair struct {
	Checks []FairCheck `json:"checks"`
	Differ []string    `json:"differs_by_protocol"`
}

// FairCheck is one thing that must be equal between the arms.
type FairCheck struct {
	Name   string `json:"name"` // "reply", "TLS", "calls in flight"
	Passed bool   `json:"passed"`
	// Unknown says that it could not be compared; such a check voids nothing and is counted nowhere.
	Unknown bool   `json:"unknown,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

// Fair reports whether every check passed.
func (f *Fair) OK() bool {
	for _, c := range f.Checks {
		if !c.Passed {
			return false
		}
	}
	return true
}

// A Verdict is the judgement of one metric between a baseline A and an arm B. Ratio > 1 means that B is better.
type Verdict struct {
	Metric     string   `json:"metric"` // "rate", "p50", "p99", "cpu"
	A          string   `json:"a"`
	B          string   `json:"b"`
	Outcome    string   `json:"outcome"` // not_fair, faster, slower, probably_…, same, inconclusive
	Ratio      *float64 `json:"ratio"`
	Low        *float64 `json:"ci_low"`
	High       *float64 `json:"ci_high"`
	P          *float64 `json:"p"`
	PAdjusted  *float64 `json:"p_adjusted"`
	Alpha      float64  `json:"alpha"`
	Limit      float64  `json:"limit"`
	Band       float64  `json:"band"`
	Primary    bool     `json:"primary"`
	AtLeast    bool     `json:"at_least,omitempty"` // an arm was client-limited
	Confidence string   `json:"confidence"`         // "HIGH", "MEDIUM", "LOW", "" when none is given
	Unit       string   `json:"unit"`               // "launch" or "round"
	Units      int      `json:"units"`
	Agree      int      `json:"agree"`
	Look       int      `json:"look,omitempty"`   // the planned look that ended it, in launches
	Settle     *Settle  `json:"settle,omitempty"` // inconclusive: what would settle it
	Reasons    []string `json:"reasons"`
	Doubts     []string `json:"doubts,omitempty"` // a winner, or the same: what keeps the confidence from being the highest
}

// Settle is how many launches in all would likely settle an inconclusive comparison, as an 80 % range; a new
// comparison must be started with them. Practical is false when that is above four times the plan.
type Settle struct {
	Low       int   `json:"launches_low"`
	High      int   `json:"launches_high"`
	LowNS     int64 `json:"low_ns"` // how long it would take
	HighNS    int64 `json:"high_ns"`
	Practical bool  `json:"practical"`
}

// NoiseFloor is the baseline compared with itself: a difference smaller than HalfWidth cannot be told from noise.
type NoiseFloor struct {
	Arm       string             `json:"arm"`
	HalfWidth map[string]float64 `json:"half_width"` // by metric, as a share: 0.02 is 2 %
	Verdicts  []Verdict          `json:"verdicts"`   // by the full rule; "same" or "inconclusive" when all is well
}

// A Gate is one --fail-if bound; Passed is true when the number is good.
type Gate struct {
	Expr    string   `json:"expr"`
	Words   string   `json:"words"` // "fails when p99 is 50 ms or more"
	Arm     string   `json:"arm,omitempty"`
	Value   *float64 `json:"value"`
	Unit    string   `json:"unit"` // "ns", "ratio", "calls/s", "bytes"
	Passed  bool     `json:"passed"`
	Unknown string   `json:"unknown,omitempty"` // why it could not be judged
}

// ArmName is the name of arm i where several results stand side by side: "ID NAME", or the id alone of a run.
func (f *File) ArmName(i int) string {
	if a := &f.Arms[i]; a.Name != "" && (f.Kind != "run" || len(f.Arms) > 1) {
		return f.ID + " " + a.Name
	}
	return f.ID
}
