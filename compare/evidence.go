package compare

import (
	"fmt"
	"math"
	"time"

	"wiregauge/judge"
	"wiregauge/result"
	"wiregauge/stat"
)

// rules are what the plan fixed before the first call.
func (p *Plan) rules() judge.Rules {
	return judge.Rules{
		Launches: p.Launches, Rounds: p.Rounds, MinEffect: p.MinEffect,
		Primary: p.Primary, Baseline: p.Baseline, Control: p.control(),
	}
}

// evidence is what was measured, as far as verdicts depend on it. The totals must be summed up.
func (c *comparison) evidence() judge.Data {
	d := judge.Data{
		Ended: c.ending(), Open: c.plan.Open, Invalid: c.invalidShare(), Doubts: c.doubts(),
		LaunchTime: c.launchTime(), Exact: []judge.Exact{c.wireBytes()},
	}
	if len(c.reasons) > 0 {
		d.InvalidReason = c.reasons[0]
	}
	for i, a := range c.plan.Arms {
		d.Arms = append(d.Arms, judge.Arm{
			Name: a.Name, Floor: a.Floor,
			Limited: !c.plan.Open && clientLimited(&c.totals[i]),
		})
	}
	for m := range c.metrics {
		d.Metrics = append(d.Metrics, c.metrics[m].Metric)
	}
	for _, l := range c.launches {
		d.Launches = append(d.Launches, c.launchEvidence(l))
	}
	return d
}

// ending is how the comparison came to its end, or where it is when it goes on.
func (c *comparison) ending() judge.Ended {
	switch {
	case c.ended != nil:
		return judge.Interrupted
	case c.stopped:
		return judge.AtLook
	}
	return judge.Finished
}

func (c *comparison) launchEvidence(l *launch) judge.Launch {
	out := judge.Launch{Cut: l.cut, Series: make([]judge.Series, len(c.metrics))}
	for m := range c.metrics {
		s := &out.Series[m]
		switch {
		case !c.metrics[m].Pooled:
			s.Rounds = l.values(m)
		case c.perLaunch():
			s.Whole = make([]float64, len(l.folded))
			for i := range l.folded {
				s.Whole[i] = c.metrics[m].value(&l.folded[i])
			}
		default:
			s.Rounds, s.Block, s.Missing = l.pools[m].blocks, l.pools[m].most, l.pools[m].open
		}
	}
	return out
}

// values are those of one metric: [round][arm].
func (l *launch) values(metric int) [][]float64 {
	list := make([][]float64, len(l.rounds))
	for r := range l.rounds {
		list[r] = make([]float64, len(l.rounds[r].values))
		for i, values := range l.rounds[r].values {
			list[r][i] = values[metric]
		}
	}
	return list
}

// wireBytes is what a call costs on the wire, which is counted and needs no test.
func (c *comparison) wireBytes() judge.Exact {
	e := judge.Exact{Metric: "bytes", Values: make([]float64, len(c.totals))}
	for i := range c.totals {
		if t := &c.totals[i]; t.Finished() > 0 {
			e.Values[i] = float64(t.SentBytes.Wire+t.RecvBytes.Wire) / float64(t.Finished())
		}
	}
	return e
}

// launchTime is how long one launch took, with its start and its warm-up.
func (c *comparison) launchTime() time.Duration {
	if len(c.launches) == 0 {
		return 0
	}
	return time.Since(c.began) / time.Duration(len(c.launches))
}

// doubts are the reasons to conclude nothing that no trust check sees.
func (c *comparison) doubts() []judge.Doubt {
	var list []judge.Doubt
	for i := range c.totals {
		if t := &c.totals[i]; t.OK == 0 {
			list = append(list, judge.Doubt{Code: "V10", Level: result.TrustNotTrustworthy, A: t.Arm,
				Reason: fmt.Sprintf("no call of %s was answered well", t.Arm)})
		}
	}
	return list
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

// failures compares the arms' shares of failed calls over all rounds: who fails fast is not fast.
func (c *comparison) failures() result.FairCheck {
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
	return check
}

// invalidShare counts rounds that could not be used, repeats and those that a lost arm left unplayed included.
func (c *comparison) invalidShare() float64 {
	all := c.played + c.lost
	if all == 0 {
		return 0
	}
	return float64(c.invalid+c.lost) / float64(all)
}
