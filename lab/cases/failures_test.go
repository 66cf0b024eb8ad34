package cases

import (
	"fmt"
	"testing"
	"time"

	"wiregauge/lab"
	"wiregauge/lab/casesvc"
	"wiregauge/lab/hostile"
	"wiregauge/result"
)

// class is what a failure of t.Svc is called on a protocol.
func class(scheme string) string {
	if scheme == "grpc" {
		return "INTERNAL"
	}
	return "500"
}

// K01: Half, 20 calls, one at a time: 10 OK and 10 failed, each with its own latency table. In no table, of no
// format, is a mean above the maximum beside it.
func TestFailuresStayOutOfGoodLatency(t *testing.T) {
	t.Parallel()
	eachWay(t, everyWay, func(t *testing.T, w way) {
		s := svc(t, casesvc.Options{})
		got := measure(t, exitErrors, "run", s.URL(w.scheme, "Half"), "-d", `{"id":1}`, "-n", "20", "-c", "1", "--client", w.client)
		a := got.arm()
		if a.OK != 10 || a.Failed != 10 || a.Latency.N != 10 || a.FailedLatency.N != 10 || s.Calls("Half") != 20 {
			t.Errorf("%+v, latency of %d ok and %d failed, the server counts %d", a.Counts, a.Latency.N, a.FailedLatency.N, s.Calls("Half"))
		}
		t.Logf("ok mean %v, max %v; failed mean %v", ns(a.Latency.Mean), ns(a.Latency.Max), ns(a.FailedLatency.Mean))
		if *a.FailedLatency.Min < int64(200*time.Millisecond) {
			t.Errorf("a failure took %v, and the server waits 200 ms", ns(a.FailedLatency.Min))
		}
		for name, d := range distributions(a) {
			inOrder(t, name, d)
		}
		for _, format := range tableFormats {
			for _, row := range []string{"from due, ok", "service, ok", "from due, failed", "service, failed"} {
				cells := got.cells(t, format, row)
				most, mean, calls := cells[len(cells)-3], cells[len(cells)-2], cells[len(cells)-1]
				high, ok1 := duration(most)
				middle, ok2 := duration(mean)
				if !ok1 || !ok2 || middle > high || calls != "10" {
					t.Errorf("%s, %s: mean %s, max %s of %s calls", format, row, mean, most, calls)
				}
			}
		}
		if r := got.records(t, "arm")[0]; r["ok"] != "10" || r["failed"] != "10" || r["max_ns"] != fmt.Sprint(*a.Latency.Max) || r["mean_ns"] != fmt.Sprint(*a.Latency.Mean) {
			t.Errorf("CSV %v", r)
		}
		checkFailures(t, got, class(w.scheme), 10)
	})
}

// checkFailures checks that one class of failure is told everywhere.
func checkFailures(t *testing.T, got told, class string, n int64) {
	t.Helper()
	a := got.arm()
	if len(a.Errors) != 1 || a.Errors[0].Class != class || a.Errors[0].Count != n {
		t.Errorf("errors %+v, want %d of %s", a.Errors, n, class)
	}
	if r := got.records(t, "error"); len(r) != 1 || r[0]["error_class"] != class || r[0]["error_count"] != fmt.Sprint(n) {
		t.Errorf("CSV errors %v, want %d of %s", r, n, class)
	}
	for _, format := range tableFormats {
		if cells := got.cells(t, format, class); len(cells) < 2 {
			t.Errorf("%s: %q", format, cells)
		}
	}
	var failed float64
	for _, second := range got.seconds(t) {
		failed += second["failed"].(float64)
	}
	if int64(failed) != n {
		t.Errorf("the seconds hold %v failures, want %d", failed, n)
	}
}

func ns(v *int64) time.Duration {
	if v == nil {
		return -1
	}
	return time.Duration(*v)
}

func distributions(a *result.Arm) map[string]*result.Distribution {
	return map[string]*result.Distribution{
		"latency": &a.Latency, "failed latency": &a.FailedLatency, "service": &a.Service, "failed service": &a.FailedService,
		"first byte": &a.FirstByte, "slot wait": &a.SlotWait, "lateness": &a.Lateness, "connect": &a.Connect,
	}
}

// inOrder checks min ≤ mean ≤ max, and percentiles between them that never fall.
func inOrder(t *testing.T, name string, d *result.Distribution) {
	t.Helper()
	if d.N == 0 {
		if d.Min != nil || d.Mean != nil || d.Max != nil {
			t.Errorf("%s of no calls has numbers: %+v", name, d)
		}
		return
	}
	if *d.Min > *d.Mean || *d.Mean > *d.Max {
		t.Errorf("%s: min %v, mean %v, max %v", name, ns(d.Min), ns(d.Mean), ns(d.Max))
	}
	low := *d.Min
	for _, p := range d.Percentiles {
		if p.NS == nil {
			continue
		}
		if *p.NS < low || *p.NS > *d.Max {
			t.Errorf("%s: p%v is %v, between %v and %v", name, p.P, ns(p.NS), time.Duration(low), ns(d.Max))
		}
		low = *p.NS
	}
}

