package stat

import "math"

// A Scalability is the universal scalability law, X(N) = λN / (1 + σ(N−1) + κN(N−1)): throughput over concurrency, with
// λ the throughput of one, σ what is serial, and κ what each pair costs (Gunther, A General Theory of Computational
// Scalability, 2008).
type Scalability struct {
	Lambda, Sigma, Kappa float64
	R2                   float64 // share of the variance that the curve explains; 0 for throughputs that are all equal
}

// FitScalability fits the law to throughputs x at concurrencies n by least squares, with σ and κ not below 0. ok is false
// where there are fewer than 3 different concurrencies, or none of the throughputs is above 0.
func FitScalability(n, x []float64) (fit Scalability, ok bool) {
	if len(n) != len(x) || distinct(n) < 3 {
		return fit, false
	}
	for i := range n {
		if n[i] < 1 || !(x[i] > 0) || math.IsInf(x[i], 0) {
			return fit, false
		}
	}
	least := math.Inf(1)
	for _, free := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		candidate, fits := fitFree(n, x, free)
		if rest := candidate.rest(n, x); fits && rest < least {
			fit, least, ok = candidate, rest, true
		}
	}
	if !ok {
		return fit, false
	}
	mean, variance := MeanVariance(x)
	if all := variance * float64(len(x)-1); all > 0 && mean > 0 {
		fit.R2 = 1 - least/all
	}
	return fit, true
}

// At is the throughput at a concurrency.
func (s Scalability) At(n float64) float64 { return s.Lambda * n / s.drag(n) }

// Peak is the concurrency of the highest throughput, sqrt((1−σ)/κ); ok is false where throughput only grows.
func (s Scalability) Peak() (n float64, ok bool) {
	if s.Kappa <= 0 || s.Sigma >= 1 {
		return 0, false
	}
	return math.Sqrt((1 - s.Sigma) / s.Kappa), true
}

func (s Scalability) drag(n float64) float64 { return 1 + s.Sigma*(n-1) + s.Kappa*n*(n-1) }

// rest is the sum of squares that the curve leaves.
func (s Scalability) rest(n, x []float64) (sum float64) {
	for i := range n {
		d := x[i] - s.At(n[i])
		sum += d * d
	}
	return sum
}

func distinct(x []float64) int {
	seen := map[float64]bool{}
	for _, v := range x {
		seen[v] = true
	}
	return len(seen)
}

// fitFree fits λ and those of σ and κ that are free, the others being 0, by the steps of Gauss and Newton, shortened
// until they improve. fits is false where the best values lie below 0.
func fitFree(n, x []float64, free [2]bool) (s Scalability, fits bool) {
	s = straight(n, x, free)
	rest := s.rest(n, x)
	for range 200 {
		step, solvable := newton(s, n, x, free)
		if !solvable {
			break
		}
		better := false
		for size := 1.0; size > 1e-6; size /= 2 {
			next := Scalability{Lambda: s.Lambda + size*step[0], Sigma: s.Sigma + size*step[1], Kappa: s.Kappa + size*step[2]}
			if r := next.rest(n, x); next.positive(n) && r < rest {
				better = rest-r > 1e-14*rest
				s, rest = next, r
				break
			}
		}
		if !better {
			break
		}
	}
	return s, s.Lambda > 0 && s.Sigma >= 0 && s.Kappa >= 0 && s.positive(n)
}

// positive reports whether the curve has no pole among the concurrencies.
func (s Scalability) positive(n []float64) bool {
	for _, v := range n {
		if s.drag(v) <= 0 {
			return false
		}
	}
	return s.Lambda > 0
}

// straight is where the steps begin: N/X is linear in 1/λ, σ/λ and κ/λ. Weights of X²/N make up for the division.
func straight(n, x []float64, free [2]bool) Scalability {
	var e equations
	for i := range n {
		row := [3]float64{1, n[i] - 1, n[i] * (n[i] - 1)}
		weight := x[i] * x[i] / n[i]
		e.add(mask(row, free), n[i]/x[i], weight*weight)
	}
	v, ok := e.solve(free)
	s := Scalability{Lambda: 1 / v[0], Sigma: v[1] / v[0], Kappa: v[2] / v[0]}
	if ok && v[0] > 0 && s.positive(n) {
		return s
	}
	s = Scalability{}
	for i := range n {
		s.Lambda = math.Max(s.Lambda, x[i]/n[i])
	}
	return s
}

// newton is one step towards less rest.
func newton(s Scalability, n, x []float64, free [2]bool) (step [3]float64, ok bool) {
	var e equations
	for i := range n {
		at, drag := s.At(n[i]), s.drag(n[i])
		row := [3]float64{n[i] / drag, -at * (n[i] - 1) / drag, -at * n[i] * (n[i] - 1) / drag}
		e.add(mask(row, free), x[i]-at, 1)
	}
	return e.solve(free)
}

func mask(row [3]float64, free [2]bool) [3]float64 {
	for j, yes := range free {
		if !yes {
			row[j+1] = 0
		}
	}
	return row
}

// equations are the normal equations of a least-squares fit of three unknowns.
type equations struct {
	a [3][3]float64
	b [3]float64
}

func (e *equations) add(row [3]float64, y, weight float64) {
	for i := range row {
		for j := range row {
			e.a[i][j] += weight * row[i] * row[j]
		}
		e.b[i] += weight * row[i] * y
	}
}

// solve gives the unknowns by elimination; those that are not free are 0.
func (e equations) solve(free [2]bool) (v [3]float64, ok bool) {
	for j, yes := range free {
		if !yes {
			e.a[j+1][j+1] = 1
		}
	}
	var scale [3]float64 // the unknowns differ by powers of ten
	for i := range scale {
		if scale[i] = math.Sqrt(e.a[i][i]); scale[i] == 0 {
			return v, false
		}
	}
	for i := range scale {
		for j := range scale {
			e.a[i][j] /= scale[i] * scale[j]
		}
		e.b[i] /= scale[i]
	}
	for i := range 3 {
		if e.a[i][i] < 1e-13 {
			return v, false
		}
		for k := i + 1; k < 3; k++ {
			f := e.a[k][i] / e.a[i][i]
			for j := i; j < 3; j++ {
				e.a[k][j] -= f * e.a[i][j]
			}
			e.b[k] -= f * e.b[i]
		}
	}
	for i := 2; i >= 0; i-- {
		v[i] = e.b[i]
		for j := i + 1; j < 3; j++ {
			v[i] -= e.a[i][j] * v[j]
		}
		v[i] /= e.a[i][i]
	}
	for i := range v {
		v[i] /= scale[i]
	}
	return v, true
}
