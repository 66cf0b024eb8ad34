package truth

import (
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"
)

// A Log is what a planted server saw of its calls, one Entry each. The zero value is ready; it is safe for concurrent
// use. It keeps the first MaxEntries calls and counts the rest.
type Log struct {
	mu      sync.Mutex
	entries []Entry
	lost    int64
}

// MaxEntries bounds the memory of a Log to about 200 MB.
const MaxEntries = 4 << 20

// An Entry is one call as its server saw it, on the server's clock.
type Entry struct {
	Arrived time.Duration // its request, at the kernel where that tells
	Due     time.Duration // when the plant has it answered
	Begun   time.Duration // when a handler had it
	Ended   time.Duration // when its answer was handed to the library, or its failure
	OK      bool
}

// Add notes one call.
func (l *Log) Add(e Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.entries) >= MaxEntries {
		l.lost++
		return
	}
	l.entries = append(l.entries, e)
}

// Read returns the calls so far in the order of their arrival, and how many more were not kept. With reset it starts
// anew.
func (l *Log) Read(reset bool) (entries []Entry, lost int64) {
	l.mu.Lock()
	entries, lost = l.entries, l.lost
	if reset {
		l.entries, l.lost = nil, 0
	} else {
		entries = slices.Clone(entries)
	}
	l.mu.Unlock()
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Arrived, b.Arrived) })
	return entries, lost
}

// logHeader names the columns of a written log; all but the last are nanoseconds on the server's clock.
var logHeader = []string{"arrived_ns", "due_ns", "begun_ns", "ended_ns", "ok"}

// WriteLog writes entries as CSV with a header line.
func WriteLog(w io.Writer, entries []Entry) error {
	c := csv.NewWriter(w)
	if err := c.Write(logHeader); err != nil {
		return err
	}
	row := make([]string, len(logHeader))
	for _, e := range entries {
		for i, d := range []time.Duration{e.Arrived, e.Due, e.Begun, e.Ended} {
			row[i] = strconv.FormatInt(int64(d), 10)
		}
		row[4] = strconv.FormatBool(e.OK)
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// A Summary is a Log in numbers. Times are in nanoseconds, of calls that were answered well; what does not exist is
// null.
type Summary struct {
	Calls  int64  `json:"calls"`
	OK     int64  `json:"ok"`
	Lost   int64  `json:"calls_not_kept"`
	Took   Spread `json:"took"`    // from arrival to answer
	Plan   Spread `json:"planned"` // from arrival to when the plant has it answered
	Late   Spread `json:"late"`    // from then to the answer
	Waited Spread `json:"handler"` // from arrival to the handler
}

// A Spread is a set of durations told by nearest rank.
type Spread struct {
	N     int64            `json:"n"`
	Mean  *int64           `json:"mean_ns"`
	Max   *int64           `json:"max_ns"`
	Ranks map[string]int64 `json:"percentiles_ns,omitempty"` // "p99.9"
}

// Percentiles are what a Spread tells.
var Percentiles = []float64{50, 75, 90, 95, 99, 99.9}

// Summarize puts entries into numbers.
func Summarize(entries []Entry, lost int64) Summary {
	s := Summary{Calls: int64(len(entries)) + lost, Lost: lost}
	var took, plan, late, waited []time.Duration
	for _, e := range entries {
		if !e.OK {
			continue
		}
		s.OK++
		took = append(took, e.Ended-e.Arrived)
		plan = append(plan, e.Due-e.Arrived)
		late = append(late, e.Ended-e.Due)
		waited = append(waited, e.Begun-e.Arrived)
	}
	s.Took, s.Plan, s.Late, s.Waited = NewSpread(took), NewSpread(plan), NewSpread(late), NewSpread(waited)
	return s
}

// NewSpread tells durations, which it sorts.
func NewSpread(of []time.Duration) Spread {
	s := Spread{N: int64(len(of))}
	if len(of) == 0 {
		return s
	}
	slices.Sort(of)
	var sum float64
	for _, d := range of {
		sum += float64(d)
	}
	mean, most := int64(sum/float64(len(of))), int64(of[len(of)-1])
	s.Mean, s.Max, s.Ranks = &mean, &most, map[string]int64{}
	for _, p := range Percentiles {
		s.Ranks[Name(p)] = int64(NearestRank(of, p))
	}
	return s
}

// Name is how a percentile is written: "p99.9".
func Name(p float64) string { return "p" + strconv.FormatFloat(p, 'f', -1, 64) }
