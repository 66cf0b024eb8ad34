package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"wiregauge/lab/truth"
	"wiregauge/stat"
)

// A goal is what the code is held to, and what was measured of it.
type goal struct{ name, goal, measured string }

func (p *page) goals() {
	p.say("\n## Goals, and what was measured\n")
	p.say("| | goal | measured here |\n|---|---|---|")
	for _, g := range []goal{
		{"G1", "p50 to p99.9 of S1 to S6, S10, S11 within 1 % or 50 µs of the formula on a quiet machine, within 3 % or 150 µs of the server's log on a noisy one", p.quantiles()},
		{"G2", "the histogram alone within 0.05 % at p99.99", "by tests of package hist: half a bucket, 0.049 % at most"},
		{"G3", "rate within 0.01 %; calls leave at most 50 µs late at p50, 200 µs at p99; Poisson arrivals pass Kolmogorov-Smirnov", p.pacing()},
		{"G4", "S7: the share of failures exact, no hidden retries, all protocols", p.retries()},
		{"G5", "no call lost", p.conservation()},
		{"G6", "the same twice: told different in at most 5 %", p.falseAlarms()},
		{"G7", "service time +3 %: found in 95 % of quiet comparisons, 70 % of noisy ones, in 5 minutes", p.power()},
		{"G8", "the capacity of S12 within 2 %, its interval true in 90 %, in 4 minutes; the peak of S13 within 10 %", p.highest() + "; S13: " + p.peak()},
		{"G9", "disturbed clients flagged in 99 %, undisturbed ones in at most 2 %", p.flagged()},
		{"G10", "the end of warm-up within 10 %, never-settling flagged", p.settling()},
		{"G11", "the client's own share at p50 at most 15 µs on HTTP/1.1 and 25 µs on gRPC, no collection inside a run", p.bias()},
		{"G12", "no percentile with fewer than 10 calls beyond it, no mean over another population", p.populations()},
	} {
		p.say("| %s | %s | %s |", g.name, g.goal, g.measured)
	}
}

// own are the rows of our own tool in the cases that begin with one of the names.
func (p *page) own(cases ...string) []row {
	var list []row
	for _, r := range p.rows {
		if r.tool.ours && len(r.trials) > 0 && (len(cases) == 0 || slices.Contains(cases, r.c.Name)) {
			list = append(list, r)
		}
	}
	return list
}

func (p *page) quantiles() string {
	var parts []string
	for _, client := range []string{"wire", "stack"} {
		all, quiet, noisy := 0, 0, 0
		var worst time.Duration
		for _, r := range p.own("S1", "S2", "S2b", "S3", "S4", "S5", "S6", "S10", "S11") {
			if r.tool.client != client {
				continue
			}
			for _, q := range r.l.Truth.Tested {
				o, ok := r.off(q)
				if !ok {
					continue
				}
				all++
				if within(o.formula, o.formulaTime, 0.01, 50*time.Microsecond) {
					quiet++
				}
				if within(o.log, o.logTime, 0.03, 150*time.Microsecond) {
					noisy++
				} else {
					worst = max(worst, o.logTime.Abs())
				}
			}
		}
		if all > 0 {
			text := fmt.Sprintf("%s client: of %d percentiles %d are within the quiet goal and %d within the noisy one", client, all, quiet, noisy)
			if worst > 0 {
				text += fmt.Sprintf(" (the others up to %s off the log)", duration(worst))
			}
			parts = append(parts, text)
		}
	}
	return orNothing(strings.Join(parts, "; "))
}

func orNothing(s string) string {
	if s == "" {
		return "not measured: no time"
	}
	return s
}

func (p *page) pacing() string {
	var parts []string
	var off, distance, late50, late99 float64
	within, samples := 0, 0
	for _, r := range p.own("S18") {
		for _, t := range r.trials {
			if r.l.Poisson {
				samples++
				if t.Arrivals.Distance <= t.Arrivals.Limit {
					within++
				}
				distance = max(distance, t.Arrivals.Distance)
				continue
			}
			off = max(off, math.Abs(t.Arrivals.Rate/r.l.Rate-1))
		}
		if !r.l.Poisson {
			late50 = max(late50, r.medianOf(func(t *trial) float64 { return float64(t.Report.Lateness["p50"]) }))
			late99 = max(late99, r.medianOf(func(t *trial) float64 { return float64(t.Report.Lateness["p99"]) }))
		}
	}
	if late50 > 0 {
		parts = append(parts, fmt.Sprintf("by the kernel's stamps the rate is within %.3f %% over 5 s; lateness up to %s at p50 and %s at p99",
			100*off, duration(time.Duration(late50)), duration(time.Duration(late99))))
	}
	if samples > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d Poisson samples pass at 1 %%", within, samples))
	}
	return orNothing(strings.Join(parts, "; "))
}

