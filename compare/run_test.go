package compare

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"
)

// quick is a plan whose turns are simulated: 8 launches of 5 rounds.
func quick(a []Arm, p *processes) Plan {
	plan := Plan{Arms: a, Rounds: 5, Turn: 200 * time.Millisecond, Seed: 1}
	if p != nil {
		plan.Launches, plan.Launch = 8, p.launch
	}
	return plan
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
	running := b.arm()
	running.URL = "http://127.0.0.1:5000/z"
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
		"two servers on one fixed port":  {Plan{Arms: fixed}, "both start a server on 127.0.0.1:5000"},
		"a server where another arm is":  {Plan{Arms: []Arm{fixed[0], running}}, "is to be started there"},
		"a percentile that is not one":   {Plan{Arms: arms(a, b), Primary: []string{"p100"}}, `no metric "p100"`},
		"a percentile that is no number": {Plan{Arms: arms(a, b), Primary: []string{"pxx"}}, `no metric "pxx"`},
	} {
		if _, err := Run(context.Background(), c.plan); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
