package report

import (
	"cmp"
	"fmt"
	"strings"

	"wiregauge/report/number"
	"wiregauge/result"
)

// A subject is one arm of one result as the formats for programs tell it. They share one rule: a number that does not
// exist is left out and never 0, and how far the numbers may be believed stands beside them.
type subject struct {
	file        *result.File
	arm         *result.Arm
	percentiles []float64
	run         string // the result's id when several are told, so that the arm's name is not enough; else ""
}

func subjects(files []*result.File, opt Options) []subject {
	var all []subject
	seen := map[string]int{}
	for _, f := range files {
		run := ""
		if seen[f.ID]++; len(files) > 1 {
			run = f.ID
		}
		if n := seen[f.ID]; n > 1 { // the same result twice
			run = fmt.Sprintf("%s-%d", run, n)
		}
		for i := range f.Arms {
			all = append(all, subject{f, &f.Arms[i], percentilesOf(f, opt), run})
		}
	}
	return all
}

// percentilesOf are those asked for, else those of the result, else the defaults.
func percentilesOf(f *result.File, opt Options) []float64 {
	switch {
	case len(opt.Percentiles) > 0:
		return opt.Percentiles
	case len(f.Plan.Percentiles) > 0:
		return f.Plan.Percentiles
	}
	return result.DefaultPercentiles
}

// percentile is a percentile of the OK calls; nil when too few calls lie beyond it, or when so many have no end that
// those that ended do not describe it.
func (s *subject) percentile(p float64) *int64 {
	if s.arm.Counts.LeavesOut(p) {
		return nil
	}
	return s.arm.Latency.Percentile(p).NS
}

// asWhole stands for an arm as a whole where its trust is asked for: for its latencies, which most doubts are about.
const asWhole = "latency"

// trust is how far a number of the arm may be believed.
func (s *subject) trust(metric string) string { return s.file.Trust.Of(s.arm.Name, metric) }

// broken reports whether a number is not to be believed.
func (s *subject) broken(metric string) bool {
	return s.trust(metric) == result.TrustNotTrustworthy
}

// doubts are the reasons to believe the arm's numbers less, in words; "" without any.
func (s *subject) doubts() string {
	var words []string
	for _, r := range s.file.Trust.Reasons {
		if r.Arm != "" && r.Arm != s.arm.Name || r.Level == result.TrustNote || r.Level == result.TrustUnknown {
			continue
		}
		if r.Affects == result.AffectsRatio {
			continue
		}
		words = append(words, doubt(r))
	}
	if s.arm.Limited == "client" {
		words = append(words, clientLimited)
	}
	return strings.Join(words, "; ")
}

// clientLimited is said of an arm that could not be asked for more.
const clientLimited = "this client was the limit: the target is at least that fast"

// doubt is one reason in words: "V3 client CPU: 97 % (limit 80 %), suspect, affects p99".
func doubt(r result.Reason) string {
	text := r.Measured
	if r.Name != "" {
		text = r.Name + ": " + text
	}
	if r.Limit != "" {
		text += " (limit " + r.Limit + ")"
	}
	if r.Level != "" {
		text += ", " + strings.ReplaceAll(r.Level, "_", " ")
	}
	if r.Affects != "" && r.Affects != result.AffectsAbsolute {
		text += ", affects " + r.Affects
	}
	return strings.TrimSpace(r.Code + " " + text)
}

// name is the arm's, made unique by the id of its result when there are several.
func (s *subject) name() string {
	if s.run != "" {
		return s.arm.Name + "@" + s.run
	}
	return cmp.Or(s.arm.Name, "target")
}

// A measure is one number of an arm where smaller is better, for formats that keep a list of names and values.
type measure struct {
	name, unit string
	value      float64
	metric     string // as trust knows it
}

// measures are the numbers of an arm that exist and may be believed: percentiles, the mean, CPU and bytes per call,
// the share of errors. Trends are made of them, and one bad number spoils a trend.
func (s *subject) measures() []measure {
	var list []measure
	add := func(name, metric, unit string, v *float64) {
		if v != nil && !s.broken(metric) {
			list = append(list, measure{name, unit, *v, metric})
		}
	}
	for _, p := range s.percentiles {
		name := number.Percentile(p)
		add(name, name, "ns", asFloat(s.percentile(p)))
	}
	add("mean", "mean", "ns", asFloat(s.arm.Latency.Mean))
	add("cpu", "cpu", "ns", s.clientCPU())
	add("bytes", "bytes", "bytes", s.bytes())
	if s.arm.Finished() > 0 {
		share := s.arm.ErrorShare()
		add("errors", "errors", "share", &share)
	}
	return list
}

// clientCPU is our CPU time per finished call in ns; nil when nothing finished or nothing could be read.
func (s *subject) clientCPU() *float64 {
	if s.arm.ClientCPU.Total() <= 0 {
		return nil
	}
	return asFloat(s.arm.ClientCPU.PerCall(s.arm.Finished()))
}

// bytes is what a call puts on the wire, both ways; nil when nothing did.
func (s *subject) bytes() *float64 {
	wire := s.arm.SentBytes.Wire + s.arm.RecvBytes.Wire
	if wire <= 0 || s.arm.Finished() <= 0 {
		return nil
	}
	perCall := float64(s.arm.SentBytes.Wire)/float64(s.arm.Sent) + float64(s.arm.RecvBytes.Wire)/float64(s.arm.Finished())
	return &perCall
}

func asFloat(n *int64) *float64 {
	if n == nil {
		return nil
	}
	v := float64(*n)
	return &v
}
