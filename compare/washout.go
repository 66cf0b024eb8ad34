package compare

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"time"

	"wiregauge/pace"
	"wiregauge/result"
	"wiregauge/stat"
)

// The washout is discarded after each switch to an arm: what the arm before has left behind in caches, clocks and
// windows shall not count.
const (
	washoutMedians = 5
	longestWashout = longestTurn
)

// washoutFor is how long an arm needs after a switch before its turn counts.
func washoutFor(least time.Duration, warm *result.Turn) time.Duration {
	if warm.Latency == nil || warm.Latency.Count() == 0 {
		return least
	}
	return max(least, min(washoutMedians*warm.Latency.Percentile(50), longestWashout))
}

// carryOverAlpha is the level of the order test.
const carryOverAlpha = 0.01

// checkOrder tests, once in a comparison, whether it matters which of two arms has its turn first: the ratios of rounds
// in the order AB against those in the order BA, each without the mean of its launch. If it does, an arm leaves
// something behind for longer than the washout, which is doubled from here on. Orders are random, so that the rounds
// before are not biased, only noisier.
func (c *comparison) checkOrder() {
	c.orderChecked = true
	for _, b := range c.judged {
		a := slices.Index(c.plan.Names(), c.plan.Baseline)
		if a == b {
			continue
		}
		for m := range c.plan.Primary {
			if c.metrics[m].Pooled {
				continue
			}
			first, second := c.byOrder(m, a, b)
			p := stat.RankSum(first, second)
			if len(first) < 2 || len(second) < 2 || p >= carryOverAlpha {
				continue
			}
			c.widened = 2
			c.remark(fmt.Sprintf("it mattered whether %s or %s came first in a round (p %.2g in %s): the time discarded after each switch is doubled from here on",
				c.plan.Baseline, c.plan.Arms[b].Name, p, c.metrics[m].Name))
			return
		}
	}
}

// byOrder are the log ratios of all rounds so far, apart by which arm came first.
func (c *comparison) byOrder(metric, a, b int) (aFirst, bFirst []float64) {
	for _, l := range c.present() {
		var d []float64
		var before []bool
		for _, r := range l.rounds {
			if ratio, ok := c.metrics[metric].LogRatio(r.values[a][metric], r.values[b][metric]); ok {
				d = append(d, ratio)
				before = append(before, r.place[a] < r.place[b])
			}
		}
		mean, _ := stat.MeanVariance(d)
		for i := range d {
			if before[i] {
				aFirst = append(aFirst, d[i]-mean)
			} else {
				bFirst = append(bFirst, d[i]-mean)
			}
		}
	}
	return aFirst, bFirst
}

// present are the launches that were played and the one that is being played.
func (c *comparison) present() []*launch {
	if c.current == nil {
		return c.launches
	}
	return append(slices.Clone(c.launches), c.current)
}

// keepAliveEvery is how long an arm may idle before it gets a call that nobody measures.
const keepAliveEvery = time.Second

// keepAlive makes one call of every arm that has idled for a second, except the one whose turn it is. It is never made
// inside another arm's turn, which it would disturb, so that the pauses of an arm can be longer than a second by the
// turns of the others.
func (c *comparison) keepAlive(ctx context.Context, st *stage, next int) {
	for i := range st.turners {
		if i == next || time.Since(st.lastCall[i]) < keepAliveEvery || ctx.Err() != nil {
			continue
		}
		spec := c.outside(st, i)
		none := time.Duration(0)
		spec.Total, spec.Duration, spec.Drain = 1, 200*time.Millisecond, &none
		if c.plan.Open {
			spec.Pacer = pace.Constant(big.NewRat(1, 1))
		}
		if t, err := c.thrownAway(ctx, st, i, spec); err == nil {
			st.data.keptAlive[i] += t.Sent
		}
	}
}
