package result

import (
	"math"
	"slices"
	"time"

	"wiregauge/hist"
)

// The rule of printing percentiles: at least Tail values lie beyond one that is told, fewer than FewTail are few.
const (
	Tail    = 10
	FewTail = 100
)

// DefaultPercentiles are told when the user names none.
var DefaultPercentiles = []float64{50, 90, 99, 99.9, 99.99}

// NewDistribution tells h, which may be nil, by the given percentiles (none: the defaults). from names the moment
// that the durations start at.
func NewDistribution(h *hist.Histogram, from string, percentiles []float64) Distribution {
	d := Distribution{From: from, Percentiles: []Percentile{}}
	if len(percentiles) == 0 {
		percentiles = DefaultPercentiles
	}
	if h == nil {
		h = new(hist.Histogram)
	}
	for _, p := range percentiles {
		d.Percentiles = append(d.Percentiles, NewPercentile(h, p))
	}
	d.N = h.Count()
	if d.N == 0 {
		return d
	}
	d.Hist = h
	d.Min, d.Mean, d.Max = ns(h.Min()), ns(h.Mean()), ns(h.Max())
	return d
}

// NewPercentile is percentile p of h (in percent) under the rule of printing.
func NewPercentile(h *hist.Histogram, p float64) Percentile {
	if h == nil {
		h = new(hist.Histogram)
	}
	told := Percentile{P: p, Beyond: h.Beyond(p)}
	if told.Beyond < Tail {
		told.Needs = needs(p)
		return told
	}
	told.NS = ns(h.Percentile(p))
	told.Few = told.Beyond < FewTail
	return told
}

// Percentile is percentile p: from the histogram where there is one, else as it was told.
func (d *Distribution) Percentile(p float64) Percentile {
	if d.Hist == nil {
		for _, told := range d.Percentiles {
			if told.P == p {
				return told
			}
		}
	}
	return NewPercentile(d.Hist, p)
}

// WithPercentiles is f told by other percentiles (in percent), which come from its histograms; where a histogram was not
// saved those stay that were told. It shares everything else with f.
func (f *File) WithPercentiles(ps []float64) *File {
	told := *f
	told.Plan.Percentiles = ps
	told.Arms = slices.Clone(f.Arms)
	for i := range told.Arms {
		a := &told.Arms[i]
		a.FirstMessage, a.MessageGap, a.Oversleep = own(a.FirstMessage), own(a.MessageGap), own(a.Oversleep)
	}
	_ = told.eachDistribution(func(_ string, d *Distribution) error { // it never fails
		if d.Hist != nil || d.N == 0 {
			d.Percentiles = make([]Percentile, 0, len(ps))
			for _, p := range ps {
				d.Percentiles = append(d.Percentiles, NewPercentile(d.Hist, p))
			}
		}
		return nil
	})
	return &told
}

// own is a copy of a distribution that there may be.
func own(d *Distribution) *Distribution {
	if d == nil {
		return nil
	}
	c := *d
	return &c
}

// needs is the least count of values with Tail of them beyond percentile p; 0 when no count is enough (p100).
func needs(p float64) int64 {
	if p >= 100 {
		return 0
	}
	n := int64(math.Ceil(Tail / (1 - p/100) * (1 - 1e-12)))
	for n-hist.Rank(p, n) < Tail {
		n++
	}
	return n
}

// ns is d as a value that exists.
func ns(d time.Duration) *int64 {
	v := int64(d)
	return &v
}

// encode fills HDR from Hist.
func (d *Distribution) encode() error {
	if d.Hist == nil || d.HDR != "" {
		return nil
	}
	text, err := d.Hist.EncodeHDR()
	d.HDR = text
	return err
}

// decode fills Hist from HDR and the exact numbers beside it.
func (d *Distribution) decode() error {
	if d.HDR == "" {
		return nil
	}
	h, err := hist.DecodeHDR(d.HDR)
	if err != nil {
		return err
	}
	if h.Count() != d.N {
		return mismatch(h.Count(), d.N)
	}
	if d.Min != nil && d.Max != nil && d.Mean != nil {
		sum := float64(*d.Mean) * float64(d.N)
		if err := h.Restore(time.Duration(*d.Min), time.Duration(*d.Max), sum); err != nil {
			return err
		}
	}
	d.Hist = h
	return nil
}
