package compare

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wiregauge/lab"
	"wiregauge/load"
	"wiregauge/result"
)

// quick is a plan whose turns are simulated: 8 launches of 5 rounds.
func quick(a []Arm, p *processes) Plan {
	plan := Plan{Arms: a, Rounds: 5, Turn: 200 * time.Millisecond, Seed: 1}
	if p != nil {
		plan.Launches, plan.Launch = 8, p.launch
	}
	return plan
}

func TestPlantedDifferenceIsFound(t *testing.T) {
	for _, c := range []struct {
		name    string
		b       float64
		outcome string
	}{
		{"20 % faster", 1.20, Faster}, {"20 % slower", 1 / 1.2, Slower}, {"3 times as fast", 3, Faster},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &processes{}
			f := mustRun(t, quick(startedArms(
				&simulated{name: "a", speed: 20000, launchSD: .01, noise: .05, drift: .1},
				&simulated{name: "b", speed: 20000 * c.b, launchSD: .01, noise: .05, drift: .1}), p))
			v := verdictOf(t, f, "rate", "a", "b")
			if v.Outcome != c.outcome || v.Confidence != Medium || v.Unit != "launch" || v.Units != 8 || v.Agree != 8 || !v.Primary {
				t.Errorf("verdict %+v", v)
			}
			if *v.Low > c.b || *v.High < c.b || *v.Ratio < .95*c.b || *v.Ratio > 1.05*c.b {
				t.Errorf("ratio %.3f in %.3f to %.3f, planted %.3f", *v.Ratio, *v.Low, *v.High, c.b)
			}
			if f.Partial || f.Trust.Level != "unchecked" || len(f.Turns) != 80 {
				t.Errorf("partial %v, trust %q, %d rows", f.Partial, f.Trust.Level, len(f.Turns))
			}
			p.nothingLeft(t)
		})
	}
}

func TestEqualArmsAreSeldomCalledDifferent(t *testing.T) {
	wrong, trials := 0, 300
	for seed := range uint64(trials) {
		p := &processes{}
		plan := quick(startedArms(
			&simulated{name: "a", speed: 20000, launchSD: .02, noise: .05, drift: .1, seed: seed},
			&simulated{name: "b", speed: 20000, launchSD: .02, noise: .05, drift: .1, seed: seed}), p)
		plan.Seed = seed
		v := verdictOf(t, mustRun(t, plan), "rate", "a", "b")
		if v.Outcome != Same && v.Outcome != Inconclusive {
			wrong++
		}
	}
	if wrong > trials*6/100 {
		t.Errorf("%d of %d comparisons of equal arms named a winner", wrong, trials)
	}
}

func TestNearlyEqualArmsAreTheSame(t *testing.T) {
	f := mustRun(t, quick(startedArms(&simulated{name: "a", speed: 20000, noise: .003}, &simulated{name: "b", speed: 20040, noise: .003}), &processes{}))
	if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != Same || v.Confidence != Medium {
		t.Errorf("got %s %s, want same", v.Outcome, v.Confidence)
	}
}

func TestNoisyArmsAreInconclusiveAndSayWhatWouldSettleIt(t *testing.T) {
	f := mustRun(t, quick(startedArms(&simulated{name: "a", speed: 20000, launchSD: .1}, &simulated{name: "b", speed: 20600, launchSD: .1, seed: 3}), &processes{}))
	v := verdictOf(t, f, "rate", "a", "b")
	if v.Outcome != Inconclusive || len(v.Reasons) != 1 || !strings.Contains(v.Reasons[0], "launches") {
		t.Errorf("got %s with reasons %q", v.Outcome, v.Reasons)
	}
}

