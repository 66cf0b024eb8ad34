package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"wiregauge/result"
)

// The comparisons of a scene are judged as real ones are, planned looks included, and the shares are held against what
// the tool promises. Seeds are fixed, so that a share changes only when the rules or the noise do.
//
//	alarms   at least one wrong winner among the pairs with the baseline; other: among the others
//	found    the first pair is called different, probably included; surely: not probably
//	cover    the 95 % interval of the first pair holds the truth
//	held     the printed range of launches holds the number that the true scatter asks for
//	again    a new comparison with the most launches of that range settles the matter
type promise struct {
	scene
	n                      int     // comparisons
	alarmsMin, alarmsMax   float64 // all in percent
	foundMin               float64
	coverMin, coverMax     float64
	neverHigh, withRestart bool
}

// heldMin is how many of the printed ranges must hold the number, in percent, where there are fewestRanges or more.
const (
	heldMin      = 75
	fewestRanges = 100
)

// holding is the promise for arms that are alike.
func holding(s scene, n int, alarmsMin float64) promise {
	return promise{scene: s, n: n, alarmsMin: alarmsMin, alarmsMax: 6, coverMin: 93, coverMax: 97}
}

// finding is the promise for a planted difference.
func finding(s scene, n int, foundMin float64) promise {
	return promise{scene: s, n: n, alarmsMax: 1, foundMin: foundMin, coverMin: 93, coverMax: 97}
}

var three = math.Log(1.03)

func TestSimulatedComparisonsKeepTheirPromises(t *testing.T) {
	oneLaunch := sceneOf(busy, .02, 1, 0, 0)
	oneLaunch.rules.Rounds = 120
	check(t, []promise{
		holding(sceneOf(quiet, .01, 10, 0, 0), 2000, 1),
		holding(sceneOf(quiet, .01, 10, 0, 0, 0, 0), 2000, 1),
		holding(sceneOf(busy, .01, 10, 0, 0), 2000, 2),
		holding(sceneOf(busy, .01, 10, 0, 0, 0, 0), 2000, 2),
		finding(sceneOf(quiet, .01, 10, 0, three), 1000, 95),
		finding(sceneOf(busy, .01, 10, 0, three), 1000, 70),
		finding(sceneOf(busy, .01, 20, 0, -three), 1000, 90),
		finding(sceneOf(noisy, .02, 10, 0, math.Log(1.015)), 1000, 0),
		{scene: oneLaunch, n: 1000, alarmsMin: 2, alarmsMax: 20, coverMax: 80, neverHigh: true},
	})
}

func check(t *testing.T, promises []promise) {
	t.Log(header)
	for i, p := range promises {
		r := p.run(uint64(i+1), p.n, p.withRestart)
		t.Log(r.line(&p.scene))
		alarms, found, cover, held := percent(r.alarms, r.n), percent(r.found, r.n), percent(r.covered, r.n), percent(r.held, r.settled)
		switch {
		case alarms < p.alarmsMin || alarms > p.alarmsMax:
			t.Errorf("row %d: %.1f %% false alarms, want %g to %g %%", i+1, alarms, p.alarmsMin, p.alarmsMax)
		case found < p.foundMin:
			t.Errorf("row %d: %.1f %% found, want %g %%", i+1, found, p.foundMin)
		case cover < p.coverMin || cover > p.coverMax:
			t.Errorf("row %d: intervals hold the truth in %.1f %%, want %g to %g %%", i+1, cover, p.coverMin, p.coverMax)
		case r.settled >= fewestRanges && held < heldMin:
			t.Errorf("row %d: %.1f %% of %d ranges hold the number, want %d %%", i+1, held, r.settled, heldMin)
		case p.neverHigh && r.high > 0:
			t.Errorf("row %d: %d verdicts of one launch are HIGH", i+1, r.high)
		}
	}
}

// A tally counts what many simulated comparisons of one scene said; the words are those of promise.
type tally struct {
	n, alarms, otherAlarms  int
	found, surely, high     int
	same, covered, launches int
	settled, held           int // inconclusive with a practical range of launches; and the range is right
	impractical             int
	again, restarted        int
}

