package grpc

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

// readVectors reads testdata/vectors.txt: a name and hex digits a line, '#' for remarks.
func readVectors(t testing.TB) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "vectors.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		if name, digits, ok := strings.Cut(line, " "); ok {
			all[name] += strings.Join(strings.Fields(digits), "")
		}
	}
	vectors := map[string][]byte{}
	for name, digits := range all {
		vectors[name] = unhex(t, digits)
	}
	return vectors
}

// recorded is the exchange of the vectors: two good answers and an unknown method.
func recorded(t testing.TB) (*prototest.Recording, prototest.NewSession) {
	v := readVectors(t)
	call := &wiregauge.Request{Method: "/grpc.testing.TestService/EmptyCall", Messages: [][]byte{{}}, Timeout: time.Second, Keep: true}
	return &prototest.Recording{
		Requests: []*wiregauge.Request{call, call, call},
		Hello:    v["G8"],
		Answers:  [][]byte{v["G5"], v["G6"], v["G7"]},
	}, open(protocol.Options{Scheme: "http", Authority: "127.0.0.1:50077"})
}

// TestRequestVectors makes the first and the second call byte for byte as a server of grpc-go was sent them.
func TestRequestVectors(t *testing.T) {
	v := readVectors(t)
	rec, open := recorded(t)
	d := prototest.NewDriver(open)
	d.Feed(rec.Hello)
	d.Take(1 << 10)
	for i, want := range []string{"G3", "G4"} {
		c := prototest.NewCall(rec.Requests[i])
		if err := d.Start(c); err != nil {
			t.Fatal(err)
		}
		if got := d.Take(1 << 10); !bytes.Equal(got, v[want]) {
			t.Errorf("call %d is\n%x, expected\n%x", i, got, v[want])
		}
	}
	sent, _ := d.Session.(wiregauge.Counter).Traffic()
	control := int64(24 + 9 + 12 + 13 + 9 + 17) // preface, SETTINGS, WINDOW_UPDATE, two acknowledgements
	if want := (wiregauge.Traffic{Framing: 2 * (9 + 9 + 5), Headers: 91 + 8, Control: control}); sent != want {
		t.Errorf("sent %+v, expected %+v", sent, want)
	}
}

// TestAnswerVectors feeds what grpc-go answered, cut at every byte.
func TestAnswerVectors(t *testing.T) {
	rec, open := recorded(t)
	prototest.SameEvents(t, open, rec)
	d, calls := rec.Replay(open, len(rec.Bytes()), prototest.Whole)
	for i, want := range []struct {
		outcome wiregauge.Outcome
		status  int
	}{{wiregauge.OK, 0}, {wiregauge.OK, 0}, {wiregauge.Failed, 12}} {
		if calls[i].Outcome != want.outcome || calls[i].Status != want.status {
			t.Errorf("call %d: outcome %s, status %d; expected %s, %d", i, calls[i].Outcome, calls[i].Status, want.outcome, want.status)
		}
	}
	d.Feed(readVectors(t)["G9"])
	if !d.Events.SaidClosing() || d.Session.(interface{ Ended() string }).Ended() != "GOAWAY ENHANCE_YOUR_CALM: too_many_pings" {
		t.Errorf("closing said: %v, reason %q", d.Events.SaidClosing(), d.Session.(interface{ Ended() string }).Ended())
	}
	d.Check(t)
}

// TestBytesPerCall is the table of bytes for a plain call: 30 out and 36 in once the headers are in the tables.
func TestBytesPerCall(t *testing.T) {
	rec, open := recorded(t)
	call := *rec.Requests[0]
	call.Timeout = 0
	d := prototest.NewDriver(open)
	d.Feed(rec.Hello)
	counter := d.Session.(wiregauge.Counter)
	for i := range 2 {
		sent, received := counter.Traffic()
		if err := d.Start(prototest.NewCall(&call)); err != nil {
			t.Fatal(err)
		}
		d.Feed(rec.Answers[i])
		s, r := counter.Traffic()
		out, in := s.Total()-sent.Total(), r.Total()-received.Total()
		if i == 1 && (out != 30 || in != 36) {
			t.Errorf("a later call is %d bytes out and %d in, expected 30 and 36", out, in)
		}
		if i == 0 && (out != 77+9+14 || in != 14+24+9+9+14) {
			t.Errorf("the first call is %d bytes out and %d in, expected 100 and 70", out, in)
		}
	}
}
