package compare

import "math/rand/v2"

// Order is the order of the n arms in one round: a permutation that depends on nothing but its arguments, so
// that the same plan and seed give the same order, whatever had to be repeated in between.
func Order(seed uint64, launch, round, n int) []int {
	return source(seed, "order", launch, round).Perm(n)
}

// StartOrder is the order in which the servers of one launch are started.
func StartOrder(seed uint64, launch, n int) []int {
	return source(seed, "start", launch, 0).Perm(n)
}

// padding is how many bytes an arm's environment is made larger by in one launch: the size of the environment
// moves the stack, and that alone can make a program faster or slower (Mytkowicz et al., ASPLOS 2009).
func padding(seed uint64, launch, arm int) int {
	return source(seed, "padding", launch, arm).IntN(4096)
}

// arrivals is the seed of a round's schedule: equal for all arms.
func arrivals(seed uint64, launch, round int) uint64 {
	return source(seed, "arrivals", launch, round).Uint64()
}

func source(seed uint64, purpose string, launch, index int) *rand.Rand {
	const prime = 1099511628211 // FNV-1a over what the stream is for
	h := uint64(14695981039346656037)
	for _, b := range []byte(purpose) {
		h = (h ^ uint64(b)) * prime
	}
	for _, v := range []int{launch, index} {
		h = (h ^ uint64(v)) * prime
		h ^= h >> 29
	}
	return rand.New(rand.NewPCG(seed, h))
}
