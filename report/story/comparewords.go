package story

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"wiregauge/report/number"
	"wiregauge/report/verdict"
	"wiregauge/result"
)

func contextOf(f *result.File, v result.Verdict) verdict.Context {
	return verdict.Context{
		Load: loadWords(f.Plan), Here: onThisMachine(f),
		A: usableText(f, v.A, v.Metric), B: usableText(f, v.B, v.Metric),
		Fair: f.Fair, Launches: f.Plan.Launches,
	}
}

// onThisMachine reports whether client and all servers shared one machine: the verdict then holds for it alone.
func onThisMachine(f *result.File) bool {
	if f.Labels["demo"] != "" {
		return true
	}
	for i := range f.Arms {
		if !loopback(f.Arms[i].URL) {
			return false
		}
	}
	return len(f.Arms) > 0
}

func loopback(raw string) bool {
	u, err := url.Parse(strings.ReplaceAll(raw, "{port}", "1"))
	if err != nil {
		return false
	}
	if strings.HasSuffix(u.Scheme, "+unix") {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// loadWords is the load that a verdict holds at.
func loadWords(p result.Plan) string {
	switch {
	case p.Loop == "open" && p.Rate != "":
		return "At " + rateWords(p.Rate)
	case p.Concurrency > 0:
		return fmt.Sprintf("With %s calls in flight", number.Count(int64(p.Concurrency)))
	default:
		return ""
	}
}

// rateWords is a rate as people read it: "2,000 calls/s"; one of another form stays as it was written.
func rateWords(rate string) string {
	perSecond, found := strings.CutSuffix(rate, "/s")
	n, err := strconv.ParseInt(strings.ReplaceAll(perSecond, ",", ""), 10, 64)
	switch {
	case !found:
		return rate
	case err != nil:
		return perSecond + " calls/s"
	default:
		return number.Count(n) + " calls/s"
	}
}

// usableText is metricText, and empty for a number that must not be used: a sentence has no mark for it.
func usableText(f *result.File, arm, metric string) string {
	i := slices.IndexFunc(f.Arms, func(a result.Arm) bool { return a.Name == arm })
	if i >= 0 && voidedBy(f)(&f.Arms[i], metric) {
		return ""
	}
	return metricText(f, arm, metric)
}

// metricText is one arm's value of a verdict's metric with its unit; empty when it is not known.
func metricText(f *result.File, arm, metric string) string {
	i := slices.IndexFunc(f.Arms, func(a result.Arm) bool { return a.Name == arm })
	if i < 0 {
		return ""
	}
	a := &f.Arms[i]
	switch metric {
	case "rate", "goodput":
		return number.Significant(a.Goodput)
	case "cpu":
		return durationText(a.ClientCPU.PerCall(a.Finished()))
	case "server_cpu":
		if a.Server == nil {
			return ""
		}
		return durationText(a.Server.PerCall(a.Finished()))
	case "mean":
		return durationText(a.Latency.Mean)
	case "bytes":
		return number.Bytes(wirePerCall(a))
	case "ttfb":
		return durationText(a.FirstByte.Percentile(50).NS)
	}
	var p float64
	if _, err := fmt.Sscanf(metric, "p%g", &p); err != nil {
		return ""
	}
	return durationText(a.Latency.Percentile(p).NS)
}

func durationText(ns *int64) string {
	if ns == nil {
		return ""
	}
	return number.Duration(*ns)
}

func wirePerCall(a *result.Arm) float64 {
	return SentPerCall(a, a.SentBytes.Wire) + ReceivedPerCall(a, a.RecvBytes.Wire)
}
