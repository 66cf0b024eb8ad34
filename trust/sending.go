package trust

import (
	"fmt"
	"time"

	"wiregauge/result"
)

const (
	lateSuspect, lateBad = 0.05, 0.25
	sentSuspect, sentBad = 0.995, 0.98
)

// checkLate (V1) asks of each percentile of an open loop how much of it is the client's own lateness: the latency
// counts from when a call was due, and beside it stands the same without the time until the client had it in hand.
func checkLate(s *subject) []result.Reason {
	const code, name = "V1", "late sends"
	if !s.open || s.arm.Latency.N == 0 {
		return nil
	}
	if s.arm.Dispatched == nil {
		return unread(code, name, result.AffectsLatency, "how late calls were sent was not measured")
	}
	var bad []result.Reason
	most := 0.0
	for _, p := range s.percentiles {
		due, dispatched := s.arm.Latency.Percentile(p).NS, s.arm.Dispatched.Percentile(p).NS
		if due == nil || dispatched == nil || *due <= 0 {
			continue
		}
		share := max(1-float64(*dispatched)/float64(*due), 0)
		most = max(most, share)
		level := unlessTiny(graded(share, lateSuspect, lateBad), float64(*due-*dispatched))
		if level == result.TrustOK {
			continue
		}
		bad = append(bad, result.Reason{Code: code, Name: name, Level: level, Affects: percentile(p),
			Measured: fmt.Sprintf("%s of %s, %s, is this client's own lateness", past(share, limit(level, lateSuspect, lateBad)), percentile(p), duration(float64(*due-*dispatched))),
			Limit:    percent(limit(level, lateSuspect, lateBad)),
			Advice:   "give the client more CPU, or ask for fewer calls/s"})
	}
	if len(bad) > 0 {
		return bad
	}
	return one(result.Reason{Code: code, Name: name, Level: result.TrustOK, Affects: result.AffectsLatency,
		Measured: "at most " + percent(most) + " of a percentile", Limit: percent(lateSuspect)})
}

// resolution is how well a time can be told at all: a thread that sleeps, and does not spin, is late by some 20 to 50 µs
// on a machine of its own.
const resolution = 50 * time.Microsecond

// unlessTiny makes a note of a doubt about less than that.
func unlessTiny(level string, ns float64) string {
	if level != result.TrustOK && ns <= float64(resolution) {
		return result.TrustNote
	}
	return level
}

// checkRate (V2) asks whether what was due was sent. Where the client is the cause, what was measured is another load
// than the one that was asked for; any other cause is a finding about the server or the limits that were set.
func checkRate(s *subject) []result.Reason {
	if !s.open || s.arm.Due == 0 {
		return nil
	}
	share := float64(s.arm.Sent) / float64(s.arm.Due)
	r := result.Reason{Code: "V2", Name: "achieved rate", Level: result.TrustOK,
		Measured: percent(share) + " of what was due was sent", Limit: "99.5 %"}
	switch {
	case share < sentBad && s.arm.Limited == "client":
		r.Level, r.Limit = result.TrustNotTrustworthy, "98 %"
	case share < sentSuspect:
		r.Level = result.TrustSuspect
	}
	if r.Level == result.TrustOK {
		return one(r)
	}
	switch s.arm.Limited {
	case "client":
		r.Measured += ": this client was the limit"
		r.Advice = "results describe the client; ask for fewer calls/s, or use a faster machine"
	case "inflight":
		r.Measured += ": the limit on calls in flight held calls back"
		r.Advice = "a higher --max-inflight shows what the server does"
	case "slots":
		r.Measured += ": calls waited for a place on the connections"
		r.Advice = "more --connections or --streams show what the server does"
	case "server":
		r.Measured += ": the server was the limit"
	}
	return one(r)
}
