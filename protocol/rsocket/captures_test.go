package rsocket

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/websocket"
)

var update = flag.Bool("update", false, "write testdata/outcomes.tsv anew; every line of it is then to be read beside its capture")

// rawType is a MIME type of metadata that goes out as it came, so that our requests can be those of a capture.
const rawType = "test/raw"

// A replay is our client in the place of a capture's: it makes the same calls at the same moments, and is answered with
// what the server sent then.
type replay struct {
	t     testing.TB
	d     *prototest.Driver
	feed  func(*prototest.Driver, []byte)
	calls map[uint32]*replayed // by the stream of the capture
	order []*replayed
	sent  []byte
}

type replayed struct {
	*wiregauge.Call
	stream  uint32
	kind    frame.Type
	started bool
	over    string
	pending frame.Frame // fragments so far
}

// setupOf is how the capture's client opened.
func (c capture) setupOf(t testing.TB) (s protocol.Setup, key string) {
	s = protocol.Setup{Web: c.web, MetadataType: rawType}
	for _, l := range c.lines {
		if _, k, n, err := websocket.ReadRequest(l.bytes); c.web && l.fromClient && n > 0 && err == nil {
			key = k
			continue
		}
		if !l.fromClient {
			continue
		}
		f, err := frame.Decode(unmasked(t, l.bytes, c.web))
		if err == nil && f.Type == frame.Setup {
			s.Lease = f.Flags&frame.Leasing != 0
			s.KeepAlive, s.Lifetime = time.Duration(f.KeepAlive)*time.Millisecond, time.Duration(f.Lifetime)*time.Millisecond
		}
	}
	return s, key
}

// unmasked is the one frame in what a client sent at once, nil for a message of WebSocket's own.
func unmasked(t testing.TB, p []byte, web bool) []byte {
	t.Helper()
	if !web {
		if len(p) < frame.PrefixLen || frame.Uint24(p) != len(p)-frame.PrefixLen {
			t.Fatalf("%x is no frame", p)
		}
		return p[frame.PrefixLen:]
	}
	h, n, err := websocket.Read(p)
	if err != nil || n == 0 || len(p) != n+h.Len || !h.Fin || !h.Masked {
		t.Fatalf("%x is no message of a client (%v)", p, err)
	}
	if h.Op != websocket.Binary {
		return nil
	}
	f := bytes.Clone(p[n:])
	websocket.Apply(h.Mask, 0, f)
	return f
}

// replay plays the capture; feed is how the server's bytes come.
func (c capture) replay(t testing.TB, feed func(*prototest.Driver, []byte)) *replay {
	setup, key := c.setupOf(t)
	r := &replay{t: t, feed: feed, calls: map[uint32]*replayed{}}
	r.d = prototest.NewDriver(func(ev wiregauge.Events) wiregauge.Session {
		s := New(protocol.Options{Setup: setup}, ev).(*session)
		s.hello.key = key
		return s
	})
	for i, l := range c.lines {
		r.d.Tick(l.at)
		switch {
		case l.fromClient && c.web && i == 0:
		case l.fromClient:
			r.act(unmasked(t, l.bytes, c.web))
		default:
			r.feed(r.d, r.mapped(l.bytes, c.web))
		}
		r.retry()
		r.sent = append(r.sent, r.d.Take(1<<30)...)
	}
	for _, p := range r.order {
		if !p.started {
			p.over = "never started"
		}
	}
	r.d.End(r.d.Err)
	return r
}

// act has our client do what the capture's did with one frame.
func (r *replay) act(p []byte) {
	f, err := frame.Decode(p)
	if err != nil {
		return
	}
	known := r.calls[f.Stream]
	switch {
	case f.Type == frame.MetadataPush || f.Type.Request():
		r.request(f)
	case known == nil || known.over != "" || r.d.Events.Ended(known.Call):
	case f.Type == frame.Payload && !known.started:
		known.pending.Metadata = append(known.pending.Metadata, f.Metadata...)
		known.pending.Data = append(known.pending.Data, f.Data...)
		if f.Flags&frame.Follows == 0 {
			r.begin(known)
		}
	case f.Type == frame.Payload:
		var m []byte
		if f.Flags&frame.Next != 0 {
			m = append([]byte{}, f.Data...)
		}
		if err := r.d.Send(known.Call, m, f.Flags&frame.Complete != 0); err != nil {
			known.over += fmt.Sprintf("send: %v ", err)
		}
	case f.Type == frame.RequestN:
		r.d.Grant(known.Call, int(f.N))
	case f.Type == frame.Cancel:
		r.d.Cancel(known.Call)
		known.over = "cancelled"
	}
}

