package stat

import (
	"math"
	"slices"
)

// ChangePoints are the places at which the level of a series, in order of time, changes: the start of each segment but
// the first, in rising order. No segment is shorter than least, which is at least 1.
//
// The values are replaced by their ranks divided by the ranks' standard deviation, so that single outliers weigh no
// more than any other value and the penalty, 3 ln n for each change, means the same for every series. The segments are
// those of the least sum of squared distances from their means plus penalties, found exactly by PELT (Killick, Fearnhead
// and Eckley 2012). Equal values and series shorter than two segments have no change.
func ChangePoints(x []float64, least int) []int {
	if len(x) < 2 {
		return nil
	}
	ranks := midRanks(x)
	_, variance := MeanVariance(ranks)
	if variance == 0 {
		return nil
	}
	sd := math.Sqrt(variance)
	for i := range ranks {
		ranks[i] /= sd
	}
	return PELT(ranks, 3*math.Log(float64(len(x))), least)
}

// midRanks are the places of the values among all of them, from 1 on; equal values share the middle of theirs.
func midRanks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmpFloat(x[a], x[b]) })
	ranks := make([]float64, len(x))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && x[order[to]] == x[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+1+to) / 2
		}
		from = to
	}
	return ranks
}

// PELT splits a series into segments so that the sum of squared distances from the segments' means, plus a penalty for
// each change, is the least there is (Killick, Fearnhead and Eckley 2012). It returns the start of each segment but the
// first. No segment is shorter than least, which is at least 1.
func PELT(x []float64, penalty float64, least int) []int {
	s := &splitting{least: max(least, 1), penalty: penalty, sum: []float64{0}, square: []float64{0}}
	for i, v := range x {
		s.sum = append(s.sum, s.sum[i]+v)
		s.square = append(s.square, s.square[i]+v*v)
	}
	return s.solve(len(x))
}

// splitting is the search for the best segments. best[t] is what the first t values cost, and last[t] where the last
// segment among them starts.
type splitting struct {
	least       int
	penalty     float64
	sum, square []float64 // of all values before
	best        []float64
	last        []int
}

// start is a place where the last segment may start. From until on it can never be the best one.
type start struct{ at, until int }

func (s *splitting) solve(n int) []int {
	s.best, s.last = make([]float64, n+1), make([]int, n+1)
	s.best[0] = -s.penalty
	for t := 1; t < min(s.least, n+1); t++ {
		s.best[t] = math.Inf(1) // no segment fits
	}
	var starts []start
	for t := s.least; t <= n; t++ {
		if at := t - s.least; at == 0 || at >= s.least {
			starts = append(starts, start{at, n + 1})
		}
		s.extend(t, starts)
		kept := starts[:0]
		for _, from := range starts {
			if from.until > n && s.best[from.at]+s.cost(from.at, t) > s.best[t] {
				from.until = t + s.least // by then a segment that starts at t fits, and is better
			}
			if from.until > t+1 {
				kept = append(kept, from)
			}
		}
		starts = kept
	}
	var changes []int
	for t := n; t > 0 && s.last[t] > 0; t = s.last[t] {
		changes = append(changes, s.last[t])
	}
	slices.Reverse(changes)
	return changes
}

// extend finds the best last segment of the first t values.
func (s *splitting) extend(t int, starts []start) {
	s.best[t] = math.Inf(1)
	for _, from := range starts {
		if c := s.best[from.at] + s.cost(from.at, t) + s.penalty; c < s.best[t] {
			s.best[t], s.last[t] = c, from.at
		}
	}
}

// cost is the sum of squared distances of x[from:to] from their mean.
func (s *splitting) cost(from, to int) float64 {
	sum := s.sum[to] - s.sum[from]
	return math.Max(s.square[to]-s.square[from]-sum*sum/float64(to-from), 0)
}
