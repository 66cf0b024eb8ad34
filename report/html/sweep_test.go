package html

import (
	"testing"

	"wiregauge/result"
)

func TestSettingsOfASweepOnTheirAxis(t *testing.T) {
	at := func(c int, rate float64, payload int64) result.Point {
		return result.Point{Label: "label", Concurrency: c, Rate: rate, Payload: payload}
	}
	for _, c := range []struct {
		name        string
		points      []result.Point
		axis, label string // of the second setting
		x           float64
		log         bool
	}{
		{"rising callers", []result.Point{at(1, 0, 10), at(8, 0, 10)}, "calls in flight", "8", 8, true},
		{"rising rates", []result.Point{at(0, 500, 0), at(0, 2000, 0)}, "offered calls/s", "2,000", 2000, true},
		{"rising sizes", []result.Point{at(4, 0, 100), at(4, 0, 1000)}, "payload", "1 kB", 1000, true},
		{"two quantities", []result.Point{at(1, 0, 10), at(8, 0, 20)}, "setting", "label", 1, false},
		{"an order of its own", []result.Point{at(8, 0, 0), at(1, 0, 0)}, "setting", "label", 1, false},
		{"nothing changes", []result.Point{at(8, 0, 0), at(8, 0, 0)}, "setting", "label", 1, false},
	} {
		places, axis, log := sweepPlaces(c.points)
		if axis != c.axis || log != c.log || places[1].label != c.label || places[1].x != c.x {
			t.Errorf("%s: %+v on %q, log %v", c.name, places, axis, log)
		}
	}
}
