// Package hist is a log-linear histogram of durations, with the layout of an HdrHistogram of lowest value 1 ns
// and 3 significant digits: exact below 2,048 ns, then 1,024 buckets an octave, 1 ns to 1 h. The worst error of
// a reported value is 0.049 %. Minimum, maximum, sum and count are exact. Histograms merge without loss.
package hist

import (
	"math"
	"math/bits"
	"time"
)

const (
	subBits  = 10
	perPage  = 1 << subBits
	exact    = 2 * perPage // values below are their own bucket
	pages    = 33          // page 0 and 1 hold the exact range; then one page an octave up to 2^42 ns > 1 h
	maxValue = int64(time.Hour)
)

// A Histogram counts durations. The zero value is ready; pages of 8 KiB are allocated at first use. It is not
// safe for concurrent use.
type Histogram struct {
	page     [pages]*[perPage]int64
	n        int64
	min, max int64
	sum      float64 // exact up to 2^53 ns of sum per addend; see Sum
	over     int64   // values above 1 h: counted in the last bucket, their true maximum is kept
}

// index is the bucket of v: its own value below 2,048, else 1,024 buckets per octave.
func index(v int64) (page, slot int) {
	if v < exact {
		return int(v >> subBits), int(v & (perPage - 1))
	}
	octave := bits.Len64(uint64(v)) - (subBits + 1) // ≥ 1
	return octave + 1, int(v>>octave) & (perPage - 1)
}

// midpoint is the value reported for a bucket.
func midpoint(page, slot int) int64 {
	if page < 2 {
		return int64(page<<subBits | slot)
	}
	octave := page - 1
	low := int64(perPage|slot) << octave
	return low + int64(1)<<octave/2
}

// Record counts v; values below 0 count as 0, values above 1 h in the last bucket.
func (h *Histogram) Record(v time.Duration) { h.RecordN(v, 1) }

// RecordN counts v n times.
func (h *Histogram) RecordN(d time.Duration, n int64) {
	if n <= 0 {
		return
	}
	v := max(int64(d), 0)
	if h.n == 0 || v < h.min {
		h.min = v
	}
	h.max = max(h.max, v)
	h.n += n
	h.sum += float64(v) * float64(n)
	if v > maxValue {
		h.over += n
		v = maxValue
	}
	p, s := index(v)
	if h.page[p] == nil {
		h.page[p] = new([perPage]int64)
	}
	h.page[p][s] += n
}

// Merge adds the counts of o, which may be nil.
func (h *Histogram) Merge(o *Histogram) {
	if o == nil || o.n == 0 {
		return
	}
	if h.n == 0 || o.min < h.min {
		h.min = o.min
	}
	h.max = max(h.max, o.max)
	h.n += o.n
	h.sum += o.sum
	h.over += o.over
	for p, src := range o.page {
		if src == nil {
			continue
		}
		if h.page[p] == nil {
			h.page[p] = new([perPage]int64)
		}
		for s, n := range src {
			h.page[p][s] += n
		}
	}
}

// Reset empties the histogram and keeps its pages.
func (h *Histogram) Reset() {
	for _, p := range h.page {
		if p != nil {
			clear(p[:])
		}
	}
	h.n, h.min, h.max, h.sum, h.over = 0, 0, 0, 0, 0
}

// Count is how many values were recorded.
func (h *Histogram) Count() int64 { return h.n }

// Min and Max are exact; 0 when empty.
func (h *Histogram) Min() time.Duration { return time.Duration(h.min) }

// Max is the largest value recorded, also above 1 h.
func (h *Histogram) Max() time.Duration { return time.Duration(h.max) }

// Sum is the sum of all values in ns.
func (h *Histogram) Sum() float64 { return h.sum }

// Over is how many values lay above 1 h: they are counted in the last bucket.
func (h *Histogram) Over() int64 { return h.over }

// Mean is Sum / Count, kept within [Min, Max]; 0 when empty.
func (h *Histogram) Mean() time.Duration {
	if h.n == 0 {
		return 0
	}
	mean := int64(math.Round(h.sum / float64(h.n)))
	return time.Duration(min(max(mean, h.min), h.max))
}

// Percentile is the nearest rank: the smallest value x with F(x) ≥ p/100, as its bucket's midpoint, kept within
// [Min, Max]. p is in percent. It is 0 when empty.
func (h *Histogram) Percentile(p float64) time.Duration {
	if h.n == 0 {
		return 0
	}
	return h.AtRank(Rank(p, h.n))
}

// AtRank is the value at that place, from 1 to Count, among the sorted values: exact at both ends, else its bucket's
// midpoint, kept within [Min, Max]. It is 0 when empty.
func (h *Histogram) AtRank(rank int64) time.Duration {
	if rank >= h.n {
		return h.Max()
	}
	if rank <= 1 {
		return h.Min()
	}
	var seen int64
	for pg, page := range h.page {
		if page == nil {
			continue
		}
		for s, n := range page {
			if seen += n; seen >= rank && n > 0 {
				return time.Duration(min(max(midpoint(pg, s), h.min), h.max))
			}
		}
	}
	return h.Max()
}

// Rank is ceil(p·n/100), at least 1 and at most n: the place of percentile p among n sorted values.
func Rank(p float64, n int64) int64 {
	r := int64(math.Ceil(p * float64(n) / 100 * (1 - 1e-15))) // three roundings may have lifted a whole number
	return min(max(r, 1), n)
}

// Beyond is how many of the values lie beyond percentile p: Count − Rank.
func (h *Histogram) Beyond(p float64) int64 {
	if h.n == 0 {
		return 0
	}
	return h.n - Rank(p, h.n)
}

// A Bucket is one non-empty bucket: its midpoint and its count.
type Bucket struct {
	Value time.Duration
	Count int64
}

// Buckets lists the non-empty buckets in rising order.
func (h *Histogram) Buckets() []Bucket {
	var out []Bucket
	for pg, page := range h.page {
		if page == nil {
			continue
		}
		for s, n := range page {
			if n > 0 {
				out = append(out, Bucket{time.Duration(midpoint(pg, s)), n})
			}
		}
	}
	return out
}
