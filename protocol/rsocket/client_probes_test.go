package rsocket

import (
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
	"wiregauge/protocol/rsocket/frame"
)

// clientProbes are what a server did to clients of others: by name, the frames that it sent, from the row of the client
// that stayed for most of them.
func clientProbes(t testing.TB) map[string][][]byte {
	t.Helper()
	text, err := os.ReadFile("testdata/client-probes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][][]byte{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		column := strings.Split(line, "\t")
		var frames [][]byte
		for _, one := range strings.Split(column[3], "|") {
			p, err := hex.DecodeString(one)
			if err != nil {
				t.Fatal(err)
			}
			if len(p) > 0 && !(column[0] != "keepalive_R_data" && p[7] == 0x0c) { // without what answers a client's own
				frames = append(frames, p)
			}
		}
		if had, ok := all[column[0]]; !ok || len(frames) > len(had) {
			all[column[0]] = frames
		}
	}
	return all
}

// reactions are what our client makes of each: the ends of two calls, one after the other, what became of the connection,
// and what was sent besides the two requests.
var reactions = map[string]struct {
	first, second, connection, sent string
	notes                           Notes
}{
	"silent":              {first: "closed", connection: "no answer to KEEPALIVE for 900ms", sent: "KEEPALIVE"},
	"no_keepalive_answer": {first: "ok hi", second: "closed", connection: "no answer to KEEPALIVE for 900ms", sent: "KEEPALIVE"},
	"lease_no_L":          {first: "ok hi", second: "ok hi", notes: Notes{Leases: 1, Unasked: 1}},
	"keepalive_R_data":    {first: "ok hi", second: "ok hi", sent: "KEEPALIVE answer srv"},
	"server_request":      {first: "ok hi", second: "ok hi", sent: "ERROR 2 REJECTED", notes: Notes{Requests: 1}},
	"unknown_type":        {first: "malformed", connection: "unknown type 0x20", sent: "ERROR 0 CONNECTION_ERROR"},
	"unknown_type_I":      {first: "ok hi", second: "ok hi", notes: Notes{Ignored: 1}},
	"ext_I":               {first: "ok hi", second: "ok hi", notes: Notes{Ignored: 1}},
	"error_sid0_invalid":  {first: "failed 0x1", connection: "INVALID_SETUP (0x1): no"},
	"error_sid0_close":    {first: "failed 0x102", connection: "CONNECTION_CLOSE (0x102): going away"},
	"metadata_push":       {first: "ok hi", second: "ok hi", notes: Notes{Pushes: 1}},
	"n_without_c":         {first: "ok hi", second: "ok hi"},
	"c_only":              {first: "ok", second: "ok"},
	"neither":             {first: "malformed", second: "malformed", sent: "CANCEL 1, CANCEL 3"},
	"stray_first":         {first: "ok hi", second: "closed", notes: Notes{Stray: 7}}, // the capture ends there
	"frag_N":              {first: "ok hh56i", second: "ok hh56i"},
	"frag_small":          {first: "ok hij", second: "ok hij"},
	"frag_noN":            {first: "ok hh56i", second: "ok hh56i"},
	"reply_metadata":      {first: "ok hi", second: "ok hi"},
	"two_replies":         {first: "ok hi", second: "ok hi", notes: Notes{Late: 2}},
	"error_custom":        {first: "failed 0xdead", second: "failed 0xdead"},
	"error_code_0":        {first: "failed", second: "failed"},
	"one_byte":            {first: "ok hi", second: "ok hi"},
}

func TestClientProbes(t *testing.T) {
	all := clientProbes(t)
	if len(all) != len(reactions) {
		t.Errorf("%d probes, %d reactions", len(all), len(reactions))
	}
	for name, frames := range all {
		t.Run(name, func(t *testing.T) {
			want, ok := reactions[name]
			if !ok {
				t.Fatal("it has no reaction here")
			}
			feed := prototest.Whole
			if name == "one_byte" {
				feed = prototest.ByteByByte
			}
			first, second, d, sent := playProbe(t, frames, feed)
			d.Check(t)
			if got := ended(d, first); got != want.first {
				t.Errorf("the first call: %s; expected %s", got, want.first)
			}
			if got := ended(d, second); got != want.second {
				t.Errorf("the second call: %s; expected %s", got, want.second)
			}
			if got := fmt.Sprint(d.Err); want.connection == "" && d.Err != nil || !strings.Contains(got, want.connection) {
				t.Errorf("the connection: %s; expected %q", got, want.connection)
			}
			if sent != want.sent {
				t.Errorf("sent %q; expected %q", sent, want.sent)
			}
			if got := d.Session.(*session).Notes(); got != want.notes {
				t.Errorf("notes %+v; expected %+v", got, want.notes)
			}
		})
	}
}

// playProbe makes two calls, the second when the first has ended, and feeds the frames. Time passes for the probes about
// silence: while calls are open and nothing comes.
func playProbe(t testing.TB, frames [][]byte, feed func(*prototest.Driver, []byte)) (first, second *wiregauge.Call, d *prototest.Driver, sent string) {
	d = prototest.NewDriver(open(protocol.Options{Setup: protocol.Setup{KeepAlive: 300 * time.Millisecond, Lifetime: 900 * time.Millisecond}}))
	start := func() *wiregauge.Call {
		c := prototest.NewCall(&wiregauge.Request{Method: "echo", Messages: [][]byte{[]byte("hi")}, Keep: true})
		c.Explain = true
		if d.Start(c) != nil {
			return nil
		}
		return c
	}
	first = start()
	lively := 0
	for _, f := range frames {
		feed(d, f)
		if d.Err == nil && second == nil && d.Events.Ended(first) {
			second = start()
		}
		lively++
	}
	all := d.Take(1 << 30)
	words := probeWords(t, all)
	if lively < 2 && d.Events.Open() > 0 && d.Err == nil && (lively == 0 || d.Events.Ended(first)) {
		for d.Err == nil {
			at, _ := d.Session.(wiregauge.Ticker).Next()
			d.Tick(at)
			if d.Take(1<<30) != nil {
				words = "KEEPALIVE"
			}
		}
	}
	d.End(d.Err)
	return first, second, d, words
}

// ended is the outcome, the status and the message of a call.
func ended(d *prototest.Driver, c *wiregauge.Call) string {
	if c == nil {
		return ""
	}
	text := c.Outcome.String()
	if c.Status != 0 {
		text += fmt.Sprintf(" 0x%x", c.Status)
	}
	for _, m := range d.Events.Messages(c) {
		if len(m) > 50 {
			m = []byte(fmt.Sprintf("%s%d%s", m[:2], len(m), m[len(m)-1:]))
		}
		text += " " + string(m)
	}
	return text
}

// probeWords are the frames besides SETUP and the requests.
func probeWords(t testing.TB, p []byte) string {
	var all []string
	for _, p := range cutFrames(t, p, false) {
		f, err := frame.Decode(p)
		if err != nil {
			t.Fatal(err)
		}
		switch f.Type {
		case frame.Setup, frame.RequestResponse:
		case frame.Error:
			all = append(all, fmt.Sprintf("ERROR %d %s", f.Stream, frame.Code(f.N)))
		case frame.KeepAlive:
			all = append(all, "KEEPALIVE answer "+string(f.Data))
		default:
			all = append(all, fmt.Sprintf("%s %d", f.Type, f.Stream))
		}
	}
	return strings.Join(all, ", ")
}
