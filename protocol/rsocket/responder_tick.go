package rsocket

import (
	"fmt"
	"time"

	"wiregauge/protocol/rsocket/frame"
)

// leasing is what a connection has of its lease. Its words are those of rsocket-java, which clients know.
type leasing struct {
	left    int
	issued  time.Duration // when the last one was sent
	unsaid  bool          // it was sent since the last Tick
	expired bool
}

// take uses up one request and says why there is none.
func (l *leasing) take(terms Lease) (why string) {
	switch {
	case l.expired:
		return "[server] Missing leases. Lease is expired"
	case l.left == 0:
		return fmt.Sprintf("[server] Missing leases. Issued [%d] request allowance is used", terms.Requests)
	}
	l.left--
	return ""
}

// issue sends a lease, which replaces the one before.
func (r *Responder) issue(out []byte) []byte {
	terms := r.serving.Lease
	r.lease.left, r.lease.unsaid, r.lease.expired = terms.Requests, true, false
	f := frame.Frame{Type: frame.Lease, Flags: frame.Meta, TTL: uint32(terms.TimeToLive.Milliseconds()), N: uint32(terms.Requests)}
	n := frame.HeadLen + 8
	out = f.Append(r.c.begin(out, n))
	r.c.seal(out, n)
	return out
}

// Next is when the lease or the peer's silence has to be looked at.
func (r *Responder) Next() (at time.Duration, ok bool) {
	if !r.begun {
		return 0, r.phase < parting
	}
	switch r.phase {
	case parting, over:
		return 0, false
	case upgrading, opening:
		return r.born + setupWait, true
	}
	if r.lifetime > 0 {
		at, ok = r.heard+r.lifetime, true
	}
	if r.serving.Lease.Requests > 0 {
		if lease := r.leaseNext(); !ok || lease < at {
			at, ok = lease, true
		}
	}
	return at, ok
}

func (r *Responder) leaseNext() time.Duration {
	if terms := r.serving.Lease; terms.TimeToLive < terms.Every && !r.lease.expired {
		return r.lease.issued + terms.TimeToLive
	}
	return r.lease.issued + r.serving.Lease.Every
}

// Tick tells the time. It sends the next lease, and ends a connection whose client has been silent for the lifetime that
// it named itself: any bytes count, not only its keep-alives.
func (r *Responder) Tick(now time.Duration, out []byte) ([]byte, error) {
	if !r.begun {
		r.begun, r.born, r.heard = true, now, now
	}
	if r.touched {
		r.touched, r.heard = false, now
	}
	if r.lease.unsaid {
		r.lease.unsaid, r.lease.issued = false, now
	}
	switch {
	case r.phase >= parting:
		return out, nil
	case r.phase < opened && now-r.born >= setupWait:
		return r.fail(out, &refusal{frame.InvalidSetup, fmt.Sprintf("no SETUP within %v", setupWait)})
	case r.phase == opened && r.lifetime > 0 && now-r.heard >= r.lifetime:
		return r.fail(out, &refusal{frame.ConnectionError, fmt.Sprintf("no bytes from the client within its lifetime of %v", r.lifetime)})
	}
	if r.phase == opened && r.serving.Lease.Requests > 0 {
		return r.tickLease(now, out), nil
	}
	return out, nil
}

func (r *Responder) tickLease(now time.Duration, out []byte) []byte {
	if now-r.lease.issued >= r.serving.Lease.Every {
		out = r.issue(out)
		r.lease.unsaid, r.lease.issued = false, now
		return out
	}
	r.lease.expired = now-r.lease.issued >= r.serving.Lease.TimeToLive
	return out
}