func (p *page) retries() string {
	exact, all, told := 0, 0, 0
	for _, r := range p.own("S7", "S7b", "S7c") {
		for _, t := range r.trials {
			all++
			if math.Abs(failedOf(t.Report)-0.2) < 1e-9 {
				exact++
			} else if t.Report.Resent+t.Report.Hidden > 0 {
				told++
			}
		}
	}
	if all == 0 {
		return orNothing("")
	}
	return fmt.Sprintf("%d of %d runs exactly 20 %%; in %d a library (net/http, grpc-go) tried again on its own, every such try counted and told; none hidden", exact, all, told)
}

func (p *page) conservation() string {
	var calls int64
	wrong := 0
	for _, t := range p.b.store.trials() {
		if strings.HasPrefix(t.Tool, "wiregauge") {
			calls += t.Report.OK + t.Report.Failed + t.Report.Unfinished
			wrong += len(t.Report.Wrong)
		}
	}
	if calls == 0 {
		return orNothing("")
	}
	return fmt.Sprintf("%s calls, each accounted for by the client and by the server; %d contradictions", count(float64(calls)), wrong)
}

func (p *page) contestOf(kind string) (contest, contestResult) {
	for _, c := range contests() {
		if c.kind == kind {
			return c, p.b.contestResults(c)
		}
	}
	return contest{}, contestResult{}
}

func (p *page) falseAlarms() string {
	_, short := p.contestOf("A/A short")
	_, full := p.contestOf("A/A")
	if short.n+full.n == 0 {
		return orNothing("")
	}
	return fmt.Sprintf("%d of %d", short.different+full.different, short.n+full.n)
}

func (p *page) power() string {
	_, s := p.contestOf("A/B 3 %")
	if s.n == 0 {
		return orNothing("")
	}
	return fmt.Sprintf("found in %d of %d, in %v each; its interval holds the planted ratio in %d", s.right, s.n, s.took.Round(time.Second), s.holds)
}

// peak fits the law of S13 to the throughputs that were told.
func (p *page) peak() string {
	var n, x []float64
	for _, r := range p.own("S13") {
		n, x = append(n, float64(r.l.Callers)), append(x, r.medianOf(func(t *trial) float64 { return t.Report.Rate }))
	}
	fit, ok := stat.FitScalability(n, x)
	if !ok {
		return orNothing("")
	}
	want := truth.Peak(0.05, 0.001)
	text := fmt.Sprintf("sigma %.4f, kappa %.5f (planted 0.05 and 0.001): ", fit.Sigma, fit.Kappa)
	got, ok := fit.Peak()
	if !ok {
		return text + fmt.Sprintf("no peak, planted at %.1f calls in flight", want)
	}
	return text + fmt.Sprintf("the peak at %.1f calls in flight, planted %.1f (%s)", got, want, percent(got/want-1))
}

func (p *page) flagged() string {
	flagged, all, alarms, honest, judged := 0, 0, 0, 0, false
	for _, r := range p.b.store.all {
		s := r.Sabotage
		if s == nil || s.Lost != "" {
			continue
		}
		judged = judged || s.Trust != "unchecked"
		if s.Honest {
			honest++
			if s.Trust == "not_trustworthy" || s.Trust == "suspect" {
				alarms++
			}
			continue
		}
		all++
		if s.Trust == "not_trustworthy" {
			flagged++
		}
	}
	if all+honest == 0 {
		return orNothing("")
	}
	if !judged {
		return "not measured: this build judges no trust"
	}
	return fmt.Sprintf("%d of %d disturbed runs are told not trustworthy; %d of %d undisturbed ones raised a doubt", flagged, all, alarms, honest)
}

// bias is what is between the client's service time and the server's own.
func (p *page) bias() string {
	var parts []string
	var gcs int64
	for _, r := range p.own("S1") {
		if r.tool.client != "wire" || r.l.Rate == 0 {
			continue
		}
		between := r.medianOf(func(t *trial) float64 { return float64(t.Report.Service["p50"] - t.Took["p50"]) })
		for _, t := range r.trials {
			gcs += t.Report.GCs
		}
		parts = append(parts, fmt.Sprintf("%s %.0f µs", protocolTitles[r.tool.protocol], between/1e3))
	}
	if len(parts) == 0 {
		return orNothing("")
	}
	return fmt.Sprintf("not by kernel stamps of the client; service time minus the server's, which holds the kernel's way there and back too: %s; %d collections", strings.Join(parts, ", "), gcs)
}

func (p *page) populations() string {
	wrong, runs := 0, 0
	for _, t := range p.b.store.trials() {
		if strings.HasPrefix(t.Tool, "wiregauge") {
			runs++
			wrong += len(t.Report.Wrong)
		}
	}
	return fmt.Sprintf("%d contradictions in %d runs; the bench fails on the first", wrong, runs)
}
