package load

import (
	"testing"
	"time"

	"wiregauge/result"
)

// Two ways to count the time that calls were in flight agree to the nanosecond, whatever became of the calls.
func TestAreasAgree(t *testing.T) {
	drain := time.Second
	for _, row := range []struct {
		name  string
		plan  Plan
		spec  Spec
		after time.Duration
		want  time.Duration // -1: only that both agree
	}{
		{"a closed loop of three callers is three calls in flight", Plan{Concurrency: 3}, Spec{Duration: 2 * time.Second}, 10 * ms, 6 * time.Second},
		{"so is one by number", Plan{Concurrency: 2}, Spec{Total: 100}, 10 * ms, time.Second},
		{"calls that end after the deadline count until then", Plan{Concurrency: 1}, Spec{Duration: 95 * ms, Drain: &drain}, 10 * ms, 95 * ms},
		{"calls that never end count until the window's end", Plan{Concurrency: 4}, Spec{Duration: time.Second}, time.Hour, 4 * time.Second},
		{"calls that time out", Plan{Concurrency: 2, Timeout: 100 * ms}, Spec{Duration: time.Second}, time.Hour, -1},
		{"warm-up counts nowhere", Plan{Concurrency: 1}, Spec{WarmupCalls: 10, Total: 10}, 10 * ms, 100 * ms},
		{"an open loop: 100 a second of 20 ms", Plan{Pacer: perSecond(t, "100"), Streams: 100}, Spec{Total: 100}, 20 * ms, 2 * time.Second},
		{"an open loop that waits for a place", Plan{Pacer: perSecond(t, "100"), Streams: 1}, Spec{Duration: time.Second}, 20 * ms, -1},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.plan.Streams == 0 {
				row.plan.Streams = row.plan.Concurrency
			}
			inFakeTime(t, &peer{behave: after(row.after)}, row.plan, row.spec, func(t *testing.T, r result.Turn) {
				v := r.Vitals
				if v.InFlight == nil || v.Latencies == nil || *v.InFlight != *v.Latencies || *v.InFlight <= 0 {
					t.Fatalf("%v by calls in flight, %v by latencies", show(v.InFlight), show(v.Latencies))
				}
				if got := time.Duration(*v.InFlight); row.want >= 0 && got != row.want {
					t.Errorf("%v in flight, want %v", got, row.want)
				}
			})
		})
	}
}

// On a fake clock no thread watches, and what it would have seen is unknown rather than zero.
func TestVitalsUnderAFakeClock(t *testing.T) {
	inFakeTime(t, &peer{}, Plan{}, Spec{Total: 10}, func(t *testing.T, r result.Turn) {
		if v := r.Vitals; v.Gap != nil || v.ClockRead != nil || v.Retransmits != nil || r.Oversleep != nil || v.Windows != 0 {
			t.Errorf("%+v", v)
		}
		if v := r.Vitals; v.GCCPU == nil {
			t.Errorf("%+v", v)
		}
	})
}

func show(n *int64) any {
	if n == nil {
		return "nothing"
	}
	return time.Duration(*n)
}
