package http2

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	xhttp2 "golang.org/x/net/http2"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

// The gRPC project's negative HTTP/2 cases are goaway, rst_after_header, rst_during_data, rst_after_data, ping and
// max_streams; the tests named after them play all six.

func TestInteropGoAway(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	first := p.start(get())
	p.WriteGoAway(1, xhttp2.ErrCodeNo, nil)
	p.answer(1)
	p.feed()
	if first.Outcome != wiregauge.OK || !p.d.Events.SaidClosing() {
		t.Errorf("outcome %s, closing %v; expected the call to finish and a new connection to be asked for", first.Outcome, p.d.Events.SaidClosing())
	}
	if err := p.d.Start(prototest.NewCall(get())); err != wiregauge.Closing {
		t.Errorf("the next call: %v, expected %v", err, wiregauge.Closing)
	}
}

func TestInteropResets(t *testing.T) {
	for name, play := range map[string]func(p *peer){
		"rst_after_header": func(p *peer) { p.headers(1, false, ":status", "200") },
		"rst_during_data": func(p *peer) {
			p.headers(1, false, ":status", "200", "content-length", "10")
			p.WriteData(1, false, []byte("half "))
		},
		"rst_after_data": func(p *peer) {
			p.headers(1, false, ":status", "200", "content-length", "4")
			p.WriteData(1, false, []byte("four"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(t, protocol.Options{})
			c := p.start(get())
			play(p)
			p.WriteRSTStream(1, xhttp2.ErrCodeNo)
			p.feed()
			if c.Outcome != wiregauge.Reset || c.Text != "RST_STREAM NO_ERROR (0)" {
				t.Errorf("outcome %s (%s), expected reset", c.Outcome, c.Text)
			}
			checkAlive(t, p, p.start(get()), 3)
		})
	}
}

func TestInteropPing(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	c := p.start(get())
	ping := func(n byte) { p.WritePing(false, [8]byte{7: n}) }
	ping(1)
	p.headers(1, false, ":status", "200")
	ping(2)
	p.WriteData(1, false, []byte("x"))
	ping(3)
	p.WriteData(1, true, nil)
	ping(4)
	p.feed()
	acks := p.frames(xhttp2.FramePing, 0)
	if c.Outcome != wiregauge.OK || len(acks) != 4 {
		t.Fatalf("outcome %s, %d acknowledgements; expected ok, 4", c.Outcome, len(acks))
	}
	for i, a := range acks {
		if !a.Flags.Has(xhttp2.FlagPingAck) || a.data[7] != byte(i+1) {
			t.Errorf("acknowledgement %d: flags %x, data %x", i, a.Flags, a.data)
		}
	}
}

func TestInteropMaxStreams(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingMaxConcurrentStreams, Val: 1})
	p.feed()
	for i := range 10 {
		c := p.start(get())
		if err := p.d.Start(prototest.NewCall(get())); err != wiregauge.Streams {
			t.Fatalf("a second call beside call %d: %v, expected %v", i, err, wiregauge.Streams)
		}
		rooms := p.d.Events.Count(prototest.Room, nil)
		p.answer(uint32(2*i + 1))
		p.feed()
		if c.Outcome != wiregauge.OK || p.d.Events.Count(prototest.Room, nil) != rooms+1 {
			t.Errorf("call %d: outcome %s, room told %d times", i, c.Outcome, p.d.Events.Count(prototest.Room, nil)-rooms)
		}
	}
}

func TestStartWaitsForTheServersSettings(t *testing.T) {
	p := silentPeer(t, protocol.Options{})
	if err := p.d.Start(prototest.NewCall(get())); err != wiregauge.Handshake {
		t.Errorf("start: %v, expected %v", err, wiregauge.Handshake)
	}
	p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingMaxConcurrentStreams, Val: 0})
	p.feed()
	if err := p.d.Start(prototest.NewCall(get())); err != wiregauge.Streams {
		t.Errorf("start with a limit of 0: %v, expected %v", err, wiregauge.Streams)
	}
	p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingMaxConcurrentStreams, Val: 5})
	p.feed()
	if n := p.d.Events.Count(prototest.Room, nil); n != 1 {
		t.Errorf("room told %d times, expected once", n)
	}
	checkAlive(t, p, p.start(get()), 1)
	if acks := p.frames(xhttp2.FrameSettings, 0); len(acks) != 1+2 { // ours, and one acknowledgement for each of the server's
		t.Errorf("%d SETTINGS frames, expected 3", len(acks))
	}
}

