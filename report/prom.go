package report

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"time"

	"wiregauge/hist"
	"wiregauge/report/number"
	"wiregauge/result"
)

// writeProm is the text format of Prometheus (exposition format 0.0.4): histograms with cumulative buckets, everything
// in seconds and bytes. Every sample carries the label trust, so that none is ever plain when it should not be.
func writeProm(w io.Writer, files []*result.File, opt Options) error {
	p := promText{out: bufio.NewWriter(w), arms: subjects(files, opt)}
	p.durations("wiregauge_call_duration_seconds", "Time from the moment a call was due to its end, by outcome.",
		func(a *result.Arm) (ok, failed *result.Distribution) { return &a.Latency, &a.FailedLatency })
	p.durations("wiregauge_service_duration_seconds", "Time from a call's place on a connection to its end, by outcome.",
		func(a *result.Arm) (ok, failed *result.Distribution) { return &a.Service, &a.FailedService })
	p.percentiles()
	p.counts()
	p.rates()
	p.costs()
	p.failures()
	p.capacity()
	return p.out.Flush()
}

// promBounds are the buckets' upper ends in seconds: the same for every run, so that results add up.
var promBounds = bounds()

func bounds() []float64 {
	var list []float64
	for _, decade := range []string{"e-06", "e-05", "e-04", "e-03", "e-02", "e-01", "e+00", "e+01"} {
		for _, digit := range []string{"1", "2", "5"} {
			bound, _ := strconv.ParseFloat(digit+decade, 64)
			list = append(list, bound)
		}
	}
	return list
}

// A promText writes families; errors stay in out.
type promText struct {
	out  *bufio.Writer
	arms []subject
}

// A label is a name and its value.
type label struct{ name, value string }

func (p *promText) family(name, kind, help string) {
	p.out.WriteString("# HELP " + name + " " + help + "\n# TYPE " + name + " " + kind + "\n")
}

func (p *promText) sample(name string, s *subject, metric string, v float64, more ...label) {
	labels := append([]label{{"arm", s.arm.Name}, {"client", s.arm.Client}, {"protocol", s.arm.Protocol}, {"trust", s.trust(metric)}}, more...)
	if s.run != "" {
		labels = append(labels, label{"run", s.run})
	}
	if s.arm.Limited != "" {
		labels = append(labels, label{"limited_by", s.arm.Limited})
	}
	p.out.WriteString(name + "{")
	for i, l := range labels {
		if i > 0 {
			p.out.WriteByte(',')
		}
		p.out.WriteString(l.name + `="` + promEscapes.Replace(strings.ToValidUTF8(l.value, "\ufffd")) + `"`)
	}
	p.out.WriteString("} " + strconv.FormatFloat(v, 'g', -1, 64) + "\n")
}

var promEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// durations writes a histogram per arm and outcome; none where no call had that outcome.
func (p *promText) durations(name, help string, pick func(*result.Arm) (ok, failed *result.Distribution)) {
	p.family(name, "histogram", help)
	for i := range p.arms {
		s := &p.arms[i]
		ok, failed := pick(s.arm)
		p.histogram(name, s, "ok", ok.Hist)
		p.histogram(name, s, "failed", failed.Hist)
	}
}

func (p *promText) histogram(name string, s *subject, outcome string, h *hist.Histogram) {
	if h == nil || h.Count() == 0 {
		return
	}
	buckets, below := h.Buckets(), int64(0)
	for _, bound := range promBounds {
		for len(buckets) > 0 && buckets[0].Value.Seconds() <= bound {
			below += buckets[0].Count
			buckets = buckets[1:]
		}
		p.sample(name+"_bucket", s, asWhole, float64(below), label{"outcome", outcome}, label{"le", strconv.FormatFloat(bound, 'g', -1, 64)})
	}
	p.sample(name+"_bucket", s, asWhole, float64(h.Count()), label{"outcome", outcome}, label{"le", "+Inf"})
	p.sample(name+"_sum", s, asWhole, h.Sum()/float64(time.Second), label{"outcome", outcome})
	p.sample(name+"_count", s, asWhole, float64(h.Count()), label{"outcome", outcome})
}

