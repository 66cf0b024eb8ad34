package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"wiregauge/report/number"
	"wiregauge/result"
)

const head = `# Real programs, compared

Programs that nobody here wrote, compared by wiregauge and, in the same minutes on the same machine, by the load generators that people use.
` + "`make examples` measures all of it and writes this page and the reports; `make examples EXAMPLES='-only nginx-haproxy -budget 5m'` only one, with more time." + `
The suite files are in [lab/examples](../../lab/examples). What the tools see and do not see is explained in [how we measure](../how-we-measure.md#what-other-tools-do-not-see).

A ratio is the second server's calls/s over the first's. Each run of a tool has servers that were started anew. *Cores* are what the tool and the server
kept busy, read from outside: the tools do not say it. A number ~~struck through~~ must not be used: a check of wiregauge's failed. No other tool knows.
`

// section is the part of the page about one comparison.
func (m *measured) section() string {
	var b strings.Builder
	host := m.file.Host
	fmt.Fprintf(&b, "## %s\n\n%s, %s, %d CPUs. [The whole report](%s.html).\n\n", m.suite.title, m.file.Created.UTC().Format("2006-01-02 15:04 UTC"), host.OS, host.CPUs, m.name)
	fmt.Fprintf(&b, "wiregauge says:\n\n```\n%s\n```\n\n", m.told)
	one, two := m.suite.arms[0].name, m.suite.arms[1].name
	fmt.Fprintf(&b, "| tool | %s, calls/s | %s, calls/s | ratio | failed | cores, tool | cores, server |\n|---|---|---|---|---|---|---|\n", one, two)
	b.WriteString(m.ours())
	for _, t := range m.tools {
		for pass := range passes {
			b.WriteString(m.peer(t.name, pass))
		}
	}
	b.WriteString("\nWhat wiregauge knows besides:\n\n" + m.known() + "\n")
	b.WriteString("The commands, with the servers started anew for each:\n\n```\n")
	for _, line := range m.commands() {
		b.WriteString(line + "\n")
	}
	b.WriteString("```\n")
	return b.String()
}

// ours is the row of wiregauge: its ratio has an interval and a word.
func (m *measured) ours() string {
	one, two := m.arm(0), m.arm(1)
	ratio := number.None
	if v := m.verdict("rate"); v != nil {
		ratio = interval(v) + ", " + strings.TrimSpace(strings.ReplaceAll(v.Outcome, "_", " ")+" "+v.Confidence)
	}
	rate := func(a *result.Arm) string { return m.marked(a, "rate", number.Significant(a.Goodput)) }
	return fmt.Sprintf("| wiregauge | %s | %s | %s | %s · %s | %s · %s | %s · %s |\n", rate(one), rate(two), ratio,
		number.Count(one.Failed), number.Count(two.Failed), cores(&one.ClientCPU, one), cores(&two.ClientCPU, two), cores(one.Server, one), cores(two.Server, two))
}

// marked strikes through a number that must not be used, as all reports do.
func (m *measured) marked(a *result.Arm, metric, text string) string {
	if text != number.None && m.file.Trust.Of(a.Name, metric) == result.TrustNotTrustworthy {
		return "~~" + text + "~~"
	}
	return text
}

// interval is a ratio with how sure it is.
func interval(v *result.Verdict) string {
	if v.Ratio == nil || v.Low == nil || v.High == nil {
		return number.None
	}
	return fmt.Sprintf("**%sx** (95 %%: %s to %s)", number.Significant(*v.Ratio), number.Significant(*v.Low), number.Significant(*v.High))
}

func cores(c *result.CPU, a *result.Arm) string {
	if c == nil || a.Window <= 0 {
		return number.None
	}
	return number.Significant(c.Total().Seconds() / (float64(a.Window) / 1e9))
}

func (m *measured) peer(name string, pass int) string {
	at := func(arm string) run {
		i := slices.IndexFunc(m.runs, func(r run) bool { return r.tool == name && r.arm == arm && r.pass == pass })
		return m.runs[i]
	}
	one, two := at(m.suite.arms[0].name), at(m.suite.arms[1].name)
	ratio := number.None
	if one.rate > 0 {
		ratio = number.Significant(two.rate/one.rate) + "x"
	}
	s := number.Significant
	return fmt.Sprintf("| %s, run %d | %s | %s | %s | %s · %s | %s · %s | %s · %s |\n", name, pass+1, s(one.rate), s(two.rate), ratio,
		number.Count(one.failed), number.Count(two.failed), s(one.client), s(two.client), s(one.server), s(two.server))
}

