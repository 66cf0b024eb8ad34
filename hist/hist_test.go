package hist

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// laws are the shapes of latency that the histogram must tell within 0.05 %.
var laws = []struct {
	name string
	draw func(r *rand.Rand) time.Duration
}{
	{"all equal", func(*rand.Rand) time.Duration { return 20 * time.Millisecond }},
	{"uniform 1..100 ms", func(r *rand.Rand) time.Duration {
		return time.Millisecond + time.Duration(r.Int64N(int64(99*time.Millisecond)))
	}},
	{"exponential of 5 ms", func(r *rand.Rand) time.Duration { return time.Duration(r.ExpFloat64() * 5e6) }},
	{"log-normal around 1 ms", func(r *rand.Rand) time.Duration { return time.Duration(1e6 * math.Exp(r.NormFloat64())) }},
	{"Pareto of 1.5 above 1 ms", func(r *rand.Rand) time.Duration {
		return min(time.Duration(1e6*math.Pow(1-r.Float64(), -1/1.5)), time.Hour)
	}},
	{"two modes, 98 % of 1 ms and 2 % of 100 ms", func(r *rand.Rand) time.Duration {
		if r.IntN(100) < 2 {
			return 100*time.Millisecond + time.Duration(r.Int64N(1e6))
		}
		return time.Millisecond + time.Duration(r.Int64N(1e4))
	}},
}

func TestPercentilesAreWithinHalfAPerMilleOfTheExactOnes(t *testing.T) {
	const n = 1_000_000
	for _, law := range laws {
		r := rand.New(rand.NewPCG(1, 2))
		var h Histogram
		values := make([]int64, n)
		for i := range values {
			v := law.draw(r)
			values[i] = int64(v)
			h.Record(v)
		}
		slices.Sort(values)
		for _, p := range []float64{0, 0.1, 1, 25, 50, 90, 99, 99.9, 99.99, 99.999, 100} {
			exact := float64(values[Rank(p, n)-1])
			got := float64(h.Percentile(p))
			if worst := math.Abs(got-exact) / exact; worst > 0.0005 {
				t.Errorf("%s: p%v = %v, exactly %v: off by %.4f %%", law.name, p, got, exact, worst*100)
			}
		}
		if int64(h.Min()) != values[0] || int64(h.Max()) != values[n-1] || h.Count() != n {
			t.Errorf("%s: min %v, max %v, n %d are not exact", law.name, h.Min(), h.Max(), h.Count())
		}
	}
}

func TestLayoutIsThatOfAnHdrHistogram(t *testing.T) {
	theirs := hdr.New(hdrLowest, hdrHighest, hdrDigits)
	if got := len(theirs.Export().Counts); got != pages*perPage {
		t.Fatalf("theirs has %d buckets, ours %d", got, pages*perPage)
	}
	for _, v := range edges() {
		theirs.Reset()
		if err := theirs.RecordValue(v); err != nil {
			t.Fatal(err)
		}
		at := slices.Index(theirs.Export().Counts, 1)
		page, slot := index(v)
		if page*perPage+slot != at {
			t.Errorf("value %d is in bucket %d, theirs in %d", v, page*perPage+slot, at)
		}
	}
}

// edges are all small values, and those around each power of two up to 1 h.
func edges() []int64 {
	var all []int64
	for v := range int64(5000) {
		all = append(all, v)
	}
	for bit := 12; bit < 42; bit++ {
		for d := int64(-2); d <= 2; d++ {
			if v := int64(1)<<bit + d; v <= maxValue {
				all = append(all, v)
			}
		}
	}
	return append(all, maxValue-1, maxValue)
}

