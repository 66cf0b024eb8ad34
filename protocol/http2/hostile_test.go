package http2

import (
	"errors"
	"slices"
	"strings"
	"testing"

	xhttp2 "golang.org/x/net/http2"

	"wiregauge"
	"wiregauge/protocol"
)

// A hostile row is one thing a server may do while two calls are open on streams 1 and 3, and what must come of
// it: a GOAWAY with a code and every call malformed (connection), a reset of stream 1 alone (stream), or nothing
// (tolerated). Whatever happens to stream 1, stream 3 must still be answerable unless the connection is over.
type hostile struct {
	name    string
	section string // of RFC 9113 unless it says otherwise
	play    func(p *peer)

	connection Code              // GOAWAY with that code
	stream     Code              // RST_STREAM of stream 1 with that code
	outcome    wiregauge.Outcome // of call 1 after a stream error; Malformed when zero
	tolerated  bool
	silent     bool // played instead of the server's SETTINGS, before any call
}

func raw(frame ...byte) func(p *peer) { return func(p *peer) { p.out.Write(frame) } }

func settings(id xhttp2.SettingID, v uint32) func(p *peer) {
	return func(p *peer) { p.WriteSettings(xhttp2.Setting{ID: id, Val: v}) }
}

// answered plays after the header of call 1's answer.
func answered(play func(p *peer)) func(p *peer) {
	return func(p *peer) {
		p.headers(1, false, ":status", "200")
		play(p)
	}
}

// over plays after the whole answer of call 1.
func over(play func(p *peer)) func(p *peer) {
	return func(p *peer) {
		p.answer(1)
		play(p)
	}
}

// head plays one header block as the answer of call 1.
func head(end bool, pairs ...string) func(p *peer) {
	return func(p *peer) { p.headers(1, end, pairs...) }
}

func times(n int, play func(p *peer)) func(p *peer) {
	return func(p *peer) {
		for range n {
			play(p)
		}
	}
}

var hostiles = slices.Concat(hostileFrames, hostileStreams, hostileHeaders, hostileFlow, hostileFloods)

func TestHostileServer(t *testing.T) {
	for _, row := range hostiles {
		t.Run(row.name+" ("+row.section+")", func(t *testing.T) {
			for _, feed := range []func(*peer){(*peer).feed, (*peer).feedByteByByte} {
				p := silentPeer(t, protocol.Options{MaxHeader: 16 << 10})
				var first, second *wiregauge.Call
				if !row.silent {
					p.WriteSettings()
					p.feed()
					first, second = p.start(get()), p.start(get())
				}
				row.play(p)
				if p.out.Len() > 1<<20 {
					feed = (*peer).feed // byte by byte is for frames, not for floods
				}
				feed(p)
				switch {
				case row.connection != NoError:
					checkConnection(t, p, row, first, second)
				case row.stream != NoError:
					checkStream(t, p, row, first)
					checkAlive(t, p, second, 3)
				case row.tolerated:
					if first.Outcome == wiregauge.Unfinished {
						checkAlive(t, p, first, 1)
					}
					checkAlive(t, p, second, 3)
					if codes := p.goAways(); len(codes) > 0 {
						t.Errorf("sent GOAWAY %v", codes)
					}
				default:
					t.Fatal("the row expects nothing")
				}
				p.d.Check(t)
			}
		})
	}
}

func checkConnection(t *testing.T, p *peer, row hostile, calls ...*wiregauge.Call) {
	t.Helper()
	var broken *wiregauge.ProtocolError
	if !errors.As(p.d.Err, &broken) {
		t.Fatalf("error %v, expected a ProtocolError", p.d.Err)
	}
	if Code(broken.Code) != row.connection || !slices.Equal(p.goAways(), []Code{row.connection}) {
		t.Errorf("%v: code %s, GOAWAY %v; expected %s", broken, Code(broken.Code), p.goAways(), row.connection)
	}
	if want := "section " + strings.Split(row.section, ".")[0]; !strings.Contains(broken.Rule, want) && !strings.HasPrefix(row.section, "RFC") {
		t.Errorf("rule %q, expected one of %s", broken.Rule, want)
	}
	p.d.End(p.d.Err)
	for i, c := range calls {
		if c == nil || i == 0 && c.Outcome != wiregauge.Unfinished {
			continue // not started, or over before the breach
		}
		if c.Outcome != wiregauge.Malformed {
			t.Errorf("call %d ended as %s, expected malformed", i, c.Outcome)
		}
	}
}

func checkStream(t *testing.T, p *peer, row hostile, c *wiregauge.Call) {
	t.Helper()
	if p.d.Err != nil {
		t.Fatalf("error %v, expected only stream 1 to end", p.d.Err)
	}
	want := row.outcome
	if want == wiregauge.Unfinished {
		want = wiregauge.Malformed
	}
	if c.Outcome != want || c.Text == "" {
		t.Errorf("outcome %s, text %q; expected %s with a reason", c.Outcome, c.Text, want)
	}
	if codes := p.resets(1); !slices.Equal(codes, []Code{row.stream}) {
		t.Errorf("RST_STREAM %v on stream 1, expected %s once", codes, row.stream)
	}
}

