package compare

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"wiregauge/result"
)

// A Sample is what one call of an arm showed, for the fair-test check.
type Sample struct {
	Arm      string
	Floor    bool   // exempt: the floor speaks no contract
	Failure  string // the answer was not a success; in words
	Client   string // "wire" or "stack"
	Protocol string // "gRPC"
	TLS      string // "TLS 1.3, …"; empty for plaintext
	ALPN     string
	Codec    string // "json", "protobuf"
	Encoding string // of the request: "gzip"; empty for none
	Answered string // the answer's compression; empty for none
	InFlight int    // most calls in flight: -c, or the limit under --rate
	Rate     string // the asked rate; empty in a closed loop
	// Request and Reply are the decoded messages in one canonical form; nil where there is no contract to decode
	// them with. Kind names the form: only equal kinds can be compared.
	Request, Reply []byte
	Kind           string // "message", "json", "bytes"
	Stream         bool   // the reply is a stream: what is received of one may be cut anywhere
	// Again is the reply to a second, equal call: where an arm's own answers differ, only their sizes can be compared.
	Again                []byte
	Connections, Streams int
	// Own are the properties that were set for this arm alone, by the names of the checks: "connections". That they
	// differ is what is compared.
	Own                  []string
	SentBytes, RecvBytes int64 // on the wire, this call alone
}

// Check compares the arms' samples. A failed check voids the verdict; what differs by protocol is listed only.
func Check(samples []Sample) *result.Fair {
	var judged []Sample
	for _, s := range samples {
		if !s.Floor {
			judged = append(judged, s)
		}
	}
	f := &result.Fair{Checks: []result.FairCheck{}, Differ: []string{}}
	f.Checks = append(f.Checks, checkAnswers(judged), checkRequests(judged), checkReplies(judged))
	f.Checks = append(f.Checks,
		equal(judged, "TLS", func(s Sample) string { return tlsWord(s.TLS) }),
		equal(judged, "calls in flight", func(s Sample) string { return fmt.Sprint(s.InFlight) }),
		equal(judged, "rate", func(s Sample) string { return orWord(s.Rate, "closed loop") }),
		equal(judged, "client kind", func(s Sample) string { return s.Client }),
		equal(judged, "compression", func(s Sample) string {
			return "request " + orWord(s.Encoding, "plain") + ", answer " + orWord(s.Answered, "plain")
		}),
	)
	f.Checks = append(f.Checks, alike(judged)...)
	f.Differ = differences(judged)
	return f
}

// alike checks what has to be the same among arms of one protocol, where nobody asked for a difference. Across protocols
// it may differ, and is listed. There are no such checks when every arm has a protocol of its own.
func alike(samples []Sample) []result.FairCheck {
	var list []result.FairCheck
	for _, c := range []struct {
		name     string
		property func(Sample) string
	}{
		{"connections", func(s Sample) string { return fmt.Sprintf("%d x %d calls", s.Connections, s.Streams) }},
		{"TLS version", func(s Sample) string { return orWord(s.TLS, "plaintext") }},
		{"ALPN", func(s Sample) string { return orWord(s.ALPN, "none") }},
	} {
		check := result.FairCheck{Name: c.name, Passed: true}
		shared := false
		for i, s := range samples {
			first := samples[slices.IndexFunc(samples, func(o Sample) bool { return o.Protocol == s.Protocol })]
			if first.Arm == s.Arm {
				continue
			}
			shared = true
			chosen := slices.Contains(s.Own, c.name) || slices.Contains(first.Own, c.name)
			if tlsWord(first.TLS) != tlsWord(s.TLS) && c.name != "connections" {
				continue // told already
			}
			if a, b := c.property(first), c.property(samples[i]); a != b && !chosen {
				check.Passed = false
				check.Detail = fmt.Sprintf("%s has %s, %s %s, over the same protocol", first.Arm, a, s.Arm, b)
			}
		}
		if shared {
			list = append(list, check)
		}
	}
	return list
}

// checkAnswers wants every arm to answer well: a fast error is no fast answer.
func checkAnswers(samples []Sample) result.FairCheck {
	c := result.FairCheck{Name: "answer", Passed: true}
	var bad []string
	for _, s := range samples {
		if s.Failure != "" {
			bad = append(bad, s.Arm+" answered "+s.Failure)
		}
	}
	if len(bad) > 0 {
		c.Passed, c.Detail = false, strings.Join(bad, "; ")
	}
	return c
}

func checkRequests(samples []Sample) result.FairCheck {
	c := result.FairCheck{Name: "request", Passed: true}
	if why := incomparable(samples, func(s Sample) []byte { return s.Request }); why != "" {
		c.Unknown, c.Detail = true, why
		return c
	}
	for _, s := range samples[min(1, len(samples)):] {
		if !bytes.Equal(s.Request, samples[0].Request) {
			c.Passed = false
			c.Detail = fmt.Sprintf("%s is sent %s, %s %s", samples[0].Arm, show(samples[0].Request), s.Arm, show(s.Request))
			return c
		}
	}
	return c
}

