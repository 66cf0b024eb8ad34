package compare

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"wiregauge/load"
	"wiregauge/result"
)

// sweepOf is a sweep of two started arms over concurrencies; b is half as fast again at every point.
func sweepOf(p *processes, judged int, points ...int) []Setting {
	var list []Setting
	for _, n := range points {
		plan := quick(startedArms(&simulated{name: "a", speed: 1e3 * float64(n), noise: .01}, &simulated{name: "b", speed: 1.5e3 * float64(n), noise: .01}), p)
		plan.Launches = 10
		list = append(list, Setting{Label: fmt.Sprintf("c=%d", n), Concurrency: n, Judged: n == judged, Plan: plan})
	}
	return list
}

func TestASweepHasCurvesWithoutWordsAndVerdictsWhereTheyWereDeclared(t *testing.T) {
	p := &processes{}
	points := map[string]bool{}
	settings := sweepOf(p, 16, 4, 16, 64)
	for i := range settings {
		settings[i].Plan.Progress = func(x Progress) { points[x.Point] = true }
	}
	f, err := Sweep(context.Background(), settings)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Sweep) != 3 || f.Plan.Launches != 10 || len(f.Turns) != 100 || f.Partial {
		t.Fatalf("%d points; the file is that of %d launches with %d rows", len(f.Sweep), f.Plan.Launches, len(f.Turns))
	}
	for i, pt := range f.Sweep {
		if len(pt.Arms) != 2 || pt.Arms[0].Rate <= 0 || pt.Arms[0].P50 == nil || pt.Concurrency != settings[i].Concurrency {
			t.Errorf("point %+v", pt)
		}
		if (len(pt.Verdicts) > 0) != (pt.Label == "c=16") {
			t.Errorf("%s has %d verdicts", pt.Label, len(pt.Verdicts))
		}
		if pt.Label == "c=16" && (pt.Arms[0].Low == nil || *pt.Arms[0].Low > pt.Arms[0].Rate || *pt.Arms[0].High < pt.Arms[0].Rate*.99) {
			t.Errorf("interval of the rate %v to %v around %v", pt.Arms[0].Low, pt.Arms[0].High, pt.Arms[0].Rate)
		}
	}
	if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != result.Faster || v.Units != 10 {
		t.Errorf("verdict %+v", v)
	}
	if len(p.started) != 2*(1+10+1) {
		t.Errorf("%d starts, want one launch at a point without a verdict and ten at the declared one", len(p.started))
	}
	if !points["2/3 c=16"] || !strings.Contains(strings.Join(f.Notes, "\n"), "the tables are those of c=16, one of 3 points") {
		t.Errorf("points %v, notes %q", points, f.Notes)
	}
	p.nothingLeft(t)
}

func TestDeclaredPointsAreOneFamily(t *testing.T) {
	settings := sweepOf(&processes{}, 16, 4, 16, 64)
	for i := range settings {
		settings[i].Judged = true
	}
	f, err := Sweep(context.Background(), settings)
	if err != nil {
		t.Fatal(err)
	}
	for _, pt := range f.Sweep {
		v := pt.Verdicts[0]
		if v.Outcome != result.Faster || *v.PAdjusted < 2.99**v.P {
			t.Errorf("%s: p %g became %g; three tests", pt.Label, *v.P, *v.PAdjusted)
		}
	}
}

func TestASweepThatEndsEarlyKeepsItsPoints(t *testing.T) {
	p := &processes{}
	settings := sweepOf(p, 0, 4, 16, 64)
	settings[2].Plan.Arms[1].Open = func(context.Context, Running) (Turner, error) { return nil, errors.New("connection refused") }
	f, err := Sweep(context.Background(), settings)
	if lost := lostArm(t, err); lost.Arm != "b" || f == nil || !f.Partial || len(f.Sweep) != 2 || len(f.Verdicts) != 0 {
		t.Errorf("error %v, file %+v", err, f)
	}
	p.nothingLeft(t)

	ctx, stop := context.WithCancel(context.Background())
	settings = sweepOf(p, 0, 4, 16, 64)
	b := &simulated{name: "b", speed: 1e4, turn: func(s load.Spec, _ *result.Turn) error {
		if s.Round == 2 {
			stop()
		}
		return nil
	}}
	settings[1].Plan.Arms[1] = b.started()
	if f, err = Sweep(ctx, settings); !errors.Is(err, context.Canceled) || f == nil || len(f.Sweep) != 2 || f.Elapsed > int64(time.Minute) {
		t.Errorf("after Ctrl-C: error %v, file %+v", err, f)
	}
	p.nothingLeft(t)
}
