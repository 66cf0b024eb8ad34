package judge

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"wiregauge/result"
)

func TestLooksArePlannedAndEndWithThePlan(t *testing.T) {
	for _, c := range []struct {
		launches int
		want     []Look
	}{
		{10, []Look{{7, .016}, {10, .044}}},
		{20, []Look{{10, .0044}, {14, .016}, {20, .044}}},
		{1, []Look{{1, .05}}}, {6, []Look{{6, .05}}}, {8, []Look{{8, .05}}}, {11, []Look{{11, .05}}}, {40, []Look{{40, .05}}},
	} {
		if got := Looks(c.launches); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d launches: %v, want %v", c.launches, got, c.want)
		}
	}
}

func TestAPlanThatCannotDecideIsKnownBeforehand(t *testing.T) {
	for _, c := range []struct {
		name                    string
		arms, metrics, launches int
		ok                      bool
		least                   int
	}{
		{"two arms on six launches: 1/32", 2, 1, 6, true, 6},
		{"three arms on six launches: 2/32", 3, 1, 6, false, 7},
		{"four arms on six launches: 3/32", 4, 1, 6, false, 7},
		{"four arms on seven launches: 3/64", 4, 1, 7, true, 7},
		{"four arms on ten launches", 4, 1, 10, true, 10},
		{"six arms, two metrics, ten launches: 10/512", 6, 2, 10, true, 10},
		{"six arms, two metrics, eight launches: 10/128", 6, 2, 8, false, 9},
		{"so many tests that ten launches do not do", 13, 2, 10, false, 11},
		{"Student's t has no smallest p", 4, 1, 5, true, 5},
		{"one launch is judged by its rounds", 6, 2, 1, true, 1},
		{"one arm asks for no test", 1, 1, 10, true, 10},
	} {
		if ok, least := CanDecide(c.arms, c.metrics, c.launches); ok != c.ok || least != c.least {
			t.Errorf("%s: %v with %d, want %v with %d", c.name, ok, least, c.ok, c.least)
		}
	}
}

