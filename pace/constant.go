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
	return constant{interval: intervalOf(perSecond), text: rateString(perSecond)}
}

type constant struct {
	interval
	text string
}

// Due is n intervals after the start.
func (c constant) Due(n uint64) time.Duration { return c.times(n) }

// String is the rate.
func (c constant) String() string { return c.text }

// An interval is the time between two calls: mul/div nanoseconds.
type interval struct{ mul, div uint64 }

// intervalOf is 1 s / perSecond. A fraction that does not fit 64 bits is rounded to one that does; no clock could tell.
func intervalOf(perSecond *big.Rat) interval {
	ns := new(big.Rat).Quo(new(big.Rat).SetInt64(int64(time.Second)), perSecond)
	if ns.Num().IsUint64() && ns.Denom().IsUint64() {
		return interval{ns.Num().Uint64(), ns.Denom().Uint64()}
	}
	limit := new(big.Rat).SetInt64(math.MaxInt64)
	if ns.Cmp(limit) >= 0 {
		return interval{math.MaxInt64, 1} // once in 292 years
	}
	div := new(big.Int).Lsh(big.NewInt(1), uint(63-min(63, new(big.Int).Quo(ns.Num(), ns.Denom()).BitLen())))
	mul := new(big.Int).Quo(new(big.Int).Mul(ns.Num(), div), ns.Denom())
	return interval{mul.Uint64(), div.Uint64()}
}

// times is n intervals, in 128 bits.
func (i interval) times(n uint64) time.Duration {
	hi, lo := bits.Mul64(n, i.mul)
	if hi >= i.div {
		return math.MaxInt64 // later than any clock goes
	}
	q, _ := bits.Div64(hi, lo, i.div)
	return time.Duration(min(q, math.MaxInt64))
}

// rateString writes a rate as a user would: 500/s, 0.2/s, 20/min.
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
