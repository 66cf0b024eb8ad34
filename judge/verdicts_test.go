package judge

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"wiregauge/result"
)

// compared is data of one metric, rate, with the given log ratios of arm b against a, one per launch.
func compared(logs ...float64) Data {
	d := Data{Arms: []Arm{{Name: "a"}, {Name: "b"}}, Metrics: []Metric{{Name: "rate", Larger: true}}, Checked: true, LaunchTime: 30 * time.Second}
	for _, l := range logs {
		row := []float64{1000, 1000 * math.Exp(l)}
		d.Launches = append(d.Launches, Launch{Series: []Series{{Rounds: [][]float64{row, row}}}})
	}
	return d
}

// inOneLaunch is the same with one launch and a round for each log ratio.
func inOneLaunch(logs ...float64) Data {
	d := compared()
	var s Series
	for _, l := range logs {
		s.Rounds = append(s.Rounds, []float64{1000, 1000 * math.Exp(l)})
	}
	d.Launches = []Launch{{Series: []Series{s}}}
	return d
}

func planned(launches int) Rules {
	return Rules{Launches: launches, Rounds: 2, MinEffect: 0.01, Primary: []string{"rate"}, Baseline: "a"}
}

func changed(d Data, change func(*Data)) Data {
	change(&d)
	return d
}

var (
	agree = []float64{.10, .11, .12, .10, .09, .11, .10, .12, .105, .115}
	small = []float64{.005, -.003, .002, -.006, .004, .001, -.002, .007, -.005, .003}
	wide  = []float64{.25, -.20, .10, -.05, .30, -.22, .15, .02, -.11, .08}
)

func repeat(x float64, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = x
	}
	return list
}

func doubting(code, level string) func(*Data) {
	return func(d *Data) {
		d.Doubts = append(d.Doubts, Doubt{Code: code, Level: level, Reason: code + " in words"})
	}
}

// arms gives the data further arms; each launch's second arm is copied with these log effects on top.
func arms(d Data, effects ...float64) Data {
	for i, e := range effects {
		d.Arms = append(d.Arms, Arm{Name: string(rune('c' + i))})
		for l := range d.Launches {
			for _, s := range d.Launches[l].Series {
				for b := range s.Rounds {
					if l == 0 || b == 0 || &s.Rounds[b][0] != &s.Rounds[b-1][0] {
						s.Rounds[b] = append(s.Rounds[b][:len(s.Rounds[b]):len(s.Rounds[b])], s.Rounds[b][1]*math.Exp(e))
					}
				}
			}
		}
	}
	return d
}

