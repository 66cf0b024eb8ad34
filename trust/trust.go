package trust

import (
	"slices"
	"strings"

	"wiregauge/result"
)

// Of checks a result: each arm that is no floor by itself, which is about printed numbers, and the arms of a
// comparison against one another, which is about ratios. It reads f and does not change it. The verdicts of f are
// looked at where it has them; Of may be called before there are any, and again after.
func Of(f *result.File) result.Trust {
	var all []result.Reason
	for i := range f.Arms {
		a := &f.Arms[i]
		if a.Floor && len(f.Arms) > 1 {
			continue
		}
		all = append(all, ofArm(newSubject(f, a))...)
	}
	p := newPairs(f)
	compared := f.Kind == "comparison" && len(p.others) > 0
	if compared {
		for _, check := range pairChecks {
			all = append(all, check(p)...)
		}
	}
	return sum(all, compared)
}

// A subject is one arm with what its checks have in common.
type subject struct {
	file        *result.File
	arm         *result.Arm
	open        bool // an open loop
	percentiles []float64
	name        string // of the arm in reasons; "" where there is only one
}

func newSubject(f *result.File, a *result.Arm) *subject {
	s := &subject{file: f, arm: a, open: f.Plan.Loop == "open" || a.AskedRate != nil, percentiles: f.Plan.Percentiles}
	if len(s.percentiles) == 0 {
		for _, p := range a.Latency.Percentiles {
			s.percentiles = append(s.percentiles, p.P)
		}
	}
	if len(f.Arms) > 1 {
		s.name = a.Name
	}
	return s
}

// armChecks are those of one arm. Each gives one reading or more; none when it does not apply.
var armChecks = []func(*subject) []result.Reason{
	checkLate, checkRate, checkCPU, checkHiccups, checkGC, checkHost, checkLittle, checkConservation,
	checkSteady, checkWarm, checkErrors, checkTail, checkClock, checkRetries, checkCeiling, checkShared,
}

func ofArm(s *subject) []result.Reason {
	var all []result.Reason
	for _, check := range armChecks {
		for _, r := range check(s) {
			r.Arm = s.name
			all = append(all, r)
		}
	}
	return all
}

// pairChecks are those of a comparison.
var pairChecks = []func(*pairs) []result.Reason{
	checkAllLimited, checkDrift, checkFailures, checkSame, checkRounds, checkSpread, checkFloor,
}

// sum makes the levels of all readings. A percentile that rests on few calls is marked or not told at all, so that
// it lowers no level but its own.
func sum(all []result.Reason, compared bool) result.Trust {
	t := result.Trust{Level: result.TrustOK, Absolute: result.TrustOK, Reasons: []result.Reason{}}
	if compared {
		t.Ratio = result.TrustOK
	}
	slices.SortStableFunc(all, func(a, b result.Reason) int { return number(a.Code) - number(b.Code) })
	worst := map[string]string{}
	for _, r := range all {
		if r.Level == result.TrustOK {
			t.Passing = append(t.Passing, r)
		} else {
			t.Reasons = append(t.Reasons, r)
		}
		if was, known := worst[r.Code]; r.Level != result.TrustUnknown && (!known || badness(r.Level) > badness(was)) {
			worst[r.Code] = r.Level
		}
		if r.Code == "V11" {
			continue
		}
		ratio := strings.HasPrefix(r.Affects, result.AffectsRatio) // of one metric, or of all
		if !ratio {
			t.Absolute = worse(t.Absolute, r.Level)
		}
		if compared && (ratio || r.Affects == "") {
			t.Ratio = worse(t.Ratio, r.Level)
		}
	}
	t.Level = worse(t.Absolute, t.Ratio)
	for _, level := range worst {
		t.Checked++
		if badness(level) == 0 {
			t.Passed++
		}
	}
	return t
}

// badness orders the levels; notes and what could not be read lower nothing.
func badness(level string) int {
	switch level {
	case result.TrustNotTrustworthy:
		return 2
	case result.TrustSuspect:
		return 1
	}
	return 0
}

func worse(a, b string) string {
	if badness(b) > badness(a) {
		return b
	}
	return a
}

// graded is the level of a value with two limits: a doubt above the first, not to be used above the second.
func graded(value, suspect, bad float64) string {
	switch {
	case value > bad:
		return result.TrustNotTrustworthy
	case value > suspect:
		return result.TrustSuspect
	}
	return result.TrustOK
}

// limit is the limit that a level has gone beyond, the first when it is ok.
func limit(level string, suspect, bad float64) float64 {
	if level == result.TrustNotTrustworthy {
		return bad
	}
	return suspect
}

// one is a single reading.
func one(r result.Reason) []result.Reason { return []result.Reason{r} }

// unread is a check that applies and whose source could not be read.
func unread(code, name, affects, why string) []result.Reason {
	return one(result.Reason{Code: code, Name: name, Level: result.TrustUnknown, Affects: affects, Measured: why})
}
