package compare

import (
	"strings"
	"testing"
	"time"

	"wiregauge/judge"
	"wiregauge/load"
	"wiregauge/result"
)

// warmUps are the turns before the first round of each launch.
func warmUps(s *simulated) *[]load.Spec {
	var list []load.Spec
	s.turn = func(spec load.Spec, _ *result.Turn) error {
		if spec.Round < 0 {
			list = append(list, spec)
		}
		return nil
	}
	return &list
}

func TestTheWarmUpIsFoundOnceAndPlayedAgain(t *testing.T) {
	b := &simulated{name: "b", speed: 3e4}
	seen := warmUps(b)
	plan := quick(startedArms(&simulated{name: "a", speed: 2e4}, b), &processes{})
	plan.Launches, plan.FindWarmup = 3, true
	f := mustRun(t, plan)
	list := *seen
	if len(list) < 3 || list[0].Settle == nil || list[0].Duration != time.Minute || !list[0].Discard {
		t.Fatalf("warm-ups %+v", list)
	}
	for _, spec := range list[1:] {
		if spec.Settle != nil || spec.Launch == 0 || spec.Duration > time.Minute {
			t.Errorf("a later warm-up %+v", spec)
		}
	}
	w := f.Arms[1].WarmUp
	if w == nil || w.Outcome != result.WarmFound || w.Observed < int64(5*time.Second) || len(w.Trajectory) < 25 {
		t.Errorf("told as %+v", w)
	}
}

func TestAnArmThatNeverSettlesIsComparedWithLessConfidence(t *testing.T) {
	b := &simulated{name: "b", speed: 3e4, noise: .01, unsettled: true}
	seen := warmUps(b)
	plan := quick(startedArms(&simulated{name: "a", speed: 2e4, noise: .01}, b), &processes{})
	plan.FindWarmup, plan.WarmupMax = true, 30*time.Second
	f := mustRun(t, plan)
	if w := f.Arms[1].WarmUp; w == nil || w.Outcome != result.WarmUnsteady || w.Observed != int64(30*time.Second) {
		t.Fatalf("told as %+v", w)
	}
	if last := (*seen)[len(*seen)-1]; last.Total != 0 || last.Duration != unsettledReplay {
		t.Errorf("played again as %+v", last)
	}
	if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != result.Faster || v.Confidence == judge.High {
		t.Errorf("verdict %+v", v)
	}
	if !strings.Contains(strings.Join(f.Notes, "\n"), "b did not settle in its warm-up of 30s") {
		t.Errorf("notes %q", f.Notes)
	}
}

func TestAReplayHasItsCallsAndTwoSeconds(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls int64
		want  []load.Spec
	}{
		{"few calls are made up to 2 s", 100, []load.Spec{{Total: 100, Duration: time.Minute}, {Duration: 2*time.Second - 10*time.Millisecond}}},
		{"no calls at all", 0, []load.Spec{{Duration: 2 * time.Second}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &simulated{name: "a", speed: 1e4, turn: func(spec load.Spec, tn *result.Turn) error {
				if spec.Total > 0 {
					tn.Window = time.Duration(float64(spec.Total) / 1e4 * float64(time.Second))
				}
				return nil
			}}
			turn := s.turn
			var list []load.Spec
			s.turn = func(spec load.Spec, tn *result.Turn) error {
				list = append(list, spec)
				return turn(spec, tn)
			}
			plan, err := Plan{Arms: arms(s, &simulated{name: "b", speed: 1e4}), FindWarmup: true}.Normalize()
			if err != nil {
				t.Fatal(err)
			}
			comp := newComparison(plan)
			st := &stage{plan: &plan, turners: []Turner{s, s}, lastCall: make([]time.Time, 2), data: &launch{folded: make([]result.Turn, 2)}}
			comp.warm[0] = &result.WarmUp{Outcome: result.WarmFound, Calls: c.calls}
			if _, err := comp.replay(t.Context(), st, 0); err != nil {
				t.Fatal(err)
			}
			if len(list) != len(c.want) {
				t.Fatalf("turns %+v", list)
			}
			for i, w := range c.want {
				if list[i].Total != w.Total || list[i].Duration != w.Duration {
					t.Errorf("turn %d is %d calls in %v, want %d in %v", i, list[i].Total, list[i].Duration, w.Total, w.Duration)
				}
			}
		})
	}
}
