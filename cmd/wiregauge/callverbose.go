package main

import (
	"fmt"
	"strings"
	"time"

	"wiregauge"
	"wiregauge/protocol/grpc"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/wire"
)

// phases are what a call cost.
type phases struct {
	info                 wire.Info
	before               time.Duration // from the first packet until the call could start
	sent, received       wiregauge.Traffic
	tlsSent, tlsReceived int64
}

// announce is the first line of -v: what is about to be sent.
func (k *oneCall) announce() {
	if k.o.Verbose == 0 {
		return
	}
	line := k.request.Method
	if isRSocket(k.target.Protocol) {
		line = strings.TrimSpace(interaction(k.request) + " " + line)
	}
	if k.target.Protocol.Name == "grpc" {
		line = "POST " + line
	}
	parts := []string{strings.TrimSpace("> " + line), k.overWhat()}
	if k.sent.Origin != "" {
		parts = append(parts, "schema: "+k.sent.Origin)
	}
	if k.target.Client == "stack" {
		parts = append(parts, "client: stack")
	}
	fmt.Fprintln(k.app.stderr, strings.Join(parts, "  "))
}

// overWhat names the protocol as its connection shows it: "h2c", "h2 over TLS".
func (k *oneCall) overWhat() string {
	name := k.target.Protocol.Name
	switch {
	case name == "http1":
		name = "HTTP/1.1"
	case name == "rsocket":
		return k.target.Scheme.Name
	case name != "grpc" && name != "http2":
	case k.target.Scheme.TLS:
		name = "h2"
	default:
		name = "h2c"
	}
	if k.target.Scheme.TLS {
		name += " over TLS"
	}
	return name
}

// frame prints one frame as -vv shows it.
func (k *oneCall) frame(line string, sent bool) {
	mark := "<"
	if sent {
		mark = ">"
	}
	fmt.Fprintf(k.app.stderr, "%s %s\n", mark, printableText(line))
}

// summary is what -v and -vv say once the call is over.
func (k *oneCall) summary() {
	if k.o.Verbose == 0 {
		return
	}
	w := k.app.stderr
	if k.o.Verbose >= 2 {
		k.fields()
	}
	fmt.Fprintf(w, "< status %s   %s (%s)   sent %d B body / %d B wire   got %d B body / %d B wire\n",
		k.statusWords(), millis(k.total())+" ms", strings.Join(k.times(), ", "),
		k.took.sent.Body, k.took.sent.Total()+k.took.tlsSent, k.took.received.Body, k.took.received.Total()+k.took.tlsReceived)
	if k.o.Verbose >= 2 {
		k.costs()
	}
}

// statusWords is how the call ended: "OK", "NOT_FOUND", "200".
func (k *oneCall) statusWords() string {
	c := &k.call
	switch {
	case k.taken:
		return fmt.Sprintf("OK, ended by --take %d", k.o.Take)
	case k.target.Protocol.Name == "grpc" && (c.Outcome == wiregauge.OK || c.Outcome == wiregauge.Failed):
		return grpc.CodeName(c.Status)
	case isHTTP(k.target.Protocol) && k.httpStatus() > 0:
		return fmt.Sprint(k.httpStatus())
	case c.Outcome == wiregauge.OK && c.Shape == wiregauge.OneWay:
		return "sent, not answered"
	case c.Outcome == wiregauge.OK:
		return "OK"
	case isRSocket(k.target.Protocol) && c.Status != 0:
		return rsocketCode(c.Status)
	}
	return c.Outcome.String()
}

// interaction is the model of a request, as RSocket's frames name it.
func interaction(r *wiregauge.Request) string {
	switch {
	case r.Shape == wiregauge.OneWay && len(r.Messages) == 0:
		return "METADATA_PUSH"
	case r.Shape == wiregauge.OneWay:
		return "REQUEST_FNF"
	case r.Shape == wiregauge.ServerStream:
		return "REQUEST_STREAM"
	case r.Shape.StreamsOut():
		return "REQUEST_CHANNEL"
	}
	return "REQUEST_RESPONSE"
}

// rsocketCode is the code of an ERROR, in hex and by its name where it has one.
func rsocketCode(status int) string {
	code, name := fmt.Sprintf("0x%03x", status), frame.Code(status).String()
	if strings.HasPrefix(name, "0x") {
		return code
	}
	return code + " " + name
}

func (k *oneCall) total() time.Duration {
	if k.call.Done < 0 {
		return k.took.before
	}
	return k.took.before + k.call.Done
}

// times are the phases in ms, those that there were.
func (k *oneCall) times() []string {
	var list []string
	add := func(name string, d time.Duration) {
		if d > 0 {
			list = append(list, name+" "+millis(d))
		}
	}
	i := &k.took.info
	add("dns", i.DNS)
	add("connect", i.Connect)
	add("tls", i.Handshake)
	if k.o.Verbose >= 2 && k.call.Sent >= 0 {
		add("sent", k.took.before+k.call.Sent)
	}
	if k.call.First >= 0 {
		add("first byte", k.took.before+k.call.First)
	}
	if len(list) == 0 {
		list = append(list, "no answer")
	}
	return list
}

// millis is a time in ms with three digits at most.
func millis(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms < 10:
		return fmt.Sprintf("%.1f", ms)
	case ms < 1e6:
		return fmt.Sprintf("%.0f", ms)
	}
	return fmt.Sprintf("%.3g", ms)
}

// fields prints headers and trailers where the frames do not show them one a line.
func (k *oneCall) fields() {
	if k.target.Protocol.Name == "http1" && k.target.Client == "wire" {
		return
	}
	w := k.app.stderr
	for _, f := range k.request.Header {
		fmt.Fprintf(w, "> %s: %s\n", printableText(f.Name), printableText(f.Value))
	}
	d := k.call.Detail
	for _, status := range d.Informational {
		fmt.Fprintf(w, "< informational %d\n", status)
	}
	if d.StatusLine != "" {
		fmt.Fprintf(w, "< %s\n", printableText(d.StatusLine))
	}
	for _, f := range d.Header {
		fmt.Fprintf(w, "< %s: %s\n", printableText(f.Name), printableText(f.Value))
	}
	for _, f := range d.Trailer {
		fmt.Fprintf(w, "< trailer %s: %s\n", printableText(f.Name), printableText(f.Value))
	}
}

// costs prints the connection and the bytes by kind.
func (k *oneCall) costs() {
	w := k.app.stderr
	i := &k.took.info
	if i.Address != "" {
		line := "  connection  " + i.Address
		if i.TLS != "" {
			line += "  " + i.TLS
		}
		if i.ALPN != "" {
			line += "  ALPN " + i.ALPN
		}
		if i.PeerCertificate != "" {
			line += "  certificate " + printableText(i.PeerCertificate)
		}
		fmt.Fprintln(w, line)
	}
	for _, side := range []struct {
		name string
		t    wiregauge.Traffic
		tls  int64
	}{{"sent", k.took.sent, k.took.tlsSent}, {"got", k.took.received, k.took.tlsReceived}} {
		if k.target.Client == "stack" {
			fmt.Fprintf(w, "  bytes %-5s body %d of %d; the library does not tell the rest apart\n", side.name, side.t.Body, side.t.Total()+side.tls)
			continue
		}
		fmt.Fprintf(w, "  bytes %-5s body %d, framing %d, headers %d, control %d, TLS %d\n",
			side.name, side.t.Body, side.t.Framing, side.t.Headers, side.t.Control, side.tls)
	}
}
