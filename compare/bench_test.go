package compare

import (
	"math/rand/v2"
	"testing"
	"time"

	"wiregauge/hist"
	"wiregauge/result"
)

// BenchmarkBookkeeping is what a comparison does with the turns of one round beyond making calls: metrics, folding into the
// launch, rows. The share is that of the time of the round's turns, of a client that uses one core.
func BenchmarkBookkeeping(b *testing.B) {
	const callsPerTurn, arms = 10_000, 2
	c := newComparison(Plan{Arms: make([]Arm, arms), Launches: 10, Rounds: 40, Turn: shortestTurn, Primary: []string{"rate"}})
	st := &stage{data: &launch{folded: make([]result.Turn, arms), pools: make([]pool, len(c.metrics)), keptAlive: make([]int64, arms)}}
	r := rand.New(rand.NewPCG(1, 2))
	turns := make([]result.Turn, arms)
	for i := range turns {
		turns[i] = manyCalls(r, callsPerTurn)
	}
	b.ReportAllocs()
	for b.Loop() {
		rows := make([]result.Row, 0, arms)
		for i := range turns {
			rows = append(rows, result.NewRow(turns[i]))
		}
		c.keep(st.data, turns, []int{1, 0})
		c.rows = append(c.rows[:0], rows...)
		st.data.rounds = st.data.rounds[:0]
		for i := range st.data.folded {
			st.data.folded[i].Strips = nil
		}
	}
	perRound := float64(b.Elapsed()) / float64(b.N)
	b.ReportMetric(100*perRound/float64(arms*shortestTurn), "%-of-client")
}

// manyCalls is a turn with a spread of latencies.
func manyCalls(r *rand.Rand, n int) result.Turn {
	t := result.Turn{Window: shortestTurn, Counts: result.Counts{Due: int64(n), Sent: int64(n), OK: int64(n)}, CompletedInside: int64(n), FinishedInside: int64(n),
		Client: result.CPU{User: 200 * time.Millisecond, Cores: 2}}
	for _, h := range []**hist.Histogram{&t.Latency, &t.Service, &t.FirstByte, &t.SlotWait, &t.Oversleep} {
		*h = new(hist.Histogram)
		for range n {
			(*h).Record(time.Duration(100_000 + r.ExpFloat64()*200_000))
		}
	}
	return t
}
