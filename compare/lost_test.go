package compare

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"wiregauge/judge"
	"wiregauge/lab"
	"wiregauge/load"
	"wiregauge/result"
)

// failingOnce spoils the first turn that fits.
func failingOnce(launch, round int, err error) func(load.Spec, *result.Turn) error {
	done := false
	return func(s load.Spec, _ *result.Turn) error {
		if done || s.Launch != launch || s.Round != round {
			return nil
		}
		done = true
		return err
	}
}

func TestAnInvalidTurnVoidsItsRoundWhichIsPlayedAgainOnce(t *testing.T) {
	f := mustRun(t, quick(startedArms(
		&simulated{name: "a", speed: 2e4, noise: .01},
		&simulated{name: "b", speed: 3e4, noise: .01, turn: failingOnce(2, 1, errors.New("connection lost"))}), &processes{}))
	var void, again int
	for _, r := range f.Turns {
		if r.Invalid != "" {
			void++
			if r.Launch != 2 || r.Round != 1 || !strings.Contains(r.Invalid, "connection lost") {
				t.Errorf("void row %+v", r)
			}
		}
		if r.Requeued {
			again++
		}
	}
	if void < 1 || void > 2 || again != 2 {
		t.Errorf("%d void rows and %d of a repeated round, want 1 or 2 and 2", void, again)
	}
	if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != result.Faster || v.Units != 8 {
		t.Errorf("verdict %+v", v)
	}
}

func TestADialFailureInATurnIsInvalid(t *testing.T) {
	first := true
	f := mustRun(t, quick(startedArms(&simulated{name: "a", speed: 2e4},
		&simulated{name: "b", speed: 2e4, turn: func(s load.Spec, tn *result.Turn) error {
			if s.Round >= 0 && first {
				first = false
				tn.Connections.Failed = 1
				tn.Errors = []result.ErrorClass{{Class: "connect", Stage: "connect", Message: "connection refused", Count: 1}}
			}
			return nil
		}}), &processes{}))
	if !strings.Contains(strings.Join(f.Notes, "\n"), "1 connection could not be opened: connection refused") {
		t.Errorf("notes %q", f.Notes)
	}
}

func TestConnectionsThatDieInATurnAreInvalid(t *testing.T) {
	for name, spoil := range map[string]func(*result.Turn){
		"1 connection was reset": func(tn *result.Turn) { tn.Connections.Ended = map[string]int64{"reset": 1} },
		"closed connections with 3 calls in flight": func(tn *result.Turn) {
			tn.Errors = []result.ErrorClass{{Class: "closed", Stage: "read", Count: 3}}
		},
	} {
		first := true
		f := mustRun(t, Plan{Rounds: 10, Arms: arms(&simulated{name: "a", speed: 2e4},
			&simulated{name: "b", speed: 2e4, turn: func(s load.Spec, tn *result.Turn) error {
				if s.Round >= 0 && first {
					first = false
					spoil(tn)
				}
				return nil
			}})})
		if !strings.Contains(strings.Join(f.Notes, "\n"), name) {
			t.Errorf("notes %q do not say %q", f.Notes, name)
		}
	}
	f := mustRun(t, Plan{Rounds: 10, Arms: arms(&simulated{name: "a", speed: 2e4},
		&simulated{name: "b", speed: 2e4, turn: func(s load.Spec, tn *result.Turn) error {
			tn.Connections.Ended = map[string]int64{"goaway": 2, "closed by server": 3}
			return nil
		}})})
	for _, r := range f.Turns {
		if r.Invalid != "" {
			t.Fatalf("an orderly replacement of connections voids a round: %+v", r)
		}
	}
}

func TestTooManyInvalidRoundsNameNoWinner(t *testing.T) {
	f := mustRun(t, quick(startedArms(&simulated{name: "a", speed: 2e4},
		&simulated{name: "b", speed: 3e4, turn: func(s load.Spec, _ *result.Turn) error {
			if s.Round == 1 || s.Round == 3 {
				return errors.New("connection lost")
			}
			return nil
		}}), &processes{}))
	v := verdictOf(t, f, "rate", "a", "b")
	if v.Outcome != result.NotFair || v.Ratio == nil || !strings.Contains(strings.Join(v.Reasons, "\n"), "of the rounds were invalid") {
		t.Errorf("verdict %+v", v)
	}
}