// known is what no peer prints: what the server spent, how launches differ, what became of connections.
func (m *measured) known() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s | %s |\n|---|---|---|\n", m.arm(0).Name, m.arm(1).Name)
	row := func(name string, value func(a *result.Arm) string) {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, value(m.arm(0)), value(m.arm(1)))
	}
	row("server CPU per call", func(a *result.Arm) string { return m.marked(a, "server_cpu", perCall(a.Server, a)) })
	row("client CPU per call", func(a *result.Arm) string { return m.marked(a, "cpu", perCall(&a.ClientCPU, a)) })
	row("bytes per call, out · in", func(a *result.Arm) string {
		n := float64(max(a.Finished(), 1))
		return number.Bytes(float64(a.SentBytes.Wire)/n) + " · " + number.Bytes(float64(a.RecvBytes.Wire)/n)
	})
	row("calls/s, slowest to fastest launch", m.launches)
	row("connections opened while measuring, and how connections ended", connections)
	row("calls sent again because the server had not begun them", func(a *result.Arm) string { return number.Count(a.Resent) })
	row("this client was the limit", func(a *result.Arm) string {
		if a.Limited == "client" {
			return "yes"
		}
		return "no"
	})
	if v := m.verdict("server_cpu"); v != nil {
		fmt.Fprintf(&b, "\nBy server CPU per call %s is at %s of %s; above 1 it needs less.\n", v.B, interval(v), v.A)
	}
	fmt.Fprintf(&b, "\nTrust: numbers %s, ratios %s.\n", level(m.file.Trust.Absolute, m.file.Trust.Level), level(m.file.Trust.Ratio, m.file.Trust.Level))
	return b.String()
}

func level(scope, all string) string {
	if scope == "" {
		scope = all
	}
	return strings.ReplaceAll(scope, "_", " ")
}

func perCall(c *result.CPU, a *result.Arm) string {
	if c == nil || c.PerCall(a.Finished()) == nil {
		return number.None
	}
	return number.Duration(*c.PerCall(a.Finished()))
}

// launches is the range of an arm's rate over launches, each the mean of its turns.
func (m *measured) launches(a *result.Arm) string {
	ok, window := map[int]int64{}, map[int]int64{}
	for _, t := range m.file.Turns {
		if t.Arm == a.Name && t.Invalid == "" {
			ok[t.Launch] += t.OK
			window[t.Launch] += t.Window
		}
	}
	var rates []float64
	for launch, ns := range window {
		if ns > 0 {
			rates = append(rates, float64(ok[launch])/(float64(ns)/1e9))
		}
	}
	if len(rates) == 0 {
		return number.None
	}
	return number.Significant(slices.Min(rates)) + " to " + number.Significant(slices.Max(rates))
}

func connections(a *result.Arm) string {
	text := number.Count(a.Connections.Opened)
	for _, how := range slices.Sorted(maps.Keys(a.Connections.Ended)) {
		text += fmt.Sprintf(", %s %s", number.Count(a.Connections.Ended[how]), how)
	}
	return text
}

// commands are those typed, wiregauge's first, each tool's once.
func (m *measured) commands() []string {
	lines := []string{"wiregauge " + strings.Join(m.args, " ") + " -o html=" + m.name + ".html"}
	for _, r := range m.runs {
		if !slices.Contains(lines, r.typed) {
			lines = append(lines, r.typed)
		}
	}
	return lines
}

func (m *measured) arm(i int) *result.Arm {
	at := slices.IndexFunc(m.file.Arms, func(a result.Arm) bool { return a.Name == m.suite.arms[i].name })
	return &m.file.Arms[max(at, 0)]
}

// verdict is the one on a metric, or nil.
func (m *measured) verdict(metric string) *result.Verdict {
	i := slices.IndexFunc(m.file.Verdicts, func(v result.Verdict) bool { return v.Metric == metric })
	if i < 0 {
		return nil
	}
	return &m.file.Verdicts[i]
}

// writePage puts a section in its place on the page; the sections of other comparisons stay as they are.
func writePage(path, name, section string) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, []byte(compose(string(old), name, section)), 0o644)
}

func compose(old, name, section string) string {
	var b strings.Builder
	b.WriteString(head)
	for _, e := range examples() {
		begin, end := "<!-- "+e.name+": begin, made by make examples -->\n", "<!-- "+e.name+": end -->\n"
		text := section
		if e.name != name {
			m := regexp.MustCompile(`(?s)` + regexp.QuoteMeta(begin) + `(.*?)` + regexp.QuoteMeta(end)).FindStringSubmatch(old)
			if m == nil {
				continue
			}
			text = m[1]
		}
		b.WriteString("\n" + begin + text + end)
	}
	return b.String()
}
