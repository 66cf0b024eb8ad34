package truth

import (
	"math"
	"slices"
	"time"
)

// NearestRank is percentile p (in percent) of durations in rising order: the smallest one that at least p percent of
// them do not exceed. It is 0 of none.
func NearestRank(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(p / 100 * float64(len(sorted)) * (1 - 1e-12)))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// Stall is the quantile of latencies at a server without limits whose service takes d and which answers nothing for
// the last s of every n, under calls that are due evenly in time: p in [0, 1].
func Stall(d, s, n time.Duration, p float64) time.Duration {
	return d + max(0, s-time.Duration((1-p)*float64(n)))
}

// StallQueue is the same at a server that serves one call at a time, of which it is busy for the share rho without
// stalls: the queue that a stall leaves behind takes s/(1−rho) to go away.
func StallQueue(d, s, n time.Duration, rho, p float64) time.Duration {
	return d + max(0, s-time.Duration((1-rho)*(1-p)*float64(n)))
}

// Exponential is the quantile of an exponential law.
func Exponential(mean time.Duration, p float64) time.Duration {
	return scale(mean, -math.Log1p(-p))
}

// MM1 is the quantile of the time in the system of an M/M/1 queue: exponential with the mean d/(1−rho), rho = rate·d
// (Kleinrock, Queueing Systems I, 1975).
func MM1(rate float64, d time.Duration, p float64) time.Duration {
	return Exponential(scale(d, 1/(1-rate*d.Seconds())), p)
}

// Erlang is the quantile of the sum of k exponential times of the mean d: what each of k callers of a closed loop waits
// at a server that serves one call at a time.
func Erlang(k int, d time.Duration, p float64) time.Duration {
	return scale(d, invert(p, func(x float64) float64 {
		term, sum := 1.0, 1.0
		for i := 1; i < k; i++ {
			term *= x / float64(i)
			sum += term
		}
		return 1 - math.Exp(-x)*sum
	}))
}

// MD1 is the quantile of the time in the system of an M/D/1 queue (Erlang 1909, in the form of Crommelin 1932): with
// rho = rate·d, P(wait ≤ t) = (1−rho)·Σ_j e^(−x_j)·x_j^j/j! over j ≤ t/d, where x_j = −rate·(t − j·d). It holds for
// rho below about 0.95 and p below about 0.9999, beyond which the alternating sum loses its digits.
func MD1(rate float64, d time.Duration, p float64) time.Duration {
	rho := rate * d.Seconds()
	wait := func(t float64) float64 { // t in units of d
		sum := 0.0
		for j := 0.0; j <= t; j++ {
			x := rho * (j - t)
			lg, _ := math.Lgamma(j + 1)
			term := math.Exp(-x + j*math.Log(math.Max(-x, 1e-300)) - lg)
			if j == 0 {
				term = math.Exp(-x)
			}
			if math.Mod(j, 2) == 1 {
				term = -term
			}
			sum += term
		}
		return (1 - rho) * sum
	}
	return d + scale(d, invert(p, wait))
}

// Contended is how long service takes when n calls are being served, under the universal scalability law (Gunther, A
// General Theory of Computational Scalability, 2008).
func Contended(d time.Duration, sigma, kappa float64, n int) time.Duration {
	x := float64(n)
	return scale(d, 1+sigma*(x-1)+kappa*x*(x-1))
}

// Peak is the number of calls being served at which that law has its highest throughput.
func Peak(sigma, kappa float64) float64 { return math.Sqrt((1 - sigma) / kappa) }

// Settled is the call from which a service that comes down from factor·d to d exponentially over n calls stays within
// the share of d.
func Settled(factor float64, n int, share float64) int {
	return int(math.Ceil(float64(n) * (1 - math.Log(1+share)/math.Log(factor))))
}

// twoValues is the quantile where a share of the calls is slow and the rest fast.
func twoValues(fast, slow time.Duration, share, p float64) time.Duration {
	if p > 1-share {
		return slow
	}
	return fast
}

// invert finds the x ≥ 0 at which a distribution function reaches p; 0 where it starts above.
func invert(p float64, f func(x float64) float64) float64 {
	if f(0) >= p {
		return 0
	}
	high := 1.0
	for f(high) < p && high < 1e6 {
		high *= 2
	}
	low := 0.0
	for range 80 {
		middle := (low + high) / 2
		if f(middle) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

func scale(d time.Duration, x float64) time.Duration {
	return time.Duration(math.Round(float64(d) * x))
}

// KolmogorovSmirnov is the largest distance between the distribution of gaps and the exponential one of a rate (calls
// per second), and the distance that a share of alpha of honest samples exceeds, by the asymptotic law.
func KolmogorovSmirnov(gaps []time.Duration, rate, alpha float64) (distance, limit float64) {
	sorted := slices.Clone(gaps)
	slices.Sort(sorted)
	n := float64(len(sorted))
	for i, g := range sorted {
		f := -math.Expm1(-rate * g.Seconds())
		distance = max(distance, f-float64(i)/n, float64(i+1)/n-f)
	}
	return distance, math.Sqrt(-math.Log(alpha/2)/2) / math.Sqrt(n)
}
