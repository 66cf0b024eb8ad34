package result

import (
	"encoding/json"
	"time"

	"wiregauge/hist"
)

// Counts are conserved: Due = Unsent + Sent and Sent = OK + Failed + Unfinished. TimedOut is part of Failed,
// Resent counts second sends of calls that were provably not processed (each still one call).
type Counts struct {
	Due        int64 `json:"due"`
	Unsent     int64 `json:"unsent"`
	Sent       int64 `json:"sent"`
	Resent     int64 `json:"resent"`
	OK         int64 `json:"ok"`
	Failed     int64 `json:"failed"`
	TimedOut   int64 `json:"timed_out"`
	Unfinished int64 `json:"unfinished"`
	Messages   int64 `json:"messages"` // received, of finished calls
	// MessagesInside are those of streams that came inside the measured window, whether their call finished or not; 0 where
	// messages are not looked at one by one.
	MessagesInside int64 `json:"messages_inside,omitempty"`
	// LeaseWaits are the sent calls that waited for their place because the server had given no lease, LeaseWaited the time
	// that those waited, added up: of each the unbroken time without a lease until it was sent.
	LeaseWaits  int64         `json:"lease_waits,omitempty"`
	LeaseWaited time.Duration `json:"lease_waited_ns,omitempty"`
}

// Bytes of one direction by kind; Wire is what the socket carried, Body+Framing+Headers+Control+TLS. Of a stack
// client only Body and Wire are known, and the other kinds are 0.
type Bytes struct {
	Body    int64 `json:"body"`
	Framing int64 `json:"framing"`
	Headers int64 `json:"headers"`
	Control int64 `json:"control"`
	TLS     int64 `json:"tls"`
	Wire    int64 `json:"wire"`
}

// A Turn is one arm for one time slice, as the engine hands it over. Histograms may be nil when nothing was
// recorded. Latency is done − due; Service is done − permit.
type Turn struct {
	Arm                  string
	Launch, Round, Place int           // which launch and round, and its place in the round, from 0
	Start                time.Duration // since the engine was opened
	Window               time.Duration // the measured wall time: end of the slice, or of the last call under -n
	Counts
	CompletedInside int64 // calls that finished OK inside the window, whenever due: the rate's numerator
	FinishedInside  int64 // OK and failed

	Latency       *hist.Histogram // OK calls, from due
	FailedLatency *hist.Histogram // failed calls, from due
	Service       *hist.Histogram // OK calls, from permit
	Dispatched    *hist.Histogram // OK calls, from when the lane had them: an open loop, or think time
	FailedService *hist.Histogram
	FirstByte     *hist.Histogram // OK calls, First − Sent
	Lateness      *hist.Histogram // dispatched − due, of sent calls
	SlotWait      *hist.Histogram // permit − dispatched, of sent calls
	Connect       *hist.Histogram // dial to hello, of connections opened
	FirstMessage  *hist.Histogram // OK streams, first message − Sent, when messages are kept
	MessageGap    *hist.Histogram // between messages of a stream, when messages are kept
	Ages          *hist.Histogram // ages at the end, from due, of unfinished calls
	UnsentAges    *hist.Histogram // of unsent ones
	// Oversleep is how late a thread of the client ran that was due every millisecond. Under an open loop each of
	// those milliseconds counts, as each call that was due does; in a closed loop each time that it ran, since one pause
	// delays no more calls than are in flight.
	Oversleep *hist.Histogram

	Statuses    []Status
	Errors      []ErrorClass
	Connections Connections
	SentBytes   Bytes
	RecvBytes   Bytes
	Client      CPU
	Server      *CPU // nil when no process was given
	Host        HostLoad
	Vitals      Vitals
	HiddenTries int64 // second tries that a stack client made on its own

	// Blocked are the longest times, the longest first, in which all callers of a closed loop waited and no call ended.
	Blocked []time.Duration

	Warm   *Counts // calls that were due before the measured window, when warm-up was part of the turn
	Strips []Strip // per second, or longer when there are more than MaxStrips
	// Trajectory is the beginning of the window in short strips, where it was asked for. Turns that are added keep none.
	Trajectory []WarmStrip
	OneWay     bool          // its calls are not answered: OK is sent, and Latency ends with the last byte given to the system
	Slow       *SlowConsumer // nil without --slow-consumer
	Partial    bool          // ended by Ctrl-C
	Limited    string        // why the asked rate was not reached: "client", "inflight", "slots", "server", ""
	Invalid    string        // why this turn must not be used, "" when it may
}

// Status counts answers by the protocol's own status.
type Status struct {
	Status int    `json:"status"`
	Name   string `json:"name"` // "200", "INTERNAL"
	Count  int64  `json:"count"`
	OK     bool   `json:"ok"`
}

// ErrorClass is one kind of failure. First and Last are since the start of the measured window.
type ErrorClass struct {
	Class    string        `json:"class"` // "INTERNAL", "404", "timeout", "reset", "no grpc-status"
	Stage    string        `json:"stage"` // "connect", "send", "read", "answer"
	Message  string        `json:"message,omitempty"`
	Count    int64         `json:"count"`
	First    time.Duration `json:"first_ns"`
	Last     time.Duration `json:"last_ns"`
	Examples []string      `json:"examples,omitempty"` // the first texts or bodies, at most 5 of 1 KiB
}

// Connections of an arm: asked for, opened in all, failed dials, and how the ended ones ended.
type Connections struct {
	Asked  int              `json:"asked"`
	Opened int64            `json:"opened"`
	Failed int64            `json:"failed"`
	Ended  map[string]int64 `json:"ended,omitempty"` // "goaway", "closed by server", "reset", "our timeout", "call done"
	Addrs  []string         `json:"addresses,omitempty"`
	TLS    string           `json:"tls,omitempty"`  // "TLS 1.3, TLS_AES_128_GCM_SHA256"
	ALPN   string           `json:"alpn,omitempty"` // "h2"
}

// CPU of one process tree over a window. RSS is the largest seen, in bytes.
type CPU struct {
	User   time.Duration `json:"user_ns"`
	System time.Duration `json:"system_ns"`
	Cores  float64       `json:"cores"` // how many cores it may use
	RSS    int64         `json:"rss_bytes"`
	GCs    int64         `json:"gcs,omitempty"` // collections inside the window; ours only
}

// Total is user + system.
func (c CPU) Total() time.Duration { return c.User + c.System }

// HostLoad is what else happened on this machine; a share is of all CPUs, -1 (in files null) when it cannot be read.
type HostLoad struct {
	Steal   float64 `json:"steal_share"`
	Foreign float64 `json:"foreign_share"`
}

// hostLoad is a HostLoad in a file.
type hostLoad struct {
	Steal   *float64 `json:"steal_share"`
	Foreign *float64 `json:"foreign_share"`
}

// MarshalJSON writes null for what could not be read.
func (h HostLoad) MarshalJSON() ([]byte, error) {
	known := func(share float64) *float64 {
		if share < 0 {
			return nil
		}
		return &share
	}
	return json.Marshal(hostLoad{known(h.Steal), known(h.Foreign)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (h *HostLoad) UnmarshalJSON(text []byte) error {
	var file hostLoad
	if err := json.Unmarshal(text, &file); err != nil {
		return err
	}
	*h = HostLoad{Steal: -1, Foreign: -1}
	if file.Steal != nil {
		h.Steal = *file.Steal
	}
	if file.Foreign != nil {
		h.Foreign = *file.Foreign
	}
	return nil
}
