package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"wiregauge/result"
)

// writeHlog is a HdrHistogram log (format 1.3), which HdrHistogram's own tools read and plot: one interval per arm,
// tagged with its name, in ns, and one tagged NAME/failed for its failed calls. Doubts are comments above their arm.
func writeHlog(w io.Writer, files []*result.File, opt Options) error {
	out := bufio.NewWriter(w)
	start := files[0].Created.UTC()
	fmt.Fprintf(out, "#[wiregauge: latency from due to done, in ns]\n#[Histogram log format version 1.3]\n")
	fmt.Fprintf(out, "#[StartTime: %.3f (seconds since epoch), %s]\n", float64(start.UnixMilli())/1000, start.Format(time.RFC3339))
	fmt.Fprintf(out, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n")
	for _, s := range subjects(files, opt) {
		if text := s.doubts(); text != "" || s.broken(asWhole) {
			fmt.Fprintf(out, "#[%s: trust %s: %s]\n", hlogTag(s.name()), s.trust(asWhole), oneLine(text))
		}
		at := s.file.Created.Sub(start)
		if err := s.interval(out, s.name(), at, &s.arm.Latency); err != nil {
			return err
		}
		if err := s.interval(out, s.name()+"/failed", at, &s.arm.FailedLatency); err != nil {
			return err
		}
	}
	return out.Flush()
}

// interval writes one histogram as a line; none when it is empty.
func (s *subject) interval(out io.Writer, tag string, at time.Duration, d *result.Distribution) error {
	if d.Hist == nil || d.Hist.Count() == 0 {
		return nil
	}
	packed, err := d.Hist.EncodeHDR()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Tag=%s,%.3f,%.3f,%.6f,%s\n", hlogTag(tag), at.Seconds(), time.Duration(s.arm.Window).Seconds(),
		float64(d.Hist.Max())/float64(time.Millisecond), packed)
	return err
}

// hlogTag has none of what ends a tag: commas, blanks and line ends.
func hlogTag(name string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == ',' || r == ']' || r == 0x7f {
			return '_'
		}
		return r
	}, name)
}

// oneLine is text without line ends.
func oneLine(s string) string { return strings.NewReplacer("\r", " ", "\n", " ").Replace(s) }
