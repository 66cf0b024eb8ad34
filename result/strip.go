package result

import (
	"math"
	"math/bits"
	"time"

	"wiregauge/hist"
)

// MaxStrips bounds the strips of an arm: a longer run has longer strips, each twice as long as before.
const MaxStrips = 3600

// MaxArmStrips bounds those of an arm of a comparison: its turns tell the rest.
const MaxArmStrips = 120

// maxStripClasses bounds the kinds of failure that one strip tells apart.
const maxStripClasses = 8

// A Strip is one second of an arm, or as long as Length says. Latencies are of the OK calls that ended in it, null
// when there were none; of strips that were joined they are exact to a level.
//
// Counts are the OK calls by level of latency, from level First on. A level is a quarter of an octave: level 4k+q
// holds the latencies from (4+q)·2^(k−2) ns up to the next one's.
type Strip struct {
	At     time.Duration    `json:"at_ns"`
	Length time.Duration    `json:"length_ns,omitempty"` // one second when it is left out
	OK     int64            `json:"ok"`
	Failed int64            `json:"failed"`
	Due    int64            `json:"due"`
	P50    *time.Duration   `json:"p50_ns"`
	P99    *time.Duration   `json:"p99_ns"`
	Max    *time.Duration   `json:"max_ns"`
	First  int              `json:"first_level,omitempty"`
	Counts []int64          `json:"levels,omitempty"`
	Errors map[string]int64 `json:"errors,omitempty"` // failed calls by class; rare ones of many are "other"
}

// Level is the level of a latency in ns.
func Level(ns int64) int {
	if ns < 4 { // a quarter of an octave is no whole number there
		return [...]int{0, 0, 4, 6}[max(ns, 0)]
	}
	octave := bits.Len64(uint64(ns)) - 1
	return 4*octave + int(ns>>(octave-2))&3
}

// LevelStart is the lowest latency of a level in ns.
func LevelStart(level int) float64 { return float64(4+level%4) * math.Exp2(float64(level/4-2)) }

// FillLevels sets First and Counts from the latencies of the strip's OK calls.
func (s *Strip) FillLevels(h *hist.Histogram) {
	s.First, s.Counts = 0, nil
	if h == nil || h.Count() == 0 {
		return
	}
	s.First = Level(int64(h.Min()))
	s.Counts = make([]int64, Level(int64(h.Max()))-s.First+1)
	for _, b := range h.Buckets() {
		i := min(max(Level(int64(b.Value))-s.First, 0), len(s.Counts)-1)
		s.Counts[i] += b.Count
	}
}

// Span is how long the strip is.
func (s *Strip) Span() time.Duration {
	if s.Length == 0 {
		return time.Second
	}
	return s.Length
}

// Fail counts n failures of a class.
func (s *Strip) Fail(class string, n int64) {
	if s.Errors == nil {
		s.Errors = map[string]int64{}
	}
	if _, known := s.Errors[class]; !known && len(s.Errors) >= maxStripClasses {
		class = "other"
	}
	s.Errors[class] += n
}

// Join adds the strip that follows s.
func (s *Strip) Join(o Strip) {
	s.Length = max(o.At+o.Span()-s.At, s.Span())
	s.OK += o.OK
	s.Failed += o.Failed
	s.Due += o.Due
	if o.Max != nil && (s.Max == nil || *o.Max > *s.Max) {
		s.Max = o.Max
	}
	was := s.Errors
	s.Errors = nil
	for _, errors := range []map[string]int64{was, o.Errors} {
		for class, n := range errors {
			s.Fail(class, n)
		}
	}
	s.joinLevels(o)
	s.P50, s.P99 = s.percentile(50), s.percentile(99)
}

func (s *Strip) joinLevels(o Strip) {
	if len(o.Counts) == 0 {
		return
	}
	if len(s.Counts) == 0 {
		s.First, s.Counts = o.First, append([]int64(nil), o.Counts...)
		return
	}
	first := min(s.First, o.First)
	sum := make([]int64, max(s.First+len(s.Counts), o.First+len(o.Counts))-first)
	for i, n := range s.Counts {
		sum[s.First-first+i] += n
	}
	for i, n := range o.Counts {
		sum[o.First-first+i] += n
	}
	s.First, s.Counts = first, sum
}

// percentile is that of the levels: the end of the level it lies in, and never above the maximum.
func (s *Strip) percentile(p float64) *time.Duration {
	var n int64
	for _, c := range s.Counts {
		n += c
	}
	if n == 0 {
		return nil
	}
	rank := hist.Rank(p, n)
	for i, c := range s.Counts {
		if rank -= c; rank <= 0 {
			at := time.Duration(LevelStart(s.First + i + 1))
			if s.Max != nil {
				at = min(at, *s.Max)
			}
			return &at
		}
	}
	return s.Max
}

// HalveStrips joins each strip with an even place and the one behind it.
func HalveStrips(strips []Strip) []Strip {
	half := strips[:0:0]
	for i := 0; i < len(strips); i += 2 {
		s := strips[i]
		if i+1 < len(strips) {
			s.Join(strips[i+1])
		}
		half = append(half, s)
	}
	return half
}

// FewerStrips joins neighbours until no more than most are left.
func FewerStrips(strips []Strip, most int) []Strip {
	for len(strips) > most {
		strips = HalveStrips(strips)
	}
	return strips
}

// addStrips puts the strips of a further turn behind those of t. What ended after the turn's window counts in the
// strip that ends with it.
func (t *Turn) addStrips(o *Turn) {
	first := len(t.Strips)
	for _, s := range o.Strips {
		if s.At >= o.Window && len(t.Strips) > first {
			last := &t.Strips[len(t.Strips)-1]
			span := last.Span()
			last.Join(Strip{At: last.At, OK: s.OK, Failed: s.Failed, Due: s.Due, Max: s.Max, First: s.First, Counts: s.Counts, Errors: s.Errors})
			last.Length = span
			continue
		}
		if left := o.Window - s.At; left > 0 && left < s.Span() {
			s.Length = left
		}
		s.At += t.Window
		t.Strips = append(t.Strips, s)
	}
	t.Strips = FewerStrips(t.Strips, MaxStrips)
}
