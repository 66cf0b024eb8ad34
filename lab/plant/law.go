package plant

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

type lawKind uint8

const (
	none lawKind = iota
	fixed
	exponential
	bimodal
	pareto
	lognormal
)

// A Law is how long answers take. The zero value is no delay.
type Law struct {
	kind  lawKind
	scale time.Duration // fixed value, mean, fast value, minimum or median
	shape float64       // of Pareto; sigma of lognormal
	slow  time.Duration // bimodal: the second value
	often Often         // bimodal: who gets it
}

// golden is the fractional part of the golden ratio: steps of it fill [0, 1) as evenly as can be.
const golden = math.Phi - 1

// At is the delay of the nth call, from n = 0.
func (l Law) At(n uint64) time.Duration {
	switch l.kind {
	case none:
		return 0
	case fixed:
		return l.scale
	case bimodal:
		if l.often.hits(n) {
			return l.slow
		}
		return l.scale
	}
	return l.Quantile(fraction(n, golden))
}

// Quantile is the delay that a share u of the calls stays under, u in [0, 1). The tail is cut at one call in
// 10^12.
func (l Law) Quantile(u float64) time.Duration {
	u = min(max(u, 1e-12), 1-1e-12)
	x := float64(l.scale)
	switch l.kind {
	case exponential:
		x *= -math.Log1p(-u)
	case pareto:
		x *= math.Pow(1-u, -1/l.shape)
	case lognormal:
		x *= math.Exp(l.shape * math.Sqrt2 * math.Erfinv(2*u-1))
	case bimodal:
		if u >= 1-l.slowShare() {
			x = float64(l.slow)
		}
	case none:
		return 0
	}
	return time.Duration(min(x, float64(math.MaxInt64/2)))
}

func (l Law) slowShare() float64 {
	if l.often.every > 0 {
		return 1 / float64(l.often.every)
	}
	return l.often.share
}

// parseLaw reads "5ms" or "law:parameters".
func parseLaw(v string) (Law, error) {
	name, rest, named := strings.Cut(v, ":")
	if !named {
		d, err := duration(v)
		return Law{kind: fixed, scale: d}, err
	}
	switch name {
	case "fixed":
		d, err := duration(rest)
		return Law{kind: fixed, scale: d}, err
	case "exp":
		d, err := duration(rest)
		return Law{kind: exponential, scale: d}, err
	case "bimodal":
		return parseBimodal(rest)
	case "pareto":
		shape, scale, _ := strings.Cut(rest, ":")
		return parseShaped(pareto, shape, scale)
	case "lognormal":
		scale, shape, _ := strings.Cut(rest, ":")
		return parseShaped(lognormal, shape, scale)
	}
	return Law{}, fmt.Errorf("no law %q; there are fixed, exp, bimodal, pareto and lognormal", name)
}

// parseBimodal reads "fast:slow:share%" or "fast:slow/n".
func parseBimodal(v string) (Law, error) {
	fast, rest, ok := strings.Cut(v, ":")
	i := strings.IndexAny(rest, "/:")
	if !ok || i < 0 {
		return Law{}, errors.New("want a fast time, a slow time and how often it is slow")
	}
	l := Law{kind: bimodal}
	var err error
	if l.scale, err = duration(fast); err != nil {
		return l, err
	}
	if l.slow, err = duration(rest[:i]); err != nil {
		return l, err
	}
	l.often, err = parseOften(strings.TrimPrefix(rest[i:], ":"))
	return l, err
}

func parseShaped(kind lawKind, shape, scale string) (Law, error) {
	x, err := strconv.ParseFloat(shape, 64)
	if err != nil || !(x > 0 && x < 1e6) {
		return Law{}, fmt.Errorf("%q is not a number above 0", shape)
	}
	d, err := duration(scale)
	return Law{kind: kind, shape: x, scale: d}, err
}
