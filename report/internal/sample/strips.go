package sample

import (
	"math"
	"time"

	"wiregauge/result"
)

// Strip is a strip of n calls, log-normal around median; failed ones are of class.
func Strip(at, length time.Duration, n, failed int64, median time.Duration, class string) result.Strip {
	h := Latencies(n, median, 0.4)
	s := result.Strip{At: at, Length: length, OK: n, Failed: failed, Due: n + failed}
	if n > 0 {
		s.P50, s.P99, s.Max = new(h.Percentile(50)), new(h.Percentile(99)), new(h.Max())
	}
	if failed > 0 {
		s.Fail(class, failed)
	}
	s.FillLevels(h)
	return s
}

// Burst is an open-loop run of 60 s whose server is slow once every 15 s and fails for 8 s in two ways.
func Burst() *result.File {
	const rate, seconds = 1200, 60
	var t result.Turn
	for i := range seconds {
		median := time.Duration(float64(2*time.Millisecond) * (1 + 0.15*math.Sin(float64(i)/4)))
		if i%15 == 14 {
			median *= 6
		}
		var failed int64
		if i >= 31 && i < 39 {
			failed = int64(60 * (4 - math.Abs(float64(i)-35)))
		}
		second := Turn("Burst", rate-failed, time.Second, median)
		second.Due, second.Sent, second.Failed, second.FinishedInside = rate, rate, failed, rate
		s := Strip(0, 0, rate-failed, failed, median, "UNAVAILABLE")
		if i > 34 && failed > 0 {
			s.Errors["UNAVAILABLE"] = failed / 3
			s.Fail("timeout", failed-failed/3)
		}
		for _, class := range []string{"UNAVAILABLE", "timeout"} {
			if n := s.Errors[class]; n > 0 {
				second.Errors = append(second.Errors, result.ErrorClass{Class: class, Stage: "read", Count: n, First: 1000, Last: 999_000_000,
					Examples: []string{map[string]string{"timeout": "no answer within 1 s", "UNAVAILABLE": "upstream connect error"}[class]}})
			}
		}
		second.TimedOut = s.Errors["timeout"]
		second.FailedLatency, second.FailedService = Latencies(failed, 900*time.Millisecond, 0.1), Latencies(failed, 900*time.Millisecond, 0.1)
		second.Lateness, second.SlotWait = Latencies(rate, 40*time.Microsecond, 0.5), Latencies(rate, 90*time.Microsecond, 0.5)
		second.Statuses = []result.Status{{Name: "OK", Count: rate - failed, OK: true}}
		second.Connections.Opened = 0
		second.Strips = []result.Strip{s}
		t.Add(&second)
	}
	t.Connect = Latencies(8, 700*time.Microsecond, 0.2)
	t.Connections.Opened, t.Connections.Asked = 8, 8
	f := Open(Run(t), rate, "1,200/s")
	f.Title = "Checkout under a failing dependency"
	f.Gates = []result.Gate{{Expr: "p99<50ms", Words: "fails when p99 is 50 ms or more", Unit: "ns", Value: new(float64(*f.Arms[0].Latency.Percentile(99).NS)), Passed: true}}
	f.Arms[0].WarmUp = warmUp(800*time.Microsecond, result.WarmFound)
	return f
}

// warmUp is an arm that settles after a third of the time it was watched.
func warmUp(median time.Duration, outcome string) *result.WarmUp {
	w := &result.WarmUp{Outcome: outcome, Calls: 5200, Length: int64(2 * time.Second), Observed: int64(6 * time.Second)}
	if outcome == result.WarmUnsteady {
		w.Calls, w.Length = 15_600, int64(6*time.Second)
	}
	for i := range 48 {
		slow := 1 + 4*math.Exp(-float64(i)/6) + 0.05*math.Sin(float64(i*i))
		segment := min(i/6, 2)
		if outcome == result.WarmUnsteady {
			slow, segment = 1.6+0.6*math.Sin(float64(i)/3), i/8
		}
		rate := 2600 / slow
		w.Trajectory = append(w.Trajectory, result.WarmStrip{At: int64(i) * int64(125*time.Millisecond), Length: int64(125 * time.Millisecond),
			Calls: int64(rate / 8), Rate: rate, P50: new(int64(float64(median) * slow)), CPU: new(int64(12_000 * slow)), Segment: segment})
	}
	return w
}