func TestOwnLimitOfStreams(t *testing.T) {
	p := newPeer(t, protocol.Options{Streams: 2})
	p.start(get())
	p.start(get())
	if err := p.d.Start(prototest.NewCall(get())); err != wiregauge.Streams {
		t.Errorf("a third call: %v, expected %v", err, wiregauge.Streams)
	}
}

func TestOneCallPerConnection(t *testing.T) {
	p := newPeer(t, protocol.Options{OneCall: true})
	c := p.start(get())
	if !p.d.Events.SaidClosing() {
		t.Error("closing was not said once the only call had started")
	}
	if err := p.d.Start(prototest.NewCall(get())); err != wiregauge.Closing {
		t.Errorf("a second call: %v, expected %v", err, wiregauge.Closing)
	}
	checkAlive(t, p, c, 1)
}

func TestStreamIDsUsedUp(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	p.d.Session.(*Session).next = largestStream
	c := p.start(get())
	if err := p.d.Start(prototest.NewCall(get())); err != wiregauge.Closing || !p.d.Events.SaidClosing() {
		t.Errorf("a call after the last id: %v, closing said: %v", err, p.d.Events.SaidClosing())
	}
	checkAlive(t, p, c, largestStream)
}

// TestGoAway ends a connection in the ways servers do.
func TestGoAway(t *testing.T) {
	type end struct {
		name     string
		play     func(p *peer)
		outcomes []wiregauge.Outcome // of the calls on streams 1, 3, 5, after the connection was closed
		text     string              // of the last
	}
	for _, row := range []end{
		{"graceful, in two steps", func(p *peer) {
			p.WriteGoAway(1<<31-1, xhttp2.ErrCodeNo, nil)
			p.WritePing(false, [8]byte{1, 6, 1, 8, 0, 3, 3, 9})
			p.answer(1)
			p.WriteGoAway(5, xhttp2.ErrCodeNo, nil)
			p.answer(3)
			p.answer(5)
		}, []wiregauge.Outcome{wiregauge.OK, wiregauge.OK, wiregauge.OK}, ""},
		{"streams above the last id were not processed", func(p *peer) {
			p.WriteGoAway(1, xhttp2.ErrCodeNo, nil)
			p.answer(1)
		}, []wiregauge.Outcome{wiregauge.OK, wiregauge.Unprocessed, wiregauge.Unprocessed}, "GOAWAY NO_ERROR"},
		{"the last id sinks", func(p *peer) {
			p.WriteGoAway(3, xhttp2.ErrCodeNo, nil)
			p.WriteGoAway(1, xhttp2.ErrCodeNo, nil)
			p.answer(1)
		}, []wiregauge.Outcome{wiregauge.OK, wiregauge.Unprocessed, wiregauge.Unprocessed}, "GOAWAY NO_ERROR"},
		{"the last id cannot rise", func(p *peer) {
			p.WriteGoAway(1, xhttp2.ErrCodeNo, nil)
			p.WriteGoAway(5, xhttp2.ErrCodeNo, nil)
			p.answer(5)
			p.answer(1)
		}, []wiregauge.Outcome{wiregauge.OK, wiregauge.Unprocessed, wiregauge.Unprocessed}, "GOAWAY NO_ERROR"},
		{"the last id is 0", func(p *peer) { p.WriteGoAway(0, xhttp2.ErrCodeProtocol, nil) },
			[]wiregauge.Outcome{wiregauge.Unprocessed, wiregauge.Unprocessed, wiregauge.Unprocessed}, "GOAWAY PROTOCOL_ERROR"},
		{"an answered call above the last id was processed", func(p *peer) {
			p.headers(5, false, ":status", "200")
			p.WriteGoAway(3, xhttp2.ErrCodeNo, nil)
		}, []wiregauge.Outcome{wiregauge.Closed, wiregauge.Closed, wiregauge.Closed}, "GOAWAY NO_ERROR"},
		{"too many pings, then closed", func(p *peer) { p.WriteGoAway(5, xhttp2.ErrCodeEnhanceYourCalm, []byte("too_many_pings")) },
			[]wiregauge.Outcome{wiregauge.Closed, wiregauge.Closed, wiregauge.Closed}, "GOAWAY ENHANCE_YOUR_CALM: too_many_pings"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := newPeer(t, protocol.Options{})
			calls := []*wiregauge.Call{p.start(get()), p.start(get()), p.start(get())}
			row.play(p)
			p.feed()
			if p.d.Err != nil || !p.d.Events.SaidClosing() {
				t.Fatalf("error %v, closing %v", p.d.Err, p.d.Events.SaidClosing())
			}
			p.d.End(io.EOF)
			for i, c := range calls {
				if c.Outcome != row.outcomes[i] {
					t.Errorf("call %d: outcome %s (%s), expected %s", i, c.Outcome, c.Text, row.outcomes[i])
				}
			}
			if !strings.Contains(calls[2].Text, row.text) {
				t.Errorf("text %q, expected it to hold %q", calls[2].Text, row.text)
			}
			p.d.Check(t)
		})
	}
}

