package result

import "cmp"

// How far numbers may be believed. A file is as good as its worst check.
const (
	TrustOK             = "ok"
	TrustSuspect        = "suspect"
	TrustNotTrustworthy = "not_trustworthy"
	TrustUnchecked      = "unchecked" // no check has run, as in files of older versions
)

// What a check says of itself beside the trust levels: a note lowers nothing; unknown could not be read.
const (
	TrustNote    = "note"
	TrustUnknown = "unknown"
)

// What a doubt is about. A percentile ("p99") or another metric's name stands for that number only.
const (
	AffectsAbsolute = "absolute"  // printed numbers and absolute gates
	AffectsRatio    = "ratio"     // paired verdicts and relative gates
	AffectsRatioOf  = "ratio of " // and a metric's name: verdicts in that metric only
	AffectsLatency  = "latency"   // every percentile, mean and maximum, not the rate
)

// Trust says whether the numbers may be believed. Level is the worst over both scopes; Absolute and Ratio are the
// worst that concerns printed numbers and paired verdicts. Reasons hold every check that is not ok, notes and
// unknown ones included.
type Trust struct {
	Level    string   `json:"level"` // "ok", "suspect", "not_trustworthy", "unchecked"
	Absolute string   `json:"absolute,omitempty"`
	Ratio    string   `json:"ratio,omitempty"`
	Checked  int      `json:"checked,omitempty"` // checks that apply and could be read
	Passed   int      `json:"passed,omitempty"`  // of these, without a doubt
	Reasons  []Reason `json:"reasons"`
	Passing  []Reason `json:"passing,omitempty"` // the checks that are ok, with what was measured
}

// Reason is one doubt, carried with the number it concerns.
type Reason struct {
	Code     string `json:"code"`            // "V3"
	Name     string `json:"name,omitempty"`  // "client CPU"
	Level    string `json:"level,omitempty"` // "suspect", "not_trustworthy", "note", "unknown"; "ok" among those passing
	Arm      string `json:"arm,omitempty"`
	Measured string `json:"measured"`
	Limit    string `json:"limit,omitempty"`
	Affects  string `json:"affects,omitempty"` // "absolute", "ratio", "latency", "p99"; everything when it is empty
	Advice   string `json:"advice,omitempty"`
}

// Of is how far one number of an arm may be believed: the worst level of the reasons that concern it, "unchecked" when
// no check has run. metric is a percentile ("p99") or another number's name ("rate", "cpu").
func (t *Trust) Of(arm, metric string) string {
	if t.Level == "" || t.Level == TrustUnchecked {
		return TrustUnchecked
	}
	if len(t.Reasons) == 0 {
		return cmp.Or(t.Absolute, t.Level)
	}
	worst := TrustOK
	for i := range t.Reasons {
		r := &t.Reasons[i]
		if level := cmp.Or(r.Level, t.Level); r.concerns(arm, metric) && badness(level) > badness(worst) {
			worst = level
		}
	}
	return worst
}

// About are the reasons that lower one number of an arm, as Of takes them into account.
func (t *Trust) About(arm, metric string) []Reason {
	var list []Reason
	for _, r := range t.Reasons {
		if r.concerns(arm, metric) && badness(cmp.Or(r.Level, t.Level)) > 0 {
			list = append(list, r)
		}
	}
	return list
}

// concerns reports whether the reason is about this printed number of this arm.
func (r *Reason) concerns(arm, metric string) bool {
	if r.Arm != "" && r.Arm != arm {
		return false
	}
	switch r.Affects {
	case "", metric:
		return true
	case AffectsAbsolute:
		return !counted[metric]
	case AffectsLatency:
		return isLatency(metric)
	}
	return false
}

// counted are the numbers that are right whatever the machine does: they were counted, not timed.
var counted = map[string]bool{"errors": true, "unfinished": true, "bytes": true}

// isLatency reports whether a metric is a time of calls: a percentile, the mean, the maximum, the first byte.
func isLatency(metric string) bool {
	switch metric {
	case "mean", "max", "ttfb", "latency":
		return true
	}
	return len(metric) > 1 && metric[0] == 'p' && metric[1] >= '0' && metric[1] <= '9'
}

// badness orders the levels; notes and what could not be read lower nothing.
func badness(level string) int {
	switch level {
	case TrustNotTrustworthy:
		return 2
	case TrustSuspect:
		return 1
	}
	return 0
}
