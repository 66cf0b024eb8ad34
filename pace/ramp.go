package pace

import (
	"fmt"
	"math"
	"math/big"
	"sort"
	"strings"
	"time"
)

// A Step changes the rate evenly from one value to another, in calls per second; From and To may be equal, and one
// of them may be 0.
type Step struct {
	From, To *big.Rat
	Over     time.Duration
}

// Ramp is one step after another; after the last nothing is due.
//
//	rate  to │      ╱          N(t) = from·t + (to−from)·t²/(2·over) calls are due by t, so that call n is due when
//	         │    ╱            N(t) = n, at t = 2n / (from + √(from² + 2·(to−from)·n/over))
//	    from │ ╱
//	         └────── over ── t
func Ramp(steps []Step) Pacer {
	r := &ramp{}
	var text []string
	var p piece
	for _, s := range steps {
		p.from, _ = s.From.Float64()
		p.to, _ = s.To.Float64()
		p.over = s.Over.Seconds()
		r.pieces = append(r.pieces, p)
		p.calls += (p.from + p.to) / 2 * p.over
		p.at += s.Over
		text = append(text, fmt.Sprintf("%s..%s over %s", strings.TrimSuffix(rateString(s.From), "/s"), rateString(s.To), s.Over))
	}
	r.end = p.calls
	r.text = strings.Join(text, ", ")
	return r
}

type ramp struct {
	pieces []piece
	end    float64 // calls in all
	text   string
}

// A piece is a step with what lies before it: calls due, and time.
type piece struct {
	from, to, over, calls float64
	at                    time.Duration
}

// Due looks for the step that call n falls in, and solves N(t) = n there.
func (r *ramp) Due(n uint64) time.Duration {
	if float64(n) >= r.end {
		return math.MaxInt64
	}
	i := sort.Search(len(r.pieces), func(i int) bool { return r.pieces[i].calls > float64(n) })
	return r.pieces[i-1].due(float64(n))
}

func (p *piece) due(n float64) time.Duration {
	x := n - p.calls
	if x <= 0 {
		return p.at
	}
	t := 2 * x / (p.from + math.Sqrt(max(p.from*p.from+2*(p.to-p.from)*x/p.over, 0)))
	return p.at + time.Duration(min(t, p.over)*float64(time.Second))
}

// String lists the steps.
func (r *ramp) String() string { return r.text }

var _ Pacer = (*ramp)(nil)
