package story

import (
	"fmt"
	"strings"
	"time"

	"wiregauge/report/number"
	"wiregauge/result"
)

func latencySection(a *result.Arm, ps []float64, void func(string) bool) Section {
	partial := leftOut(a.Counts)
	ok := okWord(a)
	rows := []latencyRow{{"from due, " + ok, &a.Latency, partial, void}, {"service, " + ok, &a.Service, partial, void}}
	if a.FailedLatency.N > 0 || a.Failed > 0 {
		rows = append(rows, latencyRow{"from due, failed", &a.FailedLatency, nil, void}, latencyRow{"service, failed", &a.FailedService, nil, void})
	}
	if a.FirstByte.N > 0 {
		rows = append(rows, latencyRow{"first byte, ok", &a.FirstByte, nil, void})
	}
	if a.FirstMessage != nil && a.FirstMessage.N > 0 {
		rows = append(rows, latencyRow{"first message, ok", a.FirstMessage, nil, void})
	}
	if a.MessageGap != nil && a.MessageGap.N > 0 {
		rows = append(rows, latencyRow{"between messages", a.MessageGap, nil, void})
	}
	t := latencyTable("latency", rows, ps)
	if row := allCalls(a, &t, ps); row != nil {
		t.Rows = append(t.Rows, row)
		t.Notes = append(t.Notes, "every call due: one that failed, never finished or was never sent counts as never answered")
	}
	return Section{ID: "latency", Title: "Latency", Tables: []Table{t}, Lines: []string{
		"Latency counts from when a call was due, service time from when it had its place on a connection; the difference is waiting.",
	}}
}

func loadFacts(f *result.File, a *result.Arm) []Fact {
	facts := []Fact{
		{Name: "calls", Text: callsText(a)},
		{Name: "rate", Text: ratesText(a)},
		{Name: "bytes/call", Text: bytesText(a)},
		{Name: "CPU/call", Text: cpuText(a)},
		{Name: "connections", Text: connectionsText(a.Connections)},
	}
	if text := messagesText(a); text != "" {
		facts = append(facts, Fact{Name: "messages", Text: text})
	}
	for _, wait := range []struct {
		name string
		d    *result.Distribution
	}{{"slot wait", &a.SlotWait}, {"connect", &a.Connect}} {
		if wait.d.N > 0 {
			facts = append(facts, Fact{Name: wait.name, Text: shortDistribution(wait.d)})
		}
	}
	if a.Slow != nil {
		facts = append(facts, Fact{Name: "slow consumer", Text: slowText(a)})
	}
	if a.LeaseWaits > 0 {
		facts = append(facts, Fact{Name: "lease", Text: fmt.Sprintf("%s calls waited for one, %s in all, %s each",
			number.Count(a.LeaseWaits), number.Duration(int64(a.LeaseWaited)), number.Duration(int64(a.LeaseWaited)/a.LeaseWaits))})
	}
	if mem := memoryText(a); mem != "" {
		facts = append(facts, Fact{Name: "memory", Text: mem})
	}
	if a.Warm != nil {
		facts = append(facts, Fact{Name: "warm-up", Text: fmt.Sprintf("%s calls before the measured window, in none of these numbers: %s ok, %s failed",
			number.Count(a.Warm.Due), number.Count(a.Warm.OK), number.Count(a.Warm.Failed))})
	}
	if s := a.ServerStats; s != nil {
		facts = append(facts, Fact{Name: "server says", Text: serverText(s)})
	}
	return facts
}

// messagesText counts the messages of streams: those that came in the window, and those of calls that finished.
func messagesText(a *result.Arm) string {
	var parts []string
	if a.MessagesInside > 0 {
		parts = append(parts, fmt.Sprintf("%s received in the window, %s/s", number.Count(a.MessagesInside),
			number.Significant(result.PerSecond(a.MessagesInside, time.Duration(a.Window)))))
	}
	if a.Messages > a.Finished() {
		parts = append(parts, fmt.Sprintf("%s by finished calls, %s per call", number.Count(a.Messages), number.Significant(perCall(a.Messages, a.Finished()))))
	}
	return strings.Join(parts, "; ")
}

// shortDistribution is p50, p99 and max in a line.
func shortDistribution(d *result.Distribution) string {
	if *d.Max == 0 {
		return "none, n " + number.Count(d.N)
	}
	var parts []string
	for _, p := range []float64{50, 99} {
		if told := d.Percentile(p); told.NS != nil {
			parts = append(parts, number.Percentile(p)+" "+number.Duration(*told.NS))
		}
	}
	return strings.Join(append(parts, "max "+durationText(d.Max), "n "+number.Count(d.N)), ", ")
}