// sizeTolerance is how far apart the sizes of answers may be that differ from call to call anyway.
const sizeTolerance = 0.05

func checkReplies(samples []Sample) result.FairCheck {
	c := result.FairCheck{Name: "reply", Passed: true}
	if why := incomparable(samples, func(s Sample) []byte { return s.Reply }); why != "" {
		c.Unknown, c.Detail = true, why
		return c
	}
	varies := slices.IndexFunc(samples, func(s Sample) bool { return s.Again != nil && !bytes.Equal(s.Again, s.Reply) })
	for _, s := range samples[min(1, len(samples)):] {
		first := samples[0]
		if bytes.Equal(s.Reply, first.Reply) {
			continue
		}
		if varies >= 0 && near(len(s.Reply), len(first.Reply), sizeTolerance) {
			continue
		}
		c.Passed = false
		c.Detail = fmt.Sprintf("%s answers %s, %s %s", first.Arm, show(first.Reply), s.Arm, show(s.Reply))
		return c
	}
	if varies >= 0 {
		c.Detail = "the answers of " + samples[varies].Arm + " differ from call to call: compared by size only"
	}
	return c
}

// incomparable says why messages cannot be compared; "" when they can.
func incomparable(samples []Sample, message func(Sample) []byte) string {
	for _, s := range samples {
		switch {
		case s.Failure != "":
			return "not compared: " + s.Arm + " did not answer well"
		case message(s) == nil:
			return "not compared: the messages of " + s.Arm + " cannot be decoded; give a --contract"
		case s.Kind != samples[0].Kind:
			return fmt.Sprintf("not compared: %s sends %s, %s %s; give a --contract", samples[0].Arm, samples[0].Kind, s.Arm, s.Kind)
		}
	}
	return ""
}

func near(a, b int, tolerance float64) bool {
	large, small := float64(max(a, b)), float64(min(a, b))
	return large-small <= tolerance*large
}

// equal checks that one property is the same for all arms.
func equal(samples []Sample, name string, property func(Sample) string) result.FairCheck {
	c := result.FairCheck{Name: name, Passed: true}
	if spread := spreadOf(samples, property); spread != "" {
		c.Passed, c.Detail = false, spread
	}
	return c
}

// spreadOf lists what each arm has, "" when all have the same.
func spreadOf(samples []Sample, property func(Sample) string) string {
	differ := false
	parts := make([]string, len(samples))
	for i, s := range samples {
		v := property(s)
		differ = differ || v != property(samples[0])
		parts[i] = s.Arm + " " + v
	}
	if !differ {
		return ""
	}
	return strings.Join(parts, ", ")
}

// differences lists what differs because the protocols do.
func differences(samples []Sample) []string {
	list := []string{}
	for _, d := range []struct {
		name     string
		property func(Sample) string
	}{
		{"protocol", func(s Sample) string { return s.Protocol }},
		{"ALPN", func(s Sample) string { return orWord(s.ALPN, "none") }},
		{"TLS version", func(s Sample) string { return orWord(s.TLS, "plaintext") }},
		{"codec", func(s Sample) string { return orWord(s.Codec, "none") }},
		{"connections", func(s Sample) string { return fmt.Sprint(s.Connections) }},
		{"calls per connection", func(s Sample) string { return fmt.Sprint(s.Streams) }},
		{"first call on the wire", func(s Sample) string {
			return fmt.Sprintf("%d B out, %d B in", s.SentBytes, s.RecvBytes)
		}},
	} {
		if spread := spreadOf(samples, d.property); spread != "" {
			list = append(list, d.name+": "+spread)
		}
	}
	return list
}

func tlsWord(tls string) string {
	if tls == "" {
		return "plaintext"
	}
	return "TLS"
}

func orWord(s, word string) string {
	if s == "" {
		return word
	}
	return s
}

// show is a message short enough for one line: text as it is, else in hex.
func show(message []byte) string {
	const most = 60
	text := fmt.Sprintf("%q", message)
	if !utf8.Valid(message) || bytes.ContainsFunc(message, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }) {
		text = "hex " + hex.EncodeToString(message)
	}
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return fmt.Sprintf("%d B %s", len(message), text)
}

// join merges the checks of a later launch into those of the first: a fault stays.
func join(all, later *result.Fair, launch int) *result.Fair {
	if all == nil || later == nil {
		if all == nil {
			return later
		}
		return all
	}
	for i := range all.Checks {
		if all.Checks[i].Passed && !later.Checks[i].Passed {
			all.Checks[i] = later.Checks[i]
			all.Checks[i].Detail = fmt.Sprintf("launch %d: %s", launch, later.Checks[i].Detail)
		}
	}
	return all
}
