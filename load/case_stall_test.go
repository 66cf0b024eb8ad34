package load

import (
	"slices"
	"testing"
	"time"

	"wiregauge/result"
)

// frozen answers after 1 ms, but not from 3 s to 8 s.
func frozen(_ int, at time.Duration) reply {
	if at >= 3*time.Second && at < 8*time.Second {
		return reply{after: 8*time.Second - at + ms}
	}
	return reply{after: ms}
}

// K18 in a closed loop: the alarm of coordinated omission, whatever the number of callers and connections.
func TestFrozenServerInAClosedLoop(t *testing.T) {
	for _, row := range []struct {
		name    string
		plan    Plan
		longest time.Duration
		missing int64 // at the pace of the rest of the time
	}{
		{"one caller", Plan{Concurrency: 1}, 5*time.Second + ms, 5000},
		{"ten callers on one connection", Plan{Concurrency: 10}, 5*time.Second + ms, 50_000},
		{"ten callers on ten connections", Plan{Concurrency: 10, Connections: 10}, 5*time.Second + ms, 50_000},
		{"more connections than callers", Plan{Concurrency: 2, Connections: 5}, 5*time.Second + ms, 10_000},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := &peer{behave: frozen}
			inFakeTime(t, p, row.plan, Spec{Duration: 10 * time.Second}, func(t *testing.T, r result.Turn) {
				if !slices.Equal(r.Blocked, []time.Duration{row.longest}) {
					t.Errorf("blocked for %v, want %v", r.Blocked, row.longest)
				}
				s := result.Merge([]result.Turn{r}, nil).Stalls
				if s == nil || s.Count != 1 || s.Longest != int64(row.longest) || s.Missing < row.missing || s.Missing > row.missing*1002/1000 {
					t.Errorf("stalls %+v, want about %d calls missing", s, row.missing)
				}
			})
		})
	}
}

// No alarm where callers were not all blocked, or nothing but the pace of the server is seen.
func TestNoStall(t *testing.T) {
	hang := func(n int, _ time.Duration) reply {
		if n == 200 {
			return reply{after: 5 * time.Second}
		}
		return reply{after: 10 * ms}
	}
	for _, row := range []struct {
		name   string
		plan   Plan
		spec   Spec
		behave func(int, time.Duration) reply
	}{
		{"one caller of two is blocked", Plan{Concurrency: 2}, Spec{Duration: 10 * time.Second}, hang},
		{"one connection of two is blocked", Plan{Concurrency: 2, Connections: 2}, Spec{Duration: 10 * time.Second}, hang},
		{"a slow server", Plan{Concurrency: 3}, Spec{Duration: 10 * time.Second}, after(100 * ms)},
		{"the last call is slow, and the other callers are done", Plan{Concurrency: 2, Connections: 2}, Spec{Total: 201}, hang},
		{"callers that think", Plan{Concurrency: 1, Think: Think{Mean: 500 * ms}}, Spec{Duration: 10 * time.Second}, after(ms)},
		{"an open loop", Plan{Pacer: perSecond(t, "20/s")}, Spec{Total: 200}, frozen},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := &peer{behave: row.behave}
			inFakeTime(t, p, row.plan, row.spec, func(t *testing.T, r result.Turn) {
				if s := result.Merge([]result.Turn{r}, nil).Stalls; s != nil {
					t.Errorf("%+v from %v", s, r.Blocked)
				}
			})
		})
	}
}

// A stall that lasts at the end counts up to there; one that began in the warm-up counts from where that ended.
func TestStallsAtTheEdges(t *testing.T) {
	p := &peer{behave: func(_ int, at time.Duration) reply {
		if at >= time.Second {
			return reply{hang: true}
		}
		return reply{after: ms}
	}}
	inFakeTime(t, p, Plan{Concurrency: 2}, Spec{Duration: 3 * time.Second}, func(t *testing.T, r result.Turn) {
		if !slices.Equal(r.Blocked, []time.Duration{2 * time.Second}) {
			t.Errorf("blocked for %v, want 2 s", r.Blocked)
		}
	})
	p = &peer{behave: frozen}
	inFakeTime(t, p, Plan{}, Spec{WarmupDuration: 5 * time.Second, Duration: 10 * time.Second}, func(t *testing.T, r result.Turn) {
		if !slices.Equal(r.Blocked, []time.Duration{3*time.Second + ms}) {
			t.Errorf("blocked for %v, want 3.001 s", r.Blocked)
		}
	})
}

// Only so many pauses are kept, the longest.
func TestPausesAreBounded(t *testing.T) {
	var p pauses
	p.begin(0, true)
	at := time.Duration(0)
	for i := range 100 {
		at += time.Duration(20+i*7%100) * ms
		p.ended(at)
	}
	if len(p.list) != maxPauses {
		t.Errorf("%d are kept", len(p.list))
	}
	for _, x := range p.list {
		if d := x.to - x.from; d < 104*ms {
			t.Errorf("one of %v is kept", d)
		}
	}
}
