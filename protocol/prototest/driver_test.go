package prototest

import (
	"io"
	"strings"
	"testing"
	"time"

	"wiregauge"
)

// fake is a session of one call that breaks one rule: an answer is the bytes "ok".
type fake struct {
	ev       wiregauge.Events
	breaks   string
	c        *wiregauge.Call
	kept     []byte
	sent     int64
	received int64
}

func (f *fake) Start(out []byte, c *wiregauge.Call) ([]byte, error) {
	f.c = c
	switch f.breaks {
	case "fires in start":
		f.ev.First(c)
	case "refuses and appends":
		f.sent++
		return append(out, 'x'), wiregauge.Busy
	case "asks for the hello":
		return out, wiregauge.Handshake
	case "appends too much":
		f.sent += 1 << 20
		return append(out, make([]byte, 1<<20)...), nil
	}
	f.sent++
	return append(out, 'x'), nil
}

func (f *fake) Receive(in, out []byte) (int, []byte, error) {
	f.received += int64(len(in))
	switch f.breaks {
	case "uses too much":
		return len(in) + 1, out, nil
	case "drops what is unsent":
		return len(in), nil, nil
	case "miscounts":
		f.received++
	case "keeps a reference":
		f.kept = in
		return len(in), out, nil
	case "no first":
		f.c.Outcome = wiregauge.OK
		f.ev.Done(f.c)
		return len(in), out, nil
	case "no outcome":
		f.ev.Done(f.c)
		return len(in), out, nil
	case "message without keep":
		f.ev.First(f.c)
		f.ev.Message(f.c, in)
	case "first twice":
		f.ev.First(f.c)
		f.ev.First(f.c)
	case "closing twice":
		f.ev.Closing()
		f.ev.Closing()
	case "sent for nothing":
		f.ev.Sent(f.c)
	case "done twice":
		f.ev.First(f.c)
		f.c.Outcome = wiregauge.OK
		f.ev.Done(f.c)
		f.ev.Done(f.c)
	}
	return len(in), out, nil
}

func (f *fake) Ready() bool { return f.breaks != "starts before the hello" }

func (f *fake) Next() (time.Duration, bool) {
	return 5, f.breaks == "owes for ever" || f.breaks == "fires in tick"
}

func (f *fake) Tick(now time.Duration, out []byte) ([]byte, error) {
	if f.breaks == "fires in tick" {
		f.ev.Closing()
	}
	return out, nil
}

func (f *fake) Flush(out []byte) []byte { return out }

func (f *fake) Cancel(out []byte, c *wiregauge.Call) ([]byte, error) { return out, nil }

func (f *fake) End(error) {
	if f.breaks == "keeps a reference" {
		f.ev.First(f.c)
		f.ev.Message(f.c, f.kept)
	}
	if f.breaks == "forgets a call" {
		return
	}
	f.c.Outcome = wiregauge.Closed
	f.ev.Done(f.c)
}

func (f *fake) Traffic() (sent, received wiregauge.Traffic) {
	return wiregauge.Traffic{Body: f.sent}, wiregauge.Traffic{Body: f.received}
}

func TestDriverNoticesBrokenRules(t *testing.T) {
	for breaks, want := range map[string]string{
		"":                     "",
		"fires in start":       "Start fired the event",
		"refuses and appends":  "Start refused a call (no slot: busy) and appended 1 bytes",
		"appends too much":     "Start appended 1048576 bytes at once",
		"uses too much":        "Receive used 3 of 2 bytes",
		"drops what is unsent": "did not append to out",
		"miscounts":            "traffic says 3 bytes received",
		"no first":             "OK without a first byte",
		"no outcome":           "done without an outcome",
		"message without keep": "does not keep",
		"first twice":          "first fired twice",
		"closing twice":        "closing fired twice",
		"sent for nothing":     "whose Queued was 0",
		"done twice":           "a call that is not open",

		"starts before the hello": "Start says <nil>, Ready false",
		"asks for the hello":      "Start says no slot: handshake, Ready true",
		"owes for ever":           "after Tick at 6ns the session owes something at 5ns",
		"fires in tick":           "Tick fired the event",
		"forgets a call":          "still open after End",
	} {
		t.Run(breaks, func(t *testing.T) {
			f := &fake{breaks: breaks}
			d := NewDriver(func(ev wiregauge.Events) wiregauge.Session { f.ev = ev; return f })
			d.Start(NewCall(&wiregauge.Request{}))
			d.Feed([]byte("ok"))
			d.Tick(6)
			if breaks == "" || breaks == "forgets a call" {
				d.End(io.EOF)
			}
			faults := strings.Join(d.Events.Faults, "\n")
			if want == "" && faults != "" || !strings.Contains(faults, want) {
				t.Errorf("faults %q, expected %q", faults, want)
			}
		})
	}
}

// The bytes that a session was given are overwritten, so that a reference it keeps shows in what it says later.
func TestDriverOverwritesInput(t *testing.T) {
	f := &fake{breaks: "keeps a reference"}
	d := NewDriver(func(ev wiregauge.Events) wiregauge.Session { f.ev = ev; return f })
	c := NewCall(&wiregauge.Request{Keep: true})
	d.Start(c)
	d.Feed([]byte("ok"))
	d.End(io.EOF)
	if got := string(d.Events.Messages(c)[0]); got != "\xdd\xdd" {
		t.Errorf("the session still saw %q", got)
	}
}

func TestCutAt(t *testing.T) {
	for cut, want := range map[int]int{0: 2, 1: 3, 2: 3, 3: 2, 4: 3, 6: 2} {
		f := &countReads{}
		d := NewDriver(func(ev wiregauge.Events) wiregauge.Session { f.ev = ev; return f })
		feed := CutAt(cut)
		feed(d, []byte("abc"))
		feed(d, []byte("def"))
		if f.reads != want {
			t.Errorf("cut at %d: %d reads, expected %d", cut, f.reads, want)
		}
	}
}

// countReads is a session that counts how often it was fed.
type countReads struct {
	fake
	reads int
}

func (f *countReads) Receive(in, out []byte) (int, []byte, error) {
	f.reads++
	return f.fake.Receive(in, out)
}
