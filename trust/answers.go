package trust

import (
	"fmt"
	"strings"

	"wiregauge/result"
)

const errorsSuspect, errorsBad = 0.001, 0.01

// checkErrors (V10) asks whether calls failed: latencies are of those that did not, and a server that turns calls away
// has less to do for the others. Rates and counts stay true.
func checkErrors(s *subject) []result.Reason {
	if s.arm.Finished() == 0 {
		return nil
	}
	share := s.arm.ErrorShare()
	level := graded(share, errorsSuspect, errorsBad)
	r := result.Reason{Code: "V10", Name: "failures", Level: level, Affects: result.AffectsLatency,
		Measured: past(share, limit(level, errorsSuspect, errorsBad)) + " of the calls failed", Limit: percent(limit(level, errorsSuspect, errorsBad))}
	if level != result.TrustOK {
		r.Advice = "latencies are of the other calls, for which the server had more time"
	}
	return one(r)
}

// checkTail (V11) counts the calls beyond each percentile: below 100 it is marked, below 10 it is not told.
func checkTail(s *subject) []result.Reason {
	const code, name = "V11", "tail samples"
	if s.arm.Latency.N == 0 {
		return nil
	}
	var bad []result.Reason
	var told []string
	for _, p := range s.percentiles {
		x := s.arm.Latency.Percentile(p)
		r := result.Reason{Code: code, Name: name, Affects: percentile(p), Measured: count(x.Beyond, "call") + " beyond " + percentile(p)}
		switch {
		case x.NS == nil:
			r.Level, r.Limit = result.TrustNotTrustworthy, "10"
		case x.Few:
			r.Level, r.Limit = result.TrustSuspect, "100"
		default:
			told = append(told, percentile(p))
			continue
		}
		if x.Needs > 0 {
			r.Advice = fmt.Sprintf("it takes %d calls", x.Needs)
		}
		bad = append(bad, r)
	}
	if len(told) == 0 {
		return bad
	}
	return append(bad, result.Reason{Code: code, Name: name, Level: result.TrustOK, Affects: result.AffectsLatency,
		Measured: "at least 100 calls beyond " + strings.Join(told, ", ")})
}