func (s *scene) run(seed uint64, n int, restart bool) tally {
	random := rand.New(rand.NewPCG(seed, 77))
	t := tally{n: n}
	scatter := s.scatter()
	for range n {
		d := s.play(random)
		t.launches += len(d.Launches)
		list := Verdicts(d, s.rules)
		t.count(s, list)
		if v := list[0]; v.Outcome == result.Inconclusive && v.Settle != nil {
			t.foresight(s, v, scatter)
			if restart && v.Settle.Practical && t.restarted < 100 {
				t.restart(s, random, v.Settle.High)
			}
		}
	}
	return t
}

func (t *tally) count(s *scene, list []result.Verdict) {
	wrong, other := false, false
	for _, v := range list {
		truth := s.effects[v.B[0]-'a'] - s.effects[v.A[0]-'a']
		bad := different(v.Outcome) && (truth == 0 || (*v.Ratio > 1) != (truth > 0))
		wrong, other = wrong || bad && v.Primary, other || bad && !v.Primary
	}
	t.alarms, t.otherAlarms = t.alarms+count(wrong), t.otherAlarms+count(other)
	v := list[0]
	t.found += count(different(v.Outcome))
	t.surely += count(v.Outcome == result.Faster || v.Outcome == result.Slower)
	t.high += count(v.Confidence == High)
	t.same += count(v.Outcome == result.Same)
	truth := math.Exp(s.effects[1] - s.effects[0])
	t.covered += count(*v.Low <= truth && truth <= *v.High)
}

// foresight asks whether the printed range holds the number of launches that the true scatter asks for.
func (t *tally) foresight(s *scene, v result.Verdict, scatter float64) {
	if !v.Settle.Practical {
		t.impractical++
		return
	}
	t.settled++
	n := max(s.rules.Launches+1, effort(scatter, math.Abs(math.Log(*v.Ratio)), math.Log1p(v.Limit), math.Log1p(v.Band)))
	t.held += count(v.Settle.Low <= n && n <= v.Settle.High)
}

func (t *tally) restart(s *scene, random *rand.Rand, launches int) {
	longer := *s
	longer.rules.Launches = launches
	t.restarted++
	t.again += count(Verdicts(longer.play(random), longer.rules)[0].Outcome != result.Inconclusive)
}

// scatter is the true standard deviation of D of the first pair, from many launches.
func (s *scene) scatter() float64 {
	random := rand.New(rand.NewPCG(99, 78))
	sum, n := 0.0, 2000
	for range n {
		l := s.launch(s.machine.start(random))
		mean := 0.0
		for _, r := range l.Series[0].Rounds {
			mean += math.Log(r[1]/r[0]) / float64(len(l.Series[0].Rounds))
		}
		sum += (mean - s.effects[1] + s.effects[0]) * (mean - s.effects[1] + s.effects[0])
	}
	return math.Sqrt(sum / float64(n))
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func percent(k, n int) float64 { return 100 * float64(k) / float64(max(n, 1)) }

const header = "machine launch-sd arms launches effect | alarms other found surely  HIGH  same cover mean-launches | inconclusive: ranges  held again impractical"

func (t *tally) line(s *scene) string {
	return fmt.Sprintf("%-7s %7.1f %% %4d %8d %+5.1f%% | %6.1f %5.1f %5.1f %6.1f %5.1f %5.1f %5.1f %13.1f | %20d %5.1f %5s %11d",
		s.machine.name, 100*s.launchSD, len(s.effects), s.rules.Launches, 100*math.Expm1(s.effects[1]),
		percent(t.alarms, t.n), percent(t.otherAlarms, t.n), percent(t.found, t.n), percent(t.surely, t.n), percent(t.high, t.n),
		percent(t.same, t.n), percent(t.covered, t.n), float64(t.launches)/float64(t.n),
		t.settled, percent(t.held, t.settled), t.againShare(), t.impractical)
}

func (t *tally) againShare() string {
	if t.restarted == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", percent(t.again, t.restarted))
}
