package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"wiregauge/report/number"
	"wiregauge/result"
)

// writeBenchstat is Go's benchmark text for benchstat: Run has a line per arm, Launch a line per launch of a comparison,
// Turn a line per turn. Launches are what benchstat may compare: turns of one launch share its luck, so that a test
// over them sees differences that are none. Percentiles stand in Run and Turn only, since those of a launch are not
// those of its turns.
//
// How far the numbers may be believed is a key of the file (trust), which benchstat shows above its table and keeps
// apart; numbers that are not trustworthy have the unit they would have with "untrusted-" before it, so that they are
// never compared with good ones.
func writeBenchstat(w io.Writer, files []*result.File, opt Options) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "Unit calls/s better=higher\nUnit untrusted-calls/s better=higher\n") // of all others less is better
	for _, s := range subjects(files, opt) {
		h := &s.file.Host
		fmt.Fprintf(out, "goos: %s\ngoarch: %s\npkg: wiregauge\n", h.OS, h.Arch)
		if h.CPU != "" {
			fmt.Fprintf(out, "cpu: %s\n", oneLine(h.CPU))
		}
		fmt.Fprintf(out, "trust: %s\n", s.trust(asWhole))
		fmt.Fprintf(out, "# %s of result %s\n", oneLine(s.arm.Name), s.file.ID)
		if text := s.doubts(); text != "" {
			fmt.Fprintf(out, "# %s\n", oneLine(text))
		}
		s.benchRun(out)
		s.benchTurns(out)
	}
	return out.Flush()
}

// A bench is one line: a name, how many calls, and values.
type bench struct {
	line []string
	s    *subject
}

func (s *subject) bench(kind string, calls int64) *bench {
	name := fmt.Sprintf("Benchmark%s/arm=%s-%d", kind, benchName(s.arm.Name), max(1, s.file.Host.Procs))
	return &bench{line: []string{name, strconv.FormatInt(calls, 10)}, s: s}
}

// benchName is a name without blanks, which end a benchmark's name.
func benchName(name string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, name)
}

func (b *bench) value(metric, unit string, v *float64) {
	if v == nil {
		return
	}
	if b.s.broken(metric) {
		unit = "untrusted-" + unit
	}
	b.line = append(b.line, strconv.FormatFloat(*v, 'f', -1, 64), unit)
}

// write writes the line when it has a value: one without is no benchmark.
func (b *bench) write(out io.Writer) {
	if len(b.line) > 2 {
		fmt.Fprintln(out, strings.Join(b.line, " "))
	}
}

func (s *subject) benchRun(out io.Writer) {
	if s.arm.OK == 0 {
		return
	}
	b := s.bench("Run", s.arm.OK)
	b.value("mean", "ns/op", asFloat(s.arm.Latency.Mean))
	for _, p := range s.percentiles {
		name := number.Percentile(p)
		b.value(name, name+"-ns/op", asFloat(s.percentile(p)))
	}
	if s.arm.Window > 0 {
		b.value("rate", "calls/s", &s.arm.Goodput)
	}
	b.value("cpu", "cpu-ns/op", s.clientCPU())
	b.value("bytes", "wire-B/op", s.bytes())
	b.write(out)
}

// benchTurns writes a line per launch, when there are several, and one per turn.
func (s *subject) benchTurns(out io.Writer) {
	launches := s.launches()
	if len(launches) > 1 {
		for _, l := range launches {
			b := s.bench("Launch", l.calls)
			b.value("rate", "calls/s", l.rate())
			b.value("cpu", "cpu-ns/op", l.cpuPerCall())
			b.write(out)
		}
	}
	for i := range s.file.Turns {
		r := &s.file.Turns[i]
		if r.Arm != s.arm.Name || r.Invalid != "" || r.OK == 0 {
			continue
		}
		b := s.bench("Turn", r.OK)
		b.value("p50", "p50-ns/op", asFloat(r.P50))
		b.value("p99", "p99-ns/op", asFloat(r.P99))
		b.value("rate", "calls/s", rowValue(r, "rate"))
		b.value("cpu", "cpu-ns/op", asFloat(r.CPU))
		b.write(out)
	}
}

// A launchSum is the turns of an arm in one launch, added up.
type launchSum struct {
	calls    int64 // OK
	finished int64 // with a known CPU time
	done     float64
	window   time.Duration
	cpu      int64
}

// launches sums the valid turns of the arm by launch, in order.
func (s *subject) launches() []launchSum {
	var sums []launchSum
	at := map[int]int{}
	for _, r := range s.file.Turns {
		if r.Arm != s.arm.Name || r.Invalid != "" {
			continue
		}
		if _, seen := at[r.Launch]; !seen {
			at[r.Launch] = len(sums)
			sums = append(sums, launchSum{})
		}
		l := &sums[at[r.Launch]]
		l.calls += r.OK
		l.window += time.Duration(r.Window)
		l.done += r.Rate * time.Duration(r.Window).Seconds()
		if r.CPU != nil {
			l.finished += r.OK + r.Failed
			l.cpu += *r.CPU * (r.OK + r.Failed)
		}
	}
	return sums
}

func (l *launchSum) rate() *float64 {
	if l.window <= 0 {
		return nil
	}
	v := l.done / l.window.Seconds()
	return &v
}

func (l *launchSum) cpuPerCall() *float64 {
	if l.finished <= 0 || l.cpu <= 0 {
		return nil
	}
	v := float64(l.cpu) / float64(l.finished)
	return &v
}