var comparisons = []struct {
	name string
	d    Data
	r    Rules
}{
	{"ten launches that agree", compared(agree...), planned(10)},
	{"ten launches that are alike", compared(small...), planned(10)},
	{"ten launches that scatter", compared(wide...), planned(10)},
	{"ten launches that scatter far too much", compared(2, -2, 1.5, -1, .9, -2.1, 2.2, -1.3, .01, .02), planned(10)},
	{"seven of ten, ended at the look", changed(compared(agree[:7]...), func(d *Data) { d.Ended = AtLook }), planned(10)},
	{"seven alike launches at the look are not the same yet", changed(compared(small[:7]...), func(d *Data) { d.Ended = AtLook }), planned(10)},
	{"Ctrl-C before the first look", changed(compared(agree[:6]...), func(d *Data) { d.Ended = Interrupted }), planned(10)},
	{"Ctrl-C after the first look", changed(compared(agree[:8]...), func(d *Data) { d.Ended = Interrupted }), planned(10)},
	{"Ctrl-C after the first look, in the ninth launch", changed(compared(append(agree[:8:8], -5)...), func(d *Data) {
		d.Ended, d.Launches[8].Cut = Interrupted, true
	}), planned(10)},
	{"Ctrl-C after the first look, alike", changed(compared(small[:9]...), func(d *Data) { d.Ended = Interrupted }), planned(10)},
	{"Ctrl-C in the first launch of ten", changed(compared(.1), func(d *Data) { d.Ended, d.Launches[0].Cut = Interrupted, true }), planned(10)},
	{"Ctrl-C in the only launch", changed(inOneLaunch(agree...), func(d *Data) { d.Ended, d.Launches[0].Cut = Interrupted, true }), planned(1)},
	{"Ctrl-C in the seventh launch of eight, a plan without an early look", changed(compared(agree[:7]...), func(d *Data) { d.Ended = Interrupted }), planned(8)},
	{"nothing at all", changed(compared(), func(d *Data) { d.Ended = Interrupted }), planned(10)},
	{"eight launches", compared(agree[:8]...), planned(8)},
	{"six launches, the fewest for the exact test", compared(agree[:6]...), planned(6)},
	{"five launches, Student's t", compared(agree[:5]...), planned(5)},
	{"two launches, Student's t", compared(.30, .31), planned(2)},
	{"two launches that scatter", compared(.10, -.02), planned(2)},
	{"three launches that scatter", compared(.10, -.02, .03), planned(3)},
	{"one launch", inOneLaunch(agree...), planned(1)},
	{"one launch, 3 % are within its bias", inOneLaunch(repeat(.03, 20)...), planned(1)},
	{"one launch that scatters", inOneLaunch(wide...), planned(1)},
	{"one launch, one round", inOneLaunch(.5), planned(1)},
	{"one launch, three rounds", inOneLaunch(.5, .51, .52), planned(1)},
	{"all differences equal", compared(repeat(.1, 10)...), planned(10)},
	{"all differences zero", compared(repeat(0, 10)...), planned(10)},
	{"five equal differences, Student's t without scatter", compared(repeat(.1, 5)...), planned(5)},
	{"no value of b in two launches", changed(compared(agree...), func(d *Data) {
		for _, l := range []int{2, 5} {
			d.Launches[l].Series[0].Rounds = [][]float64{{1000, 0}, {0, 0}}
		}
	}), planned(10)},
	{"no value of b at all", changed(compared(agree...), func(d *Data) {
		for l := range d.Launches {
			d.Launches[l].Series[0].Rounds = [][]float64{{1000, 0}, {1000, -1}}
		}
	}), planned(10)},
	{"values that are no numbers", changed(compared(agree...), func(d *Data) {
		d.Launches[0].Series[0].Rounds = [][]float64{{1000, math.NaN()}, {1000, math.Inf(1)}, {1000}, nil}
	}), planned(10)},
	{"one check in doubt", changed(compared(agree...), doubting("V14", result.TrustSuspect)), planned(10)},
	{"one check in doubt twice", changed(changed(compared(agree...), doubting("V14", result.TrustSuspect)), doubting("V14", result.TrustSuspect)), planned(10)},
	{"two checks in doubt", changed(changed(compared(agree...), doubting("V14", result.TrustSuspect)), doubting("V2", result.TrustSuspect)), planned(10)},
	{"a check that concerns another arm", changed(compared(agree...), func(d *Data) { d.Doubts = []Doubt{{Code: "V14", Level: result.TrustNotTrustworthy, A: "c"}} }), planned(10)},
	{"a check that concerns this pair", changed(compared(agree...), func(d *Data) {
		d.Doubts = []Doubt{{Code: "V14", Level: result.TrustNotTrustworthy, A: "b", B: "a", Reason: "V14 in words"}}
	}), planned(10)},
	{"a check that concerns another metric", changed(compared(agree...), func(d *Data) {
		d.Doubts = []Doubt{{Code: "V14", Level: result.TrustNotTrustworthy, Metric: "p99"}}
	}), planned(10)},
	{"never warm", changed(compared(agree...), doubting("V9", result.TrustNotTrustworthy)), planned(10)},
	{"retries could not be read", changed(compared(agree...), doubting("V14", result.TrustUnknown)), planned(10)},
	{"steal could not be read", changed(compared(agree...), doubting("V5", result.TrustUnknown)), planned(10)},
	{"no check has run", changed(compared(agree...), func(d *Data) { d.Checked = false }), planned(10)},
	{"two reasons not to believe it", changed(changed(compared(agree...), doubting("V13", result.TrustNotTrustworthy)), doubting("V7", result.TrustNotTrustworthy)), planned(10)},
	{"20 % of the rounds invalid", changed(compared(agree...), func(d *Data) { d.Invalid = .2 }), planned(10)},
	{"25 % of the rounds invalid", changed(compared(agree...), func(d *Data) { d.Invalid, d.InvalidReason = .25, "arm b: connection reset" }), planned(10)},
	{"client-limited winner", changed(compared(agree...), func(d *Data) { d.Arms[1].Limited = true }), planned(10)},
	{"client-limited loser", changed(compared(agree...), func(d *Data) { d.Arms[0].Limited = true }), planned(10)},
	{"both client-limited", changed(compared(agree...), func(d *Data) { d.Arms[0].Limited, d.Arms[1].Limited = true, true }), planned(10)},
	{"both client-limited, CPU per call", changed(compared(agree...), func(d *Data) {
		d.Arms[0].Limited, d.Arms[1].Limited, d.Metrics[0].Cost = true, true, true
	}), planned(10)},
	{"client-limited means nothing in an open loop", changed(compared(agree...), func(d *Data) { d.Arms[0].Limited, d.Arms[1].Limited, d.Open = true, true, true }), planned(10)},
	{"four arms, one family with the baseline and one without", arms(compared(agree...), 0, .02), planned(10)},
	{"four arms on six launches: too few for three tests", arms(compared(agree[:6]...), 0, .02), planned(6)},
	{"a floor and a control are not judged", changed(arms(compared(agree...), 0, 0), func(d *Data) { d.Arms[2].Floor = true }),
		Rules{Launches: 10, MinEffect: .01, Primary: []string{"rate"}, Baseline: "a", Control: "d"}},
	{"min-effect of 20 %", compared(agree...), Rules{Launches: 10, MinEffect: .2, Primary: []string{"rate"}, Baseline: "a"}},
	{"the second arm as the baseline", compared(agree...), Rules{Launches: 10, MinEffect: .01, Primary: []string{"rate"}, Baseline: "b"}},
	{"a tail is taken over whole launches; other metrics and bytes have no word", tails(), Rules{Launches: 10, MinEffect: .01, Primary: []string{"p99"}, Baseline: "a"}},
	{"a tail in blocks of rounds of one launch", blocks(), Rules{Launches: 1, Rounds: 20, MinEffect: .01, Primary: []string{"p99"}, Baseline: "a"}},
	{"a tail with too few calls", changed(blocks(), func(d *Data) { d.Launches[0].Series[0] = Series{Missing: 20} }),
		Rules{Launches: 1, Rounds: 20, MinEffect: .01, Primary: []string{"p99"}, Baseline: "a"}},
}