// checkAlive answers a call and wants it OK.
func checkAlive(t *testing.T, p *peer, c *wiregauge.Call, id uint32) {
	t.Helper()
	if p.d.Err != nil {
		t.Fatalf("error %v, expected the connection to go on", p.d.Err)
	}
	p.answer(id)
	p.feed()
	if c.Outcome != wiregauge.OK {
		t.Errorf("stream %d: outcome %s (%s), expected ok", id, c.Outcome, c.Text)
	}
}

var hostileFrames = []hostile{
	{name: "a frame longer than our MAX_FRAME_SIZE", section: "4.2", connection: FrameSizeError,
		play: func(p *peer) { p.WriteRawFrame(xhttp2.FrameData, 0, 1, make([]byte, 16385)) }},
	{name: "an unknown frame type", section: "4.1", tolerated: true, play: func(p *peer) { p.WriteRawFrame(0xee, 0xff, 1, []byte("whatever")) }},
	{name: "an unknown frame type inside a header block", section: "6.10", connection: ProtocolError, play: func(p *peer) {
		p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x88}})
		p.WriteRawFrame(0xee, 0, 1, nil)
	}},
	{name: "reserved bit set in a stream id", section: "4.1", tolerated: true, play: raw(0, 0, 1, 1, 5, 0x80, 0, 0, 1, 0x88)},
	{name: "unknown flags", section: "4.1", tolerated: true, play: raw(0, 0, 1, 1, 0x40|0x80|5, 0, 0, 0, 1, 0x88)},

	{name: "DATA on stream 0", section: "6.1", connection: ProtocolError, play: func(p *peer) { p.WriteRawFrame(xhttp2.FrameData, 0, 0, []byte("x")) }},
	{name: "DATA with more padding than payload", section: "6.1", connection: ProtocolError,
		play: answered(func(p *peer) {
			p.WriteRawFrame(xhttp2.FrameData, xhttp2.FlagDataPadded, 1, []byte{5, 'a', 'b', 'c', 'd'})
		})},
	{name: "DATA that is padded and empty", section: "4.2", connection: FrameSizeError,
		play: answered(func(p *peer) { p.WriteRawFrame(xhttp2.FrameData, xhttp2.FlagDataPadded, 1, nil) })},
	{name: "DATA that is all padding", section: "6.1", tolerated: true,
		play: answered(func(p *peer) {
			p.WriteRawFrame(xhttp2.FrameData, xhttp2.FlagDataPadded|xhttp2.FlagDataEndStream, 1, []byte{3, 0, 0, 0})
		})},

	{name: "HEADERS on stream 0", section: "6", connection: ProtocolError, play: func(p *peer) { p.headers(0, true, ":status", "200") }},
	{name: "HEADERS with more padding than payload", section: "6", connection: ProtocolError,
		play: func(p *peer) { p.WriteRawFrame(xhttp2.FrameHeaders, xhttp2.FlagHeadersPadded|5, 1, []byte{2, 0x88}) }},
	{name: "HEADERS with a priority that does not fit", section: "6.2", connection: FrameSizeError,
		play: func(p *peer) { p.WriteRawFrame(xhttp2.FrameHeaders, xhttp2.FlagHeadersPriority|5, 1, []byte{0, 0, 0}) }},
	{name: "HEADERS with padding and a priority", section: "6.2", tolerated: true, play: func(p *peer) {
		p.WriteRawFrame(xhttp2.FrameHeaders, xhttp2.FlagHeadersPriority|xhttp2.FlagHeadersPadded|5, 1, []byte{2, 0, 0, 0, 9, 1, 0x88, 0, 0})
	}},

	{name: "PRIORITY on stream 0", section: "6.3", connection: ProtocolError, play: raw(0, 0, 5, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 1)},
	{name: "PRIORITY of four bytes", section: "6.3", stream: FrameSizeError, play: raw(0, 0, 4, 2, 0, 0, 0, 0, 1, 0, 0, 0, 3)},
	{name: "PRIORITY", section: "6.3", tolerated: true, play: raw(0, 0, 5, 2, 0, 0, 0, 0, 1, 0, 0, 0, 3, 1)},
	{name: "PRIORITY on an idle stream", section: "6.3", tolerated: true, play: raw(0, 0, 5, 2, 0, 0, 0, 0, 99, 0, 0, 0, 3, 1)},

	{name: "RST_STREAM on stream 0", section: "6.4", connection: ProtocolError, play: func(p *peer) { p.WriteRSTStream(0, 8) }},
	{name: "RST_STREAM on an idle stream", section: "5.1", connection: ProtocolError, play: func(p *peer) { p.WriteRSTStream(5, 8) }},
	{name: "RST_STREAM of five bytes", section: "6.4", connection: FrameSizeError, play: raw(0, 0, 5, 3, 0, 0, 0, 0, 1, 0, 0, 0, 8, 0)},

	{name: "SETTINGS on a stream", section: "6.5", connection: ProtocolError, play: raw(0, 0, 0, 4, 0, 0, 0, 0, 1)},
	{name: "SETTINGS of five bytes", section: "6.5", connection: FrameSizeError, play: raw(0, 0, 5, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0)},
	{name: "a SETTINGS acknowledgement with a payload", section: "6.5", connection: FrameSizeError,
		play: raw(0, 0, 6, 4, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1)},
	{name: "an unknown setting", section: "6.5.2", tolerated: true, play: settings(0xf0f0, 1<<32-1)},
	{name: "ENABLE_PUSH 1 from a server", section: "6.5.2", connection: ProtocolError, play: settings(xhttp2.SettingEnablePush, 1)},
	{name: "ENABLE_PUSH 2", section: "6.5.2", connection: ProtocolError, play: settings(xhttp2.SettingEnablePush, 2)},
	{name: "ENABLE_PUSH 0", section: "6.5.2", tolerated: true, play: settings(xhttp2.SettingEnablePush, 0)},
	{name: "MAX_FRAME_SIZE below 16,384", section: "6.5.2", connection: ProtocolError, play: settings(xhttp2.SettingMaxFrameSize, 16383)},
	{name: "MAX_FRAME_SIZE above 2^24-1", section: "6.5.2", connection: ProtocolError, play: settings(xhttp2.SettingMaxFrameSize, 1<<24)},
	{name: "INITIAL_WINDOW_SIZE above 2^31-1", section: "6.5.2", connection: FlowControlError, play: settings(xhttp2.SettingInitialWindowSize, 1<<31)},
	{name: "SETTINGS not first", section: "3.4", silent: true, connection: ProtocolError, play: func(p *peer) {
		p.headers(1, true, ":status", "200")
	}},
	{name: "a SETTINGS acknowledgement first", section: "3.4", silent: true, connection: ProtocolError, play: func(p *peer) {
		p.WriteSettingsAck()
	}},
	{name: "HTTP/1.1 instead of HTTP/2", section: "3.4", silent: true, connection: ProtocolError, play: func(p *peer) {
		p.out.WriteString("HTTP/1.1 400 Bad Request\r\n\r\n")
	}},
	{name: "a TLS alert instead of HTTP/2", section: "3.4", silent: true, connection: ProtocolError, play: func(p *peer) {
		p.out.Write([]byte{0x15, 3, 1, 0, 2, 2, 70})
	}},

	{name: "PUSH_PROMISE", section: "8.4", connection: ProtocolError, play: func(p *peer) {
		p.WritePushPromise(xhttp2.PushPromiseParam{StreamID: 1, PromiseID: 2, BlockFragment: []byte{0x82}, EndHeaders: true})
	}},

	{name: "PING on a stream", section: "6.7", connection: ProtocolError, play: raw(0, 0, 8, 6, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8)},
	{name: "PING of seven bytes", section: "6.7", connection: FrameSizeError, play: raw(0, 0, 7, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7)},
	{name: "a PING acknowledgement nobody asked for", section: "6.7", tolerated: true, play: func(p *peer) { p.WritePing(true, [8]byte{1}) }},

	{name: "GOAWAY on a stream", section: "6.8", connection: ProtocolError, play: raw(0, 0, 8, 7, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0)},
	{name: "GOAWAY of seven bytes", section: "6.8", connection: FrameSizeError, play: raw(0, 0, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)},

	{name: "CONTINUATION without HEADERS", section: "6.10", connection: ProtocolError, play: func(p *peer) { p.WriteContinuation(1, true, []byte{0x88}) }},
	{name: "CONTINUATION on another stream", section: "6.10", connection: ProtocolError, play: func(p *peer) {
		p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x88}})
		p.WriteContinuation(3, true, nil)
	}},
	{name: "CONTINUATION after END_HEADERS", section: "6.10", connection: ProtocolError, play: answered(func(p *peer) { p.WriteContinuation(1, true, []byte{0x88}) })},
	{name: "DATA inside a header block", section: "6.10", connection: ProtocolError, play: func(p *peer) {
		p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x88}})
		p.WriteData(3, false, []byte("x"))
	}},
	{name: "GOAWAY inside a header block", section: "6.10", connection: ProtocolError, play: func(p *peer) {
		p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x88}})
		p.WriteGoAway(3, 0, nil)
	}},
	{name: "two header blocks interleaved", section: "6.10", connection: ProtocolError, play: func(p *peer) {
		p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x88}})
		p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 3, BlockFragment: []byte{0x88}, EndHeaders: true})
	}},
	{name: "a header block in empty pieces", section: "6.10", tolerated: true, play: func(p *peer) {
		p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, EndStream: true})
		p.WriteContinuation(1, false, nil)
		p.WriteContinuation(1, false, []byte{0x88})
		p.WriteContinuation(1, true, nil)
	}},
}