// K02: Fail, 20 calls: 20 failed as INTERNAL, with the latency of the failures shown as theirs; OK latency is n/a, and
// null in JSON, never 0 ns. Exit 5, and 0 with --max-errors 100%.
func TestEveryCallFails(t *testing.T) {
	t.Parallel()
	eachWay(t, everyWay, func(t *testing.T, w way) {
		s := svc(t, casesvc.Options{})
		args := []string{"run", s.URL(w.scheme, "Fail"), "-d", `{"id":1}`, "-n", "20", "-c", "1", "--client", w.client}
		got := measure(t, exitErrors, args...)
		a := got.arm()
		if a.OK != 0 || a.Failed != 20 || a.FailedLatency.N != 20 || a.Goodput != 0 {
			t.Errorf("%+v, %d latencies, goodput %v", a.Counts, a.FailedLatency.N, a.Goodput)
		}
		checkFailures(t, got, class(w.scheme), 20)
		noGoodLatency(t, got)
		says(t, got.headline(t), "No call succeeded: 20 of 20 failed ("+class(w.scheme)+")")
		measure(t, exitOK, append(args, "--max-errors", "100%")...)
	})
	t.Run("compare", func(t *testing.T) {
		t.Parallel()
		s := svc(t, casesvc.Options{})
		got := measure(t, exitErrors, "compare", "h1="+s.URL("http", "Fail"), "h2="+s.URL("h2c", "Fail"), "g="+s.URL("grpc", "Fail"),
			"-d", `{"id":1}`, "-n", "20", "-c", "1", "--rounds", "2")
		for i := range got.file.Arms {
			a := &got.file.Arms[i]
			if a.OK != 0 || a.Failed == 0 || a.Latency.Max != nil || a.Goodput != 0 {
				t.Errorf("%s: %+v, OK latency %+v", a.Name, a.Counts, a.Latency)
			}
		}
		for _, v := range got.file.Verdicts {
			if v.Outcome != "" && v.Outcome != "not_fair" && v.Outcome != "inconclusive" {
				t.Errorf("a winner where every call fails: %+v", v)
			}
		}
		got.noSentinel(t)
	})
}

// noGoodLatency checks that no format tells a latency of good calls where there were none.
func noGoodLatency(t *testing.T, got told) {
	t.Helper()
	for _, name := range []string{"latency", "service", "first_byte"} {
		d := got.raw(t)[name].(map[string]any)
		for _, field := range []string{"min_ns", "mean_ns", "max_ns"} {
			if v, there := d[field]; !there || v != nil {
				t.Errorf("JSON %s.%s is %v, want null", name, field, v)
			}
		}
		for _, p := range d["percentiles"].([]any) {
			if v := p.(map[string]any)["ns"]; v != nil {
				t.Errorf("JSON %s has the percentile %v", name, p)
			}
		}
	}
	r := got.records(t, "arm")[0]
	for _, column := range []string{"min_ns", "mean_ns", "max_ns", "p50_ns", "p99_ns"} {
		if v, there := r[column]; !there || v != "" {
			t.Errorf("CSV %s is %q, want nothing", column, v)
		}
	}
	if r["goodput"] != "0" {
		t.Errorf("CSV goodput %q", r["goodput"])
	}
	for _, second := range got.seconds(t) {
		if second["p50_ns"] != nil || second["max_ns"] != nil {
			t.Errorf("a second without good calls has a latency: %v", second)
		}
	}
	for _, format := range tableFormats {
		for _, row := range []string{"from due, ok", "service, ok"} {
			cells := got.cells(t, format, row)
			for _, c := range cells[:len(cells)-1] {
				if c != "n/a" {
					t.Errorf("%s, %s: %q", format, row, cells)
				}
			}
		}
	}
	got.noSentinel(t)
}

// K21: Hang, 100 calls, timeout 1 s: 100 failed, all of them timeouts; nothing is told of good calls, and no number
// stands for one that does not exist, in no format.
func TestNothingButTimeouts(t *testing.T) {
	t.Parallel()
	eachWay(t, everyWay, func(t *testing.T, w way) {
		s := svc(t, casesvc.Options{})
		got := measure(t, exitErrors, "run", s.URL(w.scheme, "Hang"), "-d", `{"id":1}`, "-n", "100", "-c", "100", "-t", "1s", "--client", w.client)
		a := got.arm()
		if a.OK != 0 || a.Failed != 100 || a.TimedOut != 100 || a.Goodput != 0 {
			t.Errorf("%+v, goodput %v", a.Counts, a.Goodput)
		}
		t.Logf("failed calls took %v to %v", ns(a.FailedLatency.Min), ns(a.FailedLatency.Max))
		checkFailures(t, got, "timeout", 100)
		noGoodLatency(t, got)
	})
	t.Run("call", func(t *testing.T) {
		s := svc(t, casesvc.Options{})
		for _, w := range everyWay {
			got := wg(t, "", "call", s.URL(w.scheme, "Hang"), "-d", `{"id":1}`, "-t", "200ms", "--client", w.client)
			if got.code == exitOK || got.stdout != "" {
				t.Errorf("%s: exit %d, %q", w, got.code, got.stdout)
			}
			says(t, got.stderr, "no answer within 200ms")
		}
	})
}

