package http2

import (
	"bytes"
	"testing"

	xhttp2 "golang.org/x/net/http2"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

func window(n uint32) xhttp2.Setting {
	return xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: n}
}

// checkSent compares what the server has of a stream's body.
func checkSent(t *testing.T, p *peer, when string, id uint32, n int, ended bool) {
	t.Helper()
	p.feed()
	if body, end := p.sentBody(id); len(body) != n || end != ended {
		t.Errorf("%s: %d bytes of stream %d, ended %v; expected %d, %v", when, len(body), id, end, n, ended)
	}
}

func TestBodyWaitsForItsWindow(t *testing.T) {
	p := newPeer(t, protocol.Options{}, window(10))
	body := prototest.Pattern(25)
	c := p.start(post(body))
	checkSent(t, p, "at the start", 1, 10, false)
	if c.Queued != 15 {
		t.Errorf("queued %d, expected 15", c.Queued)
	}
	p.WriteWindowUpdate(1, 7)
	checkSent(t, p, "after 7 more", 1, 17, false)
	if n := p.d.Events.Count(prototest.Sent, c); n != 0 {
		t.Errorf("sent fired %d times with 8 bytes left", n)
	}
	p.WriteWindowUpdate(1, 100)
	checkSent(t, p, "at the end", 1, 25, true)
	if got, _ := p.sentBody(1); !bytes.Equal(got, body) || c.Queued != 0 || p.d.Events.Count(prototest.Sent, c) != 1 {
		t.Errorf("body %q, queued %d, sent fired %d times", got, c.Queued, p.d.Events.Count(prototest.Sent, c))
	}
	checkAlive(t, p, c, 1)
}

func TestWindowBelowZero(t *testing.T) {
	p := newPeer(t, protocol.Options{}, window(100))
	c := p.start(post(make([]byte, 150)))
	checkSent(t, p, "at the start", 1, 100, false)
	p.WriteSettings(window(20)) // the stream's window is now -80
	p.WriteWindowUpdate(1, 80)
	checkSent(t, p, "with a window of 0", 1, 100, false)
	p.WriteWindowUpdate(1, 1)
	checkSent(t, p, "with a window of 1", 1, 101, false)
	p.WriteSettings(window(120))
	checkSent(t, p, "after the initial window rose by 100", 1, 150, true)
	checkAlive(t, p, c, 1)
}

func TestConnectionWindowIsShared(t *testing.T) {
	p := newPeer(t, protocol.Options{}, window(1<<20))
	p.start(post(make([]byte, 60_000)))
	p.start(post(make([]byte, 60_000)))
	small := p.start(post([]byte("small")))
	checkSent(t, p, "at first", 1, 60_000, true)
	checkSent(t, p, "what is left of 65,535", 3, 5535, false)
	checkSent(t, p, "behind the others", 5, 0, false)
	if small.Queued != 5 {
		t.Errorf("the small body has %d bytes queued, expected it to wait its turn", small.Queued)
	}
	p.WriteWindowUpdate(0, 20_000)
	checkSent(t, p, "a frame, then the small body, then the rest", 3, 5535+20_000-5, false)
	checkSent(t, p, "in its turn", 5, 5, true)
	p.WriteWindowUpdate(0, 1<<20)
	checkSent(t, p, "at the end", 3, 60_000, true)
	p.d.Check(t)
}

func TestBodiesTakeTurns(t *testing.T) {
	p := newPeer(t, protocol.Options{}, window(1<<20))
	p.start(post(make([]byte, 200_000))) // uses the connection's window up
	p.start(post(make([]byte, 200_000)))
	p.WriteWindowUpdate(0, 1<<20)
	before := len(p.seen)
	p.feed()
	var order []uint32
	for _, f := range p.seen[before:] {
		if f.Type == xhttp2.FrameData {
			order = append(order, f.StreamID)
			if len(f.data) > 16384 {
				t.Errorf("a frame of %d bytes", len(f.data))
			}
		}
	}
	for i := 1; i < 16; i++ {
		if order[i] == order[i-1] {
			t.Fatalf("frame order %v: expected the two streams in turn", order)
		}
	}
	checkSent(t, p, "at the end", 1, 200_000, true)
	checkSent(t, p, "at the end", 3, 200_000, true)
}

// TestEndWithoutWindow ends a stream with nothing left to send while its window is empty: an empty DATA frame
// needs none.
func TestEndWithoutWindow(t *testing.T) {
	p := newPeer(t, protocol.Options{}, window(3))
	r := post([]byte("abc"))
	r.Open = true
	c := p.start(r)
	if err := p.d.Send(c, nil, true); err != nil {
		t.Fatal(err)
	}
	checkSent(t, p, "at the end", 1, 3, true)
}

