package story

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"wiregauge/report/number"
	"wiregauge/result"
)

// run tells one arm under one load.
func run(f *result.File, opt Options) *Story {
	a := &f.Arms[0]
	ps := percentilesOf(f, opt)
	s := &Story{Title: title(f), Headline: runHeadline(f, a), Meta: meta(f), Fair: assurance(f), Tiles: tiles(a, voidedBy(f))}
	s.arms(armsOf(f))
	if f.Trust.Level == result.TrustNotTrustworthy {
		s.Struck = f.Trust.Of(a.Name, "") == result.TrustNotTrustworthy
		s.Doubt = "Not trustworthy: " + reasons(f.Trust) + "; see Checks."
		s.Sub = append(s.Sub, s.Doubt)
	}
	if a.Stalls != nil {
		s.Sub = append(s.Sub, "Omission: "+stallText(a.Stalls)+". These latencies do not show it: run again with --rate.")
	}
	if len(f.Sweep) > 1 && len(f.Notes) > 0 {
		s.Sub = append(s.Sub, capital(f.Notes[0])+".") // which of its points the other numbers are those of
	}
	if line := oneWayLine(armsOf(f)); line != "" {
		s.Sub = append(s.Sub, line)
	}
	s.Sub = append(s.Sub, againstLines(f)...)
	s.Sub = append(s.Sub, loopNature(f.Plan))
	s.add(sweepSection(f))
	s.add(capacitySection(f))
	s.add(latencySection(a, ps, voidedBy(f).row(a)))
	s.add(Section{ID: "load", Title: "Load", Facts: loadFacts(f, a)})
	s.add(stepSection(a))
	bytes := bytesSection([]*result.Arm{a})
	bytes.Detail = true // the load section has it in one line
	s.add(bytes)
	s.add(Section{ID: "answers", Title: "Answers", Tables: []Table{statusTable(f.Arms)}})
	s.add(errorSection(f.Arms))
	s.add(Section{ID: "unfinished", Title: "Unfinished", Tables: []Table{ageTable(f.Arms, ps)}})
	s.add(Section{ID: "checks", Title: "Checks", Facts: append(Checks(f, a), trustFact(f))})
	s.add(gateSection(f))
	s.add(notesSection(f))
	s.add(setupSection(f))
	return s
}

// tiles are the numbers a run is looked at for. A bad one must not be used; what is counted, and not timed, holds.
func tiles(a *result.Arm, void voided) []Fact {
	var facts []Fact
	add := func(name, metric, text string) {
		fact := Fact{Name: name, Text: text}
		if metric != "" && void(a, metric) {
			fact.State = Bad
		}
		facts = append(facts, fact)
	}
	add("goodput", "rate", number.Significant(a.Goodput)+" calls/s")
	for _, p := range []float64{50, 99} {
		if told := a.Latency.Percentile(p); told.NS != nil {
			add(number.Percentile(p), number.Percentile(p), number.Duration(*told.NS))
		}
	}
	if a.Latency.Max != nil {
		add("max", "max", number.Duration(*a.Latency.Max))
	}
	add("errors", "", number.Percent(a.ErrorShare()))
	if wire := wirePerCall(a); wire > 0 {
		add("bytes/call", "", number.Significant(wire))
	}
	if cpu := a.ClientCPU.PerCall(a.Finished()); cpu != nil && *cpu > 0 {
		add("client CPU/call", "cpu", number.Duration(*cpu))
	}
	return facts
}

// arms gives the story its arms; two of one name are told apart by number.
func (s *Story) arms(arms []*result.Arm) {
	s.Arms = arms
	seen := map[string]int{}
	for _, a := range arms {
		name := Clean(armName(a))
		seen[name]++
		if n := seen[name]; n > 1 {
			name += fmt.Sprintf(" (%d)", n)
		}
		s.Names = append(s.Names, name)
	}
}