func TestRankIsTheNearestRankExactly(t *testing.T) {
	for _, p := range []string{"0", "0.1", "1", "10", "50", "90", "95", "97.5", "99", "99.5", "99.9", "99.99", "99.999", "100"} {
		percent, _ := strconv.ParseFloat(p, 64)
		exact, _ := new(big.Rat).SetString(p)
		for _, n := range []int64{1, 2, 3, 7, 10, 99, 100, 101, 999, 1000, 1001, 100_000, 1_050_000, 123_456_789, 10_000_000_000} {
			q := new(big.Rat).Mul(exact, big.NewRat(n, 100))
			want := new(big.Int).Div(new(big.Int).Add(q.Num(), new(big.Int).Sub(q.Denom(), big.NewInt(1))), q.Denom()).Int64()
			want = min(max(want, 1), n)
			if got := Rank(percent, n); got != want {
				t.Errorf("Rank(%s, %d) = %d, want %d", p, n, got, want)
			}
		}
	}
}

func TestPercentilesStayInsideTheData(t *testing.T) {
	var h Histogram
	exact := make([]int64, 100)
	for i := range exact {
		exact[i] = 501_300_000 + int64(i)*16_000
		h.Record(time.Duration(exact[i]))
	}
	for p := 0.0; p <= 100; p += 0.5 {
		got := h.Percentile(p)
		if got < h.Min() || got > h.Max() {
			t.Errorf("p%v = %v lies outside %v..%v", p, got, h.Min(), h.Max())
		}
		want := float64(exact[Rank(p, 100)-1])
		if math.Abs(float64(got)-want)/want > 0.01 {
			t.Errorf("p%v = %v, exactly %v", p, got, time.Duration(want))
		}
	}
	if m := h.Mean(); m < h.Min() || m > h.Max() {
		t.Errorf("mean %v lies outside %v..%v", m, h.Min(), h.Max())
	}
}

func TestMoreThanAMillionCallsKeepTheirSlowTail(t *testing.T) {
	var h Histogram
	h.RecordN(time.Millisecond, 1_000_000)
	h.RecordN(21*time.Millisecond, 50_000)
	if h.Count() != 1_050_000 {
		t.Fatalf("%d values, want 1,050,000", h.Count())
	}
	var sum int64
	for _, b := range h.Buckets() {
		sum += b.Count
	}
	if sum != 1_050_000 {
		t.Errorf("the buckets add up to %d", sum)
	}
	if p95, p96 := h.Percentile(95), h.Percentile(96); p95 > 2*time.Millisecond || p96 < 20*time.Millisecond {
		t.Errorf("p95 %v, p96 %v; 4.76 %% are slow", p95, p96)
	}
}

func TestMergeLosesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var whole Histogram
	parts := make([]Histogram, 7)
	for range 200_000 {
		v := time.Duration(math.Exp(r.Float64() * 30))
		whole.Record(v)
		parts[r.IntN(len(parts))].Record(v)
	}
	var merged Histogram
	merged.Merge(nil)
	merged.Merge(new(Histogram))
	for i := range parts {
		merged.Merge(&parts[i])
	}
	if !slices.Equal(merged.Buckets(), whole.Buckets()) || merged.Count() != whole.Count() || merged.Over() != whole.Over() ||
		merged.Min() != whole.Min() || merged.Max() != whole.Max() {
		t.Error("the merged histogram differs from one of all values")
	}
	if math.Abs(merged.Sum()-whole.Sum())/whole.Sum() > 1e-12 {
		t.Errorf("sum %v, want %v", merged.Sum(), whole.Sum())
	}
}

func TestValuesBeyondTheEnds(t *testing.T) {
	var h Histogram
	h.Record(-5)
	h.Record(3 * time.Hour)
	if h.Min() != 0 || h.Max() != 3*time.Hour || h.Over() != 1 || h.Count() != 2 {
		t.Errorf("min %v, max %v, over %d, n %d", h.Min(), h.Max(), h.Over(), h.Count())
	}
	h.Reset()
	if h.Count() != 0 || h.Percentile(50) != 0 || h.Mean() != 0 || len(h.Buckets()) != 0 {
		t.Error("a histogram after Reset is not empty")
	}
}

func TestRecordingDoesNotAllocate(t *testing.T) {
	var h Histogram
	h.Record(time.Millisecond)
	if n := testing.AllocsPerRun(1000, func() { h.Record(time.Millisecond) }); n != 0 {
		t.Errorf("%v allocations per value, want 0", n)
	}
}
