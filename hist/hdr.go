package hist

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// The geometry that EncodeHDR writes and DecodeHDR accepts.
const (
	hdrLowest  = 1
	hdrHighest = maxValue
	hdrDigits  = 3
)

// EncodeHDR is the histogram in HdrHistogram's V2 compressed encoding, base64, as other tools read it. Every count
// is kept; the exact minimum, maximum and sum are not part of that format (see Restore).
func (h *Histogram) EncodeHDR() (string, error) {
	counts := make([]int64, pages*perPage)
	for p, page := range h.page {
		if page != nil {
			copy(counts[p*perPage:], page[:])
		}
	}
	out, err := hdr.Import(&hdr.Snapshot{
		LowestTrackableValue:  hdrLowest,
		HighestTrackableValue: hdrHighest,
		SignificantFigures:    hdrDigits,
		Counts:                counts,
	}).Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encode histogram: %w", err)
	}
	return string(out), nil
}

// DecodeHDR reads what EncodeHDR wrote. Minimum, maximum and sum are those of the buckets, until Restore. A
// histogram of another geometry is refused, before memory is taken for it.
func DecodeHDR(encoded string) (*Histogram, error) {
	if err := checkGeometry(encoded); err != nil {
		return nil, err
	}
	d, err := hdr.Decode([]byte(encoded))
	if err != nil {
		return nil, fmt.Errorf("not an HdrHistogram in V2 encoding: %w", err)
	}
	h := new(Histogram)
	for i, n := range d.Export().Counts {
		if n < 0 {
			return nil, fmt.Errorf("histogram holds the count %d in bucket %d; expected none below 0", n, i)
		}
		if n > 0 && i < pages*perPage {
			h.RecordN(time.Duration(min(midpoint(i/perPage, i%perPage), maxValue)), n)
		}
	}
	return h, nil
}

// checkGeometry reads the header (40 bytes behind 8) and refuses what EncodeHDR would not write: a foreign header
// may ask the decoder for hundreds of megabytes.
func checkGeometry(encoded string) error {
	z := base64.NewDecoder(base64.StdEncoding, bytes.NewReader([]byte(encoded)))
	var outer [8]byte
	if _, err := io.ReadFull(z, outer[:]); err != nil {
		return fmt.Errorf("not an HdrHistogram in V2 encoding: %d characters of base64 are too few or no base64", len(encoded))
	}
	inflated, err := zlib.NewReader(z)
	if err != nil {
		return fmt.Errorf("not an HdrHistogram in V2 encoding: %w", err)
	}
	var header [40]byte
	if _, err := io.ReadFull(inflated, header[:]); err != nil {
		return fmt.Errorf("not an HdrHistogram in V2 encoding: its header is cut off (%w)", err)
	}
	digits := int32(binary.BigEndian.Uint32(header[12:]))
	low := int64(binary.BigEndian.Uint64(header[16:]))
	high := int64(binary.BigEndian.Uint64(header[24:]))
	if digits != hdrDigits || low != hdrLowest || high != hdrHighest {
		return fmt.Errorf("histogram spans %d to %d with %d digits; expected %d to %d (ns) with %d",
			low, high, digits, hdrLowest, int64(hdrHighest), hdrDigits)
	}
	return nil
}

// Restore sets the exact ends and sum of a decoded histogram; they must fit its buckets.
func (h *Histogram) Restore(lowest, highest time.Duration, sum float64) error {
	if h.n == 0 {
		return nil
	}
	if !sameBucket(int64(lowest), h.min) || !sameBucket(int64(highest), h.max) || lowest > highest {
		return fmt.Errorf("minimum %v and maximum %v do not fit a histogram from %v to %v", lowest, highest, h.Min(), h.Max())
	}
	h.min, h.max, h.sum = int64(lowest), int64(highest), sum
	return nil
}

// sameBucket reports whether a and b are counted in the same bucket.
func sameBucket(a, b int64) bool {
	pa, sa := index(min(max(a, 0), maxValue))
	pb, sb := index(min(max(b, 0), maxValue))
	return pa == pb && sa == sb
}
