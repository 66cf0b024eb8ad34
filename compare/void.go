package compare

import (
	"fmt"
	"math"

	"wiregauge/result"
	"wiregauge/stat"
)

// mostInvalid is the share of invalid rounds above which nothing may be concluded.
const mostInvalid = 0.20

// voids lists the reasons why nothing may be concluded about a pair.
func (c *comparison) voids(s *sample) []string {
	list := []string{}
	if c.fair != nil {
		list = append(list, faults(c.fair)...)
	}
	if share := c.invalidShare(); share > mostInvalid {
		why := fmt.Sprintf("%.0f %% of the rounds were invalid, more than %.0f %%", 100*share, 100*mostInvalid)
		if len(c.reasons) > 0 {
			why += ": " + c.reasons[0]
		}
		list = append(list, why)
	}
	a, b := &c.totals[s.a], &c.totals[s.b]
	for _, t := range []*result.Turn{a, b} {
		switch err := t.Counts.Check(); {
		case t.OK == 0:
			list = append(list, fmt.Sprintf("no call of %s was answered well", t.Arm))
		case err != nil:
			list = append(list, fmt.Sprintf("the calls of %s do not add up: %v", t.Arm, err))
		}
	}
	if !c.plan.Open {
		list = append(list, limitedVoid(s, a, b)...)
	}
	return list
}

// limitedVoid refuses a closed-loop verdict that the client decided: both arms limited by it, or the loser.
func limitedVoid(s *sample, a, b *result.Turn) []string {
	la, lb := clientLimited(a), clientLimited(b)
	loser, lost := a, la
	if s.mean < 0 {
		loser, lost = b, lb
	}
	switch {
	case la && lb:
		return []string{fmt.Sprintf("the client was the limit of %s and %s: it had no CPU left", a.Arm, b.Arm)}
	case lost:
		return []string{fmt.Sprintf("the client was the limit of %s, the slower arm: it had no CPU left", loser.Arm)}
	}
	return nil
}

// atLeast marks a verdict whose winner could have been faster still with a stronger client (case: the client is
// the limit).
func (c *comparison) atLeast(s *sample, reasons []string) (bool, []string) {
	if c.plan.Open {
		return false, reasons
	}
	winner := s.b
	if s.mean < 0 {
		winner = s.a
	}
	t := &c.totals[winner]
	if !clientLimited(t) {
		return false, reasons
	}
	return true, append(reasons, fmt.Sprintf("client-limited: the client had no CPU left for %s, which is at least this fast", t.Arm))
}

// fullShare is the share of its cores at which a process has nothing left.
const fullShare = 0.95

// clientLimited reports whether the client's CPU was used up while the server's was not. A connection is driven
// by one goroutine, so fewer connections than cores can use no more cores than that.
func clientLimited(t *result.Turn) bool {
	client := t.Client
	if n := t.Connections.Asked; n > 0 {
		client.Cores = math.Min(client.Cores, float64(n))
	}
	if client.Share(t.Window) < fullShare {
		return false
	}
	return t.Server == nil || t.Server.Share(t.Window) < fullShare
}

// The least difference of failure shares that makes a test unfair, and the p value it must have.
const (
	failureGap   = 0.001
	failureAlpha = 0.01
)

// checkFailures compares the arms' shares of failed calls over all rounds: who fails fast is not fast.
func (c *comparison) checkFailures() {
	check := result.FairCheck{Name: "failures", Passed: true}
	for i := range c.plan.Arms {
		for j := range i {
			if c.plan.Arms[i].Floor || c.plan.Arms[j].Floor {
				continue
			}
			a, b := &c.totals[j], &c.totals[i]
			gap := math.Abs(a.ErrorShare() - b.ErrorShare())
			if gap <= failureGap || stat.Fisher(a.Failed, a.OK, b.Failed, b.OK) >= failureAlpha {
				continue
			}
			check.Passed = false
			check.Detail = fmt.Sprintf("%s failed %.3g %% of its calls, %s %.3g %%", a.Arm, 100*a.ErrorShare(), b.Arm, 100*b.ErrorShare())
		}
	}
	if c.fair == nil {
		c.fair = &result.Fair{Checks: []result.FairCheck{}, Differ: []string{}}
	}
	c.fair.Checks = append(c.fair.Checks, check)
}

// invalidShare counts rounds that could not be used, repeats and those that a lost arm left unplayed included.
func (c *comparison) invalidShare() float64 {
	all := c.played + c.lost
	if all == 0 {
		return 0
	}
	return float64(c.invalid+c.lost) / float64(all)
}
