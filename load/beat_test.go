package load

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"wiregauge"
	"wiregauge/result"
)

// ticking owes a tick every 10 s, and ends the connection after the last.
type ticking struct {
	*fakeSession
	at    []time.Duration // of those that were due
	next  time.Duration
	lasts int
}

func (f *ticking) Next() (time.Duration, bool) { return f.next, f.next > 0 }

func (f *ticking) Tick(now time.Duration, out []byte) ([]byte, error) {
	if f.next == 0 {
		f.next = now + 10*time.Second
	}
	if now < f.next {
		return out, nil
	}
	f.at = append(f.at, now)
	f.next += 10 * time.Second
	if len(f.at) == f.lasts {
		return out, &wiregauge.ProtocolError{Text: "no keep-alive answer for 30s"}
	}
	return out, nil
}

func TestTicksGoOnWhileNothingHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &ticking{}
		plan := Plan{NewSession: func(ev wiregauge.Events) wiregauge.Session { f.fakeSession = newFake(ev); return f }}
		e := openFake(t, &peer{}, plan)
		t.Cleanup(func() { e.Close() })
		time.Sleep(25 * time.Second) // between turns
		if _, err := e.Turn(t.Context(), Spec{Total: 5}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		e.lanes[0].mu.Lock()
		defer e.lanes[0].mu.Unlock()
		if len(f.at) != 3 || f.at[0] != 10*time.Second || f.at[2] != 30*time.Second {
			t.Errorf("ticks at %v, want 10s, 20s and 30s", f.at)
		}
	})
}

func TestATickThatFailsEndsTheConnection(t *testing.T) {
	p := &peer{behave: func(int, time.Duration) reply { return reply{hang: true} }}
	plan := Plan{NewSession: func(ev wiregauge.Events) wiregauge.Session { return &ticking{fakeSession: newFake(ev), lasts: 3} }}
	inFakeTime(t, p, plan, Spec{Total: 1}, func(t *testing.T, r result.Turn) {
		if r.Failed != 1 || r.Errors[0].Class != "reset" || r.Errors[0].First != 30*time.Second {
			t.Errorf("%+v, %+v", r.Counts, r.Errors)
		}
	})
}

// telling lets go of a call once all of it has been appended.
type telling struct {
	*fakeSession
	gone []*wiregauge.Call
}

func (f *telling) Start(out []byte, c *wiregauge.Call) ([]byte, error) {
	f.gone = append(f.gone, c)
	return append(out, "said and done"...), nil
}

func (f *telling) Receive(in, out []byte) (int, []byte, error) { return len(in), out, nil }

func (f *telling) Flush(out []byte) []byte {
	for _, c := range f.gone {
		c.Outcome = wiregauge.OK
		f.ev.Done(c)
	}
	f.gone = nil
	return out
}

// A one-way call is done when its bytes go to the kernel; those which the kernel did not take are not OK.
func TestOneWayCallsAreDoneWhenSent(t *testing.T) {
	plan := Plan{
		Requests:   []*wiregauge.Request{{Shape: wiregauge.OneWay}},
		NewSession: func(ev wiregauge.Events) wiregauge.Session { return &telling{fakeSession: newFake(ev)} },
	}
	inFakeTime(t, &peer{}, plan, Spec{Total: 100}, func(t *testing.T, r result.Turn) {
		if r.OK != 100 || r.Sent != 100 {
			t.Errorf("%+v", r.Counts)
		}
	})
}

func TestARefusedSetUpIsToldAsItCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := fakePlan(&peer{}, Plan{})
		plan.NewSession = func(ev wiregauge.Events) wiregauge.Session { return &refused{mute{newFake(ev)}} }
		e, err := newEngine(plan)
		if err != nil {
			t.Fatal(err)
		}
		e.coarse = true
		_, err = e.open(t.Context())
		if refused := new(wiregauge.Failure); !errors.As(err, &refused) || err.Error() != "REJECTED_SETUP: not today" {
			t.Errorf("%v", err)
		}
	})
}

// refused is refused before its hello is answered.
type refused struct{ mute }

func (refused) Next() (time.Duration, bool) { return 0, false }

func (refused) Tick(_ time.Duration, out []byte) ([]byte, error) {
	return out, &wiregauge.Failure{Text: "REJECTED_SETUP: not today", Status: 3}
}
