package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wiregauge/hist"
	"wiregauge/load"
	"wiregauge/result"
)

// A simulated turn at r calls a second has a median of 16/r seconds.
func TestTheLengthOfATurnComesFromAPilot(t *testing.T) {
	for _, c := range []struct {
		name  string
		speed [2]float64
		plan  Plan
		want  time.Duration
		note  string
	}{
		{"fast arms have the shortest turn", [2]float64{1e5, 2e4}, Plan{}, 250 * time.Millisecond, ""},
		{"25 medians of the slower arm", [2]float64{1e5, 1000}, Plan{}, 400 * time.Millisecond, ""},
		{"never more than 2 s, and said so", [2]float64{1e5, 100}, Plan{}, 2 * time.Second, "turns of 2s are short for b"},
		{"a length that was asked for", [2]float64{1e5, 100}, Plan{Turn: 30 * time.Millisecond}, 30 * time.Millisecond, ""},
		{"a number of calls", [2]float64{1e5, 2e4}, Plan{Spec: load.Spec{Total: 100}}, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var turns []time.Duration
			a, b := &simulated{name: "a", speed: c.speed[0]}, &simulated{name: "b", speed: c.speed[1]}
			a.turn = func(s load.Spec, _ *result.Turn) error {
				if s.Round >= 0 && !slices.Contains(turns, s.Duration) {
					turns = append(turns, s.Duration)
				}
				return nil
			}
			c.plan.Arms, c.plan.Rounds = arms(a, b), 5
			f := mustRun(t, c.plan)
			if len(turns) != 1 || turns[0] != c.want || f.Plan.Turn != int64(c.want) {
				t.Errorf("turns of %v, in the file %v; want %v", turns, time.Duration(f.Plan.Turn), c.want)
			}
			if notes := strings.Join(f.Notes, "\n"); !strings.Contains(notes, c.note) || c.note == "" && strings.Contains(notes, "turns of") {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}

func TestTurnFor(t *testing.T) {
	pilot := func(calls int64, median time.Duration) *result.Turn {
		h := &hist.Histogram{}
		h.RecordN(median, calls)
		return &result.Turn{Window: 250 * time.Millisecond, CompletedInside: calls, Counts: result.Counts{Due: 2 * calls, Sent: 2 * calls}, Latency: h}
	}
	for _, c := range []struct {
		name  string
		pilot *result.Turn
		open  bool
		want  time.Duration
	}{
		{"200 calls at their rate", pilot(100, time.Millisecond), false, 500 * time.Millisecond},
		{"an open loop counts what was due", pilot(50, time.Millisecond), true, 500 * time.Millisecond},
		{"no call at all", &result.Turn{Window: 2 * time.Second}, false, 400 * time.Second},
		{"nothing known", &result.Turn{}, false, 250 * time.Millisecond},
	} {
		if got := turnFor(c.pilot, c.open).Round(time.Millisecond); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestWashout(t *testing.T) {
	turn := func(median time.Duration) *result.Turn {
		h := &hist.Histogram{}
		h.RecordN(median, 100)
		return &result.Turn{Latency: h}
	}
	for _, c := range []struct {
		name  string
		warm  *result.Turn
		least time.Duration
		want  time.Duration
	}{
		{"fast", turn(100 * time.Microsecond), 20 * time.Millisecond, 20 * time.Millisecond},
		{"5 medians", turn(8 * time.Millisecond), 20 * time.Millisecond, 40 * time.Millisecond},
		{"at most a turn of the longest kind", turn(time.Second), 20 * time.Millisecond, 2 * time.Second},
		{"nothing known", &result.Turn{}, 20 * time.Millisecond, 20 * time.Millisecond},
	} {
		if got := washoutFor(c.least, c.warm).Round(time.Millisecond); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Arm b is 5 % slower whenever it has its turn after a: a carry-over that the washout did not remove.
func TestACarryOverDoublesTheWashout(t *testing.T) {
	for _, c := range []struct {
		name     string
		launches int
		penalty  float64
		widened  bool
	}{
		{"in the launches after the first", 3, .05, true},
		{"in the second half of the only launch", 1, .05, true},
		{"not without a carry-over", 3, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			washouts := map[string][]time.Duration{}
			b := &simulated{name: "b", speed: 2e4, noise: .01}
			b.turn = func(s load.Spec, tn *result.Turn) error {
				if s.Round < 0 {
					return nil
				}
				if s.Place == 1 {
					tn.CompletedInside -= int64(c.penalty * float64(tn.CompletedInside))
				}
				key := fmt.Sprint(s.Launch, s.Round >= 20)
				if !slices.Contains(washouts[key], s.WarmupDuration) {
					washouts[key] = append(washouts[key], s.WarmupDuration)
				}
				return nil
			}
			plan := Plan{Arms: arms(&simulated{name: "a", speed: 2e4, noise: .01}, b), Rounds: 40, Seed: 1}
			if c.launches > 1 {
				p := &processes{}
				plan.Arms, plan.Launches, plan.Launch = startedArms(&simulated{name: "a", speed: 2e4, noise: .01}, b), c.launches, p.launch
			}
			f := mustRun(t, plan)
			first, last := washouts["0 false"], washouts[fmt.Sprint(c.launches-1, " true")]
			want := 20 * time.Millisecond
			if c.widened {
				want *= 2
			}
			if len(first) != 1 || first[0] != 20*time.Millisecond || len(last) != 1 || last[0] != want {
				t.Errorf("washouts %v, want 20ms at first and %v at last", washouts, want)
			}
			if said := strings.Contains(strings.Join(f.Notes, "\n"), "came first in a round"); said != c.widened {
				t.Errorf("notes %q", f.Notes)
			}
		})
	}
}

// Turns of 0.6 s: with three arms an arm idles for 1.2 s, and gets a call before the third turn.
func TestIdleArmsAreKeptAwake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := 0
		var list []*simulated
		for _, name := range []string{"a", "b", "c"} {
			s := &simulated{name: name, speed: 2e4}
			s.turn = func(s load.Spec, _ *result.Turn) error {
				if s.Total == 1 {
					kept++
					return nil
				}
				time.Sleep(s.Duration)
				return nil
			}
			list = append(list, s)
		}
		f := mustRun(t, Plan{Arms: arms(list...), Rounds: 10, Turn: 600 * time.Millisecond, Washout: time.Nanosecond})
		if kept < 5 || kept > 30 {
			t.Errorf("%d calls kept arms awake in 10 rounds of three turns", kept)
		}
		var told int64
		for _, a := range f.Arms {
			told += a.KeptAlive
		}
		if told < int64(kept) || len(f.Turns) != 30 {
			t.Errorf("the file tells %d such calls and %d turns", told, len(f.Turns))
		}
	})
}

func TestDisturbedRoundsArePlayedAgainWithinAFifth(t *testing.T) {
	spoil := map[string]func(*result.Turn){
		"other processes took 40 % of the CPU": func(tn *result.Turn) { tn.Host.Foreign = .4 },
		"the host took away 30 % of the CPU":   func(tn *result.Turn) { tn.Host.Steal = .3 },
		"the client collected garbage":         func(tn *result.Turn) { tn.Client.GCs = 1 },
	}
	for why, disturb := range spoil {
		for _, c := range []struct {
			name             string
			hit              func(round int) bool
			invalid, outcome string
			rows             int
		}{
			{"now and then", func(round int) bool { return round == 3 || round == 30 }, "2 of 42 rounds were invalid", result.Faster, 80},
			{"always: what is measured stands", func(int) bool { return true }, "8 of 48 rounds were invalid", result.Faster, 80},
		} {
			t.Run(why+", "+c.name, func(t *testing.T) {
				seen := map[int]bool{}
				b := &simulated{name: "b", speed: 3e4, serverShare: .3, turn: func(s load.Spec, tn *result.Turn) error {
					if s.Round >= 0 && c.hit(s.Round) && (!seen[s.Round] || c.hit(0)) {
						seen[s.Round] = true
						disturb(tn)
					}
					return nil
				}}
				f := mustRun(t, Plan{Arms: arms(&simulated{name: "a", speed: 2e4, serverShare: .3}, b), Rounds: 40, Seed: 1})
				valid := 0
				for _, r := range f.Turns {
					if r.Invalid == "" {
						valid++
					} else if !strings.Contains(r.Invalid, why) {
						t.Errorf("row %+v", r)
					}
				}
				notes := strings.Join(f.Notes, "\n")
				if v := verdictOf(t, f, "rate", "a", "b"); v.Outcome != c.outcome || valid != c.rows || !strings.Contains(notes, c.invalid) {
					t.Errorf("%s with %d valid rows; notes %q", v.Outcome, valid, notes)
				}
			})
		}
	}
}

// A server that is not known to be one counts as another process, and a short turn cannot tell.
func TestWhatCannotBeToldIsNoDisturbance(t *testing.T) {
	st := &stage{plan: &Plan{Rounds: 40}}
	for name, turn := range map[string]result.Turn{
		"the server's process is unknown": {Window: time.Second, Host: result.HostLoad{Foreign: .9, Steal: -1}},
		"the window is too short":         {Window: 50 * time.Millisecond, Server: &result.CPU{}, Host: result.HostLoad{Foreign: .9, Steal: .9}},
		"nothing could be read":           {Window: time.Second, Server: &result.CPU{}, Host: result.HostLoad{Foreign: -1, Steal: -1}},
	} {
		if err := st.disturbance(&turn, false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestASuspendedMachineVoidsTheRound(t *testing.T) {
	slept := int64(time.Second)
	if err := unusable(&result.Turn{Vitals: result.Vitals{Suspend: &slept}}); err == nil || !strings.Contains(err.Error(), "suspended") {
		t.Errorf("got %v", err)
	}
}

func TestAPilotThatFails(t *testing.T) {
	n := 0
	b := &simulated{name: "b", speed: 2e4, turn: func(s load.Spec, _ *result.Turn) error {
		if n++; n == 2 { // the turn after the warm-up
			return errors.New("connection refused")
		}
		return nil
	}}
	f, err := Run(context.Background(), Plan{Arms: arms(&simulated{name: "a", speed: 2e4}, b), Rounds: 3})
	if lost := lostArm(t, err); lost.Arm != "b" || f != nil {
		t.Errorf("error %v, file %v", err, f)
	}
}
