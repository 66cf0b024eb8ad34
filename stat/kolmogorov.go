package stat

import (
	"math"
	"slices"
)

// exactKolmogorov is the number of values up to which the p value is exact.
const exactKolmogorov = 140

// KolmogorovSmirnov is the largest distance between the distribution function of x and cdf, and the two-sided p value
// of the test that x was drawn from it: exact up to 140 values (Marsaglia, Tsang and Wang 2003), above by the limit
// with the correction of Stephens 1970. cdf must be fixed beforehand, not fitted to x. No value gives 0 and 1.
func KolmogorovSmirnov(x []float64, cdf func(float64) float64) (distance, p float64) {
	n := float64(len(x))
	if len(x) == 0 {
		return 0, 1
	}
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	for i, v := range sorted {
		f := cdf(v)
		distance = math.Max(distance, math.Max(f-float64(i)/n, float64(i+1)/n-f))
	}
	if len(x) <= exactKolmogorov {
		return distance, math.Min(1, math.Max(0, 1-kolmogorovCDF(len(x), distance)))
	}
	return distance, kolmogorovTail(distance * (math.Sqrt(n) + 0.12 + 0.11/math.Sqrt(n)))
}

// kolmogorovTail is 2 sum (-1)^(k-1) exp(-2 k² z²), the limit of P(sqrt(n) D > z).
func kolmogorovTail(z float64) float64 {
	if z < 0.2 {
		return 1
	}
	sum, sign := 0.0, 1.0
	for k := 1.0; k <= 100; k++ {
		term := math.Exp(-2 * k * k * z * z)
		sum += sign * term
		sign = -sign
		if term < 1e-16 {
			break
		}
	}
	return math.Min(1, math.Max(0, 2*sum))
}

// kolmogorovCDF is P(D < d) for n values: n!/n^n times the middle of the n-th power of a matrix of size 2k - 1, with
// k = ceil(n d) (Durbin's formula in the form of Marsaglia, Tsang and Wang).
func kolmogorovCDF(n int, d float64) float64 {
	k := int(float64(n)*d) + 1
	size := 2*k - 1
	h := float64(k) - float64(n)*d
	if size > 2*n+1 || d >= 1 {
		return 1
	}
	power := durbinPower(durbinMatrix(size, h), n)
	p := power[k-1][k-1]
	for i := 1; i <= n; i++ {
		p *= float64(i) / float64(n)
	}
	return p
}

func durbinMatrix(size int, h float64) [][]float64 {
	m := make([][]float64, size)
	for i := range m {
		m[i] = make([]float64, size)
		for j := range m[i] {
			if i-j+1 >= 0 {
				m[i][j] = 1
			}
		}
	}
	for i := range size {
		m[i][0] -= math.Pow(h, float64(i+1))
		m[size-1][i] -= math.Pow(h, float64(size-i))
	}
	if 2*h-1 > 0 {
		m[size-1][0] += math.Pow(2*h-1, float64(size))
	}
	for i := range m {
		for j := range m[i] {
			for g := 2; g <= i-j+1; g++ {
				m[i][j] /= float64(g)
			}
		}
	}
	return m
}

// durbinPower is the n-th power. For the sizes that are called here no entry leaves the range of a float64.
func durbinPower(m [][]float64, n int) [][]float64 {
	if n == 1 {
		return m
	}
	half := durbinPower(m, n/2)
	square := multiply(half, half)
	if n%2 == 1 {
		return multiply(square, m)
	}
	return square
}

func multiply(a, b [][]float64) [][]float64 {
	c := make([][]float64, len(a))
	for i := range a {
		c[i] = make([]float64, len(b))
		for k, v := range a[i] {
			for j := range b {
				c[i][j] += v * b[k][j]
			}
		}
	}
	return c
}
