package doctor

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"wiregauge/report/number"
)

// From where on something is worth a note, and from where on it spoils numbers.
const (
	noteSteal, badSteal     = 0.01, 0.05
	noteForeign, badForeign = 0.10, 0.25
	badClock                = 100 * time.Nanosecond
	noteLate, badLate       = 300 * time.Microsecond, 2 * time.Millisecond
	noteFiles, stopFiles    = 4096, 64
	notePorts               = 16_000
	noteQueue               = 1024
)

// Judge fills the findings, the verdict and whether anything can be measured, from what was read.
func Judge(r *Report) {
	r.Findings = r.Findings[:0]
	for _, look := range []func(*Report) Finding{cpus, limited, governed, clock, timers, files, ports, queue, steal, foreign, encryption, loopback} {
		r.Findings = append(r.Findings, look(r))
	}
	r.Findings = append(r.Findings, ceilings(r)...)
	r.Ready = true
	for _, f := range r.Findings {
		r.Ready = r.Ready && f.State != Stop
	}
	r.Verdict = verdict(r)
}

func cpus(r *Report) Finding {
	f := Finding{Name: "CPUs", State: OK, Text: fmt.Sprintf("%d, of which Go uses %d", r.CPU.Count, r.CPU.Used)}
	switch {
	case r.CPU.Used < r.CPU.Count:
		f.State, f.Advice = Note, "GOMAXPROCS or a control group keeps the client from using all of them"
	case r.CPU.Count == 1:
		f.State, f.Advice = Note, "a server on this machine and the client take turns: measure a server elsewhere"
	}
	return f
}

func limited(r *Report) Finding {
	f := Finding{Name: "CPU limit", State: OK, Text: "control groups set none"}
	if !r.CPU.LimitKnown {
		return Finding{Name: f.Name, State: Unknown, Text: "limits of control groups cannot be read here"}
	}
	if r.CPU.Limit == nil {
		return f
	}
	f.Text = fmt.Sprintf("control groups allow %.3g CPUs", *r.CPU.Limit)
	switch {
	case *r.CPU.Limit < 1:
		f.State, f.Advice = Bad, "a client that is held back stands still for tens of ms at a time: raise the limit"
	case *r.CPU.Limit < float64(r.CPU.Count):
		f.State, f.Advice = Note, "a client that is held back stands still for tens of ms at a time: stay well below it"
	}
	return f
}

func governed(r *Report) Finding {
	f := Finding{Name: "governor", State: Unknown, Text: "how clock speeds are chosen is not told here"}
	if r.CPU.Governor == nil {
		return f
	}
	f.State, f.Text = OK, *r.CPU.Governor
	if *r.CPU.Governor != "performance" {
		f.State, f.Advice = Note, "speed follows load, and so do CPU times per call: cpupower frequency-set -g performance"
	}
	return f
}

func clock(r *Report) Finding {
	f := Finding{Name: "clock", State: OK, Text: "source unknown"}
	if r.Clock.Source != nil {
		f.Text = *r.Clock.Source
	}
	if r.Clock.Read == nil {
		f.State, f.Text = Unknown, f.Text+"; what reading it takes could not be measured"
		return f
	}
	f.Text += fmt.Sprintf(", a reading takes %d ns", *r.Clock.Read)
	if time.Duration(*r.Clock.Read) > badClock {
		f.State, f.Advice = Bad, "every call reads the clock: choose a source that needs no system call, such as tsc"
	}
	return f
}

func timers(r *Report) Finding {
	t := &r.Timers
	if t.P50 == nil || t.P95 == nil {
		return Finding{Name: "timers", State: Unknown, Text: "not measured"}
	}
	f := Finding{Name: "timers", State: OK, Text: fmt.Sprintf("late by %s, for one in 20 by more than %s", number.Duration(*t.P50), number.Duration(*t.P95))}
	if t.SleepP50 != nil {
		f.Text += fmt.Sprintf(" (time.Sleep: %s)", number.Duration(*t.SleepP50))
	}
	switch late := time.Duration(*t.P95); {
	case late > badLate:
		f.State, f.Advice = Bad, "calls of an open loop leave late: something else has the CPU"
	case late > noteLate:
		f.State, f.Advice = Note, "calls of an open loop leave late by as much"
	}
	return f
}