func (r *replay) request(f frame.Frame) {
	p := &replayed{stream: f.Stream, kind: f.Type, pending: f}
	p.pending.Metadata, p.pending.Data = bytes.Clone(f.Metadata), bytes.Clone(f.Data)
	r.calls[f.Stream], r.order = p, append(r.order, p)
	if f.Flags&frame.Follows == 0 || f.Type == frame.MetadataPush {
		r.begin(p)
	}
}

// begin starts a call whose request has come wholly.
func (r *replay) begin(p *replayed) {
	q := &wiregauge.Request{Index: len(r.order), Keep: true}
	if f := p.pending; f.Metadata != nil {
		q.Header = []wiregauge.Field{{Name: rawType, Value: string(f.Metadata)}}
	}
	q.Shape = shapes[min(p.kind, frame.RequestChannel)]
	if p.kind == frame.MetadataPush {
		q.Shape = wiregauge.OneWay
	} else {
		q.Messages = [][]byte{append([]byte{}, p.pending.Data...)}
	}
	if q.Open = p.kind == frame.RequestChannel && p.pending.Flags&frame.Complete == 0; p.pending.N != frame.MaxN {
		q.Credit = int(p.pending.N & frame.MaxN)
	}
	p.Call = prototest.NewCall(q)
	p.Explain, p.Detail = true, &wiregauge.Detail{}
	r.retry()
}

// retry starts what can start, in order.
func (r *replay) retry() {
	for _, p := range r.order {
		if p.Call == nil || p.started || p.over != "" {
			continue
		}
		err := r.d.Start(p.Call)
		if err != nil && err.Error() == "no slot: closing" {
			p.over = "never started"
		}
		if p.started = err == nil; !p.started {
			return
		}
	}
}

// mapped is what the server sent, with the streams that our calls have.
func (r *replay) mapped(p []byte, web bool) []byte {
	if web && bytes.HasPrefix(p, []byte("HTTP/")) {
		return p
	}
	p = bytes.Clone(p)
	for _, f := range cutFrames(r.t, p, web) { // they are parts of p
		id := binary.BigEndian.Uint32(f)
		if known := r.calls[id]; known != nil && known.Call != nil && known.started && id != 0 {
			if st := r.d.Session.(*session).find(known.Call); st != nil {
				id = st.id
			}
		} else if id&1 == 1 {
			id = 0x7ffffff1 // of a call that we did not make
		}
		binary.BigEndian.PutUint32(f, id)
	}
	return p
}

// rows tell what became of each call and of the connection.
func (r *replay) rows(name string) (rows []string) {
	for _, p := range r.order {
		what := cmp.Or(p.over, "")
		messages := ""
		if p.Call != nil && p.started {
			if p.over == "" {
				what = p.Outcome.String()
			}
			if p.Status != 0 {
				what += fmt.Sprintf(" 0x%x", p.Status)
			}
			if p.Text != "" {
				what += fmt.Sprintf(" %.60q", p.Text)
			}
			messages = abridged(r.d.Events.Messages(p.Call))
		}
		rows = append(rows, fmt.Sprintf("%s\t%d\t%s\t%s\t%s", name, p.stream, p.kind, what, messages))
	}
	what := "lives"
	if r.d.Err != nil {
		what = fmt.Sprintf("%.90q", r.d.Err.Error())
	}
	notes := strings.Trim(fmt.Sprintf("%+v", r.d.Session.(*session).Notes()), "{}")
	var seen []string
	for _, n := range strings.Fields(notes) {
		if !strings.HasSuffix(n, ":0") {
			seen = append(seen, strings.ToLower(n))
		}
	}
	return append(rows, fmt.Sprintf("%s\t0\tconnection\t%s\t%s", name, what, strings.Join(seen, " ")))
}

