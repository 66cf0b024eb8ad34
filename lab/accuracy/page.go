package main

import (
	_ "embed"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"wiregauge/lab/truth"
	"wiregauge/result"
)

//go:embed head.md
var head string

// page writes Markdown.
type page struct {
	strings.Builder
	rows []row
	b    *bench
}

// tell writes the page, or the same to standard output.
func (b *bench) tell(left int) error {
	p := &page{rows: b.rows(), b: b}
	p.WriteString(head)
	p.circumstances(left)
	p.goals()
	p.summary()
	p.cases()
	p.failures()
	p.sinks()
	p.comparisons()
	p.trust()
	p.tools()
	if b.page == "" {
		_, err := os.Stdout.WriteString(p.String())
		return err
	}
	return os.WriteFile(b.page, []byte(p.String()), 0o644)
}

func (p *page) say(format string, args ...any) { fmt.Fprintf(&p.Builder, format+"\n", args...) }

// circumstances say where and how this was measured.
func (p *page) circumstances(left int) {
	host := result.NewFile("run").Host
	trials := p.b.store.trials()
	voids, ours, most := 0, 0, 0
	for _, t := range trials {
		if t.Void != "" {
			voids++
		}
		if strings.HasPrefix(t.Tool, "wiregauge") {
			ours++
		}
		most = max(most, t.Repeat+1)
	}
	p.say("\n## How this was measured\n")
	p.say("On %s, %s, %d CPUs, %s, with client and server on the same machine, neither pinned. %d runs, %d of them of wiregauge; up to %d repeats of each.",
		time.Now().UTC().Format("2 January 2006"), host.CPU, host.CPUs, system(host), len(trials), ours, most)
	p.say("In %d runs the server itself was off what is planted by more than %.0f %% and %v even after %d tries: this machine was too noisy for them, and they count only where there is nothing better (marked `noisy`).",
		voids, 100*voidShare, voidTime, p.b.tries)
	if left > 0 {
		p.say("There was no time for %d more: `make accuracy` again goes on with them.", left)
	}
	p.say("\nAn error is what a tool says over what is true, minus one: first against the formula, then (log) against the server's own log, in which the noise of the machine is not the tool's. A tool that waits with its calls while a server is frozen agrees with the log and not with the formula: the calls that would have waited were never sent. Medians over the repeats. Where arrivals or services are random the formula is the recursion of the queue over the very arrivals that the server had. `—` is a percentile that the tool does not tell.")
}

// system is the operating system with the version that matters: "linux 6.12".
func system(h result.Host) string {
	if number := strings.SplitN(h.Kernel, ".", 3); len(number) == 3 {
		return h.OS + " " + number[0] + "." + number[1]
	}
	return h.OS
}

// cases are the tables of percentiles, one per load.
func (p *page) cases() {
	p.say("\n## Case by case\n")
	last := ""
	for i := 0; i < len(p.rows); {
		j := i
		for j < len(p.rows) && p.rows[j].c.Name == p.rows[i].c.Name && p.rows[j].l.String() == p.rows[i].l.String() {
			j++
		}
		group := p.rows[i:j]
		i = j
		if len(group[0].l.Truth.Tested) == 0 {
			continue
		}
		if group[0].c.Name != last {
			last = group[0].c.Name
			p.say("### %s: %s\n", last, group[0].c.Title)
		}
		p.load(group)
	}
}

func (p *page) load(group []row) {
	l := group[0].l
	head, line := "| "+l.String()+" |", "|---|"
	for _, q := range l.Truth.Tested {
		head += " " + truth.Name(q) + " |"
		line += "---:|"
	}
	if l.Truth.FirstByte > 0 {
		head, line = head+" first byte p50 |", line+"---:|"
	}
	if l.Single {
		head, line = head+" slot wait p50 |", line+"---:|"
	}
	p.say("%s calls/s | failed | runs |", head)
	p.say("%s---:|---:|---:|", line)
	p.truthRow(group)
	for _, r := range group {
		p.toolRow(r)
	}
	p.say("")
}

