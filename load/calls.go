package load

import (
	"wiregauge"
	"wiregauge/result"
)

// log keeps a call of the measured window for the plan's log, when there is one. A call that is not finished has no
// latency.
func (a *tally) log(s *slot, t *turn) {
	if t == nil || t.book.log == nil {
		return
	}
	c := result.Call{
		Index: s.index, Step: t.spec.Step, Due: s.Due - t.begin(), Latency: wiregauge.Never, Service: wiregauge.Never,
		Outcome: s.Outcome.String(), Status: s.Status, Answered: answered(s.Outcome),
	}
	if s.Outcome != wiregauge.Unfinished {
		c.Latency = s.Done - s.Due
		if s.Permit >= 0 {
			c.Service = s.Done - s.Permit
		}
	}
	if s.Outcome != wiregauge.Unfinished && s.Outcome != wiregauge.OK {
		c.Class = t.book.name(class{outcome: s.Outcome, status: s.Status})
		c.Text = s.Text[:min(len(s.Text), maxExample)]
	}
	a.calls = append(a.calls, c)
}

// tell hands calls over to the log.
func (b *book) tell(calls []result.Call) {
	if len(calls) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log(calls)
}
