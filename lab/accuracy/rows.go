package main

import (
	"cmp"
	"math"
	"slices"
	"time"

	"wiregauge/lab/truth"
)

// A row is one tool on one load: all its trials.
type row struct {
	c      truth.Case
	l      truth.Load
	tool   tool
	trials []*trial // those that count: the valid ones, or when there is none the void ones
	noisy  bool     // there is no valid one
	voids  int
	lost   string // why there is none at all
}

// rows puts the trials in the order of the cases, loads and tools.
func (b *bench) rows() []row {
	byKey := map[[3]string][]*trial{}
	for _, t := range b.store.trials() {
		key := [3]string{t.Case, t.Load, t.Tool}
		byKey[key] = append(byKey[key], t)
	}
	var rows []row
	for _, c := range truth.Cases() {
		for _, l := range c.Loads {
			for _, t := range tools() {
				if list := byKey[[3]string{c.Name, l.String(), t.id()}]; len(list) > 0 {
					rows = append(rows, newRow(c, l, t, list))
				}
			}
		}
	}
	return rows
}

func newRow(c truth.Case, l truth.Load, t tool, list []*trial) row {
	r := row{c: c, l: l, tool: t}
	var valid, void []*trial
	for _, one := range list {
		switch {
		case one.Lost != "":
			r.lost = one.Lost
		case one.Void != "":
			void = append(void, one)
		default:
			valid = append(valid, one)
		}
	}
	r.trials, r.voids = valid, len(void)
	if len(valid) == 0 {
		r.trials, r.noisy = void, len(void) > 0
	}
	return r
}

// An off is one percentile of a row: what was told, and how far that is from the truth and from the server's log. Medians
// over the trials; Worst is the farthest from the log that any trial was.
type off struct {
	told                 time.Duration
	formula, log         float64 // shares
	formulaTime, logTime time.Duration
	worst                float64
	worstTime            time.Duration
	n                    int
}

func (r *row) off(p float64) (o off, ok bool) {
	name := truth.Name(p)
	var told, right, took []time.Duration
	for _, t := range r.trials {
		got, said := t.Report.Percentiles[name]
		want, known := t.right(r.l.Truth, p)
		own, logged := t.Took[name]
		if r.l.Single && r.l.Callers > 0 {
			own, logged = want, known // the server does not see the wait for a stream
		}
		if !said || !known || !logged {
			continue
		}
		told, right, took = append(told, time.Duration(got)), append(right, time.Duration(want)), append(took, time.Duration(own))
		if x := share(got, own); math.Abs(x) > math.Abs(o.worst) {
			o.worst, o.worstTime = x, time.Duration(got-own)
		}
	}
	if len(told) == 0 {
		return o, false
	}
	o.n, o.told = len(told), median(told)
	o.formula, o.formulaTime = medianOff(told, right)
	o.log, o.logTime = medianOff(told, took)
	return o, true
}

// medianOff is the median error of pairs, as a share and as a time.
func medianOff(got, want []time.Duration) (float64, time.Duration) {
	shares, times := make([]float64, len(got)), make([]time.Duration, len(got))
	for i := range got {
		shares[i], times[i] = share(int64(got[i]), int64(want[i])), got[i]-want[i]
	}
	return median(shares), median(times)
}

// within reports whether an error is at most a share of the truth or a time, whichever is more.
func within(of float64, by time.Duration, most float64, least time.Duration) bool {
	return math.Abs(of) <= most || by.Abs() <= least
}

func median[T cmp.Ordered](of []T) T {
	s := slices.Clone(of)
	slices.Sort(s)
	return s[(len(s)-1)/2]
}

// medianOf is the median of a number of the trials.
func (r *row) medianOf(number func(*trial) float64) float64 {
	var of []float64
	for _, t := range r.trials {
		of = append(of, number(t))
	}
	if len(of) == 0 {
		return 0
	}
	return median(of)
}
