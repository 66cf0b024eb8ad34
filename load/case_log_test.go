package load

import (
	"slices"
	"testing"
	"time"

	"wiregauge"
	"wiregauge/result"
)

// K10: every call of the measured window is logged, once, with its exact times and the text of its failure; those of
// the warm-up are not, and those that are not finished have no latency.
func TestCallsAreLogged(t *testing.T) {
	p := &peer{behave: func(n int, _ time.Duration) reply {
		switch {
		case n%2 == 1:
			return reply{after: 200 * ms, status: 13}
		case n == 8:
			return reply{hang: true}
		}
		return reply{after: ms}
	}}
	var got []result.Call
	plan := Plan{Pacer: perSecond(t, "1/s"), Log: func(calls []result.Call) { got = append(got, calls...) },
		Class: func(wiregauge.Outcome, int) string { return "INTERNAL" }}
	inFakeTime(t, p, plan, Spec{WarmupCalls: 4, Total: 100, Duration: 5100 * ms}, func(t *testing.T, r result.Turn) {
		slices.SortFunc(got, func(a, b result.Call) int { return int(a.Index) - int(b.Index) })
		ok := func(i uint64, due time.Duration) result.Call {
			return result.Call{Index: i, Due: due, Latency: ms, Service: ms, Outcome: "ok", Answered: true}
		}
		failed := func(i uint64, due time.Duration) result.Call {
			return result.Call{Index: i, Due: due, Latency: 200 * ms, Service: 200 * ms, Outcome: "failed", Status: 13, Answered: true,
				Class: "INTERNAL", Text: "planted"}
		}
		hung := result.Call{Index: 8, Due: 4 * time.Second, Latency: -1, Service: -1, Outcome: "unfinished"}
		late := result.Call{Index: 9, Due: 5 * time.Second, Latency: -1, Service: -1, Outcome: "unfinished"}
		want := []result.Call{ok(4, 0), failed(5, time.Second), ok(6, 2*time.Second), failed(7, 3*time.Second), hung, late}
		if !slices.Equal(got, want) {
			t.Errorf("logged\n%+v, want\n%+v", got, want)
		}
		if int64(len(got)) != r.Sent {
			t.Errorf("%d logged of %d sent", len(got), r.Sent)
		}
	})
}

// However many calls there are, the log gets each, a bounded number at a time.
func TestTheLogIsHandedOverInParts(t *testing.T) {
	seen, most := map[uint64]bool{}, 0
	plan := Plan{Concurrency: 50, Connections: 5, Log: func(calls []result.Call) {
		most = max(most, len(calls))
		for _, c := range calls {
			seen[c.Index] = true
		}
	}}
	p := &peer{behave: after(ms)}
	inFakeTime(t, p, plan, Spec{Total: 20_000}, func(t *testing.T, r result.Turn) {
		if len(seen) != 20_000 || most > ringSize {
			t.Errorf("%d calls are logged, up to %d at a time", len(seen), most)
		}
	})
}
