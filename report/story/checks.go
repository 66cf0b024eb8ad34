package story

import (
	"fmt"
	"strings"
	"time"

	"wiregauge/report/number"
	"wiregauge/result"
)

// Checks are the doubts that are looked at with every run, each a pure function of one arm's counters. What could
// not be read is unknown, never ok.
func Checks(f *result.File, a *result.Arm) []Fact {
	var facts []Fact
	for _, check := range []func(*result.File, *result.Arm) (Fact, bool){
		checkLate, checkRate, checkStalls, checkWarm, checkClientCPU, checkConservation, checkTail, checkRetries, checkHost, checkGC,
	} {
		if fact, applies := check(f, a); applies {
			facts = append(facts, fact)
		}
	}
	return facts
}

// checkLate compares how late calls were sent with what they took: open loop only, a closed loop has no due time
// to miss.
func checkLate(_ *result.File, a *result.Arm) (Fact, bool) {
	if a.AskedRate == nil || a.Lateness.N == 0 {
		return Fact{}, false
	}
	late, latency := a.Lateness.Percentile(99), a.Latency.Percentile(99)
	if late.NS == nil {
		return Fact{Name: "late sends", Text: "max " + number.Duration(*a.Lateness.Max), State: Plain}, true
	}
	fact := Fact{Name: "late sends", Text: "p99 " + number.Duration(*late.NS), State: OK}
	if latency.NS == nil || *latency.NS == 0 {
		return fact, true
	}
	share := float64(*late.NS) / float64(*latency.NS)
	if share > 0.05 {
		fact.Text += fmt.Sprintf(", %s of the latency's p99", number.Percent(share))
		fact.State, fact.Advice = Note, "part of the latency is this client's own lateness"
	}
	if share > 0.25 {
		fact.State = Bad
	}
	return fact, true
}

func checkRate(_ *result.File, a *result.Arm) (Fact, bool) {
	if a.AskedRate == nil {
		return Fact{}, false
	}
	share := sentShare(a)
	fact := Fact{Name: "achieved rate", Text: number.Percent(share) + " of what was due was sent", State: OK}
	if a.Limited == "" && share >= 0.995 {
		return fact, true
	}
	fact.State = Note
	if share < 0.98 || a.Limited == "client" {
		fact.State = Bad
	}
	fact.Text += ": " + limitWords(a.Limited)
	switch a.Limited {
	case "client":
		fact.Advice = "results describe the client; ask for less, or use a faster machine"
	case "inflight":
		fact.Advice = "a higher --max-inflight would show what the server does"
	case "slots":
		fact.Advice = "more --connections or --streams would show what the server does"
	}
	return fact, true
}

