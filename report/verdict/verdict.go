// Package verdict puts a judgement into words. It is a set of pure functions: which outcome applies was decided
// before; here it becomes a sentence that always says faster or slower, fewer or more, never a bare ratio.
package verdict

import (
	"fmt"
	"strings"

	"wiregauge/report/number"
	"wiregauge/result"
)

// A Context is what the sentence says beside the judgement itself; empty fields are left out.
type Context struct {
	Load     string       // "At 2,000 calls/s", "With 16 calls in flight"
	Here     bool         // add "on this machine"
	A, B     string       // the metric's value of both arms, with its unit
	Fair     *result.Fair // the fair-test check of the comparison
	Launches int          // how often the servers were started; 1 asks for a warning
}

// Sentence is the judgement in one sentence.
func Sentence(v result.Verdict, c Context) string {
	if v.Outcome == result.NotFair {
		return unfair(v, c)
	}
	s := statement(v, c)
	if c.Load != "" {
		s = c.Load + ", " + s
	} else {
		s = capital(s)
	}
	if c.Here {
		s += ", on this machine"
	}
	return s + "." + settle(v)
}

func statement(v result.Verdict, c Context) string {
	m := metricOf(v.Metric)
	v = counted(v)
	switch v.Outcome {
	case result.Faster, result.Slower, result.ProbablyFaster, result.ProbablySlower:
		return v.B + " " + m.claim(v) + " " + v.A + m.place + values(c)
	case result.Same:
		return "no practical difference between " + v.B + " and " + v.A + m.topic() + within(v)
	case result.Inconclusive:
		return v.B + " against " + v.A + m.topic() + " is inconclusive" + measured(v)
	default:
		return v.B + " against " + v.A + m.topic() + measured(v) + ", without a verdict"
	}
}

// counted gives bytes their word: they are counted, not sampled, so that a ratio needs no test.
func counted(v result.Verdict) result.Verdict {
	if v.Metric != "bytes" || v.Outcome != "" || v.Ratio == nil {
		return v
	}
	switch {
	case *v.Ratio > 1:
		v.Outcome = result.Faster
	case *v.Ratio < 1:
		v.Outcome = result.Slower
	default:
		v.Outcome = result.Same
	}
	return v
}

// unfair says why nothing may be concluded: another work (not a fair test), or another doubt.
func unfair(v result.Verdict, c Context) string {
	reasons := v.Reasons
	kind := "Not trustworthy"
	if c.Fair != nil && !c.Fair.OK() {
		kind = "Not a fair test"
		reasons = nil
		for _, check := range c.Fair.Checks {
			if !check.Passed && !check.Unknown {
				reasons = append(reasons, strings.TrimSuffix(check.Name+": "+check.Detail, ": "))
			}
		}
	}
	if len(reasons) == 0 {
		reasons = []string{"the comparison of " + v.B + " with " + v.A + " may not be judged"}
	}
	return kind + ": " + strings.Join(reasons, "; ") + "."
}

// values are both numbers behind a claim.
func values(c Context) string {
	if c.A == "" || c.B == "" {
		return ""
	}
	return " (" + c.B + " against " + c.A + ")"
}

// within says how near the same is.
func within(v result.Verdict) string {
	if v.Low == nil || v.High == nil {
		return ""
	}
	return fmt.Sprintf(" (95 %% interval %s to %s, inside ±%s)", signed(*v.Low), signed(*v.High), number.Percent(v.Band))
}

// measured says what was seen, without claiming it.
func measured(v result.Verdict) string {
	if v.Ratio == nil {
		return ""
	}
	if v.Low == nil || v.High == nil {
		return ": measured " + signed(*v.Ratio)
	}
	return fmt.Sprintf(": measured %s, 95 %% interval %s to %s", signed(*v.Ratio), signed(*v.Low), signed(*v.High))
}

// signed is a ratio as the difference of the second arm, in the words better and worse for any metric: "3 % better".
func signed(ratio float64) string {
	switch {
	case ratio == 1:
		return "equal"
	case ratio > 1:
		return times(ratio) + " better"
	default:
		return times(1/ratio) + " worse"
	}
}

// Confidence says how sure the judgement is and on what it rests; empty when no confidence was given.
func Confidence(v result.Verdict, c Context) string {
	if v.Outcome == result.NotFair || v.Confidence == "" {
		return ""
	}
	s := "Confidence " + v.Confidence
	if v.Units > 0 {
		s += fmt.Sprintf(": %s of %s agree", number.Count(int64(v.Agree)), plural(v.Units, v.Unit))
	}
	if iv := Interval(v); iv != "" {
		s += "; 95 % interval of the ratio " + iv
	}
	s += "."
	if c.Launches == 1 {
		s += " One launch only: the difference may belong to this launch; give start: commands for several."
		return s
	}
	if len(v.Doubts) > 0 {
		s += " Not HIGH: " + strings.Join(v.Doubts, "; ") + "."
	}
	return s
}

// Short is the outcome for a narrow table.
func Short(v result.Verdict) string {
	m := metricOf(v.Metric)
	v = counted(v)
	switch v.Outcome {
	case result.NotFair:
		return "no winner named"
	case result.Same:
		return "no practical difference"
	case result.Faster:
		return atLeast(v) + m.better
	case result.Slower:
		return atLeast(v) + m.worse
	case result.ProbablyFaster:
		return "probably " + m.better
	case result.ProbablySlower:
		return "probably " + m.worse
	case "":
		return "not judged"
	default:
		return strings.ReplaceAll(v.Outcome, "_", " ")
	}
}

// Amount is the outcome with its size, for a table: "2.2x faster", "probably 12 % slower".
func Amount(v result.Verdict) string {
	m := metricOf(v.Metric)
	v = counted(v)
	switch v.Outcome {
	case result.Faster, result.ProbablyFaster:
		return probably(v) + strings.TrimSpace(m.amountOf(v, true))
	case result.Slower, result.ProbablySlower:
		return probably(v) + strings.TrimSpace(m.amountOf(v, false))
	default:
		return Short(v)
	}
}

func probably(v result.Verdict) string {
	if strings.HasPrefix(v.Outcome, "probably_") {
		return "probably "
	}
	return ""
}

// Ratio is the ratio for a table, above 1 when the second arm is better; "-" when there is none.
func Ratio(v result.Verdict) string {
	if v.Ratio == nil {
		return "-"
	}
	return number.Significant(*v.Ratio) + "x"
}

// Interval is the 95 % interval of the ratio: "1.62x to 1.98x"; empty when there is none.
func Interval(v result.Verdict) string {
	if v.Low == nil || v.High == nil {
		return ""
	}
	return number.Significant(*v.Low) + "x to " + number.Significant(*v.High) + "x"
}

func plural(n int, unit string) string {
	if strings.HasSuffix(unit, "ch") { // launch
		unit += "e"
	}
	return number.Count(int64(n)) + " " + unit + "s"
}

func capital(s string) string {
	if strings.HasPrefix(s, "no practical") {
		return "N" + s[1:]
	}
	return s // an arm's name stays as the user wrote it
}
