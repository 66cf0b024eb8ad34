package story

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"wiregauge/report/number"
	"wiregauge/report/verdict"
	"wiregauge/result"
)

// comparison tells several arms that were measured in turns, and what may be concluded.
func comparison(f *result.File, opt Options) *Story {
	ps := percentilesOf(f, opt)
	s := &Story{Title: title(f), Meta: meta(f), Fair: assurance(f)}
	s.arms(armsOf(f))
	compareHeadline(s, f)
	if f.Partial {
		s.Headline = "Stopped early. " + s.Headline
	}
	s.add(Section{ID: "summary", Title: "Summary", Tables: []Table{withVerdicts(summaryTable(armsOf(f), ps, voidedBy(f)), f)}})
	s.add(Section{ID: "verdicts", Title: "Verdicts", Tables: []Table{verdictTable(f)}})
	s.add(sweepSection(f))
	s.add(fairSection(f))
	s.add(armLatencySection(f, ps))
	for i := range f.Arms {
		a := &f.Arms[i]
		s.add(Section{ID: fmt.Sprintf("load-%d", i+1), Title: "Load of " + armName(a), Detail: len(a.Steps) == 0,
			Facts: loadFacts(f, a), Tables: []Table{stepTable(a)}})
	}
	s.add(bytesSection(armsOf(f)))
	s.add(Section{ID: "answers", Title: "Answers", Tables: []Table{statusTable(f.Arms)}})
	s.add(errorSection(f.Arms))
	s.add(Section{ID: "unfinished", Title: "Unfinished", Tables: []Table{ageTable(f.Arms, ps)}})
	s.add(Section{ID: "checks", Title: "Checks", Facts: armChecks(f)})
	s.add(gateSection(f))
	s.add(notesSection(f))
	s.add(setupSection(f))
	launches, single := turnSections(f)
	s.add(launches)
	s.add(single)
	if s.Struck {
		s.voidAll("summary")
	}
	return s
}

func armsOf(f *result.File) []*result.Arm {
	arms := make([]*result.Arm, len(f.Arms))
	for i := range f.Arms {
		arms[i] = &f.Arms[i]
	}
	return arms
}

// compareHeadline is the strongest primary verdict in a sentence; the others follow below it.
func compareHeadline(s *Story, f *result.File) {
	told := primary(f.Verdicts)
	if f.Fair != nil && !f.Fair.OK() || f.Trust.Level == result.TrustNotTrustworthy && f.Trust.Ratio != result.TrustOK && f.Trust.Ratio != result.TrustSuspect {
		s.Struck = true
	}
	if len(told) == 0 {
		s.Headline = fmt.Sprintf("%d targets measured in turns; no verdict was asked for.", len(f.Arms))
		return
	}
	lead := strongest(told)
	s.Struck = s.Struck || lead.Outcome == result.NotFair
	ctx := contextOf(f, lead)
	s.Headline = verdict.Sentence(lead, ctx)
	if c := verdict.Confidence(lead, ctx); c != "" {
		s.Sub = append(s.Sub, c)
	}
	if v, ok := bytesVerdict(f, lead); ok && !s.Struck {
		s.Sub = append(s.Sub, verdict.Sentence(v, verdict.Context{A: metricText(f, v.A, v.Metric), B: metricText(f, v.B, v.Metric)}))
	}
	for _, v := range told {
		if v.Metric == lead.Metric && v.A == lead.A && v.B == lead.B || v.Outcome == result.NotFair && s.Struck {
			continue
		}
		ctx := contextOf(f, v)
		ctx.Load, ctx.Here = "", false
		also := verdict.Sentence(v, ctx)
		if v.Confidence != "" && v.Outcome != result.NotFair {
			also += " Confidence " + v.Confidence + "."
		}
		s.Sub = append(s.Sub, also)
	}
	if s.Doubt = doubtAbout(f); s.Doubt != "" && !s.Struck {
		s.Sub = append(s.Sub, s.Doubt)
	}
	if line := oneWayLine(armsOf(f)); line != "" {
		s.Sub = append(s.Sub, line)
	}
	s.Sub = append(s.Sub, againstLines(f)...)
	s.Sub = append(s.Sub, loopNature(f.Plan))
}