func TestOneLaunchIsJudgedByRoundsAndSaysSo(t *testing.T) {
	f := mustRun(t, Plan{Arms: arms(&simulated{name: "a", speed: 20000, noise: .05}, &simulated{name: "b", speed: 24000, noise: .05}), Rounds: 40, Seed: 1})
	v := verdictOf(t, f, "rate", "a", "b")
	if v.Outcome != Faster || v.Unit != "round" || v.Units != 40 || v.Limit != 0.05 || v.Band != 0.05 {
		t.Errorf("verdict %+v", v)
	}
	if !strings.Contains(strings.Join(f.Notes, "\n"), "one launch only") {
		t.Errorf("notes %q do not say that there was one launch", f.Notes)
	}
}

// With one launch a difference below 5 % is not worth a word, however sure: it may belong to the launch.
func TestOneLaunchDoesNotNameASmallWinner(t *testing.T) {
	f := mustRun(t, Plan{Arms: arms(&simulated{name: "a", speed: 20000, noise: .01}, &simulated{name: "b", speed: 20600, noise: .01}), Rounds: 40, Seed: 1})
	if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != Same {
		t.Errorf("3 %% on one launch is %s, want the same", v.Outcome)
	}
}

func TestTheSamePlanAndSeedGiveTheSameOrder(t *testing.T) {
	orders := func(seed uint64) (list []string, starts []string) {
		p := &processes{}
		plan := quick(startedArms(&simulated{name: "a", speed: 1e4}, &simulated{name: "b", speed: 1e4}, &simulated{name: "c", speed: 1e4}), p)
		plan.Seed = seed
		for _, r := range mustRun(t, plan).Turns {
			list = append(list, r.Arm)
		}
		return list, p.started
	}
	one, starts := orders(42)
	again, startsAgain := orders(42)
	other, startsOther := orders(43)
	if !reflect.DeepEqual(one, again) || !reflect.DeepEqual(starts, startsAgain) {
		t.Error("the same seed gave another order")
	}
	if reflect.DeepEqual(one, other) || reflect.DeepEqual(starts, startsOther) {
		t.Error("another seed gave the same order")
	}
}

func TestEveryOrderIsAboutEquallyFrequent(t *testing.T) {
	count := map[string]int{}
	for l := range 20 {
		for b := range 300 {
			var word []byte
			for _, i := range Order(7, l, b, 3) {
				word = append(word, byte('a'+i))
			}
			count[string(word)]++
		}
	}
	for _, word := range []string{"abc", "acb", "bac", "bca", "cab", "cba"} {
		if n := count[word]; n < 850 || n > 1150 {
			t.Errorf("order %s came %d times of 6000, want about 1000", word, n)
		}
	}
}