func TestRefusedStream(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	c := p.start(get())
	p.WriteRSTStream(1, xhttp2.ErrCodeRefusedStream)
	p.feed()
	if c.Outcome != wiregauge.Refused || c.Status != int(RefusedStream) {
		t.Errorf("outcome %s, status %d; expected refused, %d", c.Outcome, c.Status, RefusedStream)
	}
}

// TestCancel abandons a call whose answer comes all the same: nothing of it is told, but its header block counts
// for the table and its DATA for the connection's window.
func TestCancel(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	gone, kept := p.start(get()), p.start(get())
	if err := p.d.Cancel(gone); err != nil {
		t.Fatal(err)
	}
	p.read()
	if codes := p.resets(1); !slices.Equal(codes, []Code{CancelCode}) {
		t.Errorf("RST_STREAM %v, expected CANCEL", codes)
	}
	s := p.d.Session.(*Session)
	before := s.connReceive
	p.headers(1, false, ":status", "200", "x-new", "in the table")
	p.WriteData(1, true, make([]byte, 1000))
	p.headers(3, true, ":status", "200", "x-new", "in the table")
	p.feed()
	if kept.Outcome != wiregauge.OK || gone.Outcome != wiregauge.Unfinished {
		t.Errorf("outcomes %s and %s (%v), expected the second alone to end, ok", gone.Outcome, kept.Outcome, p.d.Err)
	}
	if s.connUsed != 1000 || s.connReceive != before-1000 {
		t.Errorf("used %d of the connection's window, expected 1000", s.connUsed)
	}
	p.d.Check(t)
}

// TestCancelStorm abandons more calls than the session remembers one by one.
func TestCancelStorm(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	const n = 1000
	for range n {
		if err := p.d.Cancel(p.start(get())); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		p.answer(uint32(2*i + 1))
	}
	p.feed()
	checkAlive(t, p, p.start(get()), 2*n+1)
}

func TestEndNamesTheReason(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	c := p.start(get())
	p.d.End(errors.New("no route to host"))
	if c.Outcome != wiregauge.Closed || c.Text != "no route to host" {
		t.Errorf("outcome %s, text %q", c.Outcome, c.Text)
	}
	if err := p.d.Start(prototest.NewCall(get())); err != wiregauge.Closing {
		t.Errorf("start after the end: %v, expected %v", err, wiregauge.Closing)
	}
}

// TestRepliesThatNobodyReads asks for replies while the lane cannot write: what is owed is bounded.
func TestRepliesThatNobodyReads(t *testing.T) {
	p := newPeer(t, protocol.Options{})
	s := p.d.Session.(*Session)
	s.Flush(nil)
	owed := 0
	for ; owed < 2*owedBytes; owed += 17 {
		p.WritePing(false, [8]byte{})
		s.idle = 0 // as if calls went on
		_, _, err := s.Receive(p.out.Bytes(), nil)
		p.out.Reset()
		var broken *wiregauge.ProtocolError
		if errors.As(err, &broken) {
			if Code(broken.Code) != EnhanceYourCalm {
				t.Errorf("%v, expected ENHANCE_YOUR_CALM", err)
			}
			return
		}
	}
	t.Errorf("%d bytes are owed and more were taken on", owed)
}
