package result

import (
	"testing"
	"time"

	"wiregauge/hist"
)

func TestVitalsAdd(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	a := Vitals{Observed: 5, Windows: 2, FullWindows: 1, Gap: n(7), Retransmits: n(1), ClockRead: n(30)}
	first := a.Gap
	a.Add(Vitals{Observed: 4, Windows: 3, Gap: n(3), Gaps: 1, Retransmits: n(2), Throttled: n(8), ClockRead: n(40)})
	if a.Observed != 9 || a.Windows != 5 || a.FullWindows != 1 || a.Gaps != 1 || *a.Gap != 7 || *a.Retransmits != 3 || *a.Throttled != 8 || *a.ClockRead != 40 {
		t.Errorf("%+v", a)
	}
	if a.Suspend != nil || a.Overflows != nil {
		t.Errorf("what nobody knows became known: %+v", a)
	}
	if *first != 7 {
		t.Error("the value that was added to was changed for others too")
	}
}

// An arm of turns that were watched tells of it; one of older turns does not.
func TestMergeKeepsVitals(t *testing.T) {
	late := new(hist.Histogram)
	late.RecordN(50*time.Microsecond, 2000)
	one := turn(2000, 0, time.Second)
	if a := Merge([]Turn{one}, DefaultPercentiles); a.Vitals != nil || a.Oversleep != nil {
		t.Errorf("%+v", a.Vitals)
	}
	gap := int64(time.Millisecond)
	one.Vitals, one.Oversleep = Vitals{Observed: int64(time.Second), Gap: &gap}, late
	a := Merge([]Turn{one, one}, DefaultPercentiles)
	if a.Vitals == nil || a.Vitals.Observed != int64(2*time.Second) || a.Oversleep == nil || a.Oversleep.N != 4000 {
		t.Errorf("%+v, %+v", a.Vitals, a.Oversleep)
	}
}
