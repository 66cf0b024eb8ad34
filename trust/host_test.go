package trust

import (
	"testing"
	"time"

	"wiregauge/result"
)

func host(steal, foreign float64) func(*result.File, *result.Arm) {
	return func(_ *result.File, a *result.Arm) { a.Host = result.HostLoad{Steal: steal, Foreign: foreign} }
}

func held(share float64) func(*result.File, *result.Arm) {
	return func(_ *result.File, a *result.Arm) { a.Vitals.Throttled = of(int64(share * float64(20*time.Second))) }
}

func TestHost(t *testing.T) {
	for _, r := range []row{
		{"1 % stolen", "V5", "", host(0.01, 0), ""},
		{"1.1 % stolen", "V5", "", host(0.011, 0), suspect + "absolute"},
		{"5.1 % stolen", "V5", "", host(0.051, 0), bad + "absolute"},
		{"others took 10 %", "V5", "", host(0, 0.1), ""},
		{"others took 11 %", "V5", "", host(0, 0.11), suspect + "absolute"},
		{"others took 26 %", "V5", "", host(0, 0.26), bad + "absolute"},
		{"held back for 1 % of the time", "V5", "", held(0.01), ""},
		{"for 2 %", "V5", "", held(0.02), suspect + "absolute"},
		{"for 6 %", "V5", "", held(0.06), bad + "absolute"},
		{"steal is unknown", "V5", "", host(-1, 0), unknown + "absolute"},
		{"others are unknown, steal is not", "V5", "", host(0.06, -1), bad + "absolute, " + unknown + "absolute"},
		{"a window of 99 ms is too short to tell", "V5", "", func(f *result.File, a *result.Arm) {
			host(0.5, 0.5)(f, a)
			cpu(0.001)(f, a)
			a.Window = int64(99 * time.Millisecond)
			a.Vitals.Observed = a.Window
		}, unknown + "absolute"},
		{"no control group can be read", "V5", "", func(_ *result.File, a *result.Arm) { a.Vitals.Throttled = nil }, unknown + "absolute"},

		{"100 ns a reading", "V12", "", func(_ *result.File, a *result.Arm) { a.Vitals.ClockRead = of(int64(100)) }, ""},
		{"101 ns", "V12", "", func(_ *result.File, a *result.Arm) { a.Vitals.ClockRead = of(int64(101)) }, suspect + "absolute"},
		{"a gap of 50 ms", "V12", "", func(_ *result.File, a *result.Arm) {
			a.Vitals.Gap = of(int64(50 * time.Millisecond))
		}, ""},
		{"a longer one, and a call that took three times as long", "V12", "", func(_ *result.File, a *result.Arm) {
			a.Vitals.Gap, a.Latency.Max = of(int64(51*time.Millisecond)), of(int64(153*time.Millisecond))
		}, suspect + "absolute"},
		{"the machine slept", "V12", "", func(_ *result.File, a *result.Arm) { a.Vitals.Suspend = of(int64(1)) }, bad + "absolute"},
		{"whether it slept is unknown", "V12", "", func(_ *result.File, a *result.Arm) { a.Vitals.Suspend = nil }, unknown + "absolute"},
		{"the clock was not watched", "V12", "", func(_ *result.File, a *result.Arm) { a.Vitals.ClockRead = nil }, unknown + "absolute"},

		{"the server is elsewhere", "V18", "", func(_ *result.File, a *result.Arm) {}, ""},
		{"it is here", "V18", "", func(_ *result.File, a *result.Arm) { a.Server = &result.CPU{User: time.Second, Cores: 8} }, note + "absolute"},
		{"it is on loopback", "V18", "", func(_ *result.File, a *result.Arm) { a.URL = "grpc://localhost:1/a.B/C" }, note + "absolute"},
		{"it has a socket", "V18", "", func(_ *result.File, a *result.Arm) { a.URL = "http+unix:///run/s?path=/" }, note + "absolute"},
	} {
		r.test(t)
	}
}

// What others took cannot be told when the server is one of them; nothing is struck for that.
func TestAServerThatNobodyNamed(t *testing.T) {
	f := good("closed")
	f.Arms[0].URL = "http://127.0.0.1/"
	f.Arms[0].Host.Foreign = 0.6
	if got := Of(f); got.Level != result.TrustOK {
		t.Errorf("%+v", got)
	}
	f.Arms[0].Host.Steal = 0.06
	if got := Of(f); got.Absolute != result.TrustNotTrustworthy {
		t.Errorf("steal is the host's whoever else runs: %+v", got)
	}
}
