package judge

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"wiregauge/result"
)

var garbage = []float64{0, -1, 1, 1, 1, 2, 2, 1e-300, 1e300, math.MaxFloat64, math.SmallestNonzeroFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}

// Whatever is measured, the verdicts can be written to a file: no number is infinite or none, and none takes forever.
func TestGarbageMakesNoNumberThatAFileCannotHold(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	for trial := range 3000 {
		d, r := garbageData(random)
		list := Verdicts(d, r)
		Stop(d, r)
		floor := NoiseFloor(d, r)
		doubts := NoiseDoubts(floor, list)
		text, err := json.Marshal([]any{list, floor, doubts})
		if err != nil {
			t.Fatalf("trial %d: %v\n%+v", trial, err, d)
		}
		for _, v := range list {
			if v.Ratio != nil && *v.Ratio <= 0 || v.Units < 0 || v.Agree > v.Units {
				t.Fatalf("trial %d: %s", trial, text)
			}
			Bound{Change: .1}.Judge(v)
			if v.Settle != nil && (v.Settle.Low > v.Settle.High || v.Settle.LowNS < 0) {
				t.Fatalf("trial %d: settled by %+v", trial, v.Settle)
			}
		}
	}
}

func garbageData(random *rand.Rand) (Data, Rules) {
	pick := func() float64 { return garbage[random.IntN(len(garbage))] }
	d := Data{
		Arms:    []Arm{{Name: "a"}, {Name: "b", Limited: random.IntN(5) == 0}, {Name: "c", Floor: random.IntN(5) == 0}},
		Metrics: []Metric{{Name: "rate", Larger: true}, {Name: "p99", Pooled: true}},
		Ended:   Ended(random.IntN(3)), Checked: random.IntN(2) == 0,
		Exact: []Exact{{Metric: "bytes", Values: []float64{pick(), pick(), pick()}}},
	}
	r := Rules{Launches: []int{1, 2, 5, 6, 7, 10, 20}[random.IntN(7)], Rounds: 3, MinEffect: []float64{0, .01, .5}[random.IntN(3)],
		Primary: []string{"p99", "rate", "nothing"}[random.IntN(2):], Baseline: []string{"a", "nobody"}[random.IntN(2)], Control: []string{"", "b"}[random.IntN(2)]}
	values := func() []float64 { return []float64{pick(), pick(), pick()}[:3-random.IntN(20)/19] }
	for range random.IntN(r.Launches + 2) {
		var l Launch
		l.Cut = random.IntN(10) == 0
		for range d.Metrics {
			s := Series{Whole: values(), Block: random.IntN(3), Missing: random.IntN(2)}
			for range random.IntN(9) {
				s.Rounds = append(s.Rounds, values())
			}
			l.Series = append(l.Series, s)
		}
		d.Launches = append(d.Launches, l)
	}
	if random.IntN(3) == 0 {
		d.Doubts = []Doubt{{Code: "V14", Level: result.TrustSuspect, A: "b"}}
	}
	return d, r
}
