package trust

import (
	"testing"
	"time"

	"wiregauge/result"
)

func areas(off float64) func(*result.File, *result.Arm) {
	return func(_ *result.File, a *result.Arm) {
		a.Vitals.Latencies = of(int64(float64(*a.Vitals.InFlight) * (1 + off)))
	}
}

func TestBooks(t *testing.T) {
	for _, r := range []row{
		{"0.9 % apart", "V6", "", areas(0.009), ""},
		{"1.1 % too much", "V6", "", areas(0.011), suspect + "absolute"},
		{"2 % too little", "V6", "", areas(-0.02), suspect + "absolute"},
		{"3.1 % too little", "V6", "", areas(-0.031), bad + "absolute"},
		{"not counted", "V6", "", func(_ *result.File, a *result.Arm) { a.Vitals.InFlight = nil }, unknown + "absolute"},

		{"a call that nobody accounts for", "V7", "", func(_ *result.File, a *result.Arm) { a.Unfinished = 1 }, bad},
		{"the server counts as many", "V7", "", func(_ *result.File, a *result.Arm) { a.ServerStats = &result.ServerStats{Conserve: "ok"} }, ""},
		{"the server counts fewer", "V7", "", func(_ *result.File, a *result.Arm) {
			a.ServerStats = &result.ServerStats{Conserve: "the server received 1 call, fewer than the 2 that were answered"}
		}, bad},

		{"one segment sent again", "V14", "", func(_ *result.File, a *result.Arm) { a.Vitals.Retransmits = of(int64(1)) }, suspect},
		{"20 of 20,000 calls", "V14", "", func(_ *result.File, a *result.Arm) { a.HiddenTries = 20 }, suspect},
		{"21 of them, in all", "V14", "", func(_ *result.File, a *result.Arm) {
			a.HiddenTries, a.Vitals.Retransmits, a.Vitals.Overflows = 7, of(int64(7)), of(int64(7))
		}, bad},
		{"a full listen queue", "V14", "", func(_ *result.File, a *result.Arm) { a.Vitals.Overflows = of(int64(1)) }, suspect},
		{"segments are unknown", "V14", "", func(_ *result.File, a *result.Arm) { a.Vitals.Retransmits = nil }, unknown},
	} {
		r.test(t)
	}
}

// trend makes the strips of a run rise or fall by a share from end to end.
func trend(share float64) func(*result.File, *result.Arm) {
	return func(_ *result.File, a *result.Arm) {
		for i := range a.Strips {
			by := 1 + share*float64(i)/float64(len(a.Strips)-1)
			a.Strips[i].OK = int64(100_000 * by)
			a.Strips[i].P50 = of(time.Duration(float64(10*time.Millisecond) * by))
		}
	}
}

func warmUp(w *result.WarmUp) func(*result.File, *result.Arm) {
	return func(_ *result.File, a *result.Arm) { a.WarmUp = w }
}

func TestCourse(t *testing.T) {
	for _, r := range []row{
		{"a closed loop that gains 2.9 %", "V8", "closed", trend(0.029), ""},
		{"3.2 %", "V8", "closed", trend(0.032), suspect + "absolute"},
		{"that loses 9 %", "V8", "closed", trend(-0.09), suspect + "absolute"},
		{"that loses 12 %", "V8", "closed", trend(-0.12), bad + "absolute"},
		{"an open loop whose latency rises by 5 %", "V8", "", trend(0.05), suspect + "absolute"},
		{"by 12 %", "V8", "", trend(0.12), bad + "absolute"},
		{"up and down is no trend", "V8", "closed", func(_ *result.File, a *result.Arm) {
			for i := range a.Strips {
				a.Strips[i].OK = 1000 + 500*int64(i%2)
			}
		}, ""},
		{"nine seconds are too few", "V8", "", func(_ *result.File, a *result.Arm) { a.Strips = a.Strips[:9] }, unknown + "absolute"},
		{"the steps of a ramp differ on purpose", "V8", "", func(f *result.File, a *result.Arm) {
			trend(1)(f, a)
			a.Steps = []result.Step{{}, {}}
		}, ""},

		{"the end was found", "V9", "", warmUp(&result.WarmUp{Outcome: result.WarmFound}), ""},
		{"the end was set", "V9", "", warmUp(&result.WarmUp{Outcome: result.WarmFixed}), ""},
		{"there is none", "V9", "", warmUp(&result.WarmUp{Outcome: result.WarmUnsteady}), bad + "absolute"},
		{"the run's own beginning is slower, and was asked for", "V9", "", warmUp(&result.WarmUp{Outcome: result.WarmFound, Measured: true, Length: 1}), note + "absolute"},
		{"it is like the rest", "V9", "", warmUp(&result.WarmUp{Outcome: result.WarmFound, Measured: true}), ""},
		{"nothing in the run is like the rest", "V9", "", warmUp(&result.WarmUp{Outcome: result.WarmUnsteady, Measured: true}), note + "absolute"},
		{"too few calls", "V9", "", warmUp(&result.WarmUp{Outcome: result.WarmTooFew}), unknown + "absolute"},
		{"nobody looked", "V9", "", warmUp(nil), unknown + "absolute"},
	} {
		r.test(t)
	}
}

func failed(n int64) func(*result.File, *result.Arm) {
	return func(_ *result.File, a *result.Arm) { a.Failed, a.OK = n, a.OK-n }
}

func TestAnswers(t *testing.T) {
	for _, r := range []row{
		{"one in a thousand fails", "V10", "", failed(20), ""},
		{"a little more", "V10", "", failed(21), suspect + "latency"},
		{"one in a hundred", "V10", "", failed(200), suspect + "latency"},
		{"a little more than that", "V10", "", failed(201), bad + "latency"},

		{"100 calls beyond", "V11", "", func(_ *result.File, a *result.Arm) {
			a.Latency = told(recorded(10_000, 10*time.Millisecond, 20*time.Millisecond))
		}, ""},
		{"99 of them", "V11", "", func(_ *result.File, a *result.Arm) {
			a.Latency = told(recorded(9_900, 10*time.Millisecond, 20*time.Millisecond))
		}, suspect + "p99"},
		{"9 of them", "V11", "", func(_ *result.File, a *result.Arm) {
			a.Latency = told(recorded(950, 10*time.Millisecond, 20*time.Millisecond))
		}, suspect + "p90, " + bad + "p99"},
	} {
		r.test(t)
	}
}
