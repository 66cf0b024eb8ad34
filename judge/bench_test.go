package judge

import (
	"math/rand/v2"
	"testing"
)

// sixArms is a comparison of the usual size with six metrics, two of them of whole launches.
func sixArms(launches, rounds int) (Data, Rules) {
	s := sceneOf(busy, .01, launches, 0, .1, .01, -.2, .03, 0)
	s.rules.Rounds = rounds
	d := s.play(rand.New(rand.NewPCG(1, 1)))
	d.Ended = Finished
	for _, name := range []string{"p50", "p90", "p99", "cpu", "server_cpu"} {
		pooled := name == "p99" || name == "cpu"
		d.Metrics = append(d.Metrics, Metric{Name: name, Pooled: pooled})
		for l := range d.Launches {
			series := d.Launches[l].Series[0]
			series.Whole = series.Rounds[0]
			d.Launches[l].Series = append(d.Launches[l].Series, series)
		}
	}
	s.rules.Primary = []string{"p50", "p99"}
	return d, s.rules
}

// BenchmarkVerdicts judges 6 arms x 10 launches x 40 rounds.
func BenchmarkVerdicts(b *testing.B) {
	d, r := sixArms(10, 40)
	b.ReportAllocs()
	for b.Loop() {
		if len(Verdicts(d, r)) != 5*2+5*4+10*2 {
			b.Fatal("verdicts are missing")
		}
	}
}

// BenchmarkVerdictsOfOneLaunch judges 6 arms x 1 launch x 120 rounds.
func BenchmarkVerdictsOfOneLaunch(b *testing.B) {
	d, r := sixArms(1, 120)
	b.ReportAllocs()
	for b.Loop() {
		if len(Verdicts(d, r)) != 5*2+5*4+10*2 {
			b.Fatal("verdicts are missing")
		}
	}
}
