package load

import (
	"math/big"
	"testing"
	"time"

	"wiregauge/pace"
	"wiregauge/result"
)

func TestTheBeginningIsKeptInStripsOfEnoughCalls(t *testing.T) {
	for _, row := range []struct {
		name    string
		callers int
		length  time.Duration // of each strip
		calls   int64
		strips  int
	}{
		{"many calls", 8, 200 * ms, 320, 10},
		{"too few in 200 ms", 4, 400 * ms, 320, 5},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := &peer{behave: after(5 * ms)}
			inFakeTime(t, p, Plan{Concurrency: row.callers}, Spec{Duration: 2*time.Second + 2*ms, Trajectory: true}, func(t *testing.T, r result.Turn) {
				if len(r.Trajectory) != row.strips {
					t.Fatalf("%d strips, want %d: %+v", len(r.Trajectory), row.strips, r.Trajectory)
				}
				for i, s := range r.Trajectory {
					if s.At != int64(i)*int64(row.length) || s.Length != int64(row.length) || s.Calls != row.calls {
						t.Errorf("strip %d: %+v, want %d calls in %v", i, s, row.calls, row.length)
					}
					if s.P50 == nil || s.Rate != float64(s.Calls)/time.Duration(s.Length).Seconds() {
						t.Errorf("strip %d: %+v", i, s)
					} else {
						wantTime(t, "p50", time.Duration(*s.P50), 5*ms)
					}
				}
			})
		})
	}
}

func TestNoTrajectoryUnlessAsked(t *testing.T) {
	inFakeTime(t, &peer{behave: after(5 * ms)}, Plan{Concurrency: 8}, Spec{Duration: time.Second}, func(t *testing.T, r result.Turn) {
		if r.Trajectory != nil {
			t.Errorf("%+v", r.Trajectory)
		}
	})
}

func TestATurnEndsOnceItHasSettled(t *testing.T) {
	for _, row := range []struct {
		name string
		plan Plan
	}{
		{"closed loop", Plan{Concurrency: 8}},
		{"open loop", Plan{Pacer: pace.Constant(big.NewRat(2000, 1))}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var seen []result.WarmStrip
			grace := time.Second
			spec := Spec{Duration: time.Minute, Drain: &grace, Discard: true, Settle: func(s result.WarmStrip) bool {
				seen = append(seen, s)
				return len(seen) == 3
			}}
			inFakeTime(t, &peer{behave: after(5 * ms)}, row.plan, spec, func(t *testing.T, r result.Turn) {
				if len(seen) != 3 || seen[2].At != int64(400*ms) {
					t.Errorf("told %+v, want three strips in order", seen)
				}
				if r.Window < 600*ms || r.Window > 1500*ms || r.Partial {
					t.Errorf("window %v, partial %v: want its end soon after the third strip", r.Window, r.Partial)
				}
				if r.Unfinished > 0 || r.Sent != r.OK {
					t.Errorf("%+v: calls in flight may finish", r.Counts)
				}
			})
		})
	}
}

// What comes late counts in the oldest strip that is still open, and a long run keeps its beginning only.
func TestTheTrajectoryIsBounded(t *testing.T) {
	var j trajectory
	for i := range int64(mostStrips * 2) {
		for range stripCalls {
			j.add(time.Duration(i+1)*stripLength, ms)
		}
	}
	if len(j.strips) != mostStrips {
		t.Fatalf("%d strips, want %d", len(j.strips), mostStrips)
	}
	var late trajectory
	late.add(20*stripLength, ms)
	late.add(1, ms)
	late.closeUntil(30 * stripLength)
	if n := late.rest.latency.Count(); n != 2 {
		t.Errorf("%d calls, want both", n)
	}
}

func TestAStripTellsTheClientsCPUPerCall(t *testing.T) {
	var j trajectory
	for k := range int64(3) {
		j.mark(time.Duration(k)*stripLength, time.Duration(k)*stripLength/2)
		for range 2 * stripCalls {
			j.add(time.Duration(k)*stripLength+ms, ms)
		}
	}
	j.mark(3*stripLength+lateMark+1, 0) // too late to say what the third strip has cost
	j.closeUntil(3 * stripLength)
	if len(j.strips) != 3 {
		t.Fatalf("%d strips", len(j.strips))
	}
	for i, s := range j.strips {
		switch want := int64(stripLength / 2 / (2 * stripCalls)); {
		case i < 2 && (s.CPU == nil || *s.CPU != want):
			t.Errorf("strip %d: %v, want %d", i, s.CPU, want)
		case i == 2 && s.CPU != nil:
			t.Errorf("the third strip says %d, and nobody read it", *s.CPU)
		}
	}
}
