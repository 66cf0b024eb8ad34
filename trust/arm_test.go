package trust

import (
	"strings"
	"testing"
	"time"

	"wiregauge/hist"
	"wiregauge/result"
)

func of[T any](v T) *T { return &v }

// recorded is n values spread evenly from low to high.
func recorded(n int, low, high time.Duration) *hist.Histogram {
	h := new(hist.Histogram)
	for i := range n {
		h.Record(low + time.Duration(i)*(high-low)/time.Duration(n))
	}
	return h
}

func told(h *hist.Histogram) result.Distribution {
	return result.NewDistribution(h, "due", []float64{50, 90, 99})
}

// good is a run of 20 s without any doubt: 1,000 calls a second of 10 to 20 ms on two cores of eight.
func good(loop string) *result.File {
	a := result.Arm{
		Name: "target", URL: "http://192.0.2.1/", Window: int64(20 * time.Second),
		Counts:    result.Counts{Due: 20_000, Sent: 20_000, OK: 20_000},
		ClientCPU: result.CPU{User: 4 * time.Second, Cores: 2}, Connections: result.Connections{Asked: 50},
		Latency: told(recorded(20_000, 10*time.Millisecond, 20*time.Millisecond)), AchievedRate: 1000, Goodput: 1000,
		Host: result.HostLoad{}, Ceiling: of(100_000.0),
		WarmUp: &result.WarmUp{Outcome: result.WarmFound, Length: int64(time.Second)},
		Vitals: &result.Vitals{
			Observed: int64(20 * time.Second), Windows: 200, Gap: of(int64(time.Millisecond)), GCCPU: of(int64(0)),
			Suspend: of(int64(0)), Throttled: of(int64(0)), Pressure: of(int64(0)), ClockRead: of(int64(40)),
			Retransmits: of(int64(0)), Overflows: of(int64(0)),
			InFlight: of(int64(300 * time.Second)), Latencies: of(int64(300 * time.Second)),
		},
		Oversleep:  of(told(recorded(20_000, 40*time.Microsecond, 60*time.Microsecond))),
		Dispatched: of(told(recorded(20_000, 10*time.Millisecond, 20*time.Millisecond))),
	}
	for i := range 20 {
		p50 := 15 * time.Millisecond
		a.Strips = append(a.Strips, result.Strip{At: time.Duration(i) * time.Second, OK: 1000 + int64(i%3), P50: &p50})
	}
	f := &result.File{Kind: "run", Host: result.Host{CPUs: 8}, Arms: []result.Arm{a}}
	f.Plan = result.Plan{Loop: loop, Percentiles: []float64{50, 90, 99}}
	if loop == "open" {
		f.Arms[0].AskedRate = of(1000.0)
	}
	return f
}

func TestAGoodRunIsTrusted(t *testing.T) {
	for _, loop := range []string{"open", "closed"} {
		got := Of(good(loop))
		if got.Level != result.TrustOK || got.Absolute != result.TrustOK || got.Ratio != "" || len(got.Reasons) > 0 || got.Passed != got.Checked {
			t.Errorf("%s loop: %+v", loop, got)
		}
	}
}

// A row changes one thing of a good run; want is "level affects" of every reading of the code that is not ok.
type row struct {
	name   string
	code   string
	loop   string // "open" when it is empty
	change func(f *result.File, a *result.Arm)
	want   string
}

const (
	suspect = "suspect "
	bad     = "not_trustworthy "
	note    = "note "
	unknown = "unknown "
)

func (r row) test(t *testing.T) {
	t.Helper()
	loop := r.loop
	if loop == "" {
		loop = "open"
	}
	f := good(loop)
	r.change(f, &f.Arms[0])
	var got []string
	trust := Of(f)
	for _, x := range trust.Reasons {
		if x.Code == r.code {
			got = append(got, strings.TrimSpace(x.Level+" "+x.Affects))
		} else {
			t.Errorf("%s: %s %s %s is in doubt too: %s", r.name, x.Code, x.Level, x.Affects, x.Measured)
		}
		if x.Name == "" || x.Measured == "" {
			t.Errorf("%s: a reason without words: %+v", r.name, x)
		}
		if (x.Level == result.TrustSuspect || x.Level == result.TrustNotTrustworthy) && x.Code != "V7" && x.Limit == "" {
			t.Errorf("%s: a doubt without its limit: %+v", r.name, x)
		}
	}
	if text := strings.Join(got, ", "); text != strings.TrimSpace(r.want) {
		t.Errorf("%s: %q, want %q", r.name, text, r.want)
	}
}

