package judge

import (
	"fmt"
	"strings"
	"testing"

	"wiregauge/result"
)

// Evidence of the four outcomes that say something, on ten launches, in the direction of the second arm.
var (
	clear    = Evidence{Final: true, Estimate: .10, Low95: .08, High95: .12, Low90: .085, High90: .115, P: .002, Alpha: .044, Limit: .01, Band: .02, Launches: true, Units: 10}
	probable = Evidence{Final: true, Estimate: .03, Low95: .005, High95: .055, Low90: .008, High90: .052, P: .03, Alpha: .044, Limit: .01, Band: .02, Launches: true, Units: 10}
	alike    = Evidence{Final: true, Estimate: .002, Low95: -.015, High95: .019, Low90: -.012, High90: .016, P: .8, Alpha: .044, Limit: .01, Band: .02, Launches: true, Units: 10}
	open     = Evidence{Final: true, Estimate: .02, Low95: -.02, High95: .06, Low90: -.01, High90: .05, P: .2, Alpha: .044, Limit: .01, Band: .02, Launches: true, Units: 10}
)

func but(e Evidence, change func(*Evidence)) Evidence {
	change(&e)
	return e
}

// mirrored is the same in the direction of the first arm.
func mirrored(e Evidence) Evidence {
	e.Estimate = -e.Estimate
	e.Low95, e.High95 = -e.High95, -e.Low95
	e.Low90, e.High90 = -e.High90, -e.Low90
	return e
}

var evidence = []struct {
	name string
	e    Evidence
}{
	{"row 1: void, whatever was measured", but(clear, func(e *Evidence) { e.Void = true })},
	{"row 1: void before the first look", but(clear, func(e *Evidence) { e.Void, e.Early = true, true })},
	{"row 1: void without any unit", Evidence{Void: true}},
	{"row 2: clear", clear},
	{"row 2: p at the level itself", but(clear, func(e *Evidence) { e.P = e.Alpha })},
	{"row 2: estimate at the limit itself cannot have its near end beyond it", but(clear, func(e *Evidence) { e.Estimate, e.Low95 = .01, .009 })},
	{"row 2: at an early look", but(clear, func(e *Evidence) { e.Final, e.Alpha = false, .016 })},
	{"row 3: the near end of the interval is not beyond the limit", probable},
	{"row 3: the near end of the interval is the limit itself", but(clear, func(e *Evidence) { e.Low95 = e.Limit })},
	{"row 3: the estimate is the limit itself", but(probable, func(e *Evidence) { e.Estimate = e.Limit })},
	{"row 3: at an early look", but(probable, func(e *Evidence) { e.Final, e.P, e.Alpha = false, .01, .016 })},
	{"row 3 before row 4: significant, within the band, above the limit", but(alike, func(e *Evidence) { e.Estimate, e.Low90, e.High90, e.P = .012, .005, .019, .01 })},
	{"row 4: the 90 % interval is inside the band", alike},
	{"row 4: significant but below the limit", but(alike, func(e *Evidence) { e.Estimate, e.Low95, e.Low90, e.P = .008, .004, .005, .001 })},
	{"row 4 not: the 90 % interval touches the band's edge", but(alike, func(e *Evidence) { e.High90 = e.Band })},
	{"row 4 not: at an early look", but(alike, func(e *Evidence) { e.Final = false })},
	{"row 5: not significant, not alike", open},
	{"row 5: p just above the level", but(clear, func(e *Evidence) { e.P = e.Alpha + 1e-9 })},
	{"row 5: before the first look", but(clear, func(e *Evidence) { e.Early = true })},
	{"row 5: one unit", but(clear, func(e *Evidence) { e.Units = 1 })},
	{"row 5: no unit", Evidence{Final: true, P: 1, Alpha: .05}},

	{"clear, one check in doubt", but(clear, func(e *Evidence) { e.Suspects = 1 })},
	{"clear, two checks in doubt", but(clear, func(e *Evidence) { e.Suspects = 2 })},
	{"clear, never warm or a check unread", but(clear, func(e *Evidence) { e.Capped = true })},
	{"clear, never warm, one check in doubt", but(clear, func(e *Evidence) { e.Capped, e.Suspects = true, 1 })},
	{"clear, after Ctrl-C", but(clear, func(e *Evidence) { e.Interrupted = true })},
	{"clear, after Ctrl-C, two checks in doubt", but(clear, func(e *Evidence) { e.Interrupted, e.Suspects = true, 2 })},
	{"clear, six launches", but(clear, func(e *Evidence) { e.Units = 6 })},
	{"clear, five launches", but(clear, func(e *Evidence) { e.Units = 5 })},
	{"clear, two launches", but(clear, func(e *Evidence) { e.Units = 2 })},
	{"clear, one launch of 120 rounds", but(clear, func(e *Evidence) { e.Launches, e.Units = false, 120 })},
	{"clear, one launch, one check in doubt", but(clear, func(e *Evidence) { e.Launches, e.Units, e.Suspects = false, 120, 1 })},
	{"clear, one launch, two checks in doubt", but(clear, func(e *Evidence) { e.Launches, e.Units, e.Suspects = false, 120, 2 })},
	{"probable, one check in doubt", but(probable, func(e *Evidence) { e.Suspects = 1 })},
	{"probable, never warm", but(probable, func(e *Evidence) { e.Capped = true })},
	{"probable, after Ctrl-C", but(probable, func(e *Evidence) { e.Interrupted = true })},
	{"probable, five launches", but(probable, func(e *Evidence) { e.Units = 5 })},
	{"probable, one launch", but(probable, func(e *Evidence) { e.Launches, e.Units = false, 120 })},
	{"alike, one check in doubt", but(alike, func(e *Evidence) { e.Suspects = 1 })},
	{"alike, two checks in doubt", but(alike, func(e *Evidence) { e.Suspects = 2 })},
	{"alike, after Ctrl-C", but(alike, func(e *Evidence) { e.Interrupted = true })},
	{"alike, six launches", but(alike, func(e *Evidence) { e.Units = 6 })},
	{"alike, five launches", but(alike, func(e *Evidence) { e.Units = 5 })},
	{"alike, one launch", but(alike, func(e *Evidence) { e.Launches, e.Units = false, 120 })},
	{"alike, one launch, one check in doubt", but(alike, func(e *Evidence) { e.Launches, e.Units, e.Suspects = false, 120, 1 })},
	{"open, nothing else wrong", open},
}

func TestOutcomeAndConfidence(t *testing.T) {
	var out strings.Builder
	for _, c := range evidence {
		outcome, confidence := Decide(c.e)
		back, again := Decide(mirrored(c.e))
		fmt.Fprintf(&out, "%-75s %s %s | mirrored: %s %s\n", c.name, outcome, confidence, back, again)
		if confidence != again || opposite[outcome] != back {
			t.Errorf("%s: %s %s, mirrored %s %s", c.name, outcome, confidence, back, again)
		}
	}
	golden(t, "outcomes.txt", out.String())
}

var opposite = map[string]string{
	result.NotFair: result.NotFair, result.Same: result.Same, result.Inconclusive: result.Inconclusive,
	result.Faster: result.Slower, result.Slower: result.Faster,
	result.ProbablyFaster: result.ProbablySlower, result.ProbablySlower: result.ProbablyFaster,
}
