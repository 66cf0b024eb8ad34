package trust

import (
	"fmt"
	"math"
	"time"

	"wiregauge/result"
)

const (
	meanSuspect, meanBad       = 0.60, 0.80 // of the client's cores, open loop
	fullWindows                = 0.05       // of the windows, with 95 % or more of the cores in use
	fullShare                  = 0.95
	gcSuspect, gcBad           = 0.05, 0.25 // of the client's CPU time
	hiccupSuspect, hiccupBad   = 0.10, 0.50 // of a percentile
	longGap                    = 50 * time.Millisecond
	ceilingSuspect, ceilingBad = 0.50, 0.70
)

// checkCPU (V3) asks whether the client had CPU to spare. In an open loop calls that wait for the client's CPU are
// late in the latencies too. A closed loop may use all there is: then the arm is at least this fast.
func checkCPU(s *subject) []result.Reason {
	const code, name = "V3", "client CPU"
	share := s.arm.ClientCPU.Share(time.Duration(s.arm.Window))
	if share == 0 {
		return unread(code, name, "", "the client's CPU time could not be read")
	}
	r := result.Reason{Code: code, Name: name, Level: result.TrustOK,
		Measured: percent(share) + " of " + count(int64(s.arm.ClientCPU.Cores), "core")}
	if !s.open {
		if limited(s.arm) {
			r.Level, r.Affects, r.Limit = result.TrustSuspect, result.AffectsAbsolute, percent(fullShare)
			r.Measured = usable(s.arm) + ": this client was the limit"
			r.Advice = "the target is at least this fast; a client with more CPU shows how fast"
		}
		return one(r)
	}
	r.Level, r.Limit = graded(share, meanSuspect, meanBad), percent(meanSuspect)
	full := 0.0
	if v := s.arm.Vitals; v != nil && v.Windows > 0 {
		full = float64(v.FullWindows) / float64(v.Windows)
	}
	if full > fullWindows && r.Level != result.TrustNotTrustworthy {
		r.Level, r.Limit = result.TrustNotTrustworthy, percent(fullWindows)
		r.Measured += fmt.Sprintf("; in %s of the time it had no CPU left", percent(full))
	} else if r.Level == result.TrustNotTrustworthy {
		r.Limit = percent(meanBad)
	}
	if r.Level != result.TrustOK {
		r.Advice = "ask for fewer calls/s, or give the client more CPU"
	}
	return one(r)
}

// usable is how much the client used of the cores that its connections can use: one goroutine drives each.
func usable(a *result.Arm) string {
	client, n := a.ClientCPU, a.Connections.Asked
	if n == 0 || float64(n) >= client.Cores {
		return percent(client.Share(time.Duration(a.Window))) + " of " + count(int64(client.Cores), "core")
	}
	client.Cores = float64(n)
	return fmt.Sprintf("%s of the %s that %s can use", percent(client.Share(time.Duration(a.Window))), count(int64(n), "core"), count(int64(n), "connection"))
}

// limited reports whether the client of a closed loop had no CPU left while the server had. A connection is driven by
// one goroutine, so that fewer connections than cores can use no more cores than that.
func limited(a *result.Arm) bool {
	client := a.ClientCPU
	if n := a.Connections.Asked; n > 0 {
		client.Cores = math.Min(client.Cores, float64(n))
	}
	window := time.Duration(a.Window)
	if a.Limited != "client" && client.Share(window) < fullShare {
		return false
	}
	return a.Server == nil || a.Server.Share(window) < fullShare
}

// checkHiccups (V4) compares what the client's threads were late with what calls took, at each percentile. A thread that
// is due every millisecond stands for all others. Where client and server keep all CPUs busy for as large a share of the
// time, in a closed loop, such a thread has to wait as everybody does: that is what the machine was asked for, and only
// a note.
func checkHiccups(s *subject) []result.Reason {
	const code, name = "V4", "client hiccups"
	if s.arm.Latency.N == 0 {
		return nil
	}
	if s.arm.Vitals == nil || s.arm.Oversleep == nil || s.arm.Oversleep.Hist == nil {
		return unread(code, name, result.AffectsLatency, "whether the client was held up was not measured")
	}
	var bad []result.Reason
	most := 0.0
	for _, p := range s.percentiles {
		latency := s.arm.Latency.Percentile(p).NS
		if latency == nil || *latency <= 0 {
			continue
		}
		late, beats := s.lateAt(p)
		share := late / float64(*latency)
		most = max(most, share)
		level := unlessTiny(graded(share, hiccupSuspect, hiccupBad), late)
		if level == result.TrustOK {
			continue
		}
		r := result.Reason{Code: code, Name: name, Level: level, Affects: percentile(p),
			Measured: fmt.Sprintf("at %s the client's threads ran %s late, %s of the latency", percentile(p), duration(late), past(share, limit(level, hiccupSuspect, hiccupBad))),
			Limit:    percent(limit(level, hiccupSuspect, hiccupBad)), Advice: "leave the client a core that nobody else uses"}
		if !s.open && s.busy() >= beats {
			r.Level, r.Advice = result.TrustNote, "client and server keep this machine busy: part of the latency is waiting for its CPUs"
		}
		bad = append(bad, r)
	}
	bad = append(bad, s.stopped()...)
	if len(bad) > 0 {
		return bad
	}
	return one(result.Reason{Code: code, Name: name, Level: result.TrustOK, Affects: result.AffectsLatency,
		Measured: "at most " + percent(most) + " of a percentile", Limit: percent(hiccupSuspect)})
}

