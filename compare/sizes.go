package compare

import (
	"fmt"
	"slices"

	"wiregauge/result"
)

// sizes are the least and the greatest mean size of an arm's messages in a turn, in bytes, and where each was.
type sizes struct {
	least, most sizeAt
	streams     bool // not judged
}

type sizeAt struct {
	bytes         float64
	launch, round int
}

const (
	// sizeChange is how far the mean size of one arm's replies may move between turns before its work counts as another:
	// far above what lists of different messages and cut-off turns do, and far below a page in place of a reply.
	sizeChange = 1.25
	// leastSized is how many calls a turn needs for that, so that one that was cut off does not weigh.
	leastSized = 20
)

func (s *sizes) add(t *result.Turn) {
	n := max(t.Messages, t.OK)
	if s.streams || n < leastSized || t.Failed > 0 || t.Unfinished*10 > n || t.RecvBytes.Body <= 0 {
		return
	}
	at := sizeAt{float64(t.RecvBytes.Body) / float64(n), t.Launch + 1, t.Round + 1}
	if s.least.bytes == 0 || at.bytes < s.least.bytes {
		s.least = at
	}
	if at.bytes > s.most.bytes {
		s.most = at
	}
}

// checkSizes finds an arm whose replies changed while it was measured: the call before the first turn does not show it.
func (c *comparison) checkSizes(fair *result.Fair) {
	i := slices.IndexFunc(fair.Checks, func(k result.FairCheck) bool { return k.Name == "reply" })
	if i < 0 || !fair.Checks[i].Passed {
		return
	}
	for a, s := range c.sizes {
		if c.plan.Arms[a].Floor || s.most.bytes <= sizeChange*s.least.bytes {
			continue
		}
		fair.Checks[i] = result.FairCheck{Name: "reply", Detail: fmt.Sprintf("the replies of %s had %.4g B on average in launch %d, round %d, and %.4g B in launch %d, round %d",
			c.plan.Arms[a].Name, s.least.bytes, s.least.launch, s.least.round, s.most.bytes, s.most.launch, s.most.round)}
		return
	}
}
