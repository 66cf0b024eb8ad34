package plant

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Often says which calls are meant: every nth, or a share. The zero value is none.
type Often struct {
	every uint64
	share float64
}

func (o Often) on() bool { return o.every > 0 || o.share > 0 }

// silver is the fractional part of the square root of 2: shares follow it, so that they do not follow the
// delays, which go with the golden ratio.
const silver = math.Sqrt2 - 1

// hits reports whether the nth call is meant, from n = 0; of "/5" these are 4, 9, 14 …
func (o Often) hits(n uint64) bool {
	if o.every > 0 {
		return n%o.every == o.every-1
	}
	return o.share > 0 && fraction(n, silver) < o.share
}

// fraction is the nth element of the evenly spread sequence of an irrational step, in [0, 1).
func fraction(n uint64, step float64) float64 {
	_, f := math.Modf(0.5 + float64(n)*step)
	return f
}

// parseOften reads "" (always), "/N" or "P%".
func parseOften(v string) (Often, error) {
	if v == "" {
		return Often{every: 1}, nil
	}
	if n, ok := strings.CutPrefix(v, "/"); ok {
		every, err := positive(n)
		return Often{every: uint64(every)}, err
	}
	p, ok := strings.CutSuffix(v, "%")
	if !ok {
		return Often{}, fmt.Errorf("%q is neither every nth (/5) nor a share (20%%)", v)
	}
	share, err := strconv.ParseFloat(p, 64)
	if err != nil || !(share > 0 && share <= 100) {
		return Often{}, errors.New("a share is above 0% and at most 100%")
	}
	return Often{share: share / 100}, nil
}
