package result

import (
	"testing"
	"time"

	"wiregauge/hist"
)

func TestLevelsHoldTheirLatencies(t *testing.T) {
	for _, ns := range []int64{0, 1, 2, 3, 4, 5, 7, 8, 1000, 1023, 1024, 1 << 20, 3_600_000_000_000} {
		l := Level(ns)
		if float64(max(ns, 1)) < LevelStart(l) || float64(max(ns, 1)) >= LevelStart(l+1) && ns >= 4 {
			t.Errorf("%d ns is in level %d, which is %v to %v ns", ns, l, LevelStart(l), LevelStart(l+1))
		}
	}
	for l := range 168 {
		if r := LevelStart(l+1) / LevelStart(l); r < 1.14 || r > 1.251 {
			t.Errorf("level %d is %v times as wide as its start", l, r)
		}
	}
}

func strip(at time.Duration, failed int64, latencies ...time.Duration) Strip {
	var h hist.Histogram
	for _, d := range latencies {
		h.Record(d)
	}
	s := Strip{At: at, OK: h.Count(), Failed: failed, Due: h.Count() + failed}
	if s.OK > 0 {
		p50, p99, most := h.Percentile(50), h.Percentile(99), h.Max()
		s.P50, s.P99, s.Max = &p50, &p99, &most
	}
	s.FillLevels(&h)
	if failed > 0 {
		s.Fail("reset", failed)
	}
	return s
}

func TestJoinedStripsHoldBoth(t *testing.T) {
	const ms = time.Millisecond
	a := strip(0, 2, ms, ms, ms)
	b := strip(time.Second, 1, 100*ms)
	before := b.Errors["reset"]
	a.Join(b)
	if a.OK != 4 || a.Failed != 3 || a.Due != 7 || a.Span() != 2*time.Second || *a.Max != 100*ms || a.Errors["reset"] != 3 {
		t.Errorf("%+v", a)
	}
	if *a.P50 < ms || *a.P50 > ms*5/4 || *a.P99 < 100*ms*4/5 || *a.P99 > *a.Max {
		t.Errorf("p50 %v, p99 %v: further from 1 ms and 100 ms than a level", *a.P50, *a.P99)
	}
	if b.Errors["reset"] != before {
		t.Error("the strip that was joined changed")
	}
	empty := strip(0, 0)
	empty.Join(strip(time.Second, 0))
	if empty.P50 != nil || empty.Max != nil || empty.Counts != nil {
		t.Errorf("strips without calls have a latency: %+v", empty)
	}
}

func TestStripsTellFewClassesApart(t *testing.T) {
	var s Strip
	for i := range 100 {
		s.Fail(string(rune('a'+i)), 1)
	}
	if len(s.Errors) > maxStripClasses+1 || s.Errors["other"] != 100-maxStripClasses {
		t.Errorf("%v", s.Errors)
	}
}

// What ends after a turn's window is in its last strip, so that strips of many turns stand one behind the other.
func TestStripsOfTurnsAreOnTheClockOfTheirWindows(t *testing.T) {
	var sum Turn
	for range 3 {
		sum.Add(&Turn{Arm: "a", Window: 1500 * time.Millisecond, Strips: []Strip{
			strip(0, 0, 1), strip(time.Second, 0, 1, 1), strip(2*time.Second, 0, 1, 1, 1)}})
	}
	if len(sum.Strips) != 6 {
		t.Fatalf("%d strips, want two a turn", len(sum.Strips))
	}
	for i, s := range sum.Strips {
		at, span, n := time.Duration(i/2)*1500*time.Millisecond, time.Second, int64(1)
		if i%2 == 1 {
			at, span, n = at+time.Second, 500*time.Millisecond, 5
		}
		if s.At != at || s.Span() != span || s.OK != n {
			t.Errorf("strip %d: %d calls at %v for %v, want %d at %v for %v", i, s.OK, s.At, s.Span(), n, at, span)
		}
	}
}

func TestStripsAreBounded(t *testing.T) {
	var sum Turn
	for range MaxStrips + 1 {
		sum.Add(&Turn{Window: time.Second, Strips: []Strip{strip(0, 1, 1)}})
	}
	if len(sum.Strips) != MaxStrips/2+1 {
		t.Errorf("%d strips", len(sum.Strips))
	}
	var n int64
	for _, s := range sum.Strips {
		n += s.OK + s.Failed
	}
	if n != 2*(MaxStrips+1) {
		t.Errorf("%d calls in them, want %d", n, 2*(MaxStrips+1))
	}
}
