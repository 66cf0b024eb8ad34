package gate

import (
	"strings"
	"testing"
	"time"

	"wiregauge/hist"
	"wiregauge/result"
)

func TestBothSpellingsSetOneBound(t *testing.T) {
	for _, c := range []struct{ name, expr, words string }{
		{"the good side of a latency", "p99<50ms", "fails when p99 is 50 ms or more"},
		{"the bad side of a latency", "p99>=50ms", "fails when p99 is 50 ms or more"},
		{"the good side, bound included", "p99<=50ms", "fails when p99 is above 50 ms"},
		{"the bad side, bound excluded", "p99>50ms", "fails when p99 is above 50 ms"},
		{"a rate is good above", "rate>=2000", "fails when rate is below 2000/s"},
		{"the bad side of a rate", "rate<2000", "fails when rate is below 2000/s"},
		{"strictly more", "goodput > 2k", "fails when goodput is 2 k/s or less"},
		{"errors", "errors<0.1%", "fails when errors are 0.1 % or more"},
		{"no error at all", "errors<=0", "fails when errors are above 0"},
		{"of an arm", "grpc.p99.9 < 5ms", "fails when p99.9 of grpc is 5 ms or more"},
		{"mean of an arm", "rest.mean<1m30s", "fails when mean of rest is 1m30s or more"},
		{"bytes", "bytes<300b", "fails when bytes are 300 b or more"},
		{"bytes without a unit", "bytes<300", "fails when bytes are 300 or more"},
		{"against a baseline", "p99<+10%", "fails when p99 is 10 % or more above the baseline's"},
		{"against a baseline, bound included", "p99<=+2.5%", "fails when p99 is more than 2.5 % above the baseline's"},
		{"the bad spelling against a baseline", "p99>+10%", "fails when p99 is more than 10 % above the baseline's"},
		{"a rate against a baseline", "new.rate>-5%", "fails when rate of new is 5 % or more below the baseline's"},
		{"better than a baseline", "p50<-20%", "fails unless p50 is more than 20 % below the baseline's"},
		{"better than a baseline, bound included", "rate>=+20%", "fails unless rate is 20 % or more above the baseline's"},
		{"no worse than a baseline", "bytes<=+0%", "fails when bytes are above the baseline's"},
		{"unfinished calls", "unfinished<=0", "fails when the number of unfinished calls is above 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := Parse(c.expr)
			if err != nil {
				t.Fatal(err)
			}
			if got := g.Words(); got != c.words {
				t.Errorf("got  %q\nwant %q", got, c.words)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ name, expr, want string }{
		{"no operator", "p99", "METRIC OP VALUE"},
		{"no metric", "<50ms", "METRIC OP VALUE"},
		{"no value", "p99<", "the value is missing"},
		{"equality", "p99==50ms", "a gate is a bound"},
		{"a misspelt metric", "erors<1%", `did you mean "errors"?`},
		{"a metric like nothing", "happiness<3", "known: any percentile"},
		{"percentile 100", "p100<1s", "write max"},
		{"a latency without unit", "p99<50", "For seconds write 50s."},
		{"a share without %", "errors<0.1", "wants a share such as 1%"},
		{"a negative latency", "p99<-5ms", "a time of 0 or more"},
		{"against a baseline without a %", "p99<+10ms", "a change in percent"},
		{"less than nothing", "p99<-100%", "above -100%"},
		{"failures against a baseline", "errors<+10%", "errors has no bound against a baseline"},
		{"a rate that is no number", "rate>fast", "wants a number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.expr)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// arm has n calls that took 1 to n ms.
func arm(n int) result.Arm {
	h := &hist.Histogram{}
	for i := range n {
		h.Record(time.Duration(i+1) * time.Millisecond)
	}
	c := result.Counts{Due: int64(n), Sent: int64(n), OK: int64(n)}
	return result.Arm{Name: "a", Counts: c, Goodput: 100, AchievedRate: 100, Latency: result.NewDistribution(h, "due", []float64{50, 99})}
}

func TestJudge(t *testing.T) {
	many := arm(2000) // p99 is 1,980 ms
	few := arm(20)
	failing := result.Arm{Name: "a", Counts: result.Counts{Due: 20, Sent: 20, Failed: 20}}
	cut := arm(2000)
	cut.Due, cut.Unfinished = 2010, 10
	for _, c := range []struct {
		name, expr string
		arm        result.Arm
		passed     bool
		unknown    string
	}{
		{"below the bound", "p99<2s", many, true, ""},
		{"above the bound", "p99<1s", many, false, ""},
		{"the bad spelling, below", "p99>2s", many, true, ""},
		{"the bad spelling, above", "p99>1s", many, false, ""},
		{"rate at its bound", "rate>=100", many, true, ""},
		{"rate strictly above its bound", "rate>100", many, false, ""},
		{"few calls, all of them good", "p99<1s", few, true, ""},
		{"few calls, some of them bad", "p99<15ms", few, false, "p99 needs 1000 calls, there are 20"},
		{"a percentile that enough calls support", "p50<15ms", few, true, ""},
		{"every call failed: errors", "errors<1%", failing, false, ""},
		{"every call failed: latency", "p99<1s", failing, false, "no call succeeded"},
		{"the slowest never finished", "p99<2s", cut, false, "10 of 2010 calls did not finish"},
		{"unfinished calls", "unfinished<=0", cut, false, ""},
		{"an arm that is not there", "b.p99<1s", many, false, `there is no arm "b"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			gates, err := ParseAll([]string{c.expr})
			if err != nil {
				t.Fatal(err)
			}
			got := Judge(gates, []result.Arm{c.arm}, result.Trust{})
			if len(got) != 1 || got[0].Passed != c.passed || !strings.Contains(got[0].Unknown, c.unknown) || (c.unknown == "") != (got[0].Unknown == "") {
				t.Errorf("got %+v", got)
			}
			if Say(got[0]) == "" {
				t.Error("nothing to say")
			}
		})
	}
}

func TestAGateWithoutArmHoldsForEveryArm(t *testing.T) {
	gates, err := ParseAll([]string{"p99<2s, a.errors<1%"})
	if err != nil {
		t.Fatal(err)
	}
	b := arm(2000)
	b.Name = "b"
	if got := Judge(gates, []result.Arm{arm(2000), b}, result.Trust{}); len(got) != 3 {
		t.Errorf("%d judgements, want 3: %+v", len(got), got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"p99<50ms", "a.errors<0.1%", "rate>=2k/s", "p99.9.<1", "<", "bytes<1kb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		g, err := Parse(expr)
		if err == nil && (g.Words() == "" || g.Bound < 0 && !g.Relative) {
			t.Errorf("%q became %+v", expr, g)
		}
	})
}