func TestSendRefusesWhileBusy(t *testing.T) {
	p := newPeer(t, protocol.Options{}, window(3))
	r := post(nil)
	r.Messages, r.Open = nil, true
	c := p.start(r)
	if err := p.d.Send(c, []byte("abcdef"), false); err != nil {
		t.Fatal(err)
	}
	if err := p.d.Send(c, []byte("x"), false); err != wiregauge.Busy {
		t.Errorf("a second message: %v, expected %v", err, wiregauge.Busy)
	}
	p.WriteWindowUpdate(1, 10)
	checkSent(t, p, "after the window grew", 1, 6, false)
	if n := p.d.Events.Count(prototest.Room, c); n != 1 {
		t.Errorf("room told %d times, expected once", n)
	}
	if err := p.d.Send(c, []byte("x"), true); err != nil {
		t.Fatal(err)
	}
	checkSent(t, p, "at the end", 1, 7, true)
	if err := p.d.Send(c, []byte("y"), true); err != wiregauge.ErrStopped {
		t.Errorf("a message after the last: %v, expected %v", err, wiregauge.ErrStopped)
	}
}

// TestEarlyAnswer ends a call whose body is still going out: the rest is not wanted any more.
func TestEarlyAnswer(t *testing.T) {
	p := newPeer(t, protocol.Options{}, window(10))
	c := p.start(post(make([]byte, 100)))
	p.headers(1, true, ":status", "413")
	p.feed()
	if c.Outcome != wiregauge.Failed || c.Status != 413 {
		t.Errorf("outcome %s, status %d; expected failed, 413", c.Outcome, c.Status)
	}
	if codes := p.resets(1); len(codes) != 1 || codes[0] != NoError {
		t.Errorf("RST_STREAM %v, expected NO_ERROR", codes)
	}
	p.WriteWindowUpdate(1, 1000)
	checkSent(t, p, "after the end", 1, 10, false)
	checkAlive(t, p, p.start(get()), 3)
}

func TestCancelledBodyLeavesTheQueue(t *testing.T) {
	p := newPeer(t, protocol.Options{}, window(1<<20))
	first, second := p.start(post(make([]byte, 70_000))), p.start(post(make([]byte, 10)))
	p.d.Cancel(first)
	third := p.start(post(make([]byte, 20))) // takes the first one's object
	p.WriteWindowUpdate(0, 1<<20)
	checkSent(t, p, "the second", 3, 10, true)
	checkSent(t, p, "the third", 5, 20, true)
	checkSent(t, p, "the cancelled one", 1, 65_535, false)
	checkAlive(t, p, second, 3)
	checkAlive(t, p, third, 5)
	p.d.Check(t)
}

// TestWindowIsGrantedSeldom counts the WINDOW_UPDATE frames for an answer of 4 MiB.
func TestWindowIsGrantedSeldom(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	c := p.start(get())
	p.headers(1, false, ":status", "200")
	for range 256 {
		p.WriteData(1, false, make([]byte, 16384))
	}
	p.WriteData(1, true, nil)
	p.feed()
	if c.Outcome != wiregauge.OK {
		t.Fatalf("outcome %s (%s)", c.Outcome, c.Text)
	}
	granted := 0
	for _, f := range p.frames(xhttp2.FrameWindowUpdate, 1) {
		granted += int(f.step)
	}
	if n := len(p.frames(xhttp2.FrameWindowUpdate, 1)); n != 8 || granted != 4<<20 {
		t.Errorf("%d grants of %d bytes in all; expected 8 of 512 KiB", n, granted)
	}
	if n := len(p.frames(xhttp2.FrameWindowUpdate, 0)); n != 1 {
		t.Errorf("%d grants for the connection, expected only that of the hello", n)
	}
}

// TestConnectionWindowIsGrantedAgain takes in so much that the connection's own window must be renewed.
func TestConnectionWindowIsGrantedAgain(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	s := p.d.Session.(*Session)
	s.connUsed = connectionWindowStep/2 - 1000
	s.connReceive -= s.connUsed
	before := s.connReceive + s.connUsed
	p.start(get())
	p.d.Cancel(p.start(get()))
	p.headers(1, false, ":status", "200")
	p.WriteData(3, false, make([]byte, 999)) // of the cancelled call
	p.WriteData(1, true, []byte("x"))
	p.feed()
	grants := p.frames(xhttp2.FrameWindowUpdate, 0)
	if len(grants) != 2 || grants[1].step != connectionWindowStep/2 || s.connReceive != before {
		t.Errorf("grants %v, window %d; expected one more of %d, to %d", grants, s.connReceive, connectionWindowStep/2, before)
	}
}

func TestDataBeyondTheConnectionWindow(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	p.d.Session.(*Session).connReceive = 10
	p.start(get())
	p.headers(1, false, ":status", "200")
	p.WriteData(1, true, make([]byte, 11))
	p.feed()
	if codes := p.goAways(); len(codes) != 1 || codes[0] != FlowControlError {
		t.Errorf("GOAWAY %v, expected FLOW_CONTROL_ERROR", codes)
	}
}
