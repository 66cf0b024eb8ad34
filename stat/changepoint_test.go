package stat

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// generated is a series of a linear congruential generator, the same in any language, on top of levels.
func generated(levels ...[2]float64) []float64 {
	state := int64(7)
	var x []float64
	for _, l := range levels {
		for range int(l[0]) {
			state = (state*1103515245 + 12345) % (1 << 31)
			x = append(x, l[1]+float64(state)/(1<<31))
		}
	}
	return x
}

// The places are those of ruptures 1.1.10, Pelt(model="l2", jump=1), on the same numbers.
func TestChangePointsAreThoseOfAnotherImplementation(t *testing.T) {
	for _, row := range []struct {
		name string
		x    []float64
		want []int
	}{
		{"two steps", generated([2]float64{40, 0}, [2]float64{30, 0.8}, [2]float64{50, 0.3}), []int{39, 69}},
		{"no step", generated([2]float64{120, 0}), nil},
		{"three outliers are no level", generated([2]float64{50, 0}, [2]float64{3, 2}, [2]float64{60, 0}), nil},
		{"all equal", make([]float64, 50), nil},
		{"one value", []float64{1}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, least := range []int{1, 5} {
				if got := ChangePoints(row.x, least); !slices.Equal(got, row.want) {
					t.Errorf("with segments of %d values at least: %v, want %v", least, got, row.want)
				}
			}
		})
	}
	raw := PELT(generated([2]float64{50, 0}, [2]float64{3, 2}, [2]float64{60, 0}), 0.5, 2)
	if want := []int{50, 53}; !slices.Equal(raw, want) {
		t.Errorf("PELT on the values themselves: %v, want %v", raw, want)
	}
}

// Leaving out starts that cannot win any more must never change the answer: all ways to split are tried beside it.
func TestPELTFindsTheBestOfAllSplits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n, least, penalty := 1+rng.IntN(40), 1+rng.IntN(6), rng.Float64()*8
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(rng.IntN(3)) + rng.NormFloat64()
		}
		got := PELT(x, penalty, least)
		if best := bestSplit(x, penalty, least); splitCost(x, got, penalty) > best+1e-9 {
			t.Fatalf("%v, penalty %v, least %d: %v costs %v, the best %v", x, penalty, least, got, splitCost(x, got, penalty), best)
		}
		from := 0
		for _, at := range append(slices.Clone(got), n) {
			if at-from < least && len(got) > 0 {
				t.Fatalf("segment of %d values, want %d at least", at-from, least)
			}
			from = at
		}
	}
}

func splitCost(x []float64, changes []int, penalty float64) (cost float64) {
	from := 0
	for _, at := range append(slices.Clone(changes), len(x)) {
		mean, _ := MeanVariance(x[from:at])
		for _, v := range x[from:at] {
			cost += (v - mean) * (v - mean)
		}
		from = at
	}
	return cost + penalty*float64(len(changes))
}

// bestSplit is the least cost, by the recurrence without any pruning.
func bestSplit(x []float64, penalty float64, least int) float64 {
	best := map[int]float64{0: -penalty}
	for t := 1; t <= len(x); t++ {
		for s, cost := range best {
			if t-s < least {
				continue
			}
			c := cost + penalty + splitCost(x[s:t], nil, 0)
			if had, ok := best[t]; !ok || c < had {
				best[t] = c
			}
		}
	}
	if cost, ok := best[len(x)]; ok {
		return cost
	}
	return splitCost(x, nil, penalty)
}

func TestStationaryNoiseHardlyEverHasAChangePoint(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	broken := 0
	for range 400 {
		x := make([]float64, 150)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		if len(ChangePoints(x, 5)) > 0 {
			broken++
		}
	}
	if broken > 8 {
		t.Errorf("%d of 400 stationary series have a change point, want 8 at most", broken)
	}
}
