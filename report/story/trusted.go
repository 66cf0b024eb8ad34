package story

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"wiregauge/report/number"
	"wiregauge/result"
)

// A voided says whether a number of an arm must not be used: a percentile ("p99") or another one ("rate", "cpu").
type voided func(a *result.Arm, metric string) bool

// voidedBy are the numbers that a file's own checks speak against.
func voidedBy(f *result.File) voided {
	return func(a *result.Arm, metric string) bool {
		return f.Trust.Of(a.Name, metric) == result.TrustNotTrustworthy
	}
}

// row is v for the percentiles of one arm's row; nil when nothing is known to be void.
func (v voided) row(a *result.Arm) func(string) bool {
	if v == nil {
		return nil
	}
	return func(metric string) bool { return v(a, metric) }
}

// cell is c, marked when the number must not be used.
func (v voided) cell(a *result.Arm, metric string, c Cell) Cell {
	if v != nil && v(a, metric) {
		c.Mark = Void
	}
	return c
}

// voidAll marks every number of a section: where no winner may be named, none may be read out of the numbers.
func (s *Story) voidAll(id string) {
	for i := range s.Sections {
		if s.Sections[i].ID != id {
			continue
		}
		for _, t := range s.Sections[i].Tables {
			for _, row := range t.Rows {
				for c := range row {
					if !t.Columns[c].Text {
						row[c].Mark = Void
					}
				}
			}
		}
	}
}

// assurance says in two short facts whether the comparison was fair and the numbers are trusted.
func assurance(f *result.File) []Fact {
	var facts []Fact
	if f.Fair != nil {
		passed, counted := fairCount(f.Fair)
		state := OK
		if !f.Fair.OK() {
			state = Bad
		}
		facts = append(facts, Fact{Name: "Fair test", Text: fmt.Sprintf("%d of %d checks pass", passed, counted), State: state})
	}
	return append(facts, trustInShort(f.Trust))
}

func fairCount(fair *result.Fair) (passed, counted int) {
	for _, c := range fair.Checks {
		if c.Unknown {
			continue
		}
		counted++
		if c.Passed {
			passed++
		}
	}
	return passed, counted
}

func trustInShort(t result.Trust) Fact {
	fact := Fact{Name: "Trust"}
	switch t.Level {
	case result.TrustOK:
		fact.State, fact.Text = OK, "numbers are trusted"
	case result.TrustSuspect:
		fact.State, fact.Text = Note, "suspect: "+reasons(t)
	case result.TrustNotTrustworthy:
		fact.State, fact.Text = Bad, "not trustworthy" // the reasons stand below the first sentence
	default:
		return Fact{Name: "Trust", Text: "unchecked", State: Unknown}
	}
	if t.Checked > 0 {
		fact.Text += fmt.Sprintf(" (%s of %s checks pass)", number.Count(int64(t.Passed)), number.Count(int64(t.Checked)))
	}
	return fact
}

// tail is the check of how many calls lie beyond a percentile: it marks that percentile, or leaves it out, and lowers no
// other level.
const tail = "V11"

// mostNamed are the arms or percentiles that are named in one pair of brackets; more are counted.
const mostNamed = 4

// reasons names the checks that lower the level, each once, with the percentiles or the arms that it is about. What was
// measured stands with the checks.
func reasons(t result.Trust) string {
	var names []string
	about := map[string][]string{}
	for _, r := range t.Reasons {
		if r.Code == tail || r.Level != "" && r.Level != t.Level {
			continue
		}
		name := Clean(cmp.Or(r.Name, r.Measured))
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		of := r.Arm
		if of == "" && isPercentile(r.Affects) {
			of = r.Affects
		}
		if of != "" && !slices.Contains(about[name], of) {
			about[name] = append(about[name], of)
		}
	}
	if len(names) == 0 {
		return "no reason was recorded"
	}
	for i, name := range names {
		switch of := about[name]; {
		case len(of) > mostNamed:
			names[i] += fmt.Sprintf(" (%d of them)", len(of))
		case len(of) > 0:
			names[i] += " (" + Clean(strings.Join(of, ", ")) + ")"
		}
	}
	return strings.Join(names, ", ")
}

// isPercentile reports whether a reason is about a percentile, such as p99.
func isPercentile(affects string) bool {
	return len(affects) > 1 && affects[0] == 'p' && affects[1] >= '0' && affects[1] <= '9'
}

// brief leaves out of next what it repeats of first: runs of three words or more in the same place.
func brief(first, next string) string {
	a, b := strings.Split(first, " "), strings.Split(next, " ")
	if len(a) != len(b) {
		return next
	}
	var kept []string
	for i := 0; i < len(b); {
		n := i
		for n < len(b) && a[n] == b[n] {
			n++
		}
		switch {
		case n-i < 3:
			n = max(n, i+1)
			kept = append(kept, b[i:n]...)
		case b[i] == "%": // the unit of the number before
			kept = append(kept, b[i])
		}
		i = n
	}
	return strings.TrimRight(strings.Join(kept, " "), ",")
}
