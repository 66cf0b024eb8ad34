package compare

import (
	"wiregauge/judge"
	"wiregauge/result"
)

// verdicts is what may be said and, with a control, the noise floor. The noise floor casts doubts of its own, and with
// them the verdicts are made once more.
func (c *comparison) verdicts(d judge.Data) ([]result.Verdict, *result.NoiseFloor) {
	rules := c.plan.rules()
	floor := judge.NoiseFloor(d, rules)
	verdicts := judge.Verdicts(d, rules)
	if floor == nil {
		return verdicts, nil
	}
	d.Doubts = append(d.Doubts, judge.NoiseDoubts(floor, verdicts)...)
	return judge.Verdicts(d, rules), floor
}

// enough reports whether the comparison may end at a planned look before its last launch.
func (c *comparison) enough() bool {
	c.sumUp()
	return judge.Stop(c.evidence(), c.plan.rules())
}