// okWord is what stands for calls that went well: those that nobody answers are no more than sent.
func okWord(a *result.Arm) string {
	if a.OneWay {
		return "sent, not answered"
	}
	return "ok"
}

// oneWayLine says what the numbers of calls without an answer are, "" where all are answered.
func oneWayLine(arms []*result.Arm) string {
	var names []string
	for _, a := range arms {
		if a.OneWay {
			names = append(names, Clean(armName(a)))
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) == len(arms):
		return "These calls are sent, not answered: latency ends with the last byte given to the system, and nothing tells what the server did with them."
	}
	return "Calls of " + strings.Join(names, ", ") + " are sent, not answered: their latency is the time to send, and no measure beside that of calls that are answered."
}

func callsText(a *result.Arm) string {
	c := a.Counts
	failed := number.Count(c.Failed) + " failed"
	if c.TimedOut > 0 {
		failed += " (" + number.Count(c.TimedOut) + " timed out)"
	}
	s := fmt.Sprintf("%s due: %s %s, %s, %s unfinished, %s unsent",
		number.Count(c.Due), number.Count(c.OK), okWord(a), failed, number.Count(c.Unfinished), number.Count(c.Unsent))
	if c.Resent > 0 {
		s += "; " + number.Count(c.Resent) + " sent again, provably not processed before"
	}
	return s
}

func ratesText(a *result.Arm) string {
	s := fmt.Sprintf("goodput %s/s, all finished %s/s", number.Significant(a.Goodput), number.Significant(a.AchievedRate))
	if a.AskedRate != nil {
		s = fmt.Sprintf("asked %s/s, sent %s/s, ", number.Significant(*a.AskedRate), number.Significant(sentRate(a))) + s
	}
	return s + " over " + number.Duration(a.Window)
}

func perCall(n, calls int64) float64 {
	if calls == 0 {
		return 0
	}
	return float64(n) / float64(calls)
}

func cpuText(a *result.Arm) string {
	client := a.ClientCPU.PerCall(a.Finished())
	if client == nil {
		return number.None
	}
	n := a.Finished()
	s := fmt.Sprintf("%s client (user %s, system %s)", number.Duration(*client),
		number.Duration(int64(a.ClientCPU.User)/n), number.Duration(int64(a.ClientCPU.System)/n))
	if a.Server == nil {
		return s + "; server unknown (no --server-pid)"
	}
	if server := a.Server.PerCall(n); server != nil {
		s += fmt.Sprintf("; %s server (user %s, system %s)", number.Duration(*server),
			number.Duration(int64(a.Server.User)/n), number.Duration(int64(a.Server.System)/n))
	}
	return s
}

func memoryText(a *result.Arm) string {
	var parts []string
	if a.ClientCPU.RSS > 0 {
		parts = append(parts, "client "+number.Bytes(float64(a.ClientCPU.RSS)))
	}
	if a.Server != nil && a.Server.RSS > 0 {
		parts = append(parts, "server "+number.Bytes(float64(a.Server.RSS)))
	}
	return strings.Join(parts, ", ")
}

// slowText says how far the servers of slowly taken streams were ahead, and where that lay.
func slowText(a *result.Arm) string {
	s := a.Slow
	unread, memory := "unknown", "unknown (no --server-pid)"
	if s.Unread != nil {
		unread = number.Bytes(float64(*s.Unread)) + " at most"
	}
	if a.Server != nil && a.Server.RSS > 0 {
		memory = number.Bytes(float64(a.Server.RSS))
	}
	return fmt.Sprintf("%s messages/s of each stream: %s consumed, %s left when their stream ended; the server was ahead by %s messages of a stream, %s and %s at most; unread in the kernel %s; the server's memory %s",
		number.Significant(s.Rate), number.Count(s.Consumed), number.Count(s.Left), number.Significant(s.AheadMean),
		number.Count(s.AheadMax), number.Bytes(float64(s.AheadBytes)), unread, memory)
}

func serverText(s *result.ServerStats) string {
	text := fmt.Sprintf("received %s, answered %s", number.Count(s.Received), number.Count(s.Answered))
	if s.P50 != nil && s.P99 != nil {
		text += fmt.Sprintf("; its own service time p50 %s, p99 %s", number.Duration(*s.P50), number.Duration(*s.P99))
	}
	return text
}