func files(r *Report) Finding {
	f := Finding{Name: "open files", State: Unknown, Text: "the limit is not told here"}
	if r.Limits.OpenFiles == nil {
		return f
	}
	n := *r.Limits.OpenFiles
	f.State, f.Text = OK, limitText(n)
	switch {
	case n < stopFiles:
		f.State, f.Advice = Stop, "nothing can be connected: ulimit -n 8192"
	case n < noteFiles:
		f.State, f.Advice = Note, fmt.Sprintf("enough for %d connections; for more: ulimit -n 8192", n-100)
	}
	if h := r.Limits.OpenFilesHard; h != nil && *h < 8192 && f.State != OK {
		f.Advice = fmt.Sprintf("it can be raised to %d here, beyond that by root only", *h)
	}
	return f
}

func limitText(n uint64) string {
	if n >= math.MaxInt64 {
		return "no limit"
	}
	return strconv.FormatUint(n, 10)
}

func ports(r *Report) Finding {
	n := r.Limits.Ports()
	if n == 0 {
		return Finding{Name: "ports", State: Unknown, Text: "which ports connections are given is not told here"}
	}
	f := Finding{Name: "ports", State: OK, Text: fmt.Sprintf("%d to %d: %d connections to one address and port", *r.Limits.PortLow, *r.Limits.PortHigh, n)}
	if n < notePorts {
		f.State, f.Advice = Note, "a connection per call (--no-keepalive) soon runs out of them: each rests a minute after its use"
	}
	return f
}

func queue(r *Report) Finding {
	if r.Limits.Somaxconn == nil {
		return Finding{Name: "listen queue", State: Unknown, Text: "how many connections may wait to be accepted is not told here"}
	}
	f := Finding{Name: "listen queue", State: OK, Text: fmt.Sprintf("up to %d connections wait to be accepted by a server here", *r.Limits.Somaxconn)}
	if *r.Limits.Somaxconn < noteQueue {
		f.State, f.Advice = Note, "of more at once some wait a second or are refused: sysctl net.core.somaxconn=4096"
	}
	return f
}

func steal(r *Report) Finding {
	return taken("stolen", "by the host of this virtual machine", r.Load.Steal, noteSteal, badSteal, "the host is busy: another time, or a machine of your own")
}

func foreign(r *Report) Finding {
	return taken("others", "by other processes", r.Load.Foreign, noteForeign, badForeign, "stop what can be stopped, or measure when it is quiet")
}

func taken(name, who string, share *float64, note, bad float64, advice string) Finding {
	if share == nil {
		return Finding{Name: name, State: Unknown, Text: "CPU taken " + who + " is not told here"}
	}
	f := Finding{Name: name, State: OK, Text: number.Percent(*share) + " of the CPU was taken " + who}
	switch {
	case *share > bad:
		f.State, f.Advice = Bad, advice
	case *share > note:
		f.State, f.Advice = Note, advice
	}
	return f
}

func encryption(r *Report) Finding {
	f := Finding{Name: "TLS", State: Unknown, Text: "whether the processor has AES instructions is not told here"}
	if r.TLS.AES != nil {
		f.State, f.Text = OK, "the processor has AES instructions"
		if !*r.TLS.AES {
			f.State, f.Text, f.Advice = Note, "the processor has no AES instructions", "TLS costs much more CPU here than on most servers"
		}
	}
	if r.TLS.Speed != nil {
		f.Text += "; one CPU encrypts " + number.Bytes(*r.TLS.Speed) + "/s (AES-128-GCM)"
	}
	return f
}

func loopback(r *Report) Finding {
	if r.Loopback != "" {
		return Finding{"loopback", Stop, "no connection to this machine itself: " + r.Loopback, "check the interface lo and the firewall"}
	}
	return Finding{Name: "loopback", State: OK, Text: "connections to this machine itself work"}
}

func ceilings(r *Report) []Finding {
	var all []Finding
	for _, c := range r.Ceilings {
		f := Finding{Name: "most " + c.Protocol, State: Unknown, Text: "not measured: " + c.Why}
		if c.Rate != nil {
			f.State, f.Text = OK, number.Significant(*c.Rate)+" calls/s, answered from memory"
			if c.Load != "" {
				f.Text += " (" + c.Load + ")"
			}
		}
		all = append(all, f)
	}
	return all
}

// verdict is the whole in one sentence.
func verdict(r *Report) string {
	of := func(state State) (names []string) {
		for _, f := range r.Findings {
			if f.State == state {
				names = append(names, f.Name)
			}
		}
		return names
	}
	switch stop, bad, note := of(Stop), of(Bad), of(Note); {
	case len(stop) > 0:
		return "Nothing can be measured here: see " + strings.Join(stop, ", ") + "."
	case len(bad) > 0:
		return "Numbers measured here now would be doubtful: see " + strings.Join(bad, ", ") + "."
	case len(note) > 0:
		return "This machine can measure; mind " + strings.Join(note, ", ") + "."
	}
	return "This machine can measure."
}
