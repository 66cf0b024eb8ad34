package number

import (
	"math"
	"testing"
)

func TestSignificantHasThreeDigits(t *testing.T) {
	for _, c := range []struct {
		name string
		x    float64
		want string
	}{
		{"zero", 0, "0"},
		{"one", 1, "1.00"},
		{"a small part", 0.00512, "0.00512"},
		{"rounds up to the next magnitude", 9.999, "10.0"},
		{"just below a hundred", 99.96, "100"},
		{"tens", 61.04, "61.0"},
		{"hundreds", 341.4, "341"},
		{"thousands apart", 21437, "21,400"},
		{"millions", 1234567, "1,230,000"},
		{"below zero", -12.34, "-12.3"},
		{"not a number", math.NaN(), None},
		{"no bound", math.Inf(1), None},
	} {
		if got := Significant(c.x); got != c.want {
			t.Errorf("%s: Significant(%v) = %q, want %q", c.name, c.x, got, c.want)
		}
	}
}

func TestDurationPicksItsUnit(t *testing.T) {
	for _, c := range []struct {
		name string
		ns   int64
		want string
	}{
		{"nothing", 0, "0 ns"},
		{"ns", 999, "999 ns"},
		{"rounds to the next unit", 999_999, "1.00 ms"},
		{"microseconds", 61_040, "61.0 µs"},
		{"milliseconds", 6_100_000, "6.10 ms"},
		{"seconds", 90_000_000_000, "90.0 s"},
		{"minutes from two on", 120_000_000_000, "2.00 min"},
		{"hours from two on", 9_000_000_000_000, "2.50 h"},
	} {
		if got := Duration(c.ns); got != c.want {
			t.Errorf("%s: Duration(%d) = %q, want %q", c.name, c.ns, got, c.want)
		}
	}
}

func TestOneUnitForAColumnIsThatOfItsLargest(t *testing.T) {
	u := TimeUnit(800, 61_000, 6_100_000)
	if got := DurationIn(u, 61_000); got != "0.0610 ms" {
		t.Errorf("61 µs beside 6.1 ms = %q, want it in ms", got)
	}
}

func TestPercentNeverHidesASmallShare(t *testing.T) {
	for _, c := range []struct {
		share float64
		want  string
	}{
		{0, "0 %"}, {0.00005, "0.005 %"}, {1e-7, "1e-05 %"}, {0.0123, "1.23 %"}, {0.43, "43.0 %"}, {0.09996, "10.0 %"},
		{0.99999, "100 %"}, {1, "100 %"}, {0.9994, "99.9 %"}, {1.96, "196 %"}, {math.NaN(), None},
	} {
		if got := Percent(c.share); got != c.want {
			t.Errorf("Percent(%v) = %q, want %q", c.share, got, c.want)
		}
	}
}

func TestCountsAreExact(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 59997: "59,997", -1234567: "-1,234,567"} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestBytesAndPercentiles(t *testing.T) {
	if got := Bytes(1_204_000); got != "1.20 MB" {
		t.Errorf("Bytes = %q", got)
	}
	if got := Percentile(99.99); got != "p99.99" {
		t.Errorf("Percentile = %q", got)
	}
}