// dispatched makes the client late by a share of every percentile.
func dispatched(share float64) func(*result.File, *result.Arm) {
	return func(_ *result.File, a *result.Arm) {
		on := func(d time.Duration) time.Duration { return time.Duration(float64(d) * (1 - share)) }
		a.Dispatched = of(told(recorded(20_000, on(10*time.Millisecond), on(20*time.Millisecond))))
	}
}

func sent(n int64, limited string) func(*result.File, *result.Arm) {
	return func(_ *result.File, a *result.Arm) {
		a.Sent, a.Unsent, a.OK, a.Limited = n, a.Due-n, n, limited
	}
}

func TestSending(t *testing.T) {
	for _, r := range []row{
		{"4.8 % of the latency is lateness", "V1", "", dispatched(0.048), ""},
		{"6 % is", "V1", "", dispatched(0.06), suspect + "p50, " + suspect + "p90, " + suspect + "p99"},
		{"24 % is", "V1", "", dispatched(0.24), suspect + "p50, " + suspect + "p90, " + suspect + "p99"},
		{"26 % is", "V1", "", dispatched(0.26), bad + "p50, " + bad + "p90, " + bad + "p99"},
		{"a twentieth of 500 µs is what a sleeping thread is late by", "V1", "", func(_ *result.File, a *result.Arm) {
			a.Latency = told(recorded(20_000, 500*time.Microsecond, 600*time.Microsecond))
			a.Dispatched = of(told(recorded(20_000, 460*time.Microsecond, 550*time.Microsecond)))
		}, note + "p50, " + note + "p90, " + note + "p99"},
		{"one percentile alone", "V1", "", func(_ *result.File, a *result.Arm) {
			h := recorded(19_500, 10*time.Millisecond, 19900*time.Microsecond)
			h.RecordN(10*time.Millisecond, 500)
			a.Dispatched = of(told(h))
			a.Latency = told(func() *hist.Histogram {
				h := recorded(19_500, 10*time.Millisecond, 19900*time.Microsecond)
				h.RecordN(100*time.Millisecond, 500)
				return h
			}())
		}, bad + "p99"},
		{"lateness was not measured", "V1", "", func(_ *result.File, a *result.Arm) { a.Dispatched = nil }, unknown + "latency"},
		{"a closed loop is never late", "V1", "closed", dispatched(0.5), ""},

		{"99.5 % was sent", "V2", "", sent(19_900, ""), ""},
		{"99.4 % was sent", "V2", "", sent(19_880, "server"), suspect},
		{"97 %, the client being the cause", "V2", "", sent(19_400, "client"), bad},
		{"98 %, the client being the cause", "V2", "", sent(19_600, "client"), suspect},
		{"half, the server being the cause", "V2", "", sent(10_000, "server"), suspect},
		{"half, places on connections being the cause", "V2", "", sent(10_000, "slots"), suspect},
		{"half, the limit in flight being the cause", "V2", "", sent(10_000, "inflight"), suspect},
	} {
		r.test(t)
	}
}

func cpu(share float64) func(*result.File, *result.Arm) {
	return func(_ *result.File, a *result.Arm) {
		a.ClientCPU.User = time.Duration(share * float64(2*20*time.Second))
	}
}

func full(n int64) func(*result.File, *result.Arm) {
	return func(_ *result.File, a *result.Arm) { a.Vitals.FullWindows = n }
}

func gc(share float64) func(*result.File, *result.Arm) {
	return func(_ *result.File, a *result.Arm) {
		a.ClientCPU.GCs = 3
		a.Vitals.GCCPU = of(int64(share * float64(a.ClientCPU.Total())))
	}
}

// tail makes that many of the client's beats late by d.
func tail(n int, d time.Duration) func(*result.File, *result.Arm) {
	return func(_ *result.File, a *result.Arm) {
		h := recorded(20_000-n, 40*time.Microsecond, 60*time.Microsecond)
		h.RecordN(d, int64(n))
		a.Oversleep = of(told(h))
	}
}

