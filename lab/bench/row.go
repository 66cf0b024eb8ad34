package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// A row is one work done by wiregauge and by one peer.
type row struct {
	name       string
	ours, peer tool
	goal       float64
}

// A tool is one client command for a number of calls.
type tool struct {
	name  string
	share float64 // of the calls asked for; slow tools make fewer
	timed bool    // runs for a time, not for a number of calls
	// command is its argument list for n calls; count reads from its output how many calls were answered well.
	command func(o options, n int) []string
	count   func(output string) (int64, error)
}

// measured is a row with its numbers.
type measured struct {
	row
	ours, peer []time.Duration // CPU per call, pair by pair
	ratios     []float64
}

func (r row) measure(ctx context.Context, o options) (*measured, error) {
	m := &measured{row: r}
	for pair := -1; pair < o.pairs; pair++ { // the first pair warms the server up
		order := []tool{r.ours, r.peer}
		if pair%2 == 0 {
			order = []tool{r.peer, r.ours}
		}
		cost := map[string]time.Duration{}
		for _, t := range order {
			c, err := t.perCall(ctx, o)
			if err != nil {
				return nil, err
			}
			cost[t.name] = c
		}
		if pair < 0 {
			continue
		}
		ours, peer := cost[r.ours.name], cost[r.peer.name]
		m.ours, m.peer = append(m.ours, ours), append(m.peer, peer)
		m.ratios = append(m.ratios, float64(ours)/float64(peer))
	}
	return m, nil
}

// perCall runs the tool once on core 1 and divides its CPU time by the calls that were answered well.
func (t tool) perCall(ctx context.Context, o options) (time.Duration, error) {
	n := int(float64(o.calls) * t.share)
	out, cpu, _, err := runPinned(ctx, "1", t.command(o, n))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", t.name, err)
	}
	done, err := t.count(out)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", t.name, err)
	}
	if done == 0 || !t.timed && done < int64(n)*9/10 {
		return 0, fmt.Errorf("%s answered %d of %d calls", t.name, done, n)
	}
	return cpu / time.Duration(done), nil
}

func (m *measured) String() string {
	ratio := median(m.ratios)
	word := "met"
	if ratio > m.goal {
		word = "MISSED"
	}
	return fmt.Sprintf("%-38s %-8s %8.2f µs %8.2f µs %8.3f  %-15s %7.3f  %s", m.name, m.row.peer.name,
		micros(median(m.ours)), micros(median(m.peer)), ratio,
		fmt.Sprintf("%.3f to %.3f", slices.Min(m.ratios), slices.Max(m.ratios)), m.goal, word)
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func median[T ~int64 | ~float64](x []T) T {
	s := slices.Clone(x)
	slices.Sort(s)
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}
