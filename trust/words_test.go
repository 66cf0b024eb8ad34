package trust

import "testing"

// Two numbers on either side of a limit are never told as the same number.
func TestNumbersPastALimitDifferFromIt(t *testing.T) {
	for _, c := range []struct {
		share, limit float64
		want         string
	}{
		{0.3, 0.3, "30 %"}, {0.304, 0.3, "30.4 %"}, {0.30004, 0.3, "30.004 %"}, {0.2999, 0.3, "29.99 %"}, {0.4, 0.3, "40 %"}, {0.01, 0.3, "1 %"},
	} {
		if got := past(c.share, c.limit); got != c.want {
			t.Errorf("%g past %g: %s, want %s", c.share, c.limit, got, c.want)
		}
	}
}
