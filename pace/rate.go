package pace

import (
	"fmt"
	"math/big"
	"regexp"
)

var rateForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)(k|m)?(?:/(s|sec|second|m|min|minute|h|hour))?$`)

// ParseRate reads "500", "500/s", "0.2/s", "12/min", "3/h" or "10k" as calls per second. "max", the closed loop
// without pauses, is nil. A rate of 0 is an error.
func ParseRate(s string) (*big.Rat, error) {
	if s == "max" {
		return nil, nil
	}
	m := rateForm.FindStringSubmatch(s)
	if m == nil {
		return nil, fmt.Errorf("rate %q: want a number of calls and a unit of time, such as 500/s, 0.2/s, 12/min or 10k", s)
	}
	rate, ok := new(big.Rat).SetString(m[1])
	if !ok {
		return nil, fmt.Errorf("rate %q: %q is not a number", s, m[1])
	}
	rate.Mul(rate, new(big.Rat).SetInt64(map[string]int64{"": 1, "k": 1e3, "m": 1e6}[m[2]]))
	per := map[string]int64{"": 1, "s": 1, "m": 60, "h": 3600}[first(m[3])]
	rate.Quo(rate, new(big.Rat).SetInt64(per))
	if rate.Sign() == 0 {
		return nil, fmt.Errorf("rate %q: a rate of 0 sends nothing; leave it out for as fast as the server answers", s)
	}
	return rate, nil
}

func first(unit string) string {
	if unit == "" {
		return ""
	}
	return unit[:1]
}
