package rsocket

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wiregauge/protocol/rsocket/frame"
)

// A capture is one exchange of two programs that others wrote.
type capture struct {
	name, title string
	web         bool
	lines       []captured
}

type captured struct {
	at         time.Duration
	fromClient bool
	bytes      []byte
}

// readCapture reads one connection of a .hex file (testdata/vectors), the first or, of a client that resumes, another.
func readCapture(t testing.TB, path string, conn int) capture {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := capture{name: strings.TrimSuffix(filepath.Base(path), ".hex")}
	if conn > 0 {
		c.name += fmt.Sprintf(" %d", conn)
	}
	var at time.Duration
	current := 0
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case i == 0:
			c.title = line
		case len(line) < 2:
		case line[0] == '#':
			at, current = moment(line[2:], at, current)
		case current == conn:
			p, err := hex.DecodeString(line[2:])
			if err != nil {
				t.Fatalf("%s, line %d: %v", path, i+1, err)
			}
			c.web = c.web || strings.HasPrefix(string(p), "GET ")
			c.lines = append(c.lines, captured{at: at, fromClient: line[0] == '>', bytes: p})
		}
	}
	return c
}

// moment is when and on which connection the next line came, as the comment before it says: "conn=1 74.9ms RESUME …",
// where the connection is left out if there is one only.
func moment(comment string, at time.Duration, conn int) (time.Duration, int) {
	for _, word := range strings.Fields(comment) {
		if n, ok := strings.CutPrefix(word, "conn="); ok {
			conn, _ = strconv.Atoi(n)
		}
		if ms, ok := strings.CutSuffix(word, "ms"); ok {
			if x, err := strconv.ParseFloat(ms, 64); err == nil {
				return time.Duration(x * float64(time.Millisecond)), conn
			}
		}
	}
	return at, conn
}

func captures(t testing.TB) (all []capture) {
	t.Helper()
	paths, err := filepath.Glob("testdata/vectors/*.hex")
	if err != nil || len(paths) < 100 {
		t.Fatalf("%d captures, %v", len(paths), err)
	}
	for _, p := range paths {
		for conn := 0; ; conn++ {
			c := readCapture(t, p, conn)
			if len(c.lines) == 0 {
				break
			}
			all = append(all, c)
		}
	}
	return all
}

// serving is what the server of a capture was set to.
func (c capture) serving() Serving {
	s := Serving{WebSocket: c.web}
	if strings.HasPrefix(c.name, "lease-") && !strings.Contains(c.name, "unsupported") && c.name != "lease-npm1-server-none" {
		s.Lease = Lease{Requests: 2, TimeToLive: 800 * time.Millisecond, Every: 990 * time.Millisecond}
	}
	return s
}

// server is what the server of the capture sent.
func (c capture) server(t testing.TB) map[uint32]string {
	var all []byte
	for _, l := range c.lines {
		if !l.fromClient {
			all = append(all, l.bytes...)
		}
	}
	return shorthand(t, cutFrames(t, all, c.web))
}

// play has the client's lines arrive at our answering end, when they came.
func (c capture) play(t testing.TB) *peerLab {
	l := newPeerLab(t, c.serving())
	l.spring = strings.Contains(strings.ToLower(c.title), "to spring") || strings.Contains(c.title, "Spring Boot 4.0.7 server") || strings.Contains(c.title, "to a Spring")
	for _, line := range c.lines {
		if line.fromClient {
			l.feed(line.at, line.bytes)
		} else {
			l.tick(line.at)
		}
	}
	return l
}

