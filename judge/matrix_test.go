//go:build external

package judge

import (
	"fmt"
	"math"
	"testing"
)

// The whole matrix of machines, scatter of launches, arms and plans; it takes about a minute of one core.
func TestSimulatedMatrixKeepsItsPromises(t *testing.T) {
	for _, m := range []machine{quiet, noisy, busy} {
		for _, sd := range []float64{0, .005, .01, .02} {
			t.Run(fmt.Sprintf("%s machine, launches scatter by %g %%", m.name, 100*sd), func(t *testing.T) {
				check(t, matrixRows(m, sd))
			})
		}
	}
}

func matrixRows(m machine, sd float64) []promise {
	short, long := 95.0, 95.0 // of a planted 3 %
	switch {
	case sd > .01:
		short, long = 0, 0 // nothing is promised where launches scatter by more
	case m == busy:
		short, long = 70, 90
	}
	rows := []promise{
		holding(sceneOf(m, sd, 10, 0, 0), 2000, 0),
		holding(sceneOf(m, sd, 10, 0, 0, 0, 0), 2000, 0),
		holding(sceneOf(m, sd, 20, 0, 0), 2000, 0),
		finding(sceneOf(m, sd, 10, 0, three), 2000, short),
		finding(sceneOf(m, sd, 20, 0, three), 2000, long),
	}
	for _, effect := range []float64{0, .10, .20} { // a demonstration: 8 launches of 5 rounds
		row := finding(sceneOf(m, sd, 8, 0, math.Log1p(effect)), 2000, 0)
		row.rules.Rounds, row.coverMax = 5, 98 // the exact level of 8 launches is 96.1 %
		if effect == 0 {
			row.alarmsMax = 6
		}
		rows = append(rows, row)
	}
	for i := range rows[:5] {
		rows[i].withRestart = true
	}
	return rows
}