func title(f *result.File) string {
	if f.Title != "" {
		return f.Title
	}
	if len(f.Arms) == 1 && f.Arms[0].Name == "target" { // a run without a name
		a := &f.Arms[0]
		return Clean(strings.Join(nonEmpty(cmp.Or(a.Method, a.URL), a.Protocol), " over "))
	}
	var names []string
	for _, a := range f.Arms {
		names = append(names, armName(&a))
	}
	return strings.Join(names, " vs ")
}

// armName is the arm's name, or its method or URL when it has none.
func armName(a *result.Arm) string {
	for _, name := range []string{a.Name, a.Method, a.URL} {
		if name != "" {
			return name
		}
	}
	return a.Protocol
}

func meta(f *result.File) []Fact {
	facts := []Fact{
		{Name: f.Kind, Text: f.ID},
		{Name: "time", Text: f.Created.UTC().Format("2006-01-02 15:04 MST")},
		{Name: "host", Text: fmt.Sprintf("%s (%s)", f.Host.Name, cores(f.Host.CPUs))},
	}
	return facts
}

func cores(n int) string {
	if n == 1 {
		return "1 core"
	}
	return fmt.Sprintf("%d cores", n)
}

// runHeadline is the sentence that answers what a load test is run for.
func runHeadline(f *result.File, a *result.Arm) string {
	s := runSentence(f, a)
	if f.Partial {
		s = "Stopped early. " + s
	}
	return s
}

func runSentence(f *result.File, a *result.Arm) string {
	switch {
	case f.Capacity != nil:
		return capacitySentence(f.Capacity)
	case a.Due == 0 && a.Sent == 0:
		return "Nothing was due, so nothing was measured."
	case a.Finished() == 0:
		return fmt.Sprintf("No call finished: of %s due, %s unfinished and %s unsent.",
			number.Count(a.Due), number.Count(a.Unfinished), number.Count(a.Unsent))
	case a.OK == 0:
		return fmt.Sprintf("No call succeeded: %s of %s failed%s. Goodput 0, all answers %s calls/s.",
			number.Count(a.Failed), number.Count(a.Finished()), mostly(a), number.Significant(a.AchievedRate))
	}
	if len(f.Sweep) > 1 {
		return sweepSentence(f)
	}
	parts := []string{rateClause(f, a)}
	if p := headlineLatency(a); p != "" && len(a.Steps) == 0 { // a ramp's steps have theirs
		parts = append(parts, capital(p)+".")
	}
	return strings.Join(append(parts, errorClause(a)), " ")
}

// mostly names the commonest failure.
func mostly(a *result.Arm) string {
	if len(a.Errors) == 0 {
		return ""
	}
	return " (" + Clean(a.Errors[0].Class) + ")"
}

func rateClause(f *result.File, a *result.Arm) string {
	window := number.Duration(a.Window)
	if len(a.Steps) > 0 {
		return rampClause(a)
	}
	if a.AskedRate == nil {
		s := fmt.Sprintf("%s calls/s", number.Significant(a.Goodput))
		if f.Plan.Concurrency > 0 {
			s += fmt.Sprintf(" with %s in flight", number.Count(int64(f.Plan.Concurrency)))
		}
		s += " for " + window
		if a.Limited == "client" {
			s += "; this client was the limit"
		}
		return s + "."
	}
	return openClause(f, a, window)
}

