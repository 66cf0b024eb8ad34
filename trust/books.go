package trust

import (
	"fmt"
	"math"
	"strings"

	"wiregauge/result"
)

const (
	littleSuspect, littleBad = 0.01, 0.03
	retriesBad               = 0.001 // of the calls
)

// checkLittle (V6) compares two independent counts of the time that calls were in flight (Little 1961: the mean number in
// flight is the rate times the mean time). They differ where samples were lost, counted twice or stamped wrongly.
func checkLittle(s *subject) []result.Reason {
	const code, name = "V6", "Little's law"
	if s.arm.Finished() == 0 {
		return nil
	}
	v := s.arm.Vitals
	if v == nil || v.InFlight == nil || v.Latencies == nil || *v.InFlight <= 0 || s.arm.Window <= 0 {
		return unread(code, name, result.AffectsAbsolute, "calls in flight were not counted by themselves")
	}
	flight, latencies := float64(*v.InFlight), float64(*v.Latencies)
	off := math.Abs(latencies/flight - 1)
	level := graded(off, littleSuspect, littleBad)
	window := float64(s.arm.Window)
	r := result.Reason{Code: code, Name: name, Level: level, Affects: result.AffectsAbsolute,
		Measured: fmt.Sprintf("%s in flight, %s by rate and latency: %s apart", significant(flight/window), significant(latencies/window), past(off, limit(level, littleSuspect, littleBad))),
		Limit:    percent(limit(level, littleSuspect, littleBad))}
	if level != result.TrustOK {
		r.Advice = "please report this as a fault of wiregauge"
	}
	return one(r)
}

// checkConservation (V7) wants every call accounted for: due = unsent + sent, sent = ok + failed + unfinished, and where
// the server counts too, answered ≤ received ≤ sent + resent.
func checkConservation(s *subject) []result.Reason {
	r := result.Reason{Code: "V7", Name: "conservation", Level: result.TrustOK, Measured: "every call is accounted for"}
	server := s.arm.ServerStats
	if server != nil {
		r.Measured += ", by the server too"
	}
	if err := s.arm.Counts.Check(); err != nil {
		r.Level, r.Measured, r.Advice = result.TrustNotTrustworthy, err.Error(), "please report this as a fault of wiregauge"
	} else if server != nil && server.Conserve != "ok" {
		r.Level, r.Measured = result.TrustNotTrustworthy, server.Conserve
		r.Advice = "is this the server that was called, and did only this client call it?"
	}
	return one(r)
}

// checkRetries (V14) counts what was sent a second time without being asked for: calls by a library, segments by the
// kernel, connections for which a listen queue had no room.
func checkRetries(s *subject) []result.Reason {
	const code, name = "V14", "retries"
	var words, unknown []string
	sum := s.arm.HiddenTries
	if sum > 0 {
		words = append(words, count(sum, "call")+" sent again by the client library")
	}
	v := s.arm.Vitals
	if v == nil {
		v = &result.Vitals{}
	}
	for _, x := range []struct {
		n             *int64
		what, missing string
	}{
		{v.Retransmits, "segment", "retransmissions"},
		{v.Overflows, "connection", "listen queues"},
	} {
		switch {
		case x.n == nil:
			unknown = append(unknown, x.missing)
		case *x.n > 0 && x.what == "segment":
			words = append(words, count(*x.n, x.what)+" sent again by the kernel")
		case *x.n > 0:
			words = append(words, count(*x.n, x.what)+" without room in a listen queue of this machine")
		}
		if x.n != nil {
			sum += *x.n
		}
	}
	r := result.Reason{Code: code, Name: name, Level: result.TrustOK, Measured: "none"}
	if sum > 0 {
		r.Level, r.Measured, r.Limit = result.TrustSuspect, strings.Join(words, ", "), "none"
		if float64(sum) > retriesBad*float64(s.arm.Sent) {
			r.Level, r.Limit = result.TrustNotTrustworthy, percent(retriesBad)+" of the calls"
		}
		r.Advice = "the network or a queue lost something; what was waited for it is in the latencies"
	}
	all := one(r)
	if len(unknown) > 0 {
		all = append(all, unread(code, name, "", strings.Join(unknown, ", "))...)
	}
	return all
}
