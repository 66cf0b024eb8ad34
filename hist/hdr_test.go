package hist

import (
	"encoding/base64"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

func TestEncodingKeepsEveryCount(t *testing.T) {
	for _, law := range laws {
		r := rand.New(rand.NewPCG(5, 6))
		var h Histogram
		for range 100_000 {
			h.Record(law.draw(r))
		}
		text, err := h.EncodeHDR()
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeHDR(text)
		if err != nil {
			t.Fatalf("%s: %v", law.name, err)
		}
		if !slices.Equal(back.Buckets(), h.Buckets()) || back.Count() != h.Count() {
			t.Errorf("%s: counts changed", law.name)
		}
		if err := back.Restore(h.Min(), h.Max(), h.Sum()); err != nil {
			t.Errorf("%s: %v", law.name, err)
		}
		for _, p := range []float64{0, 50, 99.99, 100} {
			if back.Percentile(p) != h.Percentile(p) {
				t.Errorf("%s: p%v = %v, want %v", law.name, p, back.Percentile(p), h.Percentile(p))
			}
		}
		if back.Mean() != h.Mean() {
			t.Errorf("%s: mean %v, want %v", law.name, back.Mean(), h.Mean())
		}
	}
}

func TestOtherToolsReadTheEncoding(t *testing.T) {
	var h Histogram
	for i := range 10_000 {
		h.Record(time.Duration(i) * time.Microsecond)
	}
	text, err := h.EncodeHDR()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := hdr.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if theirs.TotalCount() != 10_000 {
		t.Errorf("they count %d", theirs.TotalCount())
	}
	if p50 := theirs.ValueAtPercentile(50); p50 < 4_995_000 || p50 > 5_005_000 {
		t.Errorf("their p50 is %d ns, want about 5 ms", p50)
	}
}

func TestValuesAboveOneHourComeBack(t *testing.T) {
	var h Histogram
	h.Record(time.Second)
	h.Record(2 * time.Hour)
	text, err := h.EncodeHDR()
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeHDR(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := back.Restore(h.Min(), h.Max(), h.Sum()); err != nil || back.Max() != 2*time.Hour {
		t.Errorf("max %v, %v", back.Max(), err)
	}
}

func TestEmptyHistogramIsEncoded(t *testing.T) {
	text, err := new(Histogram).EncodeHDR()
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeHDR(text)
	if err != nil || back.Count() != 0 {
		t.Errorf("%d values, %v", back.Count(), err)
	}
	if err := back.Restore(1, 2, 3); err != nil || back.Count() != 0 {
		t.Errorf("restoring nothing: %v", err)
	}
}

func TestForeignEncodingsAreRefusedInWords(t *testing.T) {
	encoded := func(h *hdr.Histogram) string {
		text, err := h.Encode(hdr.V2CompressedEncodingCookieBase)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	good, _ := new(Histogram).EncodeHDR()
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "not an HdrHistogram"},
		{"no base64", "!!!!", "not an HdrHistogram"},
		{"no zlib", base64.StdEncoding.EncodeToString([]byte("12345678 something else")), "not an HdrHistogram"},
		{"cut off", good[:20], "not an HdrHistogram"},
		{"another geometry", encoded(hdr.New(1000, 60_000_000_000, 2)), "expected 1 to 3600000000000"},
		{"a geometry that asks for much memory", encoded(hdr.New(1, 1<<60, 5)), "with 5 digits"},
	} {
		if _, err := DecodeHDR(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

func TestRestoreRefusesWhatDoesNotFit(t *testing.T) {
	var h Histogram
	h.Record(time.Millisecond)
	h.Record(time.Second)
	for _, c := range []struct {
		name     string
		min, max time.Duration
	}{{"another minimum", 2 * time.Millisecond, time.Second}, {"another maximum", time.Millisecond, 2 * time.Second}} {
		if err := h.Restore(c.min, c.max, 0); err == nil {
			t.Errorf("%s was taken", c.name)
		}
	}
}

func FuzzDecodeHDR(f *testing.F) {
	good, _ := new(Histogram).EncodeHDR()
	f.Add(good)
	var h Histogram
	h.RecordN(time.Millisecond, 3)
	text, _ := h.EncodeHDR()
	f.Add(text)
	f.Fuzz(func(t *testing.T, text string) {
		h, err := DecodeHDR(text)
		if err != nil {
			return
		}
		again, err := h.EncodeHDR()
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeHDR(again)
		if err != nil || back.Count() != h.Count() || !slices.Equal(back.Buckets(), h.Buckets()) {
			t.Fatalf("what was decoded does not come back: %v", err)
		}
	})
}
