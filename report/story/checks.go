package story

import (
	"fmt"
	"strings"

	"wiregauge/report/number"
	"wiregauge/result"
	"wiregauge/trust"
)

// Checks are what was looked at with a run, with what was measured: doubts as well as what is in order. What could not
// be read is unknown, never ok.
func Checks(f *result.File, a *result.Arm) []Fact {
	var facts []Fact
	if fact, applies := checkStalls(a); applies {
		facts = append(facts, fact)
	}
	if fact, applies := checkWarm(f, a); applies {
		facts = append(facts, fact)
	}
	t := trustOf(f)
	all := append(append([]result.Reason{}, t.Reasons...), t.Passing...)
	for _, code := range codes {
		facts = append(facts, checkFacts(all, code, armInTrust(f, a))...)
	}
	return facts
}

// codes are the checks in the order in which they are told; the warm-up (V9) has words of its own.
var codes = []string{"V1", "V2", "V3", "V4", "V5", "V18", "V6", "V7", "V8", "V10", "V11", "V12", "V13", "V14", "V15", "V16", "V17"}

// trustOf is what the file says of its numbers; of a file that says nothing it is what can be said from its counters.
func trustOf(f *result.File) result.Trust {
	if f.Trust.Level == "" || f.Trust.Level == result.TrustUnchecked {
		return trust.Of(f)
	}
	return f.Trust
}

// armInTrust is how reasons name an arm: where there is one only, they do not.
func armInTrust(f *result.File, a *result.Arm) string {
	if len(f.Arms) == 1 {
		return ""
	}
	return a.Name
}

// checkFacts are the readings of one check about one arm, those of one name and state in one line.
func checkFacts(all []result.Reason, code, arm string) []Fact {
	var facts []Fact
	first, limit := "", ""
	for _, r := range all {
		if r.Code != code || r.Arm != arm {
			continue
		}
		fact := Fact{Name: r.Name, Text: Clean(r.Measured), State: stateOf(r.Level), Advice: r.Advice}
		if r.Code == tail && fact.State == Bad {
			fact.State = Note // it is not told
		}
		bound := ""
		if r.Limit != "" && (fact.State == Bad || r.Level == result.TrustSuspect) {
			bound = " (limit " + r.Limit + ")"
		}
		n := len(facts)
		if n == 0 || facts[n-1].Name != fact.Name || facts[n-1].State != fact.State {
			first, limit = fact.Text, bound
			fact.Text += bound
			facts = append(facts, fact)
			continue
		}
		line := &facts[n-1].Text
		if limit == bound { // one limit for all of them is said once, at the end
			*line = strings.TrimSuffix(*line, bound)
		}
		*line += "; " + brief(first, fact.Text) + bound
		limit = bound
	}
	return facts
}

// stateOf is the state of a fact that a check of that level gives: what is suspect is a note.
func stateOf(level string) State {
	switch level {
	case result.TrustOK:
		return OK
	case result.TrustNotTrustworthy:
		return Bad
	case result.TrustUnknown:
		return Unknown
	}
	return Note
}

// checkStalls raises the alarm of coordinated omission: while all callers were blocked nothing was asked, and nothing of
// it is in the latencies.
func checkStalls(a *result.Arm) (Fact, bool) {
	if a.Stalls == nil {
		return Fact{}, false
	}
	return Fact{Name: "omission", Text: stallText(a.Stalls), State: Bad, Advice: "run again with --rate"}, true
}

func stallText(s *result.Stalls) string {
	stall := "a " + number.Duration(s.Longest) + " stall blocked all calls"
	if s.Count > 1 {
		stall = fmt.Sprintf("%s stalls, the longest of %s, blocked all calls", number.Count(s.Count), number.Duration(s.Longest))
	}
	return fmt.Sprintf("%s; about %s calls that users would have made are missing", stall, number.Count(s.Missing))
}

// trustFact is the file's own word about its numbers.
func trustFact(f *result.File) Fact {
	switch f.Trust.Level {
	case "ok":
		return Fact{Name: "trust", Text: "ok", State: OK}
	case "suspect":
		return Fact{Name: "trust", Text: "suspect: " + reasons(f.Trust), State: Note}
	case "not_trustworthy":
		return Fact{Name: "trust", Text: "not trustworthy: " + reasons(f.Trust), State: Bad}
	default:
		return Fact{Name: "trust", Text: "not judged when it was measured; the checks above were made now, from what it counted"}
	}
}
