package load

import (
	"runtime"
	"testing"

	"wiregauge"
	"wiregauge/meter"
)

// echoFar answers the fake session's calls.
func echoFar() func(out, in []byte) []byte {
	return func(out, in []byte) []byte {
		for ; len(in) >= 8; in = in[8:] {
			out = append(append(out, in[:4]...), 0, 0, 0, 0)
		}
		return out
	}
}

// real opens a plan against an end in memory, over loopback and on the real clock.
func real(t *testing.T, plan Plan) *Engine {
	t.Helper()
	far, err := listenFar(echoFar)
	if err != nil {
		t.Fatal(err)
	}
	plan.Requests = []*wiregauge.Request{{}}
	plan.NewSession = func(ev wiregauge.Events) wiregauge.Session { return newFake(ev) }
	plan.Dialer.Address = far.address()
	e, err := Open(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = e.Close()
		far.close()
	})
	return e
}

// Garbage that is collected while calls are made is seen, with what it cost.
func TestCollectionsInsideATurnAreSeen(t *testing.T) {
	const collections = 5
	done := 0
	e := real(t, Plan{Connections: 1, Streams: 1, Concurrency: 1, Check: func(*wiregauge.Call, []byte) bool {
		if done < collections {
			done++
			runtime.GC()
		}
		return true
	}})
	r, err := e.Turn(t.Context(), Spec{Total: 100})
	if err != nil {
		t.Fatal(err)
	}
	if r.Client.GCs < collections || r.Vitals.GCCPU == nil || *r.Vitals.GCCPU <= 0 {
		t.Errorf("%d collections, CPU %v", r.Client.GCs, show(r.Vitals.GCCPU))
	}
}

// What the kernel tells is known on the system that tells it, and unknown elsewhere.
func TestVitalsOfARealTurn(t *testing.T) {
	e := real(t, Plan{Connections: 3, Streams: 4, Concurrency: 12})
	r, err := e.Turn(t.Context(), Spec{Total: 2000})
	if err != nil {
		t.Fatal(err)
	}
	v := r.Vitals
	if v.InFlight == nil || *v.InFlight != *v.Latencies || v.Observed <= 0 {
		t.Errorf("%+v", v)
	}
	linux := runtime.GOOS == "linux"
	for name, known := range map[string]bool{
		"segments": v.Retransmits != nil, "sleep": v.Suspend != nil, "gaps": v.Gap != nil, "the clock": v.ClockRead != nil && *v.ClockRead > 0,
	} {
		if known != linux {
			t.Errorf("%s: known %v", name, known)
		}
	}
}

// The ceiling counts the client's CPU only, and says why where there is none.
func TestCeiling(t *testing.T) {
	plan := Plan{Requests: []*wiregauge.Request{{}}, Connections: 2, Streams: 1000,
		NewSession: func(ev wiregauge.Events) wiregauge.Session { return newFake(ev) }}
	_, known := meter.Thread()
	rate, err := Ceiling(t.Context(), plan, echoFar, Spec{Total: 5000})
	if known && (err != nil || rate <= 0) || !known && err == nil {
		t.Errorf("%v calls a second, %v", rate, err)
	}
	plan.OneCall = true
	if _, err := Ceiling(t.Context(), plan, echoFar, Spec{Total: 1}); err == nil {
		t.Error("a connection per call has no ceiling")
	}
}
