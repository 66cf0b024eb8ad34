package stat

// Isotonic is the rising series that is closest to y in the sum of squares, each value weighted: the fit of a curve of
// which nothing is known but that it never falls. It pools neighbours that are out of order into their mean (Ayer and
// others 1955). weights may be nil, for equal ones; otherwise there are as many as values, all above 0.
func Isotonic(y, weights []float64) []float64 {
	type block struct {
		mean, weight float64
		n            int
	}
	var blocks []block
	for i, v := range y {
		b := block{v, 1, 1}
		if weights != nil {
			b.weight = weights[i]
		}
		for len(blocks) > 0 && blocks[len(blocks)-1].mean >= b.mean {
			last := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			weight := last.weight + b.weight
			b = block{(last.mean*last.weight + b.mean*b.weight) / weight, weight, last.n + b.n}
		}
		blocks = append(blocks, b)
	}
	fit := make([]float64, 0, len(y))
	for _, b := range blocks {
		for range b.n {
			fit = append(fit, b.mean)
		}
	}
	return fit
}
