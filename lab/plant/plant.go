package plant

import (
	"fmt"
	"strings"
	"time"

	"wiregauge/internal/nearest"
)

// A Plant is what a server does on purpose. The zero value does nothing.
type Plant struct {
	Delay  Law // of each answer
	Random int // the seed from which delays are drawn each by itself; 0 means evenly spread

	// Stall: for the last Stall of every Every nothing is answered.
	Stall, Every time.Duration

	Slots int // calls served at once, others wait in order of arrival; 0 means no limit

	// The delay grows with the N calls being served: times 1 + Sigma·(N−1) + Kappa·N·(N−1).
	Sigma, Kappa float64

	// The delay is Warm times as long for the first call and comes down exponentially over WarmCalls.
	Warm      float64
	WarmCalls int

	Step      float64 // the delay is that many times as long from call StepCalls on
	StepCalls int

	// The delay swings by the share Swing, up and down once in each Wave.
	Swing float64
	Wave  time.Duration

	Bucket float64 // calls per second let through, the others answer 429; 0 means no limit

	Status      Often // these calls fail with Code, after StatusAfter instead of the delay
	Code        Code
	StatusAfter time.Duration

	Reset  Often // the call is reset after its request was read
	Cut    Often // the call is reset inside the body of its answer
	Hang   Often // the call is never answered
	Refuse Often // HTTP/2 and gRPC: REFUSED_STREAM, unread

	Size int      // bytes that make each answer larger
	Body SlowBody // how the answer's body comes

	// Of connections; these cannot be asked for by one request.
	Streams    int           // MAX_CONCURRENT_STREAMS
	Age, Grace time.Duration // a connection is aged out after Age; calls on it may finish within Grace
	Requests   int           // a connection is asked to go away after that many calls
	Idle       time.Duration // idle connections are closed after
	// RSocket: a connection may make Lease requests within LeaseFor, and again after LeaseEvery; 0 leases nothing.
	Lease                int
	LeaseFor, LeaseEvery time.Duration

	GoAway int // HTTP/2 and gRPC: after that many calls a GOAWAY whose last id is below streams already received
}

// A SlowBody sends the head of an answer at First and its body in Chunks up to Last, both counted from where
// the delay ended. The zero value sends at once.
type SlowBody struct {
	First, Last time.Duration
	Chunks      int
}

// Parse reads a plant: "key=value,key=value". The empty text is the empty plant. An error names the key and,
// where the key is unknown, lists the keys.
func Parse(text string) (*Plant, error) {
	p := &Plant{}
	seen := map[string]bool{}
	for _, item := range strings.Split(text, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		name, value, _ := strings.Cut(item, "=")
		k := lookup(name)
		if k == nil {
			return nil, unknownKey(name)
		}
		if seen[name] {
			return nil, fmt.Errorf("plant: %s is given twice", name)
		}
		seen[name] = true
		if err := k.set(p, value); err != nil {
			return nil, fmt.Errorf("plant: %s=%s: %w; write it like %s", name, value, err, k.example)
		}
	}
	return p, nil
}

func unknownKey(name string) error {
	if near := nearest.Of(name, Keys()); near != "" {
		return fmt.Errorf("plant: no key %q; did you mean %s? The keys are %s", name, near, strings.Join(Keys(), ", "))
	}
	return fmt.Errorf("plant: no key %q; the keys are %s", name, strings.Join(Keys(), ", "))
}

// ParseCall reads a plant for one request, which cannot change its connection.
func ParseCall(text string) (*Plant, error) {
	p, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if key := p.connectionKey(); key != "" {
		return nil, fmt.Errorf("plant: %s is for a whole server, not for one request", key)
	}
	return p, nil
}

// connectionKey is a key in use that only a whole server can obey.
func (p *Plant) connectionKey() string {
	switch {
	case p.Streams > 0:
		return "streams"
	case p.Age > 0:
		return "age"
	case p.Requests > 0:
		return "requests"
	case p.Idle > 0:
		return "idle"
	case p.GoAway > 0:
		return "goaway"
	case p.Lease > 0:
		return "lease"
	}
	return ""
}

// PerCall reports whether any single call is affected, so that a server can skip the Planter when none is.
func (p *Plant) PerCall() bool {
	return p.Delay.kind != none || p.Stall > 0 || p.Slots > 0 || p.Bucket > 0 || p.Size > 0 || p.Body.Chunks > 0 ||
		p.Status.on() || p.Reset.on() || p.Cut.on() || p.Hang.on() || p.Refuse.on()
}

// Shapes reports whether the delay is not all that decides when and how calls are answered.
func (p *Plant) Shapes() bool {
	q := *p
	q.Delay, q.Random, q.Size, q.Streams, q.Age, q.Grace, q.Requests, q.Idle = Law{}, 0, 0, 0, 0, 0, 0, 0
	return q != Plant{}
}

// Unread reports whether calls are refused before they were read.
func (p *Plant) Unread() bool { return p.Refuse.on() }

// Resets reports whether calls are reset, before or inside their answer.
func (p *Plant) Resets() bool { return p.Reset.on() || p.Cut.on() }
