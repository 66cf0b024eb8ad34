package gate

// Percent is the percentile that the gate is about, in percent; 0 for another metric.
func (g *Gate) Percent() float64 { return g.percent }

// Good reports whether a value, in the metric's unit, is on the good side of the bound.
func (g *Gate) Good(v float64) bool { return g.good(v) }
