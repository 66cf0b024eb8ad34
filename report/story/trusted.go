package story

import (
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

// mostReasons are told in one sentence; the checks have them all.
const mostReasons = 3

// reasons are the doubts that lower the level, the worst first, those of one check together. Notes and what could not be
// read are with the checks.
func reasons(t result.Trust) string {
	var words []string
	more := 0
	for _, level := range []string{result.TrustNotTrustworthy, result.TrustSuspect, ""} {
		if level == result.TrustSuspect && t.Level != result.TrustSuspect {
			continue
		}
		for i, r := range t.Reasons {
			switch {
			case r.Code == tail || r.Level != level || r.Code != "" && alike(t.Reasons[:i], r):
			case len(words) == mostReasons:
				more++
			default:
				words = append(words, reasonWords(r)+others(t.Reasons[i+1:], r))
			}
		}
	}
	if len(words) == 0 {
		return "no reason was recorded"
	}
	if more > 0 {
		words = append(words, fmt.Sprintf("%d more under Checks", more))
	}
	return strings.Join(words, "; ")
}

// alike reports whether one of the reasons is of the same check and level as r.
func alike(reasons []result.Reason, r result.Reason) bool {
	return slices.ContainsFunc(reasons, func(o result.Reason) bool { return o.Code == r.Code && o.Level == r.Level })
}

// others names the other arms for which the same check says the same.
func others(later []result.Reason, r result.Reason) string {
	var arms []string
	for _, o := range later {
		if o.Code == r.Code && o.Level == r.Level && o.Arm != r.Arm && !slices.Contains(arms, o.Arm) {
			arms = append(arms, o.Arm)
		}
	}
	if len(arms) == 0 {
		return ""
	}
	return " " + Clean("(and for "+strings.Join(arms, ", ")+")")
}

func reasonWords(r result.Reason) string {
	w := r.Measured
	if r.Name != "" {
		w = r.Name + " " + w
	}
	if r.Limit != "" {
		w += " (limit " + r.Limit + ")"
	}
	if r.Arm != "" {
		w = r.Arm + ": " + w
	}
	return Clean(w)
}