func TestClient(t *testing.T) {
	for _, r := range []row{
		{"60 % of its cores", "V3", "", cpu(0.599), ""},
		{"61 %", "V3", "", cpu(0.61), suspect},
		{"81 %", "V3", "", cpu(0.81), bad},
		{"one window in twenty without CPU left", "V3", "", full(10), ""},
		{"more than one in twenty", "V3", "", full(11), bad},
		{"unreadable", "V3", "", func(_ *result.File, a *result.Arm) { a.ClientCPU = result.CPU{} }, unknown},
		{"a closed loop may use 94 %", "V3", "closed", cpu(0.94), ""},
		{"at 95 % it is the limit", "V3", "closed", cpu(0.951), suspect + "absolute"},
		{"windows do not matter in a closed loop", "V3", "closed", full(200), ""},
		{"one connection has one core", "V3", "closed", func(f *result.File, a *result.Arm) {
			a.Connections.Asked = 1
			cpu(0.48)(f, a)
		}, suspect + "absolute"},

		{"a twentieth of every percentile", "V4", "", tail(2100, 900*time.Microsecond), ""},
		{"a tenth of the 99th, 1.98 ms", "V4", "", tail(300, 2200*time.Microsecond), suspect + "p99"},
		{"just under", "V4", "", tail(300, 2*time.Millisecond), ""},
		{"half of it, 9.9 ms", "V4", "", tail(300, 10100*time.Microsecond), bad + "p99"},
		{"just under half", "V4", "", tail(300, 9900*time.Microsecond), suspect + "p99"},
		{"too few beats to reach the 99th", "V4", "", tail(100, 10*time.Millisecond), ""},
		{"in a closed loop of 15 it takes 14 beats to delay 200 calls", "V4", "closed", tail(14, 10100*time.Microsecond), bad + "p99"},
		{"and 13 do not", "V4", "closed", tail(13, 11*time.Millisecond), ""},
		{"where both fill the machine it is a note", "V4", "closed", func(f *result.File, a *result.Arm) {
			tail(14, 10*time.Millisecond)(f, a)
			f.Host.CPUs = 2
			a.Server = &result.CPU{User: 36 * time.Second, Cores: 2}
			f.Arms[0].ClientCPU.User = 0
			a.ClientCPU.System = 4 * time.Second
		}, note + "p99"},
		{"where both fill it as often as beats are late", "V4", "closed", func(f *result.File, a *result.Arm) {
			tail(14, 10*time.Millisecond)(f, a) // 0.07 % of the beats
			f.Host.CPUs = 2
			a.Server = &result.CPU{User: 0, Cores: 2}
			a.ClientCPU.User = 1200 * time.Millisecond // 3 % of two CPUs: both at once in 0.09 % of the time
		}, note + "p99"},
		{"not measured", "V4", "", func(_ *result.File, a *result.Arm) { a.Oversleep = nil }, unknown + "latency"},
		{"no collection is nothing to tell", "V4", "", gc(0), note + "absolute"},
		{"a few collections are a note", "V4", "", gc(0.049), note + "absolute"},
		{"6 % of the client's CPU", "V4", "", gc(0.06), suspect + "absolute"},
		{"26 % of it", "V4", "", gc(0.26), bad + "absolute"},

		{"half of what it can send", "V15", "", func(_ *result.File, a *result.Arm) { a.Ceiling = of(2000.0) }, ""},
		{"51 %", "V15", "", func(_ *result.File, a *result.Arm) { a.Ceiling = of(1960.0) }, suspect},
		{"71 %", "V15", "", func(_ *result.File, a *result.Arm) { a.Ceiling = of(1408.0) }, bad},
		{"not measured", "V15", "", func(_ *result.File, a *result.Arm) { a.Ceiling = nil }, unknown},
		{"a closed loop has none", "V15", "closed", func(_ *result.File, a *result.Arm) { a.Ceiling = nil }, ""},
	} {
		if strings.HasPrefix(r.name, "where both fill") {
			testWithShared(t, r)
			continue
		}
		r.test(t)
	}
}

// testWithShared tests a row whose arm has its server on this machine, which is a note of its own.
func testWithShared(t *testing.T, r row) {
	t.Helper()
	f := good(r.loop)
	r.change(f, &f.Arms[0])
	got := Of(f)
	var words []string
	for _, x := range got.Reasons {
		words = append(words, x.Code+" "+x.Level)
	}
	if text := strings.Join(words, ", "); text != "V4 note, V18 note" || got.Level != result.TrustOK {
		t.Errorf("%s: %s, level %s", r.name, text, got.Level)
	}
}