func TestEveryStartHasItsOwnPortAndPadding(t *testing.T) {
	p := &processes{}
	mustRun(t, quick(startedArms(&simulated{name: "a", speed: 1e4}, &simulated{name: "b", speed: 1e4}), p))
	if len(p.started) != 16 || len(p.ports) != 16 || len(p.padded) < 14 {
		t.Errorf("%d starts on %d ports with %d sizes of environment", len(p.started), len(p.ports), len(p.padded))
	}
}

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
	if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != Faster || v.Units != 8 {
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
	if v.Outcome != NotFair || v.Ratio == nil || !strings.Contains(v.Reasons[0], "of the rounds were invalid") {
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
	if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != NotFair {
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
	if v.Outcome != Faster || v.Units != 8 {
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
	if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != NotFair || !f.Partial {
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
		}, "for 5s it has answered 404 Not Found"},
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

func TestCtrlCKeepsWholeLaunches(t *testing.T) {
	p := &processes{}
	ctx, stop := context.WithCancel(context.Background())
	b := &simulated{name: "b", speed: 3e4, noise: .01, turn: func(s load.Spec, _ *result.Turn) error {
		if s.Launch == 6 && s.Round == 3 {
			stop()
		}
		return nil
	}}
	f, err := Run(ctx, quick(startedArms(&simulated{name: "a", speed: 2e4, noise: .01}, b), p))
	if !errors.Is(err, context.Canceled) || f == nil || !f.Partial {
		t.Fatalf("error %v, file %v", err, f)
	}
	v := verdictOf(t, f, "rate", "a", "b")
	if v.Units != 6 || v.Outcome != Faster || len(f.Turns) != 60 {
		t.Errorf("verdict %+v with %d rows", v, len(f.Turns))
	}
	if !strings.Contains(strings.Join(f.Notes, "\n"), "6 launches of 8 counted") {
		t.Errorf("notes %q", f.Notes)
	}
	p.nothingLeft(t)
}

func TestCtrlCInTheFirstLaunchKeepsItsRoundsAndJudgesNothing(t *testing.T) {
	p := &processes{}
	ctx, stop := context.WithCancel(context.Background())
	b := &simulated{name: "b", speed: 3e4, turn: func(s load.Spec, _ *result.Turn) error {
		if s.Round == 3 {
			stop()
		}
		return nil
	}}
	f, err := Run(ctx, quick(startedArms(&simulated{name: "a", speed: 2e4}, b), p))
	if err == nil || f == nil || len(f.Turns) != 6 {
		t.Fatalf("error %v, file %+v", err, f)
	}
	if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != Inconclusive {
		t.Errorf("outcome %s", v.Outcome)
	}
	p.nothingLeft(t)
}

func TestCtrlCWithOneLaunchKeepsRounds(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	b := &simulated{name: "b", speed: 3e4, noise: .01, turn: func(s load.Spec, _ *result.Turn) error {
		if s.Round == 20 {
			stop()
		}
		return nil
	}}
	f, err := Run(ctx, Plan{Arms: arms(&simulated{name: "a", speed: 2e4, noise: .01}, b), Rounds: 40})
	if err == nil || f == nil || len(f.Turns) != 40 {
		t.Fatalf("error %v, file %+v", err, f)
	}
	if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != Faster || v.Units != 20 {
		t.Errorf("verdict %+v", v)
	}
}

func TestTheFloorIsMeasuredAndNotJudged(t *testing.T) {
	floor := (&simulated{name: "tcp", speed: 1e5, failures: .5}).arm()
	floor.Floor = true
	list := append([]Arm{floor}, arms(&simulated{name: "a", speed: 2e4, noise: .01}, &simulated{name: "b", speed: 3e4, noise: .01})...)
	f := mustRun(t, Plan{Arms: list, Rounds: 10})
	if len(f.Arms) != 3 || !f.Arms[0].Floor || f.Arms[0].OK == 0 || !f.Arms[1].Baseline {
		t.Errorf("arms %+v", f.Arms)
	}
	for _, v := range f.Verdicts {
		if v.A == "tcp" || v.B == "tcp" {
			t.Errorf("the floor is judged: %+v", v)
		}
	}
	if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != Faster {
		t.Errorf("outcome %s", v.Outcome)
	}
}

func TestFailureSharesThatDifferAreNotFair(t *testing.T) {
	f := mustRun(t, Plan{Rounds: 10, Arms: arms(&simulated{name: "a", speed: 2e4}, &simulated{name: "b", speed: 3e4, failures: .03})})
	v := verdictOf(t, f, "rate", "a", "b")
	if v.Outcome != NotFair || !strings.Contains(strings.Join(v.Reasons, "\n"), "a failed 0 % of its calls, b 3 %") || f.Fair.OK() {
		t.Errorf("verdict %+v", v)
	}
	f = mustRun(t, Plan{Rounds: 10, Arms: arms(&simulated{name: "a", speed: 2e4, failures: .03}, &simulated{name: "b", speed: 3e4, failures: .03})})
	if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != Faster {
		t.Errorf("with equal shares of failures: %+v", v)
	}
}

func TestAnArmWithoutAnyGoodAnswerWinsNothing(t *testing.T) {
	f := mustRun(t, Plan{Rounds: 10, Arms: arms(&simulated{name: "a", speed: 2e4, failures: 1}, &simulated{name: "b", speed: 3e4, failures: 1})})
	if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != NotFair || v.Ratio != nil {
		t.Errorf("verdict %+v", v)
	}
}

func TestTheClientAsTheLimit(t *testing.T) {
	for _, c := range []struct {
		name    string
		a, b    simulated
		outcome string
		atLeast bool
	}{
		{"of the faster arm", simulated{speed: 2e4, serverShare: .9}, simulated{speed: 4e4, clientShare: .97, serverShare: .3}, Faster, true},
		{"of the faster baseline", simulated{speed: 4e4, clientShare: .97, serverShare: .3}, simulated{speed: 2e4, serverShare: .9}, Slower, true},
		{"of both", simulated{speed: 2e4, clientShare: .97}, simulated{speed: 4e4, clientShare: .97}, NotFair, false},
		{"of the slower arm", simulated{speed: 2e4, clientShare: .97}, simulated{speed: 4e4}, NotFair, false},
		{"of none: the server has no CPU left either", simulated{speed: 2e4, serverShare: .9}, simulated{speed: 4e4, clientShare: .97, serverShare: .97}, Faster, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.a.name, c.b.name = "a", "b"
			f := mustRun(t, Plan{Rounds: 10, Arms: arms(&c.a, &c.b)})
			v := verdictOf(t, f, "rate", "a", "b")
			if v.Outcome != c.outcome || v.AtLeast != c.atLeast {
				t.Errorf("got %s, at least %v; reasons %q", v.Outcome, v.AtLeast, v.Reasons)
			}
			if limited := c.b.clientShare > .95 && c.b.serverShare < .95; limited != (f.Arms[1].Limited == "client") {
				t.Errorf("arm b is marked limited by %q", f.Arms[1].Limited)
			}
		})
	}
}

func TestThreeArmsAndTwoMetricsShareTheirDoubt(t *testing.T) {
	list := arms(&simulated{name: "a", speed: 2e4, noise: .02}, &simulated{name: "b", speed: 2e4, noise: .02}, &simulated{name: "c", speed: 4e4, noise: .02})
	f := mustRun(t, Plan{Rounds: 20, Arms: list, Open: true})
	primary, others, shown := 0, 0, 0
	for _, v := range f.Verdicts {
		switch {
		case v.Primary:
			primary++
			if *v.PAdjusted < *v.P {
				t.Errorf("adjusted p %g is below p %g", *v.PAdjusted, *v.P)
			}
		case v.Outcome != "":
			others++
			if v.A != "b" || v.B != "c" {
				t.Errorf("an outcome of %s and %s outside the family", v.A, v.B)
			}
		default:
			shown++
		}
	}
	if primary != 4 || others != 2 || shown == 0 {
		t.Errorf("%d primary verdicts, %d of other pairs, %d shown; want 4, 2, some", primary, others, shown)
	}
	if v := verdictOf(t, f, "p99", "a", "c"); v.Outcome != Faster || *v.Ratio < 1.9 || *v.Ratio > 2.1 {
		t.Errorf("latency half as long is %s with ratio %v", v.Outcome, v.Ratio)
	}
}

func TestBytesPerCallAreExact(t *testing.T) {
	f := mustRun(t, Plan{Rounds: 5, Arms: arms(&simulated{name: "a", speed: 2e4, bytes: 300}, &simulated{name: "b", speed: 3e4, bytes: 100})})
	if v := verdictOf(t, f, "bytes", "a", "b"); *v.Ratio != 3 || v.P != nil || v.Outcome != "" {
		t.Errorf("verdict %+v", v)
	}
}

func TestTooFewCallsForATailAreSaidNotGuessed(t *testing.T) {
	f := mustRun(t, Plan{Rounds: 3, Open: true, Arms: arms(&simulated{name: "a", speed: 1000}, &simulated{name: "b", speed: 1000})})
	v := verdictOf(t, f, "p99", "a", "b")
	if v.Outcome != Inconclusive || v.Ratio != nil || !strings.Contains(strings.Join(v.Reasons, ""), "too few calls") {
		t.Errorf("verdict %+v", v)
	}
}

// 600 calls a round hold 6 beyond p99: two rounds make one unit of p99, and one round one of p50.
func TestRoundsWithTooFewCallsForATailArePooled(t *testing.T) {
	f := mustRun(t, Plan{Rounds: 40, Open: true, Arms: arms(&simulated{name: "a", speed: 2400}, &simulated{name: "b", speed: 4800})})
	p50, p99 := verdictOf(t, f, "p50", "a", "b"), verdictOf(t, f, "p99", "a", "b")
	if p50.Unit != "round" || p50.Units != 40 || p99.Unit != "block" || p99.Units != 20 || p99.Outcome != Faster {
		t.Errorf("p50 %+v\np99 %+v", p50, p99)
	}
	if !strings.Contains(strings.Join(f.Notes, "\n"), "p99: one round has too few calls for it; up to 2 rounds") {
		t.Errorf("notes %q", f.Notes)
	}
}

func TestTheWholeFileCanBeWrittenAndReadBack(t *testing.T) {
	f := mustRun(t, quick(startedArms(&simulated{name: "a", speed: 2e4, bytes: 3}, &simulated{name: "b", speed: 2e4, noise: .3, bytes: 4}), &processes{}))
	var out bytes.Buffer
	if err := f.Write(&out); err != nil {
		t.Fatal(err)
	}
	if again, err := result.Read(&out); err != nil || len(again.Verdicts) != len(f.Verdicts) {
		t.Errorf("read back: %v", err)
	}
}

func TestProgressCarriesNoRatioAndEndsWithAllTurns(t *testing.T) {
	var last Progress
	phases := map[string]bool{}
	plan := quick(startedArms(&simulated{name: "a", speed: 2e4}, &simulated{name: "b", speed: 2e4}), &processes{})
	plan.Progress = func(p Progress) { last, phases[p.Phase] = p, true }
	mustRun(t, plan)
	if last.Launch != 8 || last.Round != 5 || last.Turns != 80 || last.Done != 78 || len(last.Order) != 2 {
		t.Errorf("last progress %+v", last)
	}
	for _, phase := range []string{"starting", "warming up", "measuring"} {
		if !phases[phase] {
			t.Errorf("phase %q was never said", phase)
		}
	}
}

func TestPlansThatCannotWork(t *testing.T) {
	a, b := &simulated{name: "a", speed: 1}, &simulated{name: "b", speed: 1}
	floor := a.arm()
	floor.Floor = true
	fixed := startedArms(a, b)
	fixed[0].URL, fixed[1].URL = "grpc://localhost:5000/x", "http://localhost:5000/y"
	for name, c := range map[string]struct {
		plan Plan
		want string
	}{
		"one arm":                        {Plan{Arms: arms(a)}, "two arms or more, got 1"},
		"two arms of one name":           {Plan{Arms: arms(a, a)}, `named "a"`},
		"nothing to judge":               {Plan{Arms: []Arm{floor, b.arm()}}, "two arms that are not a floor"},
		"an unknown baseline":            {Plan{Arms: arms(a, b), Baseline: "c"}, `no arm "c"`},
		"a floor as baseline":            {Plan{Arms: append(arms(b, &simulated{name: "c"}), floor), Baseline: "a"}, "cannot be the baseline"},
		"an unknown metric":              {Plan{Arms: arms(a, b), Primary: []string{"joy"}}, `no metric "joy"`},
		"several launches of a running":  {Plan{Arms: arms(a, b), Launches: 5}, "already running"},
		"two servers on one fixed port":  {Plan{Arms: fixed}, "both start a server on localhost:5000"},
		"a percentile that is not one":   {Plan{Arms: arms(a, b), Primary: []string{"p100"}}, `no metric "p100"`},
		"a percentile that is no number": {Plan{Arms: arms(a, b), Primary: []string{"pxx"}}, `no metric "pxx"`},
	} {
		if _, err := Run(context.Background(), c.plan); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