// abridged lists messages: all of a few, else how many, the first and the last.
func abridged(all [][]byte) string {
	var words []string
	for _, m := range all {
		w := fmt.Sprintf("%q", m)
		if len(m) > 24 {
			w = fmt.Sprintf("%q..%d", m[:20], len(m))
		}
		words = append(words, w)
	}
	if n := len(words); n > 6 {
		return fmt.Sprintf("%d: %s %s .. %s", n, words[0], words[1], words[n-1])
	}
	return strings.Join(words, " ")
}

// Each capture's calls end for us as its lines say they must: testdata/outcomes.tsv was read line by line beside them.
func TestCapturesOfServers(t *testing.T) {
	var rows []string
	for _, c := range captures(t) {
		r := c.replay(t, prototest.Whole)
		r.d.Check(t)
		rows = append(rows, r.rows(c.name)...)
	}
	const path = "testdata/outcomes.tsv"
	head := "capture\tstream\tcall\toutcome\tmessages, or what the connection saw besides"
	got := head + "\n" + strings.Join(rows, "\n") + "\n"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(want), "\n")
	for i, row := range strings.Split(got, "\n") {
		if i >= len(lines) || row != lines[i] {
			t.Fatalf("line %d\ngot  %s\nwant %s", i+1, row, lines[min(i, len(lines)-1)])
		}
	}
	if len(lines) != len(rows)+2 {
		t.Errorf("%d rows, expected %d", len(rows), len(lines)-2)
	}
}

// However the server's bytes are cut, the events are the same.
func TestCapturesCutAnywhere(t *testing.T) {
	for _, c := range captures(t) {
		t.Run(c.name, func(t *testing.T) {
			want := c.replay(t, prototest.Whole).d.Events.Answers()
			same := func(how string, feed func(*prototest.Driver, []byte)) {
				t.Helper()
				r := c.replay(t, feed)
				r.d.Check(t)
				if got := r.d.Events.Answers(); !slices.Equal(got, want) {
					t.Fatalf("%s:\n%v\nexpected\n%v", how, got, want)
				}
			}
			same("byte by byte", prototest.ByteByByte)
			early := c.name == "lease-early-request-java" // the answer comes with the lease that our call waits for
			if got := c.joined().replay(t, prototest.Whole).d.Events.Answers(); slices.Equal(got, want) == early {
				t.Errorf("in as few reads as can be:\n%v\nexpected\n%v", got, want)
			}
			total := 0
			for _, l := range c.lines {
				if !l.fromClient {
					total += len(l.bytes)
				}
			}
			for cut := range total {
				same(fmt.Sprintf("cut at %d", cut), prototest.CutAt(cut))
			}
		})
	}
}

// joined is the capture with all that the server sent between two lines of its client in one line.
func (c capture) joined() capture {
	lines := c.lines
	c.lines = nil
	for i, l := range lines {
		if n := len(c.lines); i > 0 && !l.fromClient && !lines[i-1].fromClient && l.at-c.lines[n-1].at < 100*time.Millisecond { // leases expire
			c.lines[n-1].bytes = append(bytes.Clone(c.lines[n-1].bytes), l.bytes...)
			continue
		}
		c.lines = append(c.lines, l)
	}
	return c
}

// Every frame of the captures whose type is known means what its bytes say: it encodes to the same.
func TestFramesOfCapturesEncodeBack(t *testing.T) {
	frames, types := 0, map[frame.Type]int{}
	for _, c := range captures(t) {
		for i, l := range c.lines {
			var all [][]byte
			switch {
			case c.web && i == 0:
			case l.fromClient:
				all = append(all, unmasked(t, l.bytes, c.web))
			default:
				all = cutFrames(t, l.bytes, c.web)
			}
			for _, p := range all {
				f, err := frame.Decode(p)
				if p == nil || !f.Type.Known() {
					continue
				}
				frames++
				types[f.Type]++
				if again := f.Append(nil); err != nil || !bytes.Equal(again, p) {
					t.Errorf("%s: %v\n%x encodes as\n%x", c.name, err, p, again)
				}
			}
		}
	}
	if frames < 600 || len(types) < 14 {
		t.Errorf("%d frames of %d types: %v", frames, len(types), types)
	}
}
