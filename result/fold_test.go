package result

import (
	"reflect"
	"testing"
	"time"

	"wiregauge/hist"
)

func foldTurn(n int64, millis int) Turn {
	h := new(hist.Histogram)
	h.RecordN(time.Duration(millis)*time.Millisecond, n)
	return Turn{
		Arm: "a", Window: time.Second, CompletedInside: n, FinishedInside: n + 1,
		Counts:  Counts{Due: n + 2, Unsent: 1, Sent: n + 1, OK: n, Failed: 1},
		Latency: h, Statuses: []Status{{Status: 200, Name: "200", Count: n, OK: true}},
		Errors:      []ErrorClass{{Class: "reset", Stage: "read", Count: 1, First: 5, Last: 6, Examples: []string{"peer"}}},
		Connections: Connections{Asked: 2, Opened: 2, Ended: map[string]int64{"reset": 1}},
		SentBytes:   Bytes{Body: 10 * n, Wire: 12 * n}, RecvBytes: Bytes{Body: n, Wire: 2 * n},
		Client: CPU{User: time.Duration(n), Cores: 2}, Server: &CPU{System: time.Duration(n), RSS: n},
		Host: HostLoad{Steal: 0.01 * float64(n), Foreign: -1}, Warm: &Counts{Due: 3, Sent: 3, OK: 3},
	}
}

func TestFoldedTurnsMergeLikeSingleOnes(t *testing.T) {
	turns := []Turn{foldTurn(1, 3), foldTurn(4, 5), foldTurn(20, 40)}
	var folded Turn
	for i := range turns {
		folded.Add(&turns[i])
	}
	percentiles := []float64{50, 99}
	want, got := Merge(turns, percentiles), Merge([]Turn{folded}, percentiles)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("folded:\n%+v\nsingle:\n%+v", got, want)
	}
}

func TestFoldLeavesWhatItReadsAlone(t *testing.T) {
	a, b, sum := foldTurn(1, 3), foldTurn(1, 3), Turn{}
	sum.Add(&a)
	sum.Add(&a)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("the turn that was added changed:\n%+v\n%+v", a, b)
	}
}

func TestWarmupIsCountedApart(t *testing.T) {
	var sum Turn
	sum.AddWarmup(Counts{Due: 5, Sent: 5, OK: 5})
	turn := foldTurn(2, 1)
	sum.Add(&turn)
	if sum.Warm.OK != 8 || sum.OK != 2 {
		t.Errorf("warm-up %d and measured %d, want 8 and 2", sum.Warm.OK, sum.OK)
	}
}
