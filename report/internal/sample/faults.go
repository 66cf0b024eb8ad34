package sample

import (
	"time"

	"wiregauge/hist"
	"wiregauge/result"
)

// HostileText is what a server may say that no output may trip over: it ends a script, carries an event handler,
// breaks out of attributes, steers a terminal, and holds what CSV and Markdown care about.
const HostileText = "half, \"quoted\",\nsecond line </script><script>alert(1)</script><img src=x onerror=alert(2)>" +
	" ' onload=alert(3) \" style=x `code` | pipe \x1b[31mred\x1b[0m \u202eflip {{.}} ]]> --><b>&amp;"

// Half is a server that answers half of 20 calls with an error of 200 ms.
func Half() *result.File {
	t := Turn("Half", 10, 2*time.Second, 1200*time.Microsecond)
	t.Due, t.Sent, t.Failed, t.FinishedInside = 20, 20, 10, 20
	t.FailedLatency, t.FailedService = Latencies(10, 200*time.Millisecond, 0.01), Latencies(10, 200*time.Millisecond, 0.01)
	t.Statuses = []result.Status{{Name: "OK", Count: 10, OK: true}, {Status: 13, Name: "INTERNAL", Count: 10}}
	t.Errors = []result.ErrorClass{{Class: "INTERNAL", Stage: "answer", Message: HostileText, Count: 10,
		First: 100 * time.Millisecond, Last: 1900 * time.Millisecond, Examples: []string{HostileText, "another text"}}}
	f := Run(t)
	f.Plan.Concurrency, f.Plan.Total, f.Plan.Duration = 1, 20, 0
	return f
}

// Fail is a server that always says 404.
func Fail() *result.File {
	t := Turn("Fail", 0, 800*time.Millisecond, 0)
	t.Due, t.Sent, t.Failed, t.FinishedInside = 1000, 1000, 1000, 1000
	t.FailedLatency, t.FailedService = Latencies(1000, 700*time.Microsecond, 0.3), Latencies(1000, 650*time.Microsecond, 0.3)
	t.Statuses = []result.Status{{Status: 404, Name: "404", Count: 1000}}
	t.Errors = []result.ErrorClass{{Class: "404", Stage: "answer", Count: 1000, Last: 790 * time.Millisecond, Examples: []string{"not here"}}}
	t.Client = result.CPU{User: 20 * time.Millisecond, System: 18 * time.Millisecond, Cores: 2}
	f := Run(t)
	f.Plan.Concurrency, f.Plan.Total, f.Plan.Duration = 4, 1000, 0
	return f
}

// Hang is a server that never answers: 100 calls, all timed out after a second.
func Hang() *result.File {
	t := result.Turn{Arm: "Hang", Window: 2 * time.Second, FinishedInside: 100,
		Counts:        result.Counts{Due: 100, Sent: 100, Failed: 100, TimedOut: 100},
		FailedLatency: Latencies(100, time.Second, 0), FailedService: Latencies(100, time.Second, 0),
		Errors: []result.ErrorClass{{Class: "timeout", Stage: "read", Count: 100, First: time.Second, Last: 2 * time.Second}},
		Host:   result.HostLoad{Steal: -1, Foreign: -1}}
	return Run(t)
}

// Stuck is a run whose deadline found calls in flight, up to 8 s old, and calls that were never sent.
func Stuck() *result.File {
	t := Turn("Stuck", 1000, 10*time.Second, 1500*time.Microsecond)
	t.Due, t.Sent, t.Unfinished, t.Unsent = 1215, 1010, 10, 205
	t.Ages = Latencies(10, 7*time.Second, 0.1)
	t.UnsentAges = Latencies(205, 4*time.Second, 0.3)
	t.Lateness = Latencies(1010, 2*time.Millisecond, 0.9)
	t.Limited = "slots"
	return Open(Run(t), 121.5, "121.5/s")
}

// Held is a run of 20 calls at 100/s, one at a time, of 100 ms each: call k waits until those before it are done.
func Held() *result.File {
	t := Turn("Held", 20, 2*time.Second, 100*time.Millisecond)
	t.Latency, t.SlotWait = new(hist.Histogram), new(hist.Histogram)
	for k := range 20 {
		t.Latency.Record(time.Duration(100+90*k) * time.Millisecond)
		t.SlotWait.Record(time.Duration(90*k) * time.Millisecond)
	}
	t.Service = Latencies(20, 100*time.Millisecond, 0)
	t.Lateness = Latencies(20, 40*time.Microsecond, 0.5)
	t.Limited = "inflight"
	f := Open(Run(t), 100, "100/s")
	f.Plan.Total, f.Plan.Duration, f.Plan.MaxInflight = 20, 0, 1
	return f
}

// Frozen is a closed loop of one caller whose server stood still for 5 of 10 s.
func Frozen() *result.File {
	t := Turn("Frozen", 5000, 10*time.Second, time.Millisecond)
	t.Latency.Record(5 * time.Second)
	t.OK, t.Due, t.Sent = 5001, 5001, 5001
	t.Blocked = []time.Duration{5 * time.Second}
	f := Run(t)
	f.Plan.Concurrency = 1
	return f
}

// Slow is a run that this client could not keep up with.
func Slow() *result.File {
	t := Turn("Slow", 14_200, time.Second, 40*time.Millisecond)
	t.Due, t.Unsent = 20_000, 5_800
	t.UnsentAges = Latencies(5_800, 200*time.Millisecond, 0.3)
	t.Lateness = Latencies(14_200, 30*time.Millisecond, 0.5)
	t.Client = result.CPU{User: 1500 * time.Millisecond, System: 480 * time.Millisecond, Cores: 2, GCs: 3}
	t.Host = result.HostLoad{Steal: 0.06, Foreign: 0.3}
	t.HiddenTries = 40
	t.Limited = "client"
	return Open(Run(t), 20_000, "20,000/s")
}

// Empty is a run in which nothing was due.
func Empty() *result.File {
	return Run(result.Turn{Arm: "Empty", Host: result.HostLoad{Steal: -1, Foreign: -1}})
}

// Ramp is one arm under rising concurrency.
func Ramp() *result.File {
	var turns []result.Turn
	var steps []result.Step
	for i, c := range []int64{1, 2, 4, 8, 16, 32, 64} {
		rate := []int64{900, 1750, 3300, 6000, 9200, 9900, 9700}[i]
		median := time.Duration(float64(c) / float64(rate) * float64(time.Second))
		t := Turn("Check", rate*2, 2*time.Second, median)
		steps = append(steps, result.NewStep("c="+itoa(c), t))
		turns = append(turns, t)
	}
	f := Run(turns...)
	f.Plan.Ramp, f.Plan.Concurrency = "c=1..64x2/2s", 0
	f.Arms[0].Steps = steps
	f.Arms[0].USL = &result.USL{Lambda: 1007, Sigma: 0.0446, Kappa: 0.000733, Peak: new(36.1), R2: 0.994, Little: new(0.021)}
	return f
}

func itoa(n int64) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}