// checkStalls raises the alarm of coordinated omission: while all callers were blocked nothing was asked, and nothing of
// it is in the latencies.
func checkStalls(_ *result.File, a *result.Arm) (Fact, bool) {
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

// checkClientCPU asks whether the client was the limit.
func checkClientCPU(_ *result.File, a *result.Arm) (Fact, bool) {
	share := a.ClientCPU.Share(time.Duration(a.Window))
	if share == 0 {
		return Fact{Name: "client CPU", Text: "could not be read", State: Unknown}, true
	}
	fact := Fact{Name: "client CPU", Text: fmt.Sprintf("%s of %s", number.Percent(share), coresText(a.ClientCPU.Cores)), State: OK}
	open := a.AskedRate != nil
	switch {
	case a.Limited == "client" || share >= 0.95:
		fact.Text += ": this client was the limit"
		fact.State, fact.Advice = Bad, "the target is at least this fast; results describe the client"
	case open && share > 0.8:
		fact.State, fact.Advice = Bad, "latency holds waiting for this client's CPU"
	case open && share > 0.6:
		fact.State = Note
	}
	return fact, true
}

func coresText(n float64) string {
	if n == 1 {
		return "1 core"
	}
	return number.Significant(n) + " cores"
}

func checkConservation(_ *result.File, a *result.Arm) (Fact, bool) {
	fact := Fact{Name: "conservation", Text: "every call is accounted for", State: OK}
	if err := a.Counts.Check(); err != nil {
		return Fact{Name: fact.Name, Text: err.Error(), State: Bad, Advice: "please report this as a fault of wiregauge"}, true
	}
	if s := a.ServerStats; s != nil {
		fact.Text += ", by the server too"
		if s.Conserve != "ok" {
			return Fact{Name: fact.Name, Text: Clean(s.Conserve), State: Bad}, true
		}
	}
	return fact, true
}

// checkTail names the percentiles that rest on few calls.
func checkTail(f *result.File, a *result.Arm) (Fact, bool) {
	if a.Latency.N == 0 {
		return Fact{}, false
	}
	var few []string
	for _, p := range percentilesOf(f, Options{}) {
		told := a.Latency.Percentile(p)
		if told.NS == nil || told.Few {
			few = append(few, fmt.Sprintf("%s has %s", number.Percentile(p), number.Count(told.Beyond)))
		}
	}
	if len(few) == 0 {
		return Fact{Name: "tail samples", Text: "at least 100 calls beyond every percentile", State: OK}, true
	}
	return Fact{Name: "tail samples", Text: "calls beyond: " + strings.Join(few, ", "), State: Note}, true
}

func checkRetries(_ *result.File, a *result.Arm) (Fact, bool) {
	if a.HiddenTries == 0 {
		return Fact{Name: "hidden retries", Text: "0", State: OK}, true
	}
	fact := Fact{Name: "hidden retries", Text: number.Count(a.HiddenTries) + " by the client library", State: Note}
	if float64(a.HiddenTries) > 0.001*float64(a.Sent) {
		fact.State = Bad
	}
	return fact, true
}

// checkHost is what else the machine did.
func checkHost(_ *result.File, a *result.Arm) (Fact, bool) {
	if a.Host.Steal < 0 && a.Host.Foreign < 0 && a.Window > 0 && a.Window < int64(tooShort) {
		return Fact{Name: "host", Text: "too short to tell: the system counts the time of its processors in steps of 10 ms", State: Unknown}, true
	}
	if a.Host.Steal < 0 && a.Host.Foreign < 0 {
		return Fact{Name: "host", Text: "steal and other processes could not be read", State: Unknown}, true
	}
	fact := Fact{Name: "host", State: OK}
	var words []string
	if a.Host.Steal < 0 {
		words = append(words, "steal unknown")
	} else {
		words = append(words, "steal "+number.Percent(a.Host.Steal))
	}
	if a.Host.Foreign < 0 {
		words = append(words, "other processes unknown")
	} else {
		words = append(words, others(a)+" took "+number.Percent(a.Host.Foreign)+" of the CPU")
	}
	fact.Text = strings.Join(words, ", ")
	if serverIsForeign(a) && a.Host.Steal <= 0.01 && a.Host.Foreign > busy {
		fact.State = Note // whether it was the server or somebody else cannot be told
		return fact, true
	}
	if a.Host.Steal > 0.01 || a.Host.Foreign > busy {
		fact.State, fact.Advice = Note, "absolute numbers may be off"
	}
	if a.Host.Steal > 0.05 || a.Host.Foreign > 0.25 {
		fact.State = Bad
	}
	return fact, true
}

// tooShort is a window in which a processor's time is a handful of the system's steps.
const tooShort = 100 * time.Millisecond

// busy is the share of the CPU from which other processes are worth a word.
const busy = 0.10

// serverIsForeign says that the server runs here, as a process that we were not told of.
func serverIsForeign(a *result.Arm) bool { return a.Server == nil && loopback(a.URL) }

func others(a *result.Arm) string {
	if serverIsForeign(a) && a.Host.Foreign > busy {
		return "other processes, the server among them (--server-pid sets it apart),"
	}
	return "other processes"
}

func checkGC(_ *result.File, a *result.Arm) (Fact, bool) {
	if a.ClientCPU.GCs == 0 {
		return Fact{}, false
	}
	return Fact{Name: "client GC", Text: number.Count(a.ClientCPU.GCs) + " collections inside the window", State: Note}, true
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
		return Fact{Name: "trust", Text: "unchecked: these checks were made, the full procedure was not"}
	}
}
