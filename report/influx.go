package report

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"

	"wiregauge/report/number"
	"wiregauge/result"
)

// writeInflux is InfluxDB's line protocol: a line per arm (wiregauge) and per class of failures (wiregauge_error), at
// the time the result was made, in ns. The tag trust says how far the numbers may be believed; a number that does not
// exist is no field.
func writeInflux(w io.Writer, files []*result.File, opt Options) error {
	out := bufio.NewWriter(w)
	for _, s := range subjects(files, opt) {
		out.Write(s.influxLine())
		for i := range s.arm.Errors {
			out.Write(s.influxError(&s.arm.Errors[i]))
		}
	}
	return out.Flush()
}

func (s *subject) influxLine() []byte {
	l := newPoint("wiregauge", s.influxTags())
	for _, n := range []struct {
		name  string
		count int64
	}{{"window_ns", s.arm.Window}, {"due", s.arm.Due}, {"unsent", s.arm.Unsent}, {"sent", s.arm.Sent}, {"ok", s.arm.OK},
		{"failed", s.arm.Failed}, {"timed_out", s.arm.TimedOut}, {"unfinished", s.arm.Unfinished}} {
		l.whole(n.name, &n.count)
	}
	l.real("asked_rate", s.arm.AskedRate)
	if s.arm.Window > 0 {
		l.real("rate", &s.arm.AchievedRate)
		l.real("goodput", &s.arm.Goodput)
	}
	l.whole("min_ns", s.arm.Latency.Min)
	l.whole("mean_ns", s.arm.Latency.Mean)
	l.whole("max_ns", s.arm.Latency.Max)
	for _, p := range s.percentiles {
		l.whole(percentileColumn(p), s.percentile(p))
	}
	l.real("bytes_per_call", s.bytes())
	l.real("client_cpu_ns_per_call", s.clientCPU())
	if s.arm.Server != nil {
		l.whole("server_cpu_ns_per_call", s.arm.Server.PerCall(s.arm.Finished()))
	}
	l.text("doubts", s.doubts())
	if c := s.file.Capacity; c != nil {
		l.real("capacity_verified", c.Verified)
		l.text("capacity_goal", c.Goal)
		l.text("capacity_outcome", c.Outcome)
	}
	return l.end(s.file.Created.UnixNano())
}

func (s *subject) influxError(e *result.ErrorClass) []byte {
	l := newPoint("wiregauge_error", append(s.influxTags(), label{"class", e.Class}, label{"stage", e.Stage}))
	l.whole("count", &e.Count)
	l.text("text", errorText(*e))
	return l.end(s.file.Created.UnixNano())
}

// influxTags name the arm. Percentiles with doubts of their own are named in the tag doubted.
func (s *subject) influxTags() []label {
	var doubted []string
	for _, p := range s.percentiles {
		if name := number.Percentile(p); s.percentile(p) != nil && s.trust(name) != s.trust(asWhole) {
			doubted = append(doubted, name)
		}
	}
	return []label{{"arm", s.arm.Name}, {"client", s.arm.Client}, {"doubted", strings.Join(doubted, " ")}, {"id", s.file.ID},
		{"kind", s.file.Kind}, {"limited_by", s.arm.Limited}, {"protocol", s.arm.Protocol}, {"trust", s.trust(asWhole)}}
}

// A point is one line of line protocol on its way.
type point struct {
	line   []byte
	fields int
}

// newPoint begins a line. Tags without a value are left out, the others are sorted by name, as the format advises.
func newPoint(measurement string, tags []label) *point {
	l := &point{line: []byte(measurement)}
	tags = slices.Clone(tags)
	slices.SortStableFunc(tags, func(a, b label) int { return strings.Compare(a.name, b.name) })
	for _, t := range tags {
		if t.value != "" {
			l.line = append(l.line, ","+t.name+"="+influxTag(t.value)...)
		}
	}
	return l
}

var (
	influxTags   = strings.NewReplacer(",", `\,`, "=", `\=`, " ", `\ `)
	influxFields = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)
)

// influxTag is a tag's value: it takes no quotes, cannot hold control characters, and a backslash in it would escape
// what follows.
func influxTag(s string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f:
			return ' '
		case r == '\\':
			return '/'
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return influxTags.Replace(plain)
}

// field begins a field; its value follows.
func (l *point) field(name string) {
	sep := byte(',')
	if l.fields == 0 {
		sep = ' '
	}
	l.fields++
	l.line = append(l.line, sep)
	l.line = append(l.line, name...)
	l.line = append(l.line, '=')
}

func (l *point) whole(name string, n *int64) {
	if n != nil {
		l.field(name)
		l.line = append(strconv.AppendInt(l.line, *n, 10), 'i')
	}
}

func (l *point) real(name string, x *float64) {
	if x != nil {
		l.field(name)
		l.line = strconv.AppendFloat(l.line, *x, 'g', -1, 64)
	}
}

// text adds a string: quotes, backslashes and line ends are escaped, so that a line stays a line and a parser gives the
// text back exactly.
func (l *point) text(name, s string) {
	if s != "" {
		l.field(name)
		l.line = append(l.line, '"')
		l.line = append(l.line, influxFields.Replace(strings.ToValidUTF8(s, "\ufffd"))...)
		l.line = append(l.line, '"')
	}
}

func (l *point) end(ns int64) []byte {
	l.line = append(l.line, ' ')
	return append(strconv.AppendInt(l.line, ns, 10), '\n')
}
