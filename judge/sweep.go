package judge

import (
	"wiregauge/result"
	"wiregauge/stat"
)

// Sweep judges several comparisons that were declared before the first call, such as points of a sweep, each by its own
// rules. The pairs with the baseline in the primary metrics of all of them are one family of tests; of each it returns
// what Verdicts would.
func Sweep(points []Data, rules []Rules) [][]result.Verdict {
	judged := make([]*judging, len(points))
	samples := make([][]sample, len(points))
	var p []float64
	for i := range points {
		judged[i] = newJudging(&points[i], &rules[i])
		baseline, _ := judged[i].pairs()
		samples[i] = judged[i].samples(baseline)
		for k := range samples[i] {
			p = append(p, samples[i][k].p)
		}
	}
	adjusted := stat.Holm(p)
	lists := make([][]result.Verdict, len(points))
	for i, j := range judged {
		baseline, others := j.pairs()
		for k := range samples[i] {
			lists[i] = append(lists[i], j.verdict(&samples[i][k], adjusted[0], len(p), true))
			adjusted = adjusted[1:]
		}
		for _, pr := range baseline {
			lists[i] = append(lists[i], j.shown(pr)...)
		}
		lists[i] = append(lists[i], j.family(others, false)...)
	}
	return lists
}