// truthRow is the formula.
func (p *page) truthRow(group []row) {
	l := group[0].l
	text := "| **truth** |"
	for _, q := range l.Truth.Tested {
		text += fmt.Sprintf(" **%s** |", duration(l.Truth.Latency(q/100)))
	}
	if l.Truth.FirstByte > 0 {
		text += fmt.Sprintf(" **%s** |", duration(l.Truth.FirstByte))
	}
	if l.Single {
		wait := time.Duration(0)
		if l.Callers > 0 { // all but the last 20 ms
			wait = l.Truth.Latency(0.5) - 20*time.Millisecond
		}
		text += fmt.Sprintf(" **%s** |", duration(wait))
	}
	rate := l.Truth.Goodput
	if rate == 0 {
		rate = l.Rate
	}
	p.say("%s **%s** | **%s** | |", text, count(rate), failedShare(l.Truth.Failed))
}

func (p *page) toolRow(r row) {
	if len(r.trials) == 0 {
		p.say("| %s | not measured: %s |%s", r.tool.title(), cell(r.lost), strings.Repeat(" |", len(r.l.Truth.Tested)+2))
		return
	}
	text := "| " + r.tool.title() + " |"
	for _, q := range r.l.Truth.Tested {
		o, ok := r.off(q)
		if !ok {
			text += " — |"
			continue
		}
		text += fmt.Sprintf(" %s %s (log %s) |", duration(o.told), bold(o.formula), percent(o.log))
	}
	if r.l.Truth.FirstByte > 0 {
		text += r.extra(func(t *trial) map[string]int64 { return t.Report.FirstByte })
	}
	if r.l.Single {
		text += r.extra(func(t *trial) map[string]int64 { return t.Report.SlotWait })
	}
	runs := fmt.Sprint(len(r.trials))
	if r.noisy {
		runs += " noisy"
	}
	rate := r.medianOf(func(t *trial) float64 { return t.Report.Rate })
	failed := r.medianOf(func(t *trial) float64 { return failedOf(t.Report) })
	p.say("%s %s | %s | %s |", text, count(rate), failedShare(failed), runs)
}

// extra is a cell with the median p50 of a distribution that only some tools tell.
func (r *row) extra(of func(*trial) map[string]int64) string {
	var told []time.Duration
	for _, t := range r.trials {
		if ns, ok := of(t)["p50"]; ok {
			told = append(told, time.Duration(ns))
		}
	}
	if len(told) == 0 {
		return " — |"
	}
	return " " + duration(median(told)) + " |"
}

// bold marks what is off by a quarter and more.
func bold(x float64) string {
	if x >= 0.25 || x <= -0.25 {
		return "**" + percent(x) + "**"
	}
	return percent(x)
}

func failedOf(r report) float64 {
	if r.OK+r.Failed == 0 {
		return 0
	}
	return float64(r.Failed) / float64(r.OK+r.Failed)
}

func failedShare(x float64) string {
	if x <= 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.3g %%", 100*x)
}

// duration has three or four digits and ms.
func duration(d time.Duration) string {
	ms := float64(d) / 1e6
	switch {
	case ms >= 100:
		return fmt.Sprintf("%.1f ms", ms)
	case ms >= 10:
		return fmt.Sprintf("%.2f ms", ms)
	}
	return fmt.Sprintf("%.3f ms", ms)
}

// count is a number with commas.
func count(x float64) string {
	if x < 1000 {
		return fmt.Sprintf("%.4g", x)
	}
	whole := fmt.Sprintf("%.0f", x)
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole
}

// cell makes a text fit into a table.
func cell(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '|' || r == '\n' || r == '`' {
			return ' '
		}
		return r
	}, s)
	if len(s) > 80 {
		s = s[:80]
	}
	return s
}

// tools lists the versions.
func (p *page) tools() {
	p.say("\n## The tools\n")
	p.say("As people type them. wiregauge is the program of this repository, %s %s/%s; HTTP is `GET /v1/hello/Ada`, gRPC `wg.v1.Hello/SayHello`.\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	p.say("| tool | how |\n|---|---|")
	p.say("| wiregauge | `wiregauge run URL --rate 1000 -z 10s`, or `-c 10`; `--stop wait=5s`, so that calls in flight at the end are waited for |")
	for _, t := range peers() {
		p.say("| %s | %s |", t.title(), t.about)
	}
	p.say("\nNo percentile of ours is told with fewer than 10 calls beyond it, and its population is that of the mean and of the count beside it; the bench fails otherwise. k6, wrk2 and Nighthawk are not measured.")
}