// K27: a server that answers 404 to everything, 1,000 calls: goodput 0; the total rate shown and named as such; 1,000
// failed of class 404; exit 5.
func TestNothingBut404(t *testing.T) {
	t.Parallel()
	eachWay(t, webWays, func(t *testing.T, w way) {
		s := svc(t, casesvc.Options{})
		got := measure(t, exitErrors, "run", s.URL(w.scheme, "Nothing"), "-d", `{}`, "-n", "1000", "-c", "10", "--client", w.client)
		a := got.arm()
		if a.Failed != 1000 || a.Goodput != 0 || a.AchievedRate <= 0 {
			t.Errorf("%+v, goodput %v, all %v", a.Counts, a.Goodput, a.AchievedRate)
		}
		if len(a.Statuses) != 1 || a.Statuses[0] != (result.Status{Status: 404, Name: "404", Count: 1000}) {
			t.Errorf("statuses %+v", a.Statuses)
		}
		checkFailures(t, got, "404", 1000)
		noGoodLatency(t, got)
		says(t, got.headline(t), "Goodput 0, all answers")
		says(t, got.stdout, "goodput 0/s, all finished")
	})
	t.Run("call", func(t *testing.T) {
		s := svc(t, casesvc.Options{})
		for _, w := range webWays {
			got := wg(t, "", "call", s.URL(w.scheme, "Nothing"), "-d", `{}`, "--client", w.client)
			if got.code != exitStatus || got.stdout != "404 page not found\n" {
				t.Errorf("%s: exit %d, %q", w, got.code, got.stdout)
			}
			says(t, got.stderr, "404")
		}
	})
}

// K29: 200 in the headers, failure in the trailers. 1,000 gRPC calls each to Fail, to a server that answers a whole
// message and then status 13, and to one that ends the stream without trailers: 1,000 failed; goodput 0.
func TestFailureInTheTrailers(t *testing.T) {
	t.Parallel()
	contract := written(t, "t.proto", protoFile)
	for _, c := range []struct {
		name, class string
		play        hostile.Play // nil: Fail of the service
	}{
		{"a failure without a message", "INTERNAL", nil},
		{"a message, then status 13", "INTERNAL", (&hostile.HTTP2{Handle: hostile.LateStatus(13, casesvc.FailureText)}).Play},
		{"no trailers", "no grpc-status", (&hostile.HTTP2{Handle: hostile.NoTrailers}).Play},
	} {
		for _, w := range rpcWays {
			t.Run(c.name+", "+w.client, func(t *testing.T) {
				t.Parallel()
				url := "grpc://" + listen(t, c.play) + "/t.Svc/Echo"
				if c.play == nil {
					url = svc(t, casesvc.Options{}).URL("grpc", "Fail")
				}
				got := measure(t, exitErrors, "run", url, "--proto", contract, "-d", `{"id":1}`, "-n", "1000", "-c", "20", "--client", w.client)
				if a := got.arm(); a.OK != 0 || a.Failed != 1000 || a.Goodput != 0 {
					t.Errorf("%+v, goodput %v", a.Counts, a.Goodput)
				}
				checkFailures(t, got, c.class, 1000)
				noGoodLatency(t, got)
				one := wg(t, "", "call", url, "--proto", contract, "-d", `{"id":1}`, "--client", w.client)
				if one.code != exitStatus {
					t.Errorf("call: exit %d\n%s", one.code, one.stderr)
				}
				says(t, one.stderr, c.class)
			})
		}
	}
	t.Run("planted in the reference services", func(t *testing.T) {
		t.Parallel()
		_, urls := serve(t, lab.ServeConfig{Plain: true, Plant: "status=INTERNAL"})
		got := measure(t, exitErrors, "run", urls["grpc hello"], "-d", `{"greeting":"x"}`, "-n", "1000", "-c", "20")
		checkFailures(t, got, "INTERNAL", 1000)
	})
}

// listen plays a hostile server for the length of the test; nothing for nil.
func listen(t *testing.T, play hostile.Play) string {
	t.Helper()
	if play == nil {
		return ""
	}
	s, err := hostile.Listen(play, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s.Address()
}