// doubtAbout says what of the numbers must not be used, and whether the ratios hold all the same.
func doubtAbout(f *result.File) string {
	switch {
	case f.Trust.Absolute != result.TrustNotTrustworthy:
		return ""
	case f.Trust.Ratio == result.TrustOK:
		return "The ratios hold; marked numbers must not be used: " + reasons(f.Trust) + "; see Checks."
	}
	return "Marked numbers must not be used, and the ratios are in doubt: " + reasons(f.Trust) + "; see Checks."
}

// bytesVerdict is what the leading pair puts on the wire: counted, so that it needs no test.
func bytesVerdict(f *result.File, lead result.Verdict) (result.Verdict, bool) {
	for _, v := range f.Verdicts {
		if v.Metric == "bytes" && v.A == lead.A && v.B == lead.B && v.Ratio != nil {
			return v, true
		}
	}
	return result.Verdict{}, false
}

func primary(all []result.Verdict) []result.Verdict {
	var told []result.Verdict
	for _, v := range all {
		if v.Primary {
			told = append(told, v)
		}
	}
	if len(told) == 0 {
		return all
	}
	return told
}

// strongest is the verdict of the clearest outcome and the largest effect; one that is not fair comes before all,
// for it voids them.
func strongest(vs []result.Verdict) result.Verdict {
	order := []string{result.NotFair, result.Faster, result.Slower, result.ProbablyFaster, result.ProbablySlower,
		result.Same, result.Inconclusive}
	for _, outcome := range order {
		var lead *result.Verdict
		for i := range vs {
			if vs[i].Outcome == outcome && (lead == nil || effect(vs[i]) > effect(*lead)) {
				lead = &vs[i]
			}
		}
		if lead != nil {
			return *lead
		}
	}
	return vs[0]
}

// effect is how far a ratio is from 1, either way.
func effect(v result.Verdict) float64 {
	if v.Ratio == nil || *v.Ratio <= 0 {
		return 0
	}
	return math.Abs(math.Log(*v.Ratio))
}

// withVerdicts adds what was concluded of each arm in the leading metric.
func withVerdicts(t Table, f *result.File) Table {
	told := primary(f.Verdicts)
	if len(told) == 0 {
		return t
	}
	lead := strongest(told)
	t.Columns = append(t.Columns, Column{Name: verdict.Name(lead.Metric) + " vs " + lead.A, Text: true, Rank: 3})
	for i := range t.Rows {
		text := "-"
		for _, v := range told {
			if v.Metric == lead.Metric && v.A == lead.A && v.B == f.Arms[i].Name {
				text = strings.TrimSuffix(verdict.Amount(v)+", "+v.Confidence, ", ")
			}
		}
		t.Rows[i] = append(t.Rows[i], plain(text))
	}
	return t
}

// verdictTable is every verdict with its interval.
func verdictTable(f *result.File) Table {
	t := Table{Columns: []Column{{Name: "pair", Text: true}, {Name: "metric", Text: true}, {Name: "ratio"},
		{Name: "95 % interval"}, {Name: "agree", Rank: 1}, {Name: "verdict", Text: true}}}
	for _, v := range f.Verdicts {
		t.Rows = append(t.Rows, []Cell{
			plain(v.B + " vs " + v.A), plain(verdict.Name(v.Metric)), plain(verdict.Ratio(v)), plain(intervalCell(v)),
			plain(agreeText(v)), plain(strings.TrimSpace(verdict.Short(v) + " " + v.Confidence)),
		})
	}
	if t.has() {
		t.Notes = append(t.Notes, "A ratio above 1 means that the first of a pair is better. "+unitNote(f))
	}
	return t
}

func intervalCell(v result.Verdict) string {
	if v.Low == nil || v.High == nil {
		return "-"
	}
	return number.Significant(*v.Low) + " - " + number.Significant(*v.High)
}

func agreeText(v result.Verdict) string {
	if v.Units == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", v.Agree, v.Units)
}

// unitNote says what one observation is: never a request.
func unitNote(f *result.File) string {
	if len(f.Verdicts) == 0 || f.Verdicts[0].Unit == "" {
		return ""
	}
	return "One observation is one " + f.Verdicts[0].Unit + ", never one call."
}

