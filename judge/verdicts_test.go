package judge

import (
	"math"
	"testing"

	"wiregauge/result"
)

// compared is data of one metric, rate, with the given log ratios of arm b against a, one per launch.
func compared(logs ...float64) Data {
	d := Data{Arms: []Arm{{Name: "a"}, {Name: "b"}}, Metrics: []Metric{{Name: "rate", Larger: true}}, Checked: true}
	for _, l := range logs {
		row := []float64{1000, 1000 * math.Exp(l)}
		d.Launches = append(d.Launches, Launch{Series: []Series{{Rounds: [][]float64{row, row}}}})
	}
	return d
}

func planned(launches int) Rules {
	return Rules{Launches: launches, Rounds: 2, MinEffect: 0.01, Primary: []string{"rate"}, Baseline: "a"}
}

func TestTenLaunchesThatAgree(t *testing.T) {
	d := compared(.10, .11, .12, .10, .09, .11, .10, .12, .105, .115)
	list := Verdicts(d, planned(10))
	if len(list) != 1 {
		t.Fatalf("%d verdicts, want 1", len(list))
	}
	v := list[0]
	if v.Outcome != result.Faster || v.Confidence != High || v.Units != 10 || v.Agree != 10 || v.Look != 10 || v.Alpha != .044 || !v.Primary {
		t.Errorf("verdict %+v", v)
	}
	if *v.P != math.Exp2(-9) || math.Abs(*v.Ratio-math.Exp(.1075)) > .002 {
		t.Errorf("p %g, ratio %g", *v.P, *v.Ratio)
	}
}
