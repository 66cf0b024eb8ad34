package trust

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// number is that of a code: 3 of "V3".
func number(code string) int {
	n, _ := strconv.Atoi(code[1:])
	return n
}

// percent is a share in percent, to two digits and never less than a hundredth of a percent.
func percent(share float64) string {
	p := share * 100
	switch {
	case p == 0:
		return "0 %"
	case math.Abs(p) < 0.01:
		return "below 0.01 %"
	case math.Abs(p) >= 9.95:
		return fmt.Sprintf("%.0f %%", p)
	}
	return strconv.FormatFloat(p, 'g', 2, 64) + " %"
}

// past is percent with as many digits as it takes to differ from a limit that the share is not.
func past(share, limit float64) string {
	text := percent(share)
	for digits := 1; text == percent(limit) && share != limit && digits < 9; digits++ {
		if longer := strconv.FormatFloat(share*100, 'f', digits, 64) + " %"; longer != strconv.FormatFloat(limit*100, 'f', digits, 64)+" %" {
			return longer
		}
	}
	return text
}

// duration is to three digits, in one unit.
func duration(ns float64) string {
	units := []struct {
		name string
		ns   float64
	}{{"s", float64(time.Second)}, {"ms", float64(time.Millisecond)}, {"µs", float64(time.Microsecond)}}
	for _, u := range units {
		if ns >= u.ns {
			return significant(ns/u.ns) + " " + u.name
		}
	}
	return fmt.Sprintf("%.0f ns", ns)
}

// significant is to three digits, without an exponent.
func significant(v float64) string {
	if v == 0 {
		return "0"
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	return strconv.FormatFloat(v, 'f', min(max(digits, 0), 9), 64)
}

// percentile is the name of p, in percent: "p99.9".
func percentile(p float64) string { return "p" + strconv.FormatFloat(p, 'f', -1, 64) }

// count is n with what it counts.
func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.FormatInt(n, 10) + " " + what + "s"
}