// A client that was stopped for a fifth of a second is found, in both loops.
func TestAStoppedClient(t *testing.T) {
	for _, loop := range []string{"open", "closed"} {
		f := good(loop)
		a := &f.Arms[0]
		gap := 200 * time.Millisecond
		a.Vitals.Gap = of(int64(gap))
		a.Latency.Max = of(int64(210 * time.Millisecond))
		got := Of(f)
		if got.Level != result.TrustNotTrustworthy || got.Of("target", "max") != result.TrustNotTrustworthy || got.Of("target", "p50") != result.TrustSuspect {
			t.Errorf("%s loop: %+v", loop, got)
		}
	}
}

// A percentile that rests on few calls lowers no level but its own.
func TestATailLowersNothingElse(t *testing.T) {
	f := good("open")
	f.Arms[0].Latency = told(recorded(950, 10*time.Millisecond, 20*time.Millisecond))
	got := Of(f)
	if got.Level != result.TrustOK || got.Absolute != result.TrustOK || got.Passed != got.Checked-1 {
		t.Errorf("%+v", got)
	}
	if p99, p50 := got.Of("target", "p99"), got.Of("target", "p50"); p99 != result.TrustNotTrustworthy || p50 != result.TrustOK {
		t.Errorf("p99 %s, p50 %s", p99, p50)
	}
}

// A doubt about latencies leaves rate and counts alone.
func TestDoubtsStayWithTheirNumbers(t *testing.T) {
	f := good("closed")
	failed(5000)(f, &f.Arms[0])
	got := Of(f)
	for metric, want := range map[string]string{"p99": result.TrustNotTrustworthy, "max": result.TrustNotTrustworthy, "rate": result.TrustOK, "errors": result.TrustOK, "bytes": result.TrustOK} {
		if level := got.Of("target", metric); level != want {
			t.Errorf("%s: %s, want %s", metric, level, want)
		}
	}
	f = good("closed")
	host(0, 0.5)(f, &f.Arms[0])
	got = Of(f)
	for metric, want := range map[string]string{"p99": result.TrustNotTrustworthy, "rate": result.TrustNotTrustworthy} {
		if level := got.Of("target", metric); level != want {
			t.Errorf("on a busy machine %s: %s, want %s", metric, level, want)
		}
	}
}

// A file of an older version has nothing to look at; that is unknown, and never ok.
func TestAnOldFile(t *testing.T) {
	f := good("open")
	a := &f.Arms[0]
	a.Vitals, a.Oversleep, a.Dispatched, a.Ceiling, a.WarmUp, a.Strips = nil, nil, nil, nil, nil, nil
	got := map[string]string{}
	for _, r := range Of(f).Reasons {
		got[r.Code] = r.Level
	}
	for _, code := range []string{"V1", "V4", "V5", "V6", "V8", "V9", "V12", "V14", "V15"} {
		if got[code] != result.TrustUnknown {
			t.Errorf("%s: %q", code, got[code])
		}
	}
}

func TestNothingMeasured(t *testing.T) {
	for _, f := range []*result.File{{Kind: "run"}, {Kind: "run", Arms: []result.Arm{{}}}, {Kind: "comparison", Arms: []result.Arm{{}, {}}}} {
		for _, r := range Of(f).Reasons {
			if r.Level == result.TrustNotTrustworthy || strings.Contains(r.Measured, "NaN") || strings.Contains(r.Measured, "Inf") {
				t.Errorf("%+v", r)
			}
		}
	}
}

// Late beats that client and server cannot have caused themselves stay doubts.
func TestLatenessThatOwnLoadDoesNotExplain(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(f *result.File, a *result.Arm)
	}{
		{"hardly any load of their own", func(f *result.File, a *result.Arm) { a.ClientCPU.User = 800 * time.Millisecond }},
		{"others took more than a tenth", func(f *result.File, a *result.Arm) {
			a.ClientCPU.User = 20 * time.Second
			host(0, 0.11)(f, a)
		}},
	} {
		f := good("closed")
		a := &f.Arms[0]
		tail(14, 10100*time.Microsecond)(f, a)
		f.Host.CPUs = 2
		a.Server = &result.CPU{Cores: 2}
		row.change(f, a)
		trust := Of(f)
		if got := trust.Of("target", "p99"); got != result.TrustNotTrustworthy {
			t.Errorf("%s: p99 is %s", row.name, got)
		}
	}
}
