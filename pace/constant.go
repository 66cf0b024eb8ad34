package pace

import (
	"math"
	"math/big"
	"math/bits"
	"time"
)

// Constant is a fixed rate: call n is due n/rate after the start, rounded down to a nanosecond. It is computed from
// the index, so that nothing adds up over a long run. perSecond must be above 0.
func Constant(perSecond *big.Rat) Pacer {
	// due(n) = n * (den * 1e9) / num nanoseconds
	ns := new(big.Rat).Quo(new(big.Rat).SetInt64(int64(time.Second)), perSecond)
	return constant{mul: clampWord(ns.Num()), div: clampWord(ns.Denom()), text: rateString(perSecond)}
}

type constant struct {
	mul, div uint64
	text     string
}

// Due is n*mul/div in 128 bits.
func (c constant) Due(n uint64) time.Duration {
	hi, lo := bits.Mul64(n, c.mul)
	if hi >= c.div {
		return math.MaxInt64 // later than any clock goes
	}
	q, _ := bits.Div64(hi, lo, c.div)
	return time.Duration(min(q, math.MaxInt64))
}

// String is the rate.
func (c constant) String() string { return c.text }

// clampWord is x in 64 bits; rates that need more (hundreds of digits) cannot be told apart by any clock.
func clampWord(x *big.Int) uint64 {
	if x.IsUint64() {
		return x.Uint64()
	}
	return math.MaxUint64
}

// rateString writes a rate as a user would: 500/s, 0.2/s, 12/min.
func rateString(perSecond *big.Rat) string {
	if f, exact := perSecond.FloatPrec(); exact && f <= 6 {
		return perSecond.FloatString(f) + "/s"
	}
	perMinute := new(big.Rat).Mul(perSecond, big.NewRat(60, 1))
	if f, exact := perMinute.FloatPrec(); exact && f <= 6 {
		return perMinute.FloatString(f) + "/min"
	}
	return perSecond.FloatString(3) + "/s"
}

var _ Pacer = constant{}
