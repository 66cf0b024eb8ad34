package option

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// maxDuration is the longest time any option takes.
const maxDuration = 30 * 24 * time.Hour

// maxCount keeps counts exact in every output, JSON numbers included.
const maxCount = int64(1) << 53

// ParseDuration reads "250ms", "1.5s", "2m30s", "1h". bare is the unit of a number without one, "" to refuse it.
func ParseDuration(s, bare string) (time.Duration, error) {
	want := "a time with its unit such as 500ms, 10s or 2m"
	if isNumber(s) && s != "0" {
		if bare == "" {
			return 0, &Want{Want: want, Got: s, Hint: "For seconds write " + s + "s."}
		}
		s += bare
	}
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return 0, &Want{Want: want, Got: s}
	case d < 0:
		return 0, &Want{Want: "a time of 0 or more", Got: s}
	case d > maxDuration:
		return 0, &Want{Want: "a time of at most 720h (30 days)", Got: s}
	}
	return d, nil
}

// FormatDuration is the shortest exact spelling: "10s" and not "10s0ms", "2m" and not "2m0s".
func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && !strings.ContainsAny(s, "xXpPnNiI_")
}

var countUnits = []unit{{"k", 1e3}, {"m", 1e6}, {"g", 1e9}, {"b", 1e9}}

// ParseCount reads a whole number, "10k" (thousand), "1.5m" (million), "2g" or "2b" (thousand million), 0 to 2^53.
func ParseCount(s string) (int64, error) {
	n, ok := scaled(s, countUnits, true)
	if !ok {
		return 0, &Want{Want: "a number such as 200, 10k or 1m", Got: s}
	}
	return n, nil
}

var sizeUnits = []unit{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"b", 1},
}

// ParseSize reads "100b", "64kb" (1,000 each), "64kib" (1,024 each), "16mb", "1gb".
func ParseSize(s string) (int64, error) {
	n, ok := scaled(s, sizeUnits, false)
	if !ok {
		w := &Want{Want: "a size with its unit such as 500b, 64kb or 16mb", Got: s}
		if isNumber(s) {
			w.Hint = "For bytes write " + s + "b."
		}
		return 0, w
	}
	return n, nil
}

type unit struct {
	suffix string
	factor int64
}

// scaled is the exact product of a decimal number and the factor of its suffix, when that is a whole number.
func scaled(s string, units []unit, bare bool) (int64, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	factor := int64(0)
	if bare {
		factor = 1
	}
	for _, u := range units {
		if number, ok := strings.CutSuffix(s, u.suffix); ok {
			s, factor = number, u.factor
			break
		}
	}
	if factor == 0 || s == "" || strings.Trim(s, "0123456789.") != "" {
		return 0, false
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return 0, false
	}
	r.Mul(r, new(big.Rat).SetInt64(factor))
	if !r.IsInt() || !r.Num().IsInt64() || r.Num().Int64() > maxCount {
		return 0, false
	}
	return r.Num().Int64(), true
}

// A Count is a number of calls.
type Count uint64

// Set reads a count above 0.
func (c *Count) Set(s string) error {
	n, err := ParseCount(s)
	if err != nil || n < 1 {
		return &Want{Want: "a number of calls above 0 such as 200, 10k or 1m", Got: s}
	}
	*c = Count(n)
	return nil
}

func (c *Count) String() string {
	if *c == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(*c), 10)
}

// A Size is a number of bytes.
type Size int64

// Set reads a size with its unit.
func (z *Size) Set(s string) error {
	n, err := ParseSize(s)
	if err != nil {
		return err
	}
	*z = Size(n)
	return nil
}

func (z *Size) String() string {
	if *z == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*z), 10) + "b"
}

// A Share is a part of a whole, 0 to 1, written in percent.
type Share float64

// Set reads "1%", "0.5%", "100%".
func (p *Share) Set(s string) error {
	number, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(f) || f < 0 || f > 100 || !percent && f != 0 {
		return &Want{Want: "a share such as 1% or 0.5%", Got: s}
	}
	*p = Share(f / 100)
	return nil
}

func (p *Share) String() string { return strconv.FormatFloat(float64(*p)*100, 'g', -1, 64) + "%" }

// Percentiles is a list such as 50,99,99.9.
type Percentiles []float64

// Set reads the whole list.
func (p *Percentiles) Set(s string) error {
	var list []float64
	for _, part := range strings.Split(s, ",") {
		part = strings.TrimPrefix(strings.TrimSpace(part), "p")
		f, err := strconv.ParseFloat(part, 64)
		if err != nil || !(f > 0 && f < 100) {
			return &Want{Want: "percentiles between 0 and 100 such as 50,99,99.9", Got: s}
		}
		list = append(list, f)
	}
	*p = list
	return nil
}

func (p *Percentiles) String() string {
	parts := make([]string, len(*p))
	for i, f := range *p {
		parts[i] = strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strings.Join(parts, ",")
}