// busy is the chance that a thread which wakes finds every CPU of the machine taken by client and server themselves; 0
// when others took so much that it is theirs.
func (s *subject) busy() float64 {
	others := max(s.arm.Host.Foreign, 0) + max(s.arm.Host.Steal, 0)
	if s.serverIsForeign() {
		others = 0 // counted as the server's
	}
	if others > foreignSuspect {
		return 0
	}
	return math.Pow(min(s.ownShare()+others, 1), float64(s.file.Host.CPUs))
}

// lateAt is how late, in ns and beyond the usual, a thread ran when calls took as long as percentile p, and the share of
// beats that were as late. In an open loop it is as large a share as of the calls. In a closed loop one beat that is
// late holds up no more than the calls in flight, so that it takes many to move a percentile.
func (s *subject) lateAt(p float64) (late, share float64) {
	h := s.arm.Oversleep.Hist
	usual := float64(h.Percentile(50))
	if s.open {
		return max(float64(h.Percentile(p))-usual, 0), 1 - p/100
	}
	beyond := (1 - p/100) * float64(s.arm.Latency.N)
	beats := max(int64(math.Ceil(beyond/max(s.inFlight(), 1))), 1)
	if rank := h.Count() - beats + 1; rank >= 1 {
		return max(float64(h.AtRank(rank))-usual, 0), float64(beats) / float64(h.Count())
	}
	return 0, 1
}

// inFlight is the mean number of calls in flight, 0 when it is not known.
func (s *subject) inFlight() float64 {
	if v := s.arm.Vitals; v != nil && v.InFlight != nil && s.arm.Window > 0 {
		return float64(*v.InFlight) / float64(s.arm.Window)
	}
	return float64(s.file.Plan.Concurrency)
}

// stopped is a pause of the whole client that makes up most of the longest latency: the maximum is then the client's.
func (s *subject) stopped() []result.Reason {
	gap, most := s.arm.Vitals.Gap, s.arm.Latency.Max
	if gap == nil || most == nil || time.Duration(*gap) <= longGap || float64(*gap) <= hiccupBad*float64(*most) {
		return nil
	}
	return one(result.Reason{Code: "V4", Name: "client hiccups", Level: result.TrustNotTrustworthy, Affects: "max",
		Measured: fmt.Sprintf("the client did not run for %s, and the longest call took %s", duration(float64(*gap)), duration(float64(*most))),
		Limit:    percent(hiccupBad), Advice: "find out what stopped this process: a signal, a debugger, a control group, the host"})
}

// checkGC (V4, apart) is how much of the client's work was collecting its own garbage.
func checkGC(s *subject) []result.Reason {
	const code, name = "V4", "client GC"
	cpu := s.arm.ClientCPU
	if cpu.GCs == 0 {
		return nil
	}
	r := result.Reason{Code: code, Name: name, Level: result.TrustNote, Affects: result.AffectsAbsolute,
		Measured: count(cpu.GCs, "collection") + " inside the window"}
	if v := s.arm.Vitals; v == nil || v.GCCPU == nil || cpu.Total() <= 0 {
		return one(r)
	}
	share := float64(*s.arm.Vitals.GCCPU) / float64(cpu.Total())
	r.Measured += ", " + percent(share) + " of the client's CPU time"
	if level := graded(share, gcSuspect, gcBad); level != result.TrustOK {
		r.Level, r.Limit = level, percent(limit(level, gcSuspect, gcBad))
		r.Advice = "shorter turns, smaller answers, or a higher GOMEMLIMIT"
	}
	return one(r)
}

// checkCeiling (V15) compares an open loop's rate with what this client could send at all.
func checkCeiling(s *subject) []result.Reason {
	const code, name = "V15", "client ceiling"
	if !s.open {
		return nil
	}
	if s.arm.Ceiling == nil || *s.arm.Ceiling <= 0 {
		return unread(code, name, "", "how much this client can send was not measured")
	}
	share := s.arm.AchievedRate / *s.arm.Ceiling
	level := graded(share, ceilingSuspect, ceilingBad)
	r := result.Reason{Code: code, Name: name, Level: level, Limit: percent(limit(level, ceilingSuspect, ceilingBad)),
		Measured: fmt.Sprintf("%s of the %s calls/s that this client can send", past(share, limit(level, ceilingSuspect, ceilingBad)), significant(*s.arm.Ceiling))}
	if level != result.TrustOK {
		r.Advice = "more --connections if there is only one, a faster machine, or fewer calls/s"
	}
	return one(r)
}
