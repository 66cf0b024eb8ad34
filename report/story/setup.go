package story

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wiregauge/report/number"
	"wiregauge/result"
)

func gateSection(f *result.File) Section {
	sec := Section{ID: "gates", Title: "Gates"}
	for _, g := range f.Gates {
		fact := Fact{Name: Clean(g.Expr), Text: "passed", State: OK}
		if g.Arm != "" && !strings.HasPrefix(g.Expr, g.Arm+".") {
			fact.Name = Clean(g.Arm) + "." + fact.Name
		}
		switch {
		case g.Unknown != "":
			fact.Text, fact.State = "could not be judged: "+Clean(g.Unknown), Unknown
		case !g.Passed:
			fact.Text, fact.State = "failed", Bad
		}
		if g.Value != nil {
			fact.Text += ": measured " + gateValue(*g.Value, g.Unit)
		}
		if g.Words != "" {
			fact.Text += "; " + g.Words
		}
		sec.Facts = append(sec.Facts, fact)
	}
	return sec
}

func gateValue(v float64, unit string) string {
	switch unit {
	case "ns":
		return number.Duration(int64(v))
	case "ratio":
		return number.Percent(v)
	case "bytes":
		return number.Bytes(v)
	case "change":
		return fmt.Sprintf("%+.3g %%", v*100)
	default:
		return strings.TrimSpace(number.Significant(v) + " " + unit)
	}
}

func notesSection(f *result.File) Section {
	sec := Section{ID: "notes", Title: "Notes"}
	for _, n := range f.Notes {
		sec.Lines = append(sec.Lines, Clean(n))
	}
	for i := range f.Arms {
		for _, n := range f.Arms[i].Notes {
			if len(f.Arms) > 1 {
				n = armName(&f.Arms[i]) + ": " + n
			}
			sec.Lines = append(sec.Lines, Clean(n))
		}
	}
	return sec
}

// setupSection is what it takes to know and repeat the measurement.
func setupSection(f *result.File) Section {
	sec := Section{ID: "setup", Title: "Set-up", Detail: true, Tables: []Table{differenceTable(f)}}
	add := func(name, text string) {
		if text != "" {
			sec.Facts = append(sec.Facts, Fact{Name: name, Text: Clean(text)})
		}
	}
	for i := range f.Arms {
		a := &f.Arms[i]
		name := "target"
		if len(f.Arms) > 1 {
			name = armName(a)
		}
		add(name, strings.Join(nonEmpty(a.Protocol, a.URL, a.Method, clientKind(a)), ", "))
	}
	add("load", planText(f.Plan))
	add("contract", f.Plan.Contract)
	add("payload", f.Plan.Payload)
	add("machine", strings.Join(nonEmpty(f.Host.Name, f.Host.CPU, cores(f.Host.CPUs), f.Host.OS+"/"+f.Host.Arch, f.Host.Kernel), ", "))
	add("wiregauge", strings.Join(nonEmpty(f.Tool.Version, f.Tool.Commit, f.Tool.Go), ", "))
	for _, k := range slices.Sorted(maps.Keys(f.Labels)) {
		add("label "+k, f.Labels[k])
	}
	if len(f.Command) > 0 {
		sec.Facts = append(sec.Facts, Fact{Name: "again", Text: Clean(shellLine(f.Command)), Code: true})
	}
	return sec
}

// differenceTable is what differs between the arms, and nothing that does not.
func differenceTable(f *result.File) Table {
	t := Table{Columns: []Column{{Name: "what differs", Text: true}}}
	for i := range f.Arms {
		t.Columns = append(t.Columns, Column{Name: armName(&f.Arms[i]), Text: true})
	}
	for _, row := range []struct {
		name string
		of   func(*result.Arm) string
	}{
		{"protocol", func(a *result.Arm) string { return a.Protocol }},
		{"address", func(a *result.Arm) string { return a.URL }},
		{"method", func(a *result.Arm) string { return a.Method }},
		{"client", func(a *result.Arm) string { return a.Client }},
		{"connections", func(a *result.Arm) string { return number.Count(int64(a.Connections.Asked)) }},
		{"TLS", func(a *result.Arm) string { return a.Connections.TLS }},
		{"ALPN", func(a *result.Arm) string { return a.Connections.ALPN }},
		{"asked rate", func(a *result.Arm) string {
			if a.AskedRate == nil {
				return ""
			}
			return number.Significant(*a.AskedRate) + "/s"
		}},
	} {
		cells := []Cell{plain(row.name)}
		differs := false
		for i := range f.Arms {
			text := cmp.Or(Clean(row.of(&f.Arms[i])), "-")
			differs = differs || i > 0 && text != cells[1].Text
			cells = append(cells, plain(text))
		}
		if differs {
			t.Rows = append(t.Rows, cells)
		}
	}
	return t
}

func clientKind(a *result.Arm) string {
	if a.Client == "" {
		return ""
	}
	return a.Client + " client"
}

func nonEmpty(words ...string) []string {
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// planText is the plan in one line, in the words of the flags.
func planText(p result.Plan) string {
	words := []string{cmp.Or(p.Loop, "closed") + " loop"}
	add := func(given bool, format string, args ...any) {
		if given {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(p.Rate != "", "rate %s", p.Rate)
	add(p.Arrivals != "", "%s arrivals", p.Arrivals)
	add(p.Concurrency > 0, "%d in flight", p.Concurrency)
	add(p.Connections > 0, "%s", plural(int64(p.Connections), "connection"))
	add(p.Streams > 0, "%s each", plural(int64(p.Streams), "stream"))
	add(p.MaxInflight > 0, "at most %d in flight", p.MaxInflight)
	add(p.Total > 0, "%s", plural(p.Total, "call"))
	add(p.Duration > 0, "%s", number.Duration(p.Duration))
	add(p.Warmup != "", "warm-up %s", p.Warmup)
	add(p.Timeout > 0, "timeout %s", number.Duration(p.Timeout))
	add(p.Think != "", "think %s", p.Think)
	add(p.Ramp != "", "ramp %s", p.Ramp)
	add(p.Launches > 0, "%s", plural(int64(p.Launches), "launche"))
	add(p.Rounds > 0, "%s", plural(int64(p.Rounds), "round"))
	add(p.Turn > 0, "turns of %s", number.Duration(p.Turn))
	add(true, "seed %d", p.Seed)
	return strings.Join(words, ", ")
}

// plural counts things whose plural ends in s.
func plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + strings.TrimSuffix(thing, "e")
	}
	return number.Count(n) + " " + thing + "s"
}

// shellLine is a command as it can be pasted into a shell.
func shellLine(args []string) string {
	quoted := make([]string, 0, len(args))
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n\"'\\$`!*?[]{}()<>|&;#~") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		quoted = append(quoted, a)
	}
	return strings.Join(quoted, " ")
}
