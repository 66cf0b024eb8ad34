//go:build external

package interop

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A step is one line of a client's script and what it says. But tells what peers do otherwise: "by CLIENT at SERVER"
// goes before "at SERVER", and that before "by CLIENT"; leftOut leaves the step out.
type step struct {
	name, line, want string
	but              map[string]string
}

// leftOut is a step that a peer cannot do: the connection or the script would not survive it.
const leftOut = "left out"

// rsocketPattern is what all peers of lab/peers/rsocket make and check: byte i is i modulo 251.
func rsocketPattern(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

// okay is the line for so many items of the pattern.
func okay(items, size int) string {
	all := bytes.Repeat(rsocketPattern(size), items)
	return fmt.Sprintf("ok %d %d %x", items, len(all), hash(all))
}

func hash(b []byte) []byte {
	sum := sha256.Sum256(b)
	return sum[:4]
}

// oneError is what a peer does that has one code for all errors.
func oneError(text string) string { return "failed 0 0x201 " + text }

// interactions are all models, payloads from 1 byte to 1 MiB, errors and cancellations.
var interactions = []step{
	{"one byte", "request echo size:1", okay(1, 1), nil},
	{"300 bytes", "request echo size:300", okay(1, 300), nil},
	{"64 KiB", "request echo size:65536", okay(1, 65536), nil},
	{"1 MiB", "request echo size:1048576", okay(1, 1<<20), nil},
	{"1 MiB back only", "request big text:1048576", okay(1, 1<<20), nil},
	{"no bytes", "request echo -", okay(1, 0), map[string]string{
		"at python":               okay(0, 0), // it makes no difference between none and an empty one,
		"by python at python":     okay(1, 0), // nor does its client
		"by npm-0.0.27 at python": leftOut,    // see below
	}},
	{"an empty answer", "request empty -", okay(0, 0), map[string]string{
		"at npm-0.0.27": oneError("Cannot read properties of undefined (reading 'data')"),
		"by npm-0.0.27": leftOut, // its Single never ends
		"by python":     okay(1, 0),
	}},
	{"an exception", "request fail -", oneError("planted"), nil},
	{"code 0x202", "request err text:202", "failed 0 0x202 planted 202", map[string]string{
		"at npm-alpha.3": oneError("planted 202"), "at npm-0.0.27": oneError("planted 202")}},
	{"code 0x203", "request err text:203", "failed 0 0x203 planted 203", map[string]string{
		"at npm-alpha.3": oneError("planted 203"), "at npm-0.0.27": oneError("planted 203")}},
	{"code 0x204", "request err text:204", "failed 0 0x204 planted 204", map[string]string{
		"at npm-alpha.3": oneError("planted 204"), "at npm-0.0.27": oneError("planted 204")}},
	{"code 0x301", "request err text:301", "failed 0 0x301 planted 301", map[string]string{
		"at npm-alpha.3": oneError("planted 301"), "at npm-0.0.27": oneError("planted 301"), "at python": oneError("planted 301"),
		"by python": leftOut, // it drops codes that it does not list, and the call hangs
	}},
	{"a stream", "stream items text:5_10", okay(5, 10), nil},
	{"a stream, two at a time", "stream items text:25_10 credit=2", okay(25, 10), nil},
	{"a stream of 1 MiB items", "stream items text:3_1048576", okay(3, 1<<20), nil},
	{"a stream, cancelled", "stream items text:100000_10 take=3 credit=3", "cancelled 3", nil},
	{"a stream that fails", "stream items text:2_4_!", "failed 2 0x201 planted", nil},
	{"a channel", "channel chan size:10 count=7", okay(7, 10), nil},
	{"a channel of one", "channel chan size:10 count=1", okay(1, 10), map[string]string{
		"by npm-alpha.3 at npm-0.0.27": leftOut, // the one says in the first frame that it is the last, the other does not look
	}},
	{"a channel, two at a time", "channel chan size:10 count=20 credit=2", okay(20, 10), nil},
	{"a channel of 1 MiB messages", "channel chan size:1048576 count=3", okay(3, 1<<20), nil},
	{"a call, cancelled", "cancel never -", "cancelled 0", nil},
	{"100 calls, cancelled", "flood never - count=100", "cancelled 100", nil},
	{"100 streams, cancelled", "flood nevers - count=100 model=stream", "cancelled 100", nil},
	{"1000 calls at once", "burst echo size:100 count=1000", "ok 1000 100000 -", nil},
	{"fire and forget", "fnf note text:x", "sent", nil},
	{"metadata push", "push push -", "sent", map[string]string{
		"at npm-alpha.3": leftOut, // its decoder throws and the connection closes
		"by npm-alpha.3": "closed Method not implemented.",
	}},
	{"still there", "request echo text:x", fmt.Sprintf("ok 1 1 %x", hash([]byte("x"))), nil},
}

// counted is what a server's route counts says after those, starting from what it said before.
const counted = "tell counts -"

// wants is what a client says to a server, or leftOut.
func (s step) wants(client, server string) string {
	by, at := s.but["by "+client], s.but["at "+server]
	both := s.but["by "+client+" at "+server]
	switch {
	case both != "":
		return both
	case by == leftOut || at == leftOut:
		return leftOut
	case at != "":
		return at
	case by != "":
		return by
	}
	return s.want
}

// A speaker is a client that carries out a script.
type speaker func(t *testing.T, url string, options []string, steps []string) []string

// plays checks what a client says to a server, step by step, and that the server has counted what it was sent.
func plays(t *testing.T, client, server, url string, says speaker, steps []step, options ...string) {
	t.Helper()
	var lines []string
	var played []step
	for _, s := range steps {
		if s.wants(client, server) != leftOut {
			lines, played = append(lines, s.line), append(played, s)
		}
	}
	said := says(t, url, options, slices.Concat([]string{counted}, lines, []string{counted}))
	before, after := countsOf(t, said[0]), countsOf(t, said[len(said)-1])
	for i, s := range played {
		want := s.wants(client, server)
		if said[i+1] != want {
			t.Errorf("%s: %s says %q to %s, want %q", s.name, client, said[i+1], server, want)
		}
		before = before.plus(s, want)
	}
	if before != after {
		t.Errorf("%s has counted %+v, want %+v", server, after, before)
	}
}

// counts is what a server has counted.
type counts struct{ notes, pushes, cancels int }

func countsOf(t *testing.T, line string) (c counts) {
	t.Helper()
	if _, err := fmt.Sscanf(line, "ok notes=%d pushes=%d cancels=%d", &c.notes, &c.pushes, &c.cancels); err != nil {
		t.Fatalf("counts: %q: %v", line, err)
	}
	return c
}

// plus is what is counted after a step.
func (c counts) plus(s step, said string) counts {
	n := 0
	if _, err := fmt.Sscanf(said, "cancelled %d", &n); err == nil && !strings.HasPrefix(s.line, "stream") {
		c.cancels += max(n, 1)
	}
	if said == "sent" && strings.HasPrefix(s.line, "fnf note") {
		c.notes++
	}
	if said == "sent" && strings.HasPrefix(s.line, "push") {
		c.pushes++
	}
	return c
}

// fragmented are messages of one fragment and of many, both ways, in all models.
var fragmented = []step{
	{"one byte", "request echo size:1", okay(1, 1), nil},
	{"a little over a fragment", "request echo size:70", okay(1, 70), nil},
	{"100,000 bytes", "request echo size:100000", okay(1, 100_000), nil},
	{"a stream of 1000 bytes, one at a time", "stream items text:20_1000 credit=1", okay(20, 1000), nil},
	{"a stream of 1000 bytes", "stream items text:20_1000 credit=3", okay(20, 1000), map[string]string{
		"at python": leftOut, // it mixes the fragments of messages of one stream
	}},
	{"a channel of 1000 bytes", "channel chan size:1000 count=20 credit=3", okay(20, 1000), map[string]string{
		"at python": leftOut, "by python": leftOut, // the same
	}},
	{"fire and forget", "fnf note size:1000", "sent", nil},
	{"1000 calls at once", "burst echo size:200 count=1000", "ok 1000 200000 -", nil},
}

// thousands are 10,000 calls in flight on one connection.
var thousands = []step{
	{"10,000 calls without an answer, cancelled", "flood never - count=10000", "cancelled 10000", nil},
	{"10,000 streams, cancelled", "flood nevers - count=10000 model=stream", "cancelled 10000", nil},
	{"10,000 answers", "burst echo size:16 count=10000", "ok 10000 160000 -", nil},
	{"still there", "request echo size:1", okay(1, 1), nil},
}

// kept is a connection that lives longer than it may without keep-alives, asked for every second.
var kept = []step{
	{"silence for 6.5 s", "idle idle text:6500", "idle", nil},
	{"still there", "request echo size:1", okay(1, 1), nil},
}

// leased are more requests than one lease allows: a client that honours leases waits for the next one.
var leased = slices.Repeat([]step{{"a request under a lease", "request echo size:1", okay(1, 1), map[string]string{
	"by npm-0.0.27": leftOut, // it fails at once instead of waiting
}}}, 12)