// statusTable counts answers by the protocol's own status, of every arm.
func statusTable(arms []result.Arm) Table {
	t := Table{Columns: []Column{{Name: "status", Text: true}, {Name: "calls"}, {Name: "share"}, {Name: "counts as", Text: true}}}
	named := len(arms) > 1
	if named {
		t.Columns = append([]Column{{Name: "target", Text: true}}, t.Columns...)
	}
	for i := range arms {
		a := &arms[i]
		for _, s := range a.Statuses {
			word := "failed"
			if s.OK {
				word = okWord(a)
			}
			row := []Cell{plain(Clean(s.Name)), plain(number.Count(s.Count)),
				plain(number.Percent(perCall(s.Count, a.Finished()))), plain(word)}
			t.Rows = append(t.Rows, named1(named, a, row))
		}
	}
	return t
}

// named1 puts the arm's name before a row where there are several arms.
func named1(named bool, a *result.Arm, row []Cell) []Cell {
	if !named {
		return row
	}
	return append([]Cell{plain(armName(a))}, row...)
}

// errorSection lists failures by class with their first texts; a server's words are hostile input.
func errorSection(arms []result.Arm) Section {
	t := Table{Columns: []Column{
		{Name: "class", Text: true}, {Name: "stage", Text: true, Rank: 3}, {Name: "calls"}, {Name: "first"}, {Name: "last"},
		{Name: "first text", Text: true, Flex: true},
	}}
	named := len(arms) > 1
	if named {
		t.Columns = append([]Column{{Name: "target", Text: true}}, t.Columns...)
	}
	sec := Section{ID: "errors", Title: "Errors"}
	for i := range arms {
		a := &arms[i]
		for _, e := range a.Errors {
			first, rest := texts(e)
			row := []Cell{plain(Clean(e.Class)), plain(e.Stage), plain(number.Count(e.Count)),
				plain(at(e.First)), plain(at(e.Last)), plain(first)}
			t.Rows = append(t.Rows, named1(named, a, row))
			for _, text := range rest {
				sec.Lines = append(sec.Lines, Clean(e.Class)+": "+text)
			}
		}
	}
	sec.Tables = []Table{t}
	return sec
}

// texts are the message of a class, or its first example, and the other examples.
func texts(e result.ErrorClass) (first string, rest []string) {
	all := e.Examples
	if e.Message != "" {
		all = append([]string{e.Message}, all...)
	}
	seen := map[string]bool{"": true}
	for _, text := range all {
		text = Clean(text)
		if seen[text] {
			continue
		}
		seen[text] = true
		if first == "" {
			first = text
			continue
		}
		rest = append(rest, text)
	}
	return first, rest
}

// at is a moment of the measured window: 12.4 s.
func at(d time.Duration) string { return number.Duration(int64(d)) }

// ageTable lists calls that never finished or were never sent with their ages at the end; the latency tables do
// not contain them.
func ageTable(arms []result.Arm, ps []float64) Table {
	var rows []latencyRow
	for i := range arms {
		a := &arms[i]
		prefix := ""
		if len(arms) > 1 {
			prefix = armName(a) + ", "
		}
		if a.Unfinished > 0 {
			rows = append(rows, latencyRow{prefix + "age of unfinished", &a.Ages, nil, nil})
		}
		if a.Unsent > 0 {
			rows = append(rows, latencyRow{prefix + "age of unsent", &a.UnsentAges, nil, nil})
		}
	}
	if len(rows) == 0 {
		return Table{}
	}
	t := latencyTable("at the end", rows, ps)
	t.Notes = append(t.Notes, "The latency tables do not contain these calls.")
	return t
}

// stepTable is a ramp as steps.
func stepTable(a *result.Arm) Table {
	t := Table{Columns: []Column{{Name: "step", Text: true}, {Name: "calls/s"}, {Name: "p50"}, {Name: "p99"},
		{Name: "ok"}, {Name: "failed"}, {Name: "window", Rank: 1}}}
	unit50, unit99 := stepUnits(a.Steps)
	for _, s := range a.Steps {
		t.Rows = append(t.Rows, []Cell{
			plain(s.Label), plain(number.Significant(s.Goodput)), timeCell(unit50, s.P50), timeCell(unit99, s.P99),
			plain(number.Count(s.OK)), plain(number.Count(s.Failed)), plain(number.Duration(s.Window)),
		})
	}
	return t
}

func stepUnits(steps []result.Step) (p50, p99 number.Unit) {
	var all50, all99 []int64
	for _, s := range steps {
		if s.P50 != nil {
			all50 = append(all50, *s.P50)
		}
		if s.P99 != nil {
			all99 = append(all99, *s.P99)
		}
	}
	return number.TimeUnit(all50...), number.TimeUnit(all99...)
}

// timeCell is a value in a unit, or a dash when it needs more calls.
func timeCell(u number.Unit, ns *int64) Cell {
	if ns == nil {
		return Cell{"—", Needs}
	}
	return plain(number.DurationIn(u, *ns))
}
