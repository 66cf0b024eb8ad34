package compare

import "wiregauge/result"

// A pool takes rounds of the only launch together until a metric exists for every arm: one round may have too few
// calls for its p99. Each block of rounds so made is one unit.
type pool struct {
	turns  []result.Turn // one per arm, of the block that is being filled
	open   int           // rounds in it
	blocks [][]float64   // [block][arm]
	most   int           // rounds in the largest block
}

// add takes one more round. judged are the arms that must have the metric.
func (p *pool) add(m metric, turns []result.Turn, judged []int) {
	if p.turns == nil {
		p.turns = make([]result.Turn, len(turns))
	}
	p.open++
	block := make([]float64, len(turns))
	for i := range turns {
		p.turns[i].Add(&turns[i])
		block[i] = m.value(&p.turns[i])
	}
	for _, i := range judged {
		if block[i] <= 0 {
			return
		}
	}
	p.blocks = append(p.blocks, block)
	p.most = max(p.most, p.open)
	p.turns, p.open = nil, 0
}
