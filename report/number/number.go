// Package number writes numbers as reports show them: three significant digits, thousands apart, a unit. A value
// that does not exist is "n/a". It knows nothing of results.
package number

import (
	"math"
	"strconv"
	"strings"
)

// None stands for a value that does not exist.
const None = "n/a"

// A Unit is a name and how much one of it is in the base unit (ns, bytes, 1).
type Unit struct {
	Name string
	Size float64
}

// Units of time in ns, from small to large.
var times = []Unit{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}}

// Units of data in bytes, from small to large.
var sizes = []Unit{{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}

// Significant writes x with three significant digits and thousands apart: 0.00512, 6.10, 21,400. A whole part of
// more than three digits is rounded to three of them.
func Significant(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return None
	}
	if x == 0 {
		return "0"
	}
	if magnitude(x) >= 2 {
		return thousands(strconv.FormatFloat(round3(x), 'f', 0, 64))
	}
	return strconv.FormatFloat(x, 'f', 2-magnitude(x), 64)
}

// magnitude is the power of ten of x after rounding to three digits; at least −9, so that noise stays short.
func magnitude(x float64) int {
	m := int(math.Floor(math.Log10(math.Abs(round3(x)))))
	return max(m, -9)
}

// round3 rounds to three significant digits.
func round3(x float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	return r
}

// Count writes a whole number with thousands apart: 59,997.
func Count(n int64) string { return thousands(strconv.FormatInt(n, 10)) }

// thousands puts a comma before every third digit of a whole number.
func thousands(digits string) string {
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Duration writes nanoseconds in the unit that suits them: 6.10 ms.
func Duration(ns int64) string { return DurationIn(TimeUnit(ns), ns) }

// TimeUnit is the largest unit in which the largest of the values is at least 1; minutes and hours from 2 on.
func TimeUnit(ns ...int64) Unit { return unitOf(times, ns) }

// DurationIn writes nanoseconds in that unit.
func DurationIn(u Unit, ns int64) string { return Significant(float64(ns)/u.Size) + " " + u.Name }

// Bytes writes an amount of data: 341 B, 1.20 MB.
func Bytes(n float64) string {
	u := unitOf(sizes, []int64{int64(n)})
	return Significant(n/u.Size) + " " + u.Name
}

func unitOf(units []Unit, values []int64) Unit {
	var most float64
	for _, v := range values {
		most = max(most, math.Abs(float64(v)))
	}
	found := units[0]
	for _, u := range units {
		least := u.Size
		if u.Name == "min" || u.Name == "h" {
			least = 2 * u.Size
		}
		if most >= least*0.9995 { // what rounds to 1.00 is 1.00
			found = u
		}
	}
	return found
}

// Percent writes a share as percent: 0.005 %. A share that is small but not zero never reads as zero.
func Percent(share float64) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return None
	}
	x := share * 100
	switch a := math.Abs(x); {
	case a == 0:
		return "0 %"
	case a >= 9.995 && a < 99.95:
		return strconv.FormatFloat(x, 'f', 1, 64) + " %"
	case a >= 0.995 && a < 9.995:
		return strconv.FormatFloat(x, 'f', 2, 64) + " %"
	case a < 1:
		return strconv.FormatFloat(x, 'g', 2, 64) + " %"
	default:
		return Significant(x) + " %"
	}
}

// Percentile names a percentile: p50, p99.9.
func Percentile(p float64) string { return "p" + strconv.FormatFloat(p, 'f', -1, 64) }
