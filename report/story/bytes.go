package story

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wiregauge/report/number"
	"wiregauge/result"
)

// A ByteKind is one part of what a call puts on the wire.
type ByteKind struct {
	Name string
	Of   func(result.Bytes) int64
}

// ByteKinds are the parts in the order they are shown; their sum is the wire total.
var ByteKinds = []ByteKind{
	{"body", func(b result.Bytes) int64 { return b.Body }},
	{"framing", func(b result.Bytes) int64 { return b.Framing }},
	{"headers", func(b result.Bytes) int64 { return b.Headers }},
	{"control", func(b result.Bytes) int64 { return b.Control }},
	{"TLS", func(b result.Bytes) int64 { return b.TLS }},
}

// SentPerCall and ReceivedPerCall are bytes on the wire per call sent and per call finished.
func SentPerCall(a *result.Arm, n int64) float64 { return perCall(n, a.Sent) }

// ReceivedPerCall is the share of one finished call in n received bytes.
func ReceivedPerCall(a *result.Arm, n int64) float64 { return perCall(n, a.Finished()) }

// bytesText is one line: sent 142 B (body 31 B, …), received 97 B (…).
func bytesText(a *result.Arm) string {
	if a.Sent == 0 || a.SentBytes.Wire+a.RecvBytes.Wire == 0 {
		return number.None
	}
	return direction("sent", a.SentBytes, func(n int64) float64 { return SentPerCall(a, n) }) + "; " +
		direction("received", a.RecvBytes, func(n int64) float64 { return ReceivedPerCall(a, n) })
}

func direction(word string, b result.Bytes, per func(int64) float64) string {
	var parts []string
	for _, k := range ByteKinds {
		if n := k.Of(b); per(n) >= tinyBytes {
			parts = append(parts, k.Name+" "+number.Bytes(per(n)))
		}
	}
	s := word + " " + number.Bytes(per(b.Wire))
	if len(parts) > 1 {
		s += " (" + strings.Join(parts, ", ") + ")"
	}
	return s
}

// bytesSection is the table of bytes per call by kind and direction.
func bytesSection(arms []*result.Arm) Section {
	t := Table{Columns: []Column{{Name: "bytes per call", Text: true}, {Name: "wire"}}}
	for _, k := range ByteKinds {
		t.Columns = append(t.Columns, Column{Name: k.Name, Rank: 1})
	}
	for i, a := range arms {
		if a.SentBytes.Wire+a.RecvBytes.Wire == 0 {
			continue
		}
		t.Series = append(t.Series, i, i)
		t.Rows = append(t.Rows,
			bytesRow(armName(a)+" sent", a.SentBytes, func(n int64) float64 { return SentPerCall(a, n) }),
			bytesRow(armName(a)+" received", a.RecvBytes, func(n int64) float64 { return ReceivedPerCall(a, n) }))
	}
	return Section{ID: "bytes", Title: "Bytes", Tables: []Table{t}}
}

func bytesRow(name string, b result.Bytes, per func(int64) float64) []Cell {
	row := []Cell{plain(name), plain(number.Significant(per(b.Wire)))}
	for _, k := range ByteKinds {
		row = append(row, plain(bytesNumber(per(k.Of(b)))))
	}
	return row
}

// tinyBytes per call are what a connection's set-up leaves on each of many calls.
const tinyBytes = 0.1

func bytesNumber(n float64) string {
	if n > 0 && n < tinyBytes {
		return "<0.1"
	}
	return number.Significant(n)
}

func connectionsText(c result.Connections) string {
	s := fmt.Sprintf("%s asked, %s opened, %s failed", number.Count(int64(c.Asked)), number.Count(c.Opened), number.Count(c.Failed))
	if c.Opened == 0 && c.Asked > 0 && c.Failed == 0 {
		s = number.Count(int64(c.Asked)) + " asked, opened before the measured turns, none since"
	}
	var ends []string
	for _, why := range slices.Sorted(maps.Keys(c.Ended)) {
		ends = append(ends, Clean(why)+" "+number.Count(c.Ended[why]))
	}
	if len(ends) > 0 {
		s += "; ended: " + strings.Join(ends, ", ")
	}
	for _, more := range []string{c.TLS, c.ALPN} {
		if more != "" {
			s += "; " + Clean(more)
		}
	}
	return s + addresses(c.Addrs)
}

// addresses names the first few.
func addresses(addrs []string) string {
	const most = 3
	switch {
	case len(addrs) == 0:
		return ""
	case len(addrs) <= most:
		return "; to " + Clean(strings.Join(addrs, ", "))
	default:
		return fmt.Sprintf("; to %s and %d more addresses", Clean(strings.Join(addrs[:most], ", ")), len(addrs)-most)
	}
}
