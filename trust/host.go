package trust

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"wiregauge/result"
)

const (
	stealSuspect, stealBad         = 0.01, 0.05
	foreignSuspect, foreignBad     = 0.10, 0.25
	throttledSuspect, throttledBad = 0.01, 0.05
	slowClock                      = 100 * time.Nanosecond
	shortest                       = 100 * time.Millisecond // in which shares of the machine mean something
	crowded                        = 0.85                   // of the machine's CPUs, used by client and server
)

// checkHost (V5) asks who else used the machine: the hypervisor, other processes, a limit on this one.
func checkHost(s *subject) []result.Reason {
	const code, name = "V5", "host"
	var words, over, unknown []string
	worst, limits := result.TrustOK, []string{}
	for _, x := range s.shares() {
		if !x.known {
			unknown = append(unknown, x.missing)
			continue
		}
		words = append(words, fmt.Sprintf(x.words, percent(x.share)))
		level := graded(x.share, x.suspect, x.bad)
		if level != result.TrustOK {
			over = append(over, words[len(words)-1])
			limits = append(limits, percent(limit(level, x.suspect, x.bad)))
		}
		worst = worse(worst, level)
	}
	var all []result.Reason
	if len(words) > 0 {
		r := result.Reason{Code: code, Name: name, Level: worst, Affects: result.AffectsAbsolute,
			Measured: strings.Join(words, ", "), Limit: strings.Join(limits, ", ")}
		if worst != result.TrustOK { // what is in order would hide what is not
			r.Measured = strings.Join(over, ", ") + s.pressure()
			r.Advice = "absolute numbers are off; end what else runs here, or measure on a machine of your own"
		}
		all = append(all, r)
	}
	if len(unknown) > 0 {
		all = append(all, unread(code, name, result.AffectsAbsolute, strings.Join(unknown, ", "))...)
	}
	return all
}

// A taken share is what somebody else had of the machine.
type taken struct {
	words, missing string
	share          float64
	known          bool
	suspect, bad   float64
}

func (s *subject) shares() []taken {
	h := s.arm.Host
	list := []taken{
		{"steal %s", "steal", h.Steal, h.Steal >= 0, stealSuspect, stealBad},
		{"other processes took %s of the CPU", "what other processes took", h.Foreign, h.Foreign >= 0, foreignSuspect, foreignBad},
	}
	if time.Duration(s.arm.Window) < shortest {
		const why = " (too short to tell: the system counts the time of its processors in steps of 10 ms)"
		list[0].known, list[1].known = false, false
		list[1].missing += why
	} else if s.serverIsForeign() && h.Foreign > foreignSuspect {
		list[1].known = false
		list[1].missing = "what other processes took, for the server is one of them (--server-pid sets it apart)"
	}
	held := taken{words: "a limit on this process held %s of the time back", missing: "what a limit on this process held back",
		suspect: throttledSuspect, bad: throttledBad}
	if v := s.arm.Vitals; v != nil && v.Throttled != nil && v.Observed > 0 {
		held.share, held.known = float64(*v.Throttled)/float64(v.Observed), true
		if held.share == 0 {
			return list
		}
	}
	return append(list, held)
}

// pressure is how long some process waited for a CPU, for those who want to know more.
func (s *subject) pressure() string {
	v := s.arm.Vitals
	if v == nil || v.Pressure == nil || v.Observed <= 0 {
		return ""
	}
	return "; some process waited for a CPU " + percent(float64(*v.Pressure)/float64(v.Observed)) + " of the time"
}

// serverIsForeign says that the server runs here, as a process that we were not told of.
func (s *subject) serverIsForeign() bool { return s.arm.Server == nil && loopback(s.arm.URL) }

func loopback(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	if host := u.Hostname(); host != "" {
		ip := net.ParseIP(host)
		return host == "localhost" || ip != nil && ip.IsLoopback()
	}
	return strings.HasSuffix(u.Scheme, "+unix")
}

// ownShare is how much of this machine's CPUs client and server used together; a server here that we know nothing of
// is taken for all that was used besides.
func (s *subject) ownShare() float64 {
	window := float64(s.arm.Window) * float64(s.file.Host.CPUs)
	if window <= 0 {
		return 0
	}
	share := float64(s.arm.ClientCPU.Total()) / window
	switch {
	case s.arm.Server != nil:
		share += float64(s.arm.Server.Total()) / window
	case s.serverIsForeign():
		share += max(s.arm.Host.Foreign, 0)
	}
	return share
}

// checkClock (V12) asks whether time itself was told well.
func checkClock(s *subject) []result.Reason {
	const code, name = "V12", "clock"
	v := s.arm.Vitals
	if v == nil || v.ClockRead == nil || v.Gap == nil {
		return unread(code, name, result.AffectsAbsolute, "the clock was not watched")
	}
	r := result.Reason{Code: code, Name: name, Level: result.TrustOK, Affects: result.AffectsAbsolute,
		Measured: fmt.Sprintf("reading it takes %s, longest gap %s", duration(float64(*v.ClockRead)), duration(float64(*v.Gap)))}
	switch {
	case v.Suspend != nil && *v.Suspend > 0:
		r.Level, r.Limit = result.TrustNotTrustworthy, "0"
		r.Measured = "the machine slept for " + duration(float64(*v.Suspend))
		r.Advice = "measure again while it is awake"
	case time.Duration(*v.Gap) > longGap:
		r.Level, r.Limit = result.TrustSuspect, "a gap of "+duration(float64(longGap))
		r.Advice = "something stopped this process; measure again"
	case time.Duration(*v.ClockRead) > slowClock:
		r.Level, r.Limit = result.TrustSuspect, duration(float64(slowClock))+" a reading"
		r.Advice = "this machine's clock source is slow; latencies are too large by as much"
	}
	all := one(r)
	if v.Suspend == nil {
		all = append(all, unread(code, name, result.AffectsAbsolute, "whether the machine slept is unknown")...)
	}
	return all
}

// checkShared (V18) is a note about client and server on one machine.
func checkShared(s *subject) []result.Reason {
	if s.arm.Server == nil && !s.serverIsForeign() {
		return nil
	}
	share := s.ownShare()
	r := result.Reason{Code: "V18", Name: "shared machine", Level: result.TrustNote, Affects: result.AffectsAbsolute,
		Measured: "client and server share this machine and used " + percent(min(share, 1)) + " of its CPUs"}
	if share > crowded {
		r.Limit = percent(crowded)
		r.Advice = "the numbers hold on this machine, where the two take CPU from one another"
	}
	return one(r)
}
