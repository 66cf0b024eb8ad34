package main

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"wiregauge/internal/option"
	"wiregauge/pace"
)

// maxSteps bounds a ramp: more steps than anyone reads.
const maxSteps = 1000

// A ramp is a list of steps, each a concurrency or a rate, of equal length; or one smooth rise of the rate.
type ramp struct {
	text   string
	rate   bool
	smooth bool
	steps  []*big.Rat
	step   time.Duration
}

// Set reads "1..512x2/10s", "10..100+10/5s", "1,2,4,8/10s", each with "rate=" in front for rates, and
// "rate=0..500/30s" for a smooth rise.
func (r *ramp) Set(text string) error {
	fault := func(want string) error {
		return &option.Want{Want: want, Got: text}
	}
	out := ramp{text: text}
	body, isRate := strings.CutPrefix(text, "rate=")
	if !isRate {
		body = strings.TrimPrefix(body, "c=")
	}
	out.rate = isRate
	slash := strings.LastIndexByte(body, '/')
	if slash < 0 {
		return fault("steps and their length such as 1..64x2/10s or rate=100..1000+100/10s")
	}
	d, err := option.ParseDuration(body[slash+1:], "")
	if err != nil || d == 0 {
		return fault("the length of a step behind the last /, such as 1..64x2/10s")
	}
	out.step = d
	if err := out.parseSteps(body[:slash]); err != nil {
		return fault(err.Error())
	}
	*r = out
	return nil
}

func (r *ramp) String() string { return r.text }

func (r *ramp) given() bool { return r.text != "" }

func (r *ramp) parseSteps(text string) error {
	if !strings.Contains(text, "..") {
		for _, part := range strings.Split(text, ",") {
			v, err := r.number(part, false)
			if err != nil {
				return err
			}
			r.steps = append(r.steps, v)
		}
		return r.check()
	}
	from, rest, _ := strings.Cut(text, "..")
	to, op, by := rest, byte(0), ""
	if at := strings.IndexAny(rest, "x+"); at >= 0 {
		to, op, by = rest[:at], rest[at], rest[at+1:]
	}
	low, err := r.number(from, r.rate && op == 0)
	if err != nil {
		return err
	}
	high, err := r.number(to, r.rate && op == 0)
	if err != nil {
		return err
	}
	if op == 0 && r.rate {
		r.smooth, r.steps = true, []*big.Rat{low, high}
		return nil
	}
	if op == 0 {
		op, by = 'x', "2"
	}
	return r.fill(low, high, op, by)
}

// number reads one level; only a smooth rise may touch 0.
func (r *ramp) number(s string, zero bool) (*big.Rat, error) {
	if zero && s == "0" {
		return new(big.Rat), nil
	}
	if !r.rate {
		n, err := option.ParseCount(s)
		if err != nil || n < 1 || n > 1_000_000 {
			return nil, fmt.Errorf("calls in flight from 1 to 1,000,000 (%q is not)", s)
		}
		return new(big.Rat).SetInt64(n), nil
	}
	var v rate
	if err := v.Set(s); err != nil || !v.open() {
		return nil, fmt.Errorf("rates above 0 (%q is not)", s)
	}
	return v.perSecond, nil
}

// fill makes the steps from low to high, up or down; the last one is high itself.
func (r *ramp) fill(low, high *big.Rat, op byte, by string) error {
	factor, ok := new(big.Rat).SetString(by)
	one := big.NewRat(1, 1)
	if !ok || factor.Sign() <= 0 || op == 'x' && factor.Cmp(one) <= 0 {
		return fmt.Errorf("x and a factor above 1, or + and a step above 0 (%q is not)", string(op)+by)
	}
	up := low.Cmp(high) <= 0
	for v := low; ; {
		if up && v.Cmp(high) >= 0 || !up && v.Cmp(high) <= 0 {
			break
		}
		r.steps = append(r.steps, v)
		if len(r.steps) > maxSteps {
			return fmt.Errorf("at most %d steps", maxSteps)
		}
		v = advance(v, factor, op, up)
	}
	r.steps = append(r.steps, high)
	return r.check()
}

func advance(v, by *big.Rat, op byte, up bool) *big.Rat {
	next := new(big.Rat)
	switch {
	case op == 'x' && up:
		return next.Mul(v, by)
	case op == 'x':
		return next.Quo(v, by)
	case up:
		return next.Add(v, by)
	}
	return next.Sub(v, by)
}

// check rounds calls in flight down to whole numbers and drops equal neighbours.
func (r *ramp) check() error {
	if r.rate {
		return nil
	}
	var whole []*big.Rat
	for _, v := range r.steps {
		n := new(big.Rat).SetInt(new(big.Int).Quo(v.Num(), v.Denom()))
		if n.Sign() <= 0 {
			return fmt.Errorf("calls in flight of at least 1")
		}
		if len(whole) == 0 || whole[len(whole)-1].Cmp(n) != 0 {
			whole = append(whole, n)
		}
	}
	r.steps = whole
	return nil
}

// concurrency is a step's level as calls in flight.
func (r *ramp) concurrency(i int) int { return int(r.steps[i].Num().Int64()) }

// highest is the largest level of a ramp of concurrency.
func (r *ramp) highest() int {
	high := 0
	for i := range r.steps {
		high = max(high, r.concurrency(i))
	}
	return high
}

// label names a step as reports print it.
func (r *ramp) label(i int) string {
	if r.rate {
		return trimRate(r.steps[i]) + "/s"
	}
	return "c=" + strconv.Itoa(r.concurrency(i))
}

func trimRate(v *big.Rat) string {
	return strings.TrimSuffix(strings.TrimRight(v.FloatString(3), "0"), ".")
}

// pacer is how a step of rates is paced.
func (r *ramp) pacer(i int, arrivals string, seed uint64) pace.Pacer {
	return newPacer(r.steps[i], arrivals, seed)
}