func tails() Data {
	d := compared(agree...)
	d.Metrics = []Metric{{Name: "rate", Larger: true}, {Name: "p99", Pooled: true}, {Name: "cpu", Pooled: true, Cost: true}}
	for l := range d.Launches {
		d.Launches[l].Series = append(d.Launches[l].Series,
			Series{Rounds: [][]float64{{1, 5}}, Whole: []float64{2e6, 1e6 * (1 + agree[l])}}, Series{})
	}
	d.Exact = []Exact{{Metric: "bytes", Values: []float64{300, 100}}, {Metric: "unknown", Values: []float64{0, 100}}}
	return d
}

func blocks() Data {
	d := inOneLaunch(wide...)
	d.Metrics = []Metric{{Name: "p99", Pooled: true}}
	d.Launches[0].Series[0].Block = 2
	return d
}

func TestVerdictsOfWholeComparisons(t *testing.T) {
	var out strings.Builder
	for _, c := range comparisons {
		fmt.Fprintf(&out, "# %s\n", c.name)
		list := Verdicts(c.d, c.r)
		for _, v := range list {
			out.WriteString(told(v))
		}
		if _, err := json.Marshal(list); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		out.WriteByte('\n')
	}
	golden(t, "verdicts.txt", out.String())
}

// told is all of a verdict.
func told(v result.Verdict) string {
	number := func(x *float64) string {
		if x == nil {
			return "none"
		}
		return fmt.Sprintf("%.4g", *x)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s against %s, %s: %s %s", v.B, v.A, v.Metric, orNone(v.Outcome), v.Confidence)
	if v.Primary {
		b.WriteString(" (primary)")
	}
	if v.AtLeast {
		b.WriteString(" (at least)")
	}
	fmt.Fprintf(&b, "\n  ratio %s in %s to %s; p %s, adjusted %s, alpha %.4g, limit %.4g, band %.4g; %d of %d agree, unit %s, look %d\n",
		number(v.Ratio), number(v.Low), number(v.High), number(v.P), number(v.PAdjusted), v.Alpha, v.Limit, v.Band, v.Agree, v.Units, v.Unit, v.Look)
	for _, r := range v.Reasons {
		fmt.Fprintf(&b, "  %s\n", r)
	}
	if s := v.Settle; s != nil {
		fmt.Fprintf(&b, "  %d to %d launches, %v to %v, practical: %v\n", s.Low, s.High, time.Duration(s.LowNS), time.Duration(s.HighNS), s.Practical)
	}
	return b.String()
}

func orNone(word string) string {
	if word == "" {
		return "no word"
	}
	return word
}
