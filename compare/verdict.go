package compare

import (
	"slices"

	"wiregauge/judge"
	"wiregauge/result"
	"wiregauge/trust"
)

// judge fills in how far f may be believed and what may be said about it. With a control the noise floor comes first,
// and the doubts that it casts on verdicts are seen once there are verdicts: then they are made once more.
func (c *comparison) judge(f *result.File) judge.Data {
	rules := c.plan.rules()
	d := c.evidence()
	d.Checked = true
	f.NoiseFloor = judge.NoiseFloor(d, rules)
	c.believe(f, &d)
	f.Verdicts = judge.Verdicts(d, rules)
	if f.NoiseFloor != nil {
		c.believe(f, &d)
		f.Verdicts = judge.Verdicts(d, rules)
	}
	return d
}

// believe runs the trust checks and takes their doubts over.
func (c *comparison) believe(f *result.File, d *judge.Data) {
	f.Trust = trust.Of(f)
	d.Doubts, d.Checked = judge.DoubtsOf(f.Trust)
	d.Doubts = append(d.Doubts, c.doubts()...)
}

// enough reports whether the comparison may end at a planned look before its last launch.
func (c *comparison) enough() bool {
	looks := judge.Looks(c.plan.Launches)
	early := looks[:len(looks)-1]
	if c.plan.WholePlan || !slices.ContainsFunc(early, func(l judge.Look) bool { return l.Launches == len(c.launches) }) {
		return false
	}
	return judge.Stop(c.judge(c.measured()), c.plan.rules())
}
