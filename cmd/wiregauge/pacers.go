package main

import (
	"math/big"
	"time"

	"wiregauge/pace"
)

// newPacer spaces the calls of a rate.
func newPacer(perSecond *big.Rat, arrivals string, seed uint64) pace.Pacer {
	if arrivals == "poisson" {
		return pace.Poisson(perSecond, seed)
	}
	return pace.Constant(perSecond)
}

// smoothPacer is a rate that rises or falls evenly from one level to another.
func smoothPacer(from, to *big.Rat, over time.Duration) pace.Pacer {
	return pace.Ramp([]pace.Step{{From: from, To: to, Over: over}})
}
