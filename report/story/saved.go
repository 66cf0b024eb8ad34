package story

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wiregauge/report/verdict"
	"wiregauge/result"
)

// several tells saved results side by side. What may be concluded from results that were measured one after the other
// is little, and was decided before: opt.Between.
func several(files []*result.File, opt Options) *Story {
	s := &Story{
		Title:    "Saved results side by side",
		Headline: fmt.Sprintf("%d saved results side by side; no verdict, for they were measured one after the other.", len(files)),
		Sub:      []string{"A difference may belong to the time or the machine. For a verdict measure them in turns: wiregauge compare."},
	}
	ps := percentilesOf(files[0], opt)
	var arms []*result.Arm
	void := map[*result.Arm]func(string) bool{}
	for _, f := range files {
		for i := range f.Arms {
			a := f.Arms[i] // a copy, to be named after its file
			a.Name = f.ArmName(i)
			arms = append(arms, &a)
			void[&a] = voidedBy(f).row(&f.Arms[i])
		}
	}
	s.arms(arms)
	if line := oneWayLine(arms); line != "" {
		s.Sub = append(s.Sub, line)
	}
	betweenHeadline(s, opt.Between)
	s.add(Section{ID: "summary", Title: "Summary", Tables: []Table{summaryTable(arms, ps, func(a *result.Arm, metric string) bool { return void[a](metric) })}})
	s.add(Section{ID: "verdicts", Title: "One after the other", Tables: []Table{betweenTable(opt.Between)}})
	s.add(Section{ID: "differs", Title: "What differs in the set-up", Tables: []Table{differTable(files)}})
	s.add(Section{ID: "results", Title: "Results", Tables: []Table{fileTable(files, opt.Paths)}})
	s.add(bytesSection(arms))
	flat := make([]result.Arm, len(arms))
	for i, a := range arms {
		flat[i] = *a
	}
	s.add(Section{ID: "answers", Title: "Answers", Tables: []Table{statusTable(flat)}})
	s.add(errorSection(flat))
	s.add(Section{ID: "unfinished", Title: "Unfinished", Tables: []Table{ageTable(flat, ps)}})
	return s
}

// betweenHeadline is the strongest judgement between saved results, with the little that it is worth.
func betweenHeadline(s *Story, between []result.Verdict) {
	var judged []result.Verdict
	for _, v := range between {
		if v.Outcome != "" {
			judged = append(judged, v)
		}
	}
	if len(judged) == 0 {
		return
	}
	lead := strongest(judged)
	s.Struck = lead.Outcome == result.NotFair
	s.Headline = verdict.Sentence(lead, verdict.Context{})
	if !s.Struck {
		s.Sub = append([]string{"Confidence LOW: they were measured one after the other, and a machine drifts."}, s.Sub...)
	}
}

// betweenTable is every judgement between saved results.
func betweenTable(between []result.Verdict) Table {
	t := verdictTable(&result.File{Verdicts: between})
	for i := range t.Rows { // no round pairs them, so that none can agree
		t.Rows[i] = append(t.Rows[i][:4:4], t.Rows[i][5:]...)
	}
	t.Columns = append(t.Columns[:4:4], t.Columns[5:]...)
	if t.has() {
		t.Notes = []string{"A ratio above 1 means that the first of a pair is better. Launches are compared where both results have two or more; " +
			"other ratios, and those of tails, are told without a test."}
	}
	return t
}

// fileTable is what the results are and how they were taken: what differs here may explain what differs above.
func fileTable(files []*result.File, paths []string) Table {
	t := Table{Columns: []Column{{Name: "result", Text: true}, {Name: "time", Text: true}, {Name: "host", Text: true, Rank: 1},
		{Name: "trust", Text: true}, {Name: "load", Text: true, Flex: true}}}
	named := len(paths) == len(files)
	if named {
		t.Columns = slices.Insert(t.Columns, 1, Column{Name: "file", Text: true})
	}
	for i, f := range files {
		row := []Cell{plain(f.ID), plain(f.Created.UTC().Format("2006-01-02 15:04")), plain(Clean(f.Host.Name)),
			plain(f.Trust.Level), plain(planText(f.Plan))}
		if named {
			row = slices.Insert(row, 1, plain(Clean(paths[i])))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// differTable is what was not the same in all of the results: it may explain what differs in their numbers.
func differTable(files []*result.File) Table {
	t := Table{Columns: []Column{{Name: "set-up", Text: true}}}
	for _, f := range files {
		t.Columns = append(t.Columns, Column{Name: f.ID, Text: true})
	}
	all := make([][]setting, len(files))
	for i, f := range files {
		all[i] = settingsOf(f)
	}
	for _, name := range settingNames(all) {
		row, same := []Cell{plain(name)}, true
		for i := range files {
			value := valueIn(all[i], name)
			same = same && value == valueIn(all[0], name)
			row = append(row, plain(cmp.Or(value, "-")))
		}
		if !same {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// A setting is one thing that was fixed for a measurement.
type setting struct{ name, value string }

func settingNames(all [][]setting) []string {
	var names []string
	seen := map[string]bool{}
	for _, settings := range all {
		for _, s := range settings {
			if !seen[s.name] {
				seen[s.name], names = true, append(names, s.name)
			}
		}
	}
	return names
}

func valueIn(settings []setting, name string) string {
	for _, s := range settings {
		if s.name == name {
			return s.value
		}
	}
	return ""
}

// settingsOf lists what was fixed for a result; what was not asked for is not in it.
func settingsOf(f *result.File) []setting {
	var list []setting
	add := func(name, value string) {
		if value != "" && value != "0" && value != "0s" {
			list = append(list, setting{name, Clean(value)})
		}
	}
	number := func(n int) string { return strconv.Itoa(n) }
	p := &f.Plan
	add("wiregauge", strings.TrimSpace(f.Tool.Version+" "+f.Tool.Commit))
	add("built with", f.Tool.Go)
	add("host", f.Host.Name)
	add("system", strings.TrimSpace(f.Host.OS+" "+f.Host.Arch+" "+f.Host.Kernel))
	add("processor", f.Host.CPU)
	add("CPUs", number(f.Host.CPUs))
	add("CPUs used at once", number(f.Host.Procs))
	add("loop", p.Loop)
	add("rate", p.Rate)
	add("arrivals", p.Arrivals)
	add("calls in flight", number(p.Concurrency))
	add("most in flight", number(p.MaxInflight))
	add("connections", number(p.Connections))
	add("streams", number(p.Streams))
	add("calls", strconv.FormatInt(p.Total, 10))
	add("time", time.Duration(p.Duration).String())
	add("warm-up", p.Warmup)
	add("timeout", time.Duration(p.Timeout).String())
	add("think time", p.Think)
	add("ramp", p.Ramp)
	add("seed", strconv.FormatUint(p.Seed, 10))
	add("launches", number(p.Launches))
	add("rounds", number(p.Rounds))
	add("turn", time.Duration(p.Turn).String())
	add("contract", p.Contract)
	add("payload", p.Payload)
	for i := range f.Arms {
		a, of := &f.Arms[i], ""
		if len(f.Arms) > 1 {
			of = armName(a) + ": "
		}
		add(of+"target", a.URL)
		add(of+"protocol", a.Protocol)
		add(of+"client", a.Client)
		add(of+"method", a.Method)
		add(of+"TLS", a.Connections.TLS)
	}
	return list
}
