package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"wiregauge"
	"wiregauge/internal/option"
)

// describe is one line on what is about to happen: "Check  gRPC  open loop 2,000/s".
func (out *plan) describe(p *prepared, sent *payload) string {
	method := sent.Requests[0].Method
	if slash := strings.LastIndexByte(method, '/'); sent.Method != nil && slash >= 0 {
		method = method[slash+1:]
	}
	load := fmt.Sprintf("closed loop %d", out.load.Concurrency)
	switch {
	case len(out.labels) > 0:
		load = fmt.Sprintf("ramp %s in %s", out.record.Ramp, count(len(out.labels), "step"))
	case out.search:
		load = "search for the highest rate, " + out.record.Arrivals + " arrivals"
	case out.open:
		load = "open loop " + out.load.Pacer.String()
	}
	return strings.TrimSpace(strings.Join([]string{method, p.Protocol.Title, load}, "  "))
}

// describe prints the resolved plan and one request, for --dry-run.
func (t *test) describe() error {
	w := t.app.stdout
	row := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-12s %s\n", label, fmt.Sprintf(format, args...))
	}
	p, l := t.target, &t.plan.load
	row("target", "%s", redactURL(p.Raw))
	row("protocol", "%s, %s client", p.Protocol.Title, p.Client)
	row("address", "%s", addressWords(p))
	row("load", "%s, %s x %s", t.plan.describe(p, t.payload), count(l.Connections, "connection"), count(l.Streams, "stream"))
	if len(t.plan.labels) > 0 {
		row("steps", "%s, %s each", strings.Join(t.plan.labels, " "), option.FormatDuration(t.o.Ramp.step))
	}
	first := t.plan.specs[0]
	if first.Total > 0 {
		row("calls", "%s", thousands(int64(first.Total)))
	}
	if first.Duration > 0 {
		row(map[bool]string{true: "at most", false: "duration"}[t.plan.search], "%s", option.FormatDuration(first.Duration))
	}
	switch warm := t.o.Warmup.String(); {
	case t.o.Warmup.auto:
		row("warm-up", "until steady, %s at most, on top", option.FormatDuration(t.o.WarmupMax))
	case warm != "":
		row("warm-up", "%s on top", warm)
	}
	row("payload", "%s", t.payload.Summary)
	for i := range t.goals {
		row("goal", "%s", t.goals[i].Expr)
	}
	for i := range t.gates {
		row("gate", "%s", t.gates[i].Words())
	}
	for _, n := range t.plan.notices {
		fmt.Fprintln(w, n)
	}
	fmt.Fprintf(w, "\n%s", showRequest(t.payload.Requests[0]))
	if t.o.Verbose > 0 {
		fmt.Fprintf(w, "\nwhere each value comes from:\n%s", t.set.Describe(true))
	}
	fmt.Fprintln(w, "\nno call was sent")
	return nil
}

func addressWords(p *prepared) string {
	switch p.Network {
	case "null":
		return "none"
	case "unix":
		return "unix socket " + p.Address
	}
	if to := p.Dialer.Resolve[p.Address]; to != "" {
		return to + " for " + p.Address
	}
	return p.Address
}

// showRequest is one request as it will be sent, before the protocol's own framing.
func showRequest(r *wiregauge.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Method)
	for _, f := range r.Header {
		value := f.Value
		if f.Sensitive || secretName.MatchString(f.Name) {
			value = hidden
		}
		fmt.Fprintf(&b, "%s: %s\n", f.Name, value)
	}
	for i, m := range r.Messages {
		if i == 3 {
			fmt.Fprintf(&b, "… and %d more messages\n", len(r.Messages)-i)
			break
		}
		b.WriteString(showBody(m) + "\n")
	}
	return b.String()
}

// showBody is text as it is and anything else in hex, both cut at 200 bytes.
func showBody(m []byte) string {
	head, more := m, ""
	if len(m) > 200 {
		head, more = m[:200], fmt.Sprintf("… (%d bytes)", len(m))
	}
	if utf8.Valid(m) && !strings.ContainsFunc(string(head), func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }) {
		return string(head) + more
	}
	return fmt.Sprintf("% x%s", head, more)
}
