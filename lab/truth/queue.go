package truth

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"time"
)

// Queue is how long each call stays in a system of slots that serve in the order of arrival: the recursion of Lindley
// (The theory of queues with a single server, 1952), for any number of slots. arrived is in rising order.
func Queue(slots int, arrived, service []time.Duration) []time.Duration {
	free := make(moments, slots)
	stay := make([]time.Duration, len(arrived))
	for i, at := range arrived {
		done := max(at, free[0]) + service[i]
		free[0] = done
		heap.Fix(&free, 0)
		stay[i] = done - at
	}
	return stay
}

// MDk simulates an M/D/k queue: n calls of a Poisson process of that rate (calls per second) at k slots that take d
// each. It returns their times in the system in rising order, a function of its arguments alone.
func MDk(k int, d time.Duration, rate float64, n int, seed uint64) []time.Duration {
	r := rand.New(rand.NewPCG(seed, 0))
	arrived, service := make([]time.Duration, n), make([]time.Duration, n)
	var at float64
	for i := range arrived {
		at += r.ExpFloat64() / rate
		arrived[i], service[i] = time.Duration(at*1e9), d
	}
	stay := Queue(k, arrived, service)
	slices.Sort(stay)
	return stay
}

// moments has the earliest first, for package heap.
type moments []time.Duration

func (m moments) Len() int           { return len(m) }
func (m moments) Less(i, j int) bool { return m[i] < m[j] }
func (m moments) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }

// Push is for package heap; a queue has a fixed number of slots.
func (m *moments) Push(any) { panic("truth: a queue does not grow") }

// Pop is for package heap; a queue has a fixed number of slots.
func (m *moments) Pop() any { panic("truth: a queue does not shrink") }
