package html

import "wiregauge/report/story"

// glossary explains the words of a page to whoever did not run the test.
func glossary() []story.Fact {
	return []story.Fact{
		{Name: "p99", Text: "The smallest time that at least 99 of 100 calls stayed within (nearest rank). It is told only when at least 10 calls lie beyond it; with fewer than 100 beyond (~) it rests on few samples."},
		{Name: "latency", Text: "From when a call was due to the end of its answer. In a closed loop a call is due when its caller is free."},
		{Name: "service time", Text: "From when a call had its place on a connection. What latency has more is waiting."},
		{Name: "goodput", Text: "Calls that succeeded, per second of the measured window. The rate of all finished calls includes failures."},
		{Name: "open, closed loop", Text: "Open: calls are due by the clock. Closed: each caller waits for its answer, so that a slow server is asked less."},
		{Name: "launch, round", Text: "A launch starts the servers anew; in a round every target has one turn, in random order. Ratios are taken within a round, so that what slows the machine down slows all targets down."},
		{Name: "95 % interval", Text: "Of 100 intervals made like this one about 95 hold the true ratio. The observations are launches (or rounds, when there was one launch), never single calls."},
		{Name: "HIGH", Text: "Different by the exact test, or the whole interval within the band of no practical difference; on at least 6 launches, and no check casts doubt on the ratios."},
		{Name: "MEDIUM", Text: "The same with one doubt: a single launch, stopped early, or a check that asks for care. Or probably different, on several launches."},
		{Name: "LOW", Text: "Everything else: the numbers may lean one way and prove nothing."},
		{Name: "no practical difference", Text: "The whole interval lies within the band that was agreed to be too small to matter."},
		{Name: "struck through", Text: "A check says that this number must not be used; the reason stands under Checks. A ratio may still hold, for both of its numbers suffered alike."},
		{Name: "unfinished, unsent", Text: "Calls in flight when the time was over, and calls that were due but never left. Neither is in a latency table."},
		{Name: "warm-up", Text: "The calls before a target found its pace. They were made and are in no other number."},
	}
}