func TestStopOnlyAtALookWhenAllIsDifferent(t *testing.T) {
	torn := append(append([]float64{}, agree[:6]...), -.01)
	both := changed(compared(agree[:7]...), func(d *Data) {
		d.Metrics = append(d.Metrics, Metric{Name: "p50"})
		for l := range d.Launches {
			d.Launches[l].Series = append(d.Launches[l].Series, Series{Rounds: [][]float64{{5, 5}}})
		}
	})
	two := func(launches int) Rules {
		r := planned(launches)
		r.Primary = []string{"rate", "p50"}
		return r
	}
	for _, c := range []struct {
		name string
		d    Data
		r    Rules
		want bool
	}{
		{"seven of ten agree", compared(agree[:7]...), planned(10), true},
		{"seven of ten, one against the others", compared(torn...), planned(10), false},
		{"seven of ten alike: no early same", compared(small[:7]...), planned(10), false},
		{"six of ten: no look", compared(agree[:6]...), planned(10), false},
		{"eight of ten: no look", compared(agree[:8]...), planned(10), false},
		{"ten of ten: it ends by itself", compared(agree...), planned(10), false},
		{"ten of twenty", compared(agree...), planned(20), true},
		{"seven of eight: a plan without an early look", compared(agree[:7]...), planned(8), false},
		{"seven whole launches and one cut short", changed(compared(agree[:8]...), func(d *Data) { d.Launches[7].Cut = true }), planned(10), true},
		{"a third arm that is alike", arms(compared(agree[:7]...), -.105), planned(10), false},
		{"two primary metrics, one alike", both, two(10), false},
		{"significant, but less than the least effect worth a word", compared(repeat(.004, 7)...), planned(10), false},
		{"only the baseline", changed(compared(agree[:7]...), func(d *Data) { d.Arms = d.Arms[:1] }), planned(10), false},
		{"not a fair test: nothing to be gained by stopping", changed(compared(agree[:7]...), func(d *Data) { d.Invalid = .5 }), planned(10), false},
	} {
		if got := Stop(c.d, c.r); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestVerdictsDependOnTheDataAloneAndLeaveThemAlone(t *testing.T) {
	d := tails()
	before := fmt.Sprintf("%+v", d)
	r := Rules{Launches: 10, MinEffect: .01, Primary: []string{"rate", "p99"}, Baseline: "a"}
	first, second := Verdicts(d, r), Verdicts(d, r)
	if !reflect.DeepEqual(first, second) {
		t.Error("two judgements of the same data differ")
	}
	if after := fmt.Sprintf("%+v", d); after != before {
		t.Errorf("the data were changed:\n%s\n%s", before, after)
	}
}

func TestDoubtsOfATrustReport(t *testing.T) {
	trust := result.Trust{Level: result.TrustSuspect, Reasons: []result.Reason{
		{Code: "V5", Level: result.TrustNotTrustworthy, Affects: result.AffectsAbsolute, Measured: "40 %"},
		{Code: "V4", Level: result.TrustSuspect, Affects: "p99", Measured: "12 %"},
		{Code: "V18", Level: result.TrustNote, Affects: result.AffectsRatio, Measured: "same cores"},
		{Code: "V14", Name: "retries", Level: result.TrustSuspect, Affects: result.AffectsRatio, Arm: "b", Measured: "3 calls", Limit: "0"},
		{Code: "V9", Level: result.TrustNotTrustworthy, Affects: result.AffectsAbsolute, Arm: "a", Measured: "never"},
		{Code: "V2", Level: result.TrustUnknown, Affects: result.AffectsAbsolute, Measured: "unknown"},
		{Code: "V10", Level: result.TrustNotTrustworthy, Affects: "p99", Measured: "2 %"},
	}}
	doubts, checked := DoubtsOf(trust)
	want := []Doubt{
		{Code: "V14", Level: result.TrustSuspect, A: "b", Reason: "retries: 3 calls (limit 0)"},
		{Code: "V9", Level: result.TrustNotTrustworthy, A: "a", Reason: "never"},
		{Code: "V2", Level: result.TrustUnknown, Reason: "unknown"},
		{Code: "V10", Level: result.TrustNotTrustworthy, Metric: "p99", Reason: "2 %"},
	}
	if !checked || !reflect.DeepEqual(doubts, want) {
		t.Errorf("checked %v, got\n%+v, want\n%+v", checked, doubts, want)
	}
	for _, level := range []string{"", result.TrustUnchecked} {
		if _, checked := DoubtsOf(result.Trust{Level: level}); checked {
			t.Errorf("trust %q counts as checked", level)
		}
	}
}

// controlled is a comparison of a, b and c, where c is a once more with the given log ratios.
func controlled(control ...float64) (Data, Rules) {
	d := compared(agree...)
	d.Arms = append(d.Arms, Arm{Name: "c"})
	for l := range d.Launches {
		row := []float64{1000, 1000 * math.Exp(agree[l]), 1000 * math.Exp(control[l])}
		d.Launches[l].Series[0].Rounds = [][]float64{row, row}
	}
	r := planned(10)
	r.Control = "c"
	return d, r
}

func TestNoiseFloor(t *testing.T) {
	d, r := controlled(small...)
	floor := NoiseFloor(d, r)
	if floor == nil || floor.Arm != "c" || len(floor.Verdicts) != 1 || floor.Verdicts[0].Outcome != result.Same {
		t.Fatalf("noise floor %+v", floor)
	}
	v := floor.Verdicts[0]
	if width := floor.HalfWidth["rate"]; math.Abs(width-(math.Sqrt(*v.High / *v.Low)-1)) > 1e-12 || width < .001 || width > .01 {
		t.Errorf("half width %g of %g to %g", width, *v.Low, *v.High)
	}
	if doubts := NoiseDoubts(floor, Verdicts(d, r)); len(doubts) != 0 {
		t.Errorf("10 %% above a noise of half a percent is doubted: %+v", doubts)
	}

	d, r = controlled(wide...)
	floor = NoiseFloor(d, r)
	doubts := NoiseDoubts(floor, Verdicts(d, r))
	if len(doubts) != 1 || doubts[0].Level != result.TrustSuspect || doubts[0].A != "a" || doubts[0].B != "b" || doubts[0].Code != "V17" {
		t.Errorf("10 %% within a noise of %g: %+v", floor.HalfWidth["rate"], doubts)
	}
	d.Doubts = doubts
	if v := Verdicts(d, r)[0]; v.Confidence != Medium {
		t.Errorf("with the doubt: %s %s", v.Outcome, v.Confidence)
	}

	d, r = controlled(agree...)
	floor = NoiseFloor(d, r)
	d.Doubts = NoiseDoubts(floor, Verdicts(d, r))
	if v := Verdicts(d, r)[0]; floor.Verdicts[0].Outcome != result.Faster || v.Outcome != result.NotFair {
		t.Errorf("the baseline is %s than itself, and the verdict is %s", floor.Verdicts[0].Outcome, v.Outcome)
	}
	if floor := NoiseFloor(d, planned(10)); floor != nil || NoiseDoubts(floor, nil) != nil {
		t.Error("there is a noise floor without a control")
	}
}