// openClause says whether the asked rate was sent, and answered.
func openClause(f *result.File, a *result.Arm, window string) string {
	asked, sent := number.Significant(*a.AskedRate), number.Significant(sentRate(a))
	switch {
	case sentShare(a) < 0.995:
		return fmt.Sprintf("Asked %s calls/s, sent %s calls/s: %s.", asked, sent, limitWords(a.Limited))
	case a.Limited != "" && sentRate(a) < 0.995**a.AskedRate: // all were sent, but not in their time
		return fmt.Sprintf("Asked %s calls/s, achieved %s calls/s: %s.", asked, number.Significant(a.AchievedRate), limitWords(a.Limited))
	case a.Limited != "":
		return fmt.Sprintf("Sent the asked %s calls/s, but %s a second were answered in time: %s.",
			asked, number.Significant(a.AchievedRate), limitWords(a.Limited))
	case f.Plan.Total > 0 && scheduled(a) < time.Millisecond && a.Due > 1:
		return fmt.Sprintf("Sent all %s, due within %s at the asked %s calls/s: too little time to speak of a rate.",
			plural(a.Sent, "call"), number.Duration(int64(scheduled(a))), asked)
	case a.Sent == 1:
		return fmt.Sprintf("Sent one call, which is no rate, though %s calls/s were asked.", asked)
	case f.Plan.Total > 0:
		return fmt.Sprintf("Met the rate: all %s at %s calls/s.", plural(a.Sent, "call"), asked)
	default:
		return fmt.Sprintf("Met the rate: %s of %s calls/s for %s.", sent, asked, window)
	}
}

// scheduled is how long it takes until all calls of a run by number are due.
func scheduled(a *result.Arm) time.Duration {
	return time.Duration(float64(a.Due-1) / *a.AskedRate * float64(time.Second))
}

func rampClause(a *result.Arm) string {
	top := a.Steps[0]
	for _, s := range a.Steps {
		if s.Goodput > top.Goodput {
			top = s
		}
	}
	return fmt.Sprintf("Most calls/s: %s at %s (%d steps, %s to %s).",
		number.Significant(top.Goodput), top.Label, len(a.Steps), a.Steps[0].Label, a.Steps[len(a.Steps)-1].Label)
}

// sentRate is how many calls per second were sent over the window.
func sentRate(a *result.Arm) float64 { return result.PerSecond(a.Sent, time.Duration(a.Window)) }

// sentShare is how many of the calls that were due were sent.
func sentShare(a *result.Arm) float64 {
	if a.Due == 0 {
		return 1
	}
	return float64(a.Sent) / float64(a.Due)
}

func limitWords(limited string) string {
	switch limited {
	case "client":
		return "this client was the limit"
	case "inflight":
		return "the limit on calls in flight held calls back"
	case "slots":
		return "calls waited for a place on the connections"
	case "server":
		return "the server was the limit"
	case "":
		return "the cause is unknown"
	default:
		return Clean(limited)
	}
}

func errorClause(a *result.Arm) string {
	s := "No errors in " + plural(a.Finished(), "call")
	if a.Failed > 0 {
		errors := "errors"
		if a.Failed == 1 {
			errors = "error"
		}
		s = fmt.Sprintf("%s %s in %s (%s)", number.Count(a.Failed), errors, number.Count(a.Finished()), number.Percent(a.ErrorShare()))
	}
	if a.Unfinished > 0 {
		s += ", " + number.Count(a.Unfinished) + " unfinished"
	}
	if a.Unsent > 0 {
		s += ", " + number.Count(a.Unsent) + " unsent"
	}
	return s + "."
}

func capital(s string) string {
	if s == "" || s[0] == 'p' && len(s) > 1 && s[1] >= '0' && s[1] <= '9' {
		return s // p99 is a name
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// loopNature says what kind of load the numbers belong to, since a latency means little without it.
func loopNature(p result.Plan) string {
	if p.Loop == "open" {
		s := "Open loop"
		if p.Arrivals != "" {
			s += ", " + arrivals(p.Arrivals) + " arrivals"
		}
		return s + ": calls are due by the clock, whatever the server does; latency counts from the due time."
	}
	s := "Closed loop"
	switch {
	case p.Ramp != "": // each step has its own number
	case p.Concurrency == 1:
		s += " of 1 caller"
	case p.Concurrency > 1:
		s += fmt.Sprintf(" of %s callers", number.Count(int64(p.Concurrency)))
	}
	return s + ": each sends its next call when the last one is answered, so a slow server is asked less. For latency under a given load use --rate."
}

// arrivals is how calls are spaced, in words.
func arrivals(name string) string {
	if name == "poisson" {
		return "Poisson"
	}
	return Clean(name)
}