// fairSection lists what must be equal and what differs by protocol, which is no fault.
func fairSection(f *result.File) Section {
	sec := Section{ID: "fair", Title: "Fair test"}
	if f.Fair == nil {
		return sec
	}
	for _, c := range f.Fair.Checks {
		fact := Fact{Name: Clean(c.Name), Text: Clean(c.Detail), State: Bad}
		switch {
		case c.Unknown:
			fact.State = Unknown
		case c.Passed:
			fact.State = OK
		}
		sec.Facts = append(sec.Facts, fact)
	}
	passed, counted := fairCount(f.Fair)
	sec.Lines = append(sec.Lines, fmt.Sprintf("%d of %d checks pass.", passed, counted))
	if len(f.Fair.Differ) > 0 {
		sec.Lines = append(sec.Lines, "Differs by protocol, which is no fault: "+Clean(strings.Join(f.Fair.Differ, " · "))+".")
	}
	return sec
}

// anyWaited reports whether service time differs from latency in any arm and percentile.
func anyWaited(f *result.File, ps []float64) bool {
	for i := range f.Arms {
		a := &f.Arms[i]
		for _, p := range ps {
			if durationText(a.Latency.Percentile(p).NS) != durationText(a.Service.Percentile(p).NS) {
				return true
			}
		}
	}
	return false
}

// armLatencySection is one table per kind of time, a row an arm.
func armLatencySection(f *result.File, ps []float64) Section {
	sec := Section{ID: "latency", Title: "Latency"}
	waited := anyWaited(f, ps)
	if !waited {
		sec.Lines = append(sec.Lines, "Service time is the same as latency: no call waited for a place on a connection.")
	}
	for _, part := range []struct {
		caption string
		pick    func(*result.Arm) *result.Distribution
		ok      bool
	}{
		{"Latency of OK calls, from when they were due", func(a *result.Arm) *result.Distribution { return &a.Latency }, true},
		{"Service time of OK calls, from when they had their place on a connection", func(a *result.Arm) *result.Distribution { return &a.Service }, true},
		{"Latency of failed calls", func(a *result.Arm) *result.Distribution { return &a.FailedLatency }, false},
	} {
		var rows []latencyRow
		var series []int
		for i := range f.Arms {
			a := &f.Arms[i]
			row := latencyRow{armName(a), part.pick(a), leftOut(a.Counts), voidedBy(f).row(a)}
			if row.d == &a.Service && !waited {
				continue
			}
			if part.ok || row.d.N > 0 {
				rows = append(rows, row)
				series = append(series, i)
			}
		}
		if len(rows) > 0 {
			t := latencyTable("target", rows, ps)
			t.Caption, t.Series = part.caption, series
			sec.Tables = append(sec.Tables, t)
		}
	}
	return sec
}

// armChecks are the checks of all arms and of the arms against one another. What is in order for all is said in one line,
// by its name.
func armChecks(f *result.File) []Fact {
	var facts []Fact
	inOrder, doubted := []string{}, map[string]bool{}
	add := func(arm string, all []Fact) {
		for _, c := range all {
			if c.State == OK {
				if !slices.Contains(inOrder, c.Name) {
					inOrder = append(inOrder, c.Name)
				}
				continue
			}
			doubted[c.Name] = true
			c.Name = arm + c.Name
			facts = append(facts, c)
		}
	}
	for i := range f.Arms {
		if a := &f.Arms[i]; !a.Floor {
			add(armName(a)+": ", Checks(f, a))
		}
	}
	if len(f.Arms) > 1 {
		t := trustOf(f)
		all := append(append([]result.Reason{}, t.Reasons...), t.Passing...)
		for _, code := range codes {
			add("", checkFacts(all, code, ""))
		}
	}
	inOrder = slices.DeleteFunc(inOrder, func(name string) bool { return doubted[name] })
	if len(inOrder) > 0 {
		facts = append(facts, Fact{Name: "in order", Text: strings.Join(inOrder, " · "), State: OK})
	}
	return append(facts, trustFact(f))
}
