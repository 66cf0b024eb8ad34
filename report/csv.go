package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"io"
	"strconv"

	"wiregauge/report/number"
	"wiregauge/result"
)

// csvHead is the header, with units in its names. Percentile columns stand between it and csvTail.
var (
	csvHead = []string{"id", "kind", "arm", "url", "protocol", "client", "launch", "round", "place", "window_ns", "asked_rate",
		"due", "unsent", "sent", "ok", "failed", "timed_out", "unfinished", "rate", "goodput", "min_ns", "mean_ns", "max_ns"}
	csvTail = []string{"sent_bytes", "received_bytes", "client_cpu_ns_per_call", "server_cpu_ns_per_call", "error_class", "error_count",
		"error_text", "invalid", "limited_by", "trust", "doubts", "label"}
)

// writeCSV is RFC 4180: a header, then one record per arm (kind "arm"), per turn (kind "turn"), per step of a ramp
// ("step"), per arm and point of a sweep ("point"), per rate that a search for capacity tried ("probe") and per class of
// error ("error"). What does not apply is empty, as is a percentile that leaves out too many calls without an end. Lines end with CR LF.
func writeCSV(w io.Writer, files []*result.File, opt Options) error {
	t := csvTable{out: newRecords(w), percentiles: percentilesOf(files[0], opt)}
	t.header()
	for _, f := range files {
		for i := range f.Arms {
			t.arm(f, &f.Arms[i])
		}
		for _, r := range f.Turns {
			t.turn(f, r)
		}
		for i := range f.Arms {
			t.steps(f, &f.Arms[i])
		}
		t.points(f)
		t.probes(f)
		for i := range f.Arms {
			for _, e := range f.Arms[i].Errors {
				t.failure(f, &f.Arms[i], e)
			}
		}
	}
	return t.out.err
}

// records writes RFC 4180: lines end with CR LF, and fields hold exactly what they are given, where csv.Writer with
// UseCRLF would turn a line feed inside a field into CR LF and drop a carriage return.
type records struct {
	w    io.Writer
	line bytes.Buffer
	csv  *csv.Writer
	err  error // the first
}

func newRecords(w io.Writer) *records {
	r := &records{w: w}
	r.csv = csv.NewWriter(&r.line)
	return r
}

func (r *records) write(fields []string) {
	r.line.Reset()
	err := r.csv.Write(fields)
	r.csv.Flush()
	if err == nil {
		_, err = r.w.Write(append(bytes.TrimSuffix(r.line.Bytes(), []byte("\n")), "\r\n"...))
	}
	r.err = cmp.Or(r.err, err)
}

// A csvTable writes records by column name; errors stay in out.
type csvTable struct {
	out         *records
	percentiles []float64
	names       []string
}

func (t *csvTable) header() {
	t.names = append(t.names, csvHead...)
	for _, p := range t.percentiles {
		t.names = append(t.names, percentileColumn(p))
	}
	t.names = append(t.names, csvTail...)
	t.out.write(t.names)
}

func percentileColumn(p float64) string { return number.Percentile(p) + "_ns" }

func (t *csvTable) record(fields map[string]string) {
	record := make([]string, len(t.names))
	for i, name := range t.names {
		record[i] = fields[name]
	}
	t.out.write(record)
}

func (t *csvTable) arm(f *result.File, a *result.Arm) {
	fields := map[string]string{
		"id": f.ID, "kind": "arm", "arm": a.Name, "url": a.URL, "protocol": a.Protocol, "client": a.Client,
		"window_ns": whole(a.Window), "due": whole(a.Due), "unsent": whole(a.Unsent), "sent": whole(a.Sent),
		"ok": whole(a.OK), "failed": whole(a.Failed), "timed_out": whole(a.TimedOut), "unfinished": whole(a.Unfinished),
		"rate": decimal(a.AchievedRate), "goodput": decimal(a.Goodput),
		"min_ns": optional(a.Latency.Min), "mean_ns": optional(a.Latency.Mean), "max_ns": optional(a.Latency.Max),
		"sent_bytes": whole(a.SentBytes.Wire), "received_bytes": whole(a.RecvBytes.Wire),
	}
	s := subject{file: f, arm: a, percentiles: t.percentiles}
	if s.clientCPU() != nil {
		fields["client_cpu_ns_per_call"] = optional(a.ClientCPU.PerCall(a.Finished()))
	}
	fields["limited_by"], fields["trust"], fields["doubts"] = a.Limited, s.trust(asWhole), s.doubts()
	if a.AskedRate != nil {
		fields["asked_rate"] = decimal(*a.AskedRate)
	}
	if a.Server != nil {
		fields["server_cpu_ns_per_call"] = optional(a.Server.PerCall(a.Finished()))
	}
	for _, p := range t.percentiles {
		fields[percentileColumn(p)] = optional(s.percentile(p))
	}
	t.record(fields)
}

// errorText is what a class of failures said of itself, or what the first of its calls did.
func errorText(e result.ErrorClass) string {
	if e.Message == "" && len(e.Examples) > 0 {
		return e.Examples[0]
	}
	return e.Message
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func optional(n *int64) string {
	if n == nil {
		return ""
	}
	return whole(*n)
}