func (p *promText) percentiles() {
	const name = "wiregauge_call_duration_percentile_seconds"
	p.family(name, "gauge", "Percentiles of the OK calls, as measured. They cannot be added up or averaged: the histogram can.")
	for i := range p.arms {
		s := &p.arms[i]
		for _, q := range s.percentiles {
			if ns := s.percentile(q); ns != nil {
				p.sample(name, s, number.Percentile(q), time.Duration(*ns).Seconds(), label{"percentile", strconv.FormatFloat(q, 'f', -1, 64)})
			}
		}
	}
}

func (p *promText) counts() {
	const name = "wiregauge_calls"
	p.family(name, "gauge", "Calls by state: due = unsent + sent, sent = ok + failed + unfinished.")
	for i := range p.arms {
		c := p.arms[i].arm.Counts
		for _, n := range []struct {
			state string
			count int64
		}{{"due", c.Due}, {"unsent", c.Unsent}, {"sent", c.Sent}, {"ok", c.OK}, {"failed", c.Failed},
			{"timed_out", c.TimedOut}, {"unfinished", c.Unfinished}} {
			p.sample(name, &p.arms[i], "errors", float64(n.count), label{"state", n.state})
		}
	}
}

func (p *promText) rates() {
	const name = "wiregauge_calls_per_second"
	p.family(name, "gauge", "Calls a second: asked for, finished, and finished well.")
	for i := range p.arms {
		s := &p.arms[i]
		if s.arm.AskedRate != nil {
			p.sample(name, s, "rate", *s.arm.AskedRate, label{"of", "asked"})
		}
		if s.arm.Window > 0 {
			p.sample(name, s, "rate", s.arm.AchievedRate, label{"of", "finished"})
			p.sample(name, s, "rate", s.arm.Goodput, label{"of", "ok"})
		}
	}
}

func (p *promText) costs() {
	const bytes = "wiregauge_wire_bytes"
	p.family(bytes, "gauge", "Bytes on the wire, by direction.")
	for i := range p.arms {
		s := &p.arms[i]
		if s.bytes() != nil {
			p.sample(bytes, s, "bytes", float64(s.arm.SentBytes.Wire), label{"direction", "sent"})
			p.sample(bytes, s, "bytes", float64(s.arm.RecvBytes.Wire), label{"direction", "received"})
		}
	}
	const cpu = "wiregauge_cpu_seconds"
	p.family(cpu, "gauge", "CPU time of this client, and of the server where its process is known.")
	for i := range p.arms {
		s := &p.arms[i]
		if s.clientCPU() != nil {
			p.sample(cpu, s, "cpu", s.arm.ClientCPU.Total().Seconds(), label{"of", "client"})
		}
		if s.arm.Server != nil {
			p.sample(cpu, s, "cpu", s.arm.Server.Total().Seconds(), label{"of", "server"})
		}
	}
	const window = "wiregauge_window_seconds"
	p.family(window, "gauge", "How long was measured.")
	for i := range p.arms {
		p.sample(window, &p.arms[i], asWhole, time.Duration(p.arms[i].arm.Window).Seconds())
	}
}

func (p *promText) failures() {
	const name = "wiregauge_failed_calls"
	p.family(name, "gauge", "Failed calls by class and stage.")
	for i := range p.arms {
		for _, e := range p.arms[i].arm.Errors {
			p.sample(name, &p.arms[i], "errors", float64(e.Count), label{"class", e.Class}, label{"stage", e.Stage})
		}
	}
}

// capacity is the highest rate that met its goal when it was tested again; none where nothing was verified.
func (p *promText) capacity() {
	const name = "wiregauge_capacity_calls_per_second"
	p.family(name, "gauge", "The highest rate that met the goal when it was tested again, by what ended the search.")
	for i := range p.arms {
		s := &p.arms[i]
		if c := s.file.Capacity; c != nil && c.Verified != nil {
			p.sample(name, s, "rate", *c.Verified, label{"goal", c.Goal}, label{"bound", c.Bound})
		}
	}
}