func TestARunningTargetThatDiesInRoundThree(t *testing.T) {
	plan := Plan{Rounds: 40, Seed: 1, Arms: arms(&simulated{name: "a", speed: 2e4},
		&simulated{name: "b", speed: 2e4, turn: func(s load.Spec, _ *result.Turn) error {
			if s.Round >= 2 {
				return errors.New("connection refused")
			}
			return nil
		}})}
	f, err := Run(context.Background(), plan)
	if lost := lostArm(t, err); lost.Arm != "b" || lost.Round != 5 || !strings.Contains(lost.Error(), "connection refused") {
		t.Errorf("error %v", err)
	}
	if f == nil || !f.Partial || f.Arms[0].OK == 0 {
		t.Fatal("the two finished rounds are lost")
	}
	valid := 0
	for _, r := range f.Turns {
		if r.Invalid == "" {
			valid++
		}
	}
	if valid != 4 {
		t.Errorf("%d valid turns are kept, want those of 2 rounds", valid)
	}
	if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != result.NotFair {
		t.Errorf("outcome %s", v.Outcome)
	}
}

func TestAServerThatDiesOnceCostsItsLaunchOnly(t *testing.T) {
	p := &processes{}
	kill := func(s load.Spec, _ *result.Turn) error {
		if s.Launch == 1 && s.Round == 2 {
			p.kill("b")
		}
		return nil
	}
	f := mustRun(t, quick(startedArms(&simulated{name: "a", speed: 2e4, noise: .01}, &simulated{name: "b", speed: 3e4, noise: .01, turn: kill}), p))
	v := verdictOf(t, f, "rate", "a", "b")
	if v.Outcome != result.Faster || v.Units != 8 {
		t.Errorf("verdict %+v", v)
	}
	if !strings.Contains(strings.Join(f.Notes, "\n"), "arm b: its server ended by itself") {
		t.Errorf("notes %q", f.Notes)
	}
	p.nothingLeft(t)
}

func TestAServerThatKeepsDyingEndsTheComparison(t *testing.T) {
	p := &processes{}
	kill := func(s load.Spec, _ *result.Turn) error {
		if s.Round == 2 {
			p.kill("b")
		}
		return nil
	}
	f, err := Run(context.Background(), quick(startedArms(&simulated{name: "a", speed: 2e4}, &simulated{name: "b", speed: 3e4, turn: kill}), p))
	lost := lostArm(t, err)
	if lost.Arm != "b" || lost.Launch != 2 || lost.Round != 3 || !strings.Contains(lost.Error(), "last words of b") {
		t.Errorf("error %v", err)
	}
	if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != result.NotFair || !f.Partial {
		t.Errorf("outcome %s, partial %v", v.Outcome, f.Partial)
	}
	p.nothingLeft(t)
}

func TestALaunchThatFailsToStartIsRedoneOnce(t *testing.T) {
	p := &processes{fail: func(nth int, c lab.LaunchConfig) error {
		if nth == 2 || nth == 3 { // the first of launch 2; its repeat works
			return map[int]error{2: errors.New("exit status 1")}[nth]
		}
		return nil
	}}
	f := mustRun(t, quick(startedArms(&simulated{name: "a", speed: 2e4}, &simulated{name: "b", speed: 2e4}), p))
	if len(f.Turns) != 80 || len(p.started) != 17 {
		t.Errorf("%d rows after %d starts", len(f.Turns), len(p.started))
	}
	p.nothingLeft(t)
}

func TestAStartCommandThatExitsAtOnce(t *testing.T) {
	p := &processes{fail: func(_ int, c lab.LaunchConfig) error {
		if c.Command[0] == "b" {
			return errors.New("exited with status 1 before it was ready")
		}
		return nil
	}}
	f, err := Run(context.Background(), quick(startedArms(&simulated{name: "a", speed: 2e4}, &simulated{name: "b", speed: 2e4}), p))
	if lost := lostArm(t, err); lost.Arm != "b" || !strings.Contains(err.Error(), "exited with status 1") {
		t.Errorf("error %v", err)
	}
	if f != nil {
		t.Error("there is a file though nothing was measured")
	}
	p.nothingLeft(t)
}