// others are captures whose server does what ours does not, with what ours sends.
var others = map[string]struct{ why, want string }{
	"channel-npm1-server":                  {"its program asks for 16, first", "1: N REQUEST_N 2147483647 N N C"},
	"channel-wrong-interaction-spring":     {"ERROR alone ends both sides of a channel", "7: ERROR 0x201"},
	"frag-no-N-java":                       {"fragments need no Next", "1: N C"},
	"frag-too-small-java":                  {"fragments of any size are taken", "1: N C"},
	"keepalive-timeout-java-client":        {"that server never answers", "0: KEEPALIVE KEEPALIVE; 1: N C"},
	"lease-client-without-L-npm1":          {"our first lease comes before any answer", "0: LEASE 800 2; 1: N C; 3: N C; 5: ERROR 0x202; 7: ERROR 0x202"},
	"lease-npm1-server-none":               {"a server without leases refuses", "0: ERROR 0x1"},
	"lease-py-server":                      {"it sends one lease, with another time to live", "0: LEASE 800 2 LEASE 800 2; 1: N C; 3: N C"},
	"lease-unsupported-npm1":               {"another code", "0: ERROR 0x1"},
	"lease-unsupported-py":                 {"another code", "0: ERROR 0x1"},
	"probe-spring-ext-I-sid0":              {"the frame asks to be ignored", "3: N C"},
	"probe-spring-initial-n-zero":          {"we say what is wrong", "1: ERROR 0x204; 3: N C"},
	"probe-spring-payload-neither-n-nor-c": {"only the call ends", "1: N REQUEST_N 2147483647 ERROR 0x204"},
	"probe-spring-request-sid-zero":        {"no request is answered on stream 0", "0: ERROR 0x101"},
	"resume-java":                          {"no resumption", "0: ERROR 0x2"},
	"resume-java-npm1":                     {"no resumption", "0: ERROR 0x2"},
	"resume-java-spring":                   {"no resumption", "0: ERROR 0x2"},
	"resume-npm1":                          {"no resumption", "0: ERROR 0x2"},
	"resume-unsupported-npm1":              {"another code", "0: ERROR 0x2"},
	"resume-unsupported-py":                {"the connection ends", "0: ERROR 0x2"},
	"resume-java-npm1 1":                   {"no resumption", "0: ERROR 0x4"},
	"resume-java-spring 1":                 {"no resumption", "0: ERROR 0x4"},
	"resume-java-spring 2":                 {"no resumption", "0: ERROR 0x4"},
	"resume-java 1":                        {"no resumption", "0: ERROR 0x4"},
	"resume-npm1 1":                        {"no resumption", "0: ERROR 0x4"},
	"setup-refused-py-stays-open":          {"the connection ends", "0: ERROR 0x3"},
}

func TestCapturesOfClients(t *testing.T) {
	for _, c := range captures(t) {
		t.Run(c.name, func(t *testing.T) {
			got := inWords(c.play(t).words())
			want := inWords(c.server(t))
			if o, ok := others[c.name]; ok {
				if got == want {
					t.Errorf("it is the same, and is listed as another (%s)", o.why)
				}
				want = o.want
			}
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// R: a fragment of 64 bytes is one with the length before it counted, as rsocket-java has it: byte for byte.
func TestFragmentsAreThoseOfJava(t *testing.T) {
	for _, name := range []string{"frag-both-java-spring", "frag-stream-spring"} {
		c := readCapture(t, "testdata/vectors/"+name+".hex", 0)
		l := newPeerLab(t, Serving{Fragment: 64})
		var want []byte
		for _, line := range c.lines {
			if line.fromClient {
				l.feed(line.at, line.bytes)
			} else {
				want = append(want, line.bytes...)
			}
		}
		// Our last item of a stream carries Complete, where theirs is followed by it.
		if ours, theirs := cutFrames(t, l.out, false), cutFrames(t, want, false); len(ours) < 6 || !sameFrames(ours, theirs[:len(ours)]) {
			t.Errorf("%s: sent %x\nwant %x", name, l.out, want)
		}
	}
}

// sameFrames compares frames, but for Complete.
func sameFrames(a, b [][]byte) bool {
	return slices.EqualFunc(a, b, func(a, b []byte) bool {
		return bytes.Equal(a[:5], b[:5]) && a[5]|byte(frame.Complete) == b[5]|byte(frame.Complete) && bytes.Equal(a[6:], b[6:])
	})
}

func (l *peerLab) words() map[uint32]string { return shorthand(l.t, l.frames()) }

// inWords is one line, stream by stream.
func inWords(m map[uint32]string) string {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(m)) {
		all = append(all, fmt.Sprintf("%d: %s", id, m[id]))
	}
	return strings.Join(all, "; ")
}
