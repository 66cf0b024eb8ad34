package load

import (
	"time"

	"wiregauge"
	"wiregauge/pace"
	"wiregauge/result"
	"wiregauge/wire"
)

// A Plan is one target under one load: what is sent, how a connection is made, and when calls are due.
// The zero value of every optional field is its default.
type Plan struct {
	Name     string               // the arm's
	Requests []*wiregauge.Request // sent round robin by call index; at least one

	// Wire client: a dialer and what runs on its connections. Stack client: NewClient, one per connection.
	Dialer     wire.Dialer
	NewSession func(wiregauge.Events) wiregauge.Session
	NewClient  func() (wiregauge.Client, error)
	// Class names a failure for the error table (protocol.Protocol.Class), StatusName a status; both may be nil.
	Class func(o wiregauge.Outcome, status int) string

	Connections    int           // opened before the clock starts
	Streams        int           // most calls in flight per connection
	Multiplexed    bool          // many calls share a connection: what its server ends, it ends with a GOAWAY
	Concurrency    int           // closed loop: callers. Ignored when Pacer is set
	Pacer          pace.Pacer    // open loop; nil for a closed loop
	MaxInflight    int           // open loop: 0 means 65,536
	Think          Think         // closed loop
	Timeout        time.Duration // per call, from permit; 0 for none
	ConnectTimeout time.Duration
	OneCall        bool                                      // --no-keepalive: a connection per call
	LimitRate      int                                       // messages that a stream's server may be ahead; asked for again when three quarters have come; 0 for no bound
	Consume        time.Duration                             // --slow-consumer: what a stream takes for each message; its server is asked for more as they are taken; 0: none
	Take           int                                       // a stream is cancelled after that many messages and counts as OK; 0 for all
	Check          func(c *wiregauge.Call, body []byte) bool // --expect: called when an answer is OK by its protocol; nil: none
	Expected       map[int]bool                              // --expect-status: these statuses are successes, all others failures; nil: the protocol decides
	Drain          time.Duration                             // --stop=wait: how long calls in flight at the deadline may still finish; 0: --stop=close
	Drop           bool                                      // --stop=drop, of our own client: connections end under the calls still in flight, which are not cancelled
	Log            func([]result.Call)                       // takes every call of the measured windows, some hundred at a time; nil: none are kept
	ServerPID      int                                       // 0: unknown
	Seed           uint64
}

// Think is the pause of a caller between calls: fixed, or exponential with that mean.
type Think struct {
	Mean        time.Duration
	Exponential bool
}

// A Spec is one turn: a time slice, a number of calls, or both (whichever ends first).
type Spec struct {
	Arm                  string
	Launch, Round, Place int
	Duration             time.Duration
	Total                uint64 // exactly this many calls are due; 0: by Duration only
	// Warm-up inside the turn, on top of Total and Duration: by count or by time. Calls that are due in it
	// belong to it, whenever they finish.
	WarmupCalls    uint64
	WarmupDuration time.Duration
	Concurrency    int            // overrides the plan's, for ramps; 0 keeps it
	Pacer          pace.Pacer     // overrides the plan's
	Drain          *time.Duration // overrides the plan's
	Seed           uint64
	Step           int
	// Trajectory keeps the beginning of the measured window in strips of 200 ms, two minutes at most. Settle, which
	// implies it, is told each strip about half a second after its end, in order, from a goroutine of its own; when it
	// returns true the turn ends: calls in flight are treated as at a deadline, and the turn's own rates mean nothing.
	Trajectory bool
	Settle     func(result.WarmStrip) bool
	Discard    bool // the whole turn is a warm-up: Snapshot says so, and the plan's log takes no call of it
}

// A Snapshot is what the progress display reads, four times a second; taking one touches no lock of a lane.
type Snapshot struct {
	Elapsed         time.Duration
	Warming         bool
	Due, OK, Failed int64
	Warm            struct{ Due, OK, Failed int64 } // those among them of the warm-up, whenever they end
	Inflight        int64
	Connections     int64
	P50, P99, Max   time.Duration // of the last whole second that is known; 0 when there is none
	Second          time.Duration // when that one began, since the start of the measured window
	LatenessP99     time.Duration
	Failure         string // the class of the last call of some lane that failed; "" while none has
}

var _ = result.Schema
