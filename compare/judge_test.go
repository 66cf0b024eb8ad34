package compare

import (
	"math"
	"testing"
	"wiregauge/result"
)

// The table of outcomes, row by row, with effects as a user thinks of them: +0.20 is "20 % faster".
func TestJudge(t *testing.T) {
	const limit, band = 0.01, 0.02
	base := Evidence{P: 0.001, Alpha: 0.05, Launches: true, Units: 8, PlannedUnits: 8}
	rows := []struct {
		name                string
		est, lo, hi         float64 // 95 % interval
		lo90, hi90          float64
		change              func(*Evidence)
		outcome, confidence string
	}{
		{"clearly faster", .20, .15, .25, .16, .24, nil, result.Faster, Medium},
		{"clearly slower", -.20, -.25, -.15, -.24, -.16, nil, result.Slower, Medium},
		{"faster, near end within the limit", .03, .005, .055, .01, .05, nil, result.ProbablyFaster, Low},
		{"slower, near end within the limit", -.03, -.055, -.005, -.05, -.01, nil, result.ProbablySlower, Low},
		{"significant, but too small to matter: same", .005, .002, .008, .003, .007, nil, result.Same, Medium},
		{"near end exactly at the limit is not beyond it", .05, limit, .09, .02, .08, nil, result.ProbablyFaster, Low},
		{"large but not significant", .20, -.05, .45, -.01, .41, func(e *Evidence) { e.P = .08 }, result.Inconclusive, Low},
		{"p exactly alpha counts", .20, .15, .25, .16, .24, func(e *Evidence) { e.P = .05 }, result.Faster, Medium},
		{"p just above alpha does not", .20, .15, .25, .16, .24, func(e *Evidence) { e.P = .0501 }, result.Inconclusive, Low},
		{"within the band", .001, -.012, .014, -.01, .012, func(e *Evidence) { e.P = .8 }, result.Same, Medium},
		{"the 90 % interval touches the band", .01, -.01, .03, -.005, band, func(e *Evidence) { e.P = .3 }, result.Inconclusive, Low},
		{"no difference at all, no spread", 0, 0, 0, 0, 0, func(e *Evidence) { e.P = 1 }, result.Same, Medium},
		{"void beats everything", .20, .15, .25, .16, .24, func(e *Evidence) { e.Void = true }, result.NotFair, ""},
		{"one unit says nothing", .20, math.Inf(-1), math.Inf(1), math.Inf(-1), math.Inf(1), func(e *Evidence) { e.Units, e.P = 1, 1 }, result.Inconclusive, Low},
		{"one launch, faster", .20, .15, .25, .16, .24, func(e *Evidence) { e.Launches = false }, result.Faster, Medium},
		{"one launch, probably", .03, .005, .055, .01, .05, func(e *Evidence) { e.Launches = false }, result.ProbablyFaster, Low},
		{"one launch, same", .001, -.012, .014, -.01, .012, func(e *Evidence) { e.Launches, e.P = false, .8 }, result.Same, Low},
		{"Ctrl-C after enough launches", .20, .15, .25, .16, .24, func(e *Evidence) { e.Interrupted, e.Units = true, 6 }, result.Faster, Medium},
		{"Ctrl-C after too few", .20, .15, .25, .16, .24, func(e *Evidence) { e.Interrupted, e.Units = true, 5 }, result.Inconclusive, Low},
		{"Ctrl-C of a plan with few launches", .20, .15, .25, .16, .24, func(e *Evidence) { e.Interrupted, e.Units, e.PlannedUnits = true, 2, 3 }, result.Inconclusive, Low},
		{"no early same after Ctrl-C", .001, -.012, .014, -.01, .012, func(e *Evidence) { e.Interrupted, e.P = true, .8 }, result.Inconclusive, Low},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			e := base
			e.Limit, e.Band = limit, band
			e.Estimate, e.Low95, e.High95, e.Low90, e.High90 = r.est, r.lo, r.hi, r.lo90, r.hi90
			if r.change != nil {
				r.change(&e)
			}
			outcome, confidence := Judge(e)
			if outcome != r.outcome || confidence != r.confidence {
				t.Errorf("got %s %s, want %s %s", outcome, confidence, r.outcome, r.confidence)
			}
		})
	}
}

// Whatever is put in, the judgement of the swapped pair is the mirrored one.
func TestJudgeIsSymmetric(t *testing.T) {
	mirror := map[string]string{result.Faster: result.Slower, result.Slower: result.Faster, result.ProbablyFaster: result.ProbablySlower, result.ProbablySlower: result.ProbablyFaster}
	for est := -0.1; est <= 0.1; est += 0.004 {
		for half := 0.001; half < 0.1; half *= 1.7 {
			for _, p := range []float64{0.001, 0.05, 0.4} {
				e := Evidence{Estimate: est, Low95: est - half, High95: est + half, Low90: est - .8*half, High90: est + .8*half,
					P: p, Alpha: .05, Limit: .01, Band: .02, Units: 9, PlannedUnits: 9}
				one, sure := Judge(e)
				e.Estimate, e.Low95, e.High95, e.Low90, e.High90 = -e.Estimate, -e.High95, -e.Low95, -e.High90, -e.Low90
				other, sureToo := Judge(e)
				want := one
				if m, ok := mirror[one]; ok {
					want = m
				}
				if other != want || sure != sureToo {
					t.Fatalf("est %g ± %g, p %g: %s %s, and mirrored %s %s", est, half, p, one, sure, other, sureToo)
				}
			}
		}
	}
}