func TestAnArmThatNeverBecomesReady(t *testing.T) {
	for _, c := range []struct {
		name  string
		probe func(context.Context, Running) (Sample, error)
		want  string
	}{
		{"nobody answers", func(context.Context, Running) (Sample, error) {
			return Sample{}, errors.New("connection refused")
		}, "never became ready in 30s: connection refused"},
		{"it answers with failures", func(context.Context, Running) (Sample, error) {
			return Sample{Failure: "404 Not Found"}, nil
		}, "for 5s it has not answered as it should: it answered 404 Not Found"},
		{"it has another method", func(context.Context, Running) (Sample, error) {
			return Sample{}, Answered(errors.New("no method Say"))
		}, "for 5s it has not answered as it should: no method Say"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &processes{}
				plan := quick(startedArms(&simulated{name: "a", speed: 2e4}, &simulated{name: "b", speed: 2e4}), p)
				plan.Arms[1].Probe = c.probe
				_, err := Run(context.Background(), plan)
				if lost := lostArm(t, err); lost.Arm != "b" || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v, want %q", err, c.want)
				}
				if n := len(p.started); n > 2 {
					t.Errorf("%d starts: a server that was waited for in vain is not started again", n)
				}
				p.nothingLeft(t)
			})
		})
	}
}

// stoppedAt is a plan whose Ctrl-C comes in one round of one launch, and how to run it.
func stoppedAt(launch, round, launches int, p *processes) (context.Context, Plan) {
	ctx, stop := context.WithCancel(context.Background())
	b := &simulated{name: "b", speed: 3e4, noise: .01, turn: func(s load.Spec, _ *result.Turn) error {
		if s.Launch == launch && s.Round == round {
			stop()
		}
		return nil
	}}
	list := startedArms(&simulated{name: "a", speed: 2e4, noise: .01}, b)
	if p == nil {
		list = arms(&simulated{name: "a", speed: 2e4, noise: .01}, b)
	}
	plan := quick(list, p)
	plan.Launches = launches
	return ctx, plan
}

func TestCtrlCKeepsWholeLaunches(t *testing.T) {
	for _, c := range []struct {
		name                string
		launch, launches    int
		outcome, confidence string
		units               int
		note                string
	}{
		{"before the first planned look of twenty launches", 9, 20, result.Inconclusive, judge.Low, 9, "9 launches of 20 counted"},
		{"before the first planned look", 6, 10, result.Inconclusive, judge.Low, 6, "6 launches of 10 counted"},
		{"of a plan with one look only", 6, 8, result.Inconclusive, judge.Low, 6, "6 launches of 8 counted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &processes{}
			ctx, plan := stoppedAt(c.launch, 3, c.launches, p)
			f, err := Run(ctx, plan)
			if !errors.Is(err, context.Canceled) || f == nil || !f.Partial {
				t.Fatalf("error %v, file %v", err, f)
			}
			v := verdictOf(t, f, "rate", "a", "b")
			if v.Units != c.units || v.Outcome != c.outcome || v.Confidence != c.confidence || len(f.Turns) != 10*c.launch {
				t.Errorf("verdict %+v with %d rows", v, len(f.Turns))
			}
			if !strings.Contains(strings.Join(f.Notes, "\n"), c.note) {
				t.Errorf("notes %q", f.Notes)
			}
			p.nothingLeft(t)
		})
	}
}

// Between two looks a comparison that is stopped says what its whole launches allow. Arm c is the baseline's equal, so
// that no look ends the comparison by itself.
func TestCtrlCAfterAPlannedLookJudgesTheWholeLaunches(t *testing.T) {
	p := &processes{}
	ctx, plan := stoppedAt(8, 3, 10, p)
	plan.Arms = append(plan.Arms, startedArms(&simulated{name: "c", speed: 2e4, noise: .01})...)
	f, err := Run(ctx, plan)
	if err == nil || f == nil {
		t.Fatalf("error %v, file %v", err, f)
	}
	if v := verdictOf(t, f, "rate", "a", "b"); v.Units != 8 || v.Outcome != result.Faster || v.Look != 8 || v.Alpha != .044 || v.Confidence == judge.High {
		t.Errorf("verdict %+v", v)
	}
	if v := verdictOf(t, f, "rate", "a", "c"); v.Outcome == result.Faster || v.Outcome == result.Slower {
		t.Errorf("equal arms: %+v", v)
	}
	p.nothingLeft(t)
}

func TestCtrlCInTheOnlyOrFirstLaunchKeepsItsRoundsAndJudgesNothing(t *testing.T) {
	for name, p := range map[string]*processes{"the first of eight": {}, "the only one": nil} {
		t.Run(name, func(t *testing.T) {
			launches := 8
			if p == nil {
				launches = 1
			}
			ctx, plan := stoppedAt(0, 3, launches, p)
			f, err := Run(ctx, plan)
			if err == nil || f == nil || len(f.Turns) != 6 {
				t.Fatalf("error %v, file %+v", err, f)
			}
			if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != result.Inconclusive || v.Ratio == nil {
				t.Errorf("verdict %+v", v)
			}
			if p != nil {
				p.nothingLeft(t)
			}
		})
	}
}
