package http2

import (
	"bytes"
	"strings"

	xhttp2 "golang.org/x/net/http2"

	"wiregauge"
)

var hostileStreams = []hostile{
	{name: "HEADERS on an idle stream", section: "5.1", connection: ProtocolError, play: func(p *peer) { p.answer(5) }},
	{name: "DATA on an idle stream", section: "5.1", connection: ProtocolError, play: func(p *peer) { p.WriteData(5, true, []byte("x")) }},
	{name: "HEADERS on a stream that only a server opens", section: "5.1.1", connection: ProtocolError, play: func(p *peer) { p.answer(2) }},
	{name: "DATA after END_STREAM", section: "5.1", connection: StreamClosed, play: over(func(p *peer) { p.WriteData(1, false, []byte("x")) })},
	{name: "HEADERS after END_STREAM", section: "5.1", connection: StreamClosed, play: over(func(p *peer) { p.answer(1) })},
	{name: "HEADERS after the peer's own RST_STREAM", section: "5.1", tolerated: true, play: func(p *peer) {
		p.WriteRSTStream(1, xhttp2.ErrCodeCancel)
		p.answer(1)
	}},
	{name: "RST_STREAM NO_ERROR after a whole answer", section: "8.1", tolerated: true, play: over(func(p *peer) { p.WriteRSTStream(1, xhttp2.ErrCodeNo) })},
	{name: "WINDOW_UPDATE after END_STREAM", section: "5.1", tolerated: true, play: over(func(p *peer) { p.WriteWindowUpdate(1, 5) })},
	{name: "PRIORITY after END_STREAM", section: "5.1", tolerated: true, play: over(raw(0, 0, 5, 2, 0, 0, 0, 0, 1, 0, 0, 0, 3, 1))},
	{name: "DATA before HEADERS", section: "8.1", stream: ProtocolError, play: func(p *peer) { p.WriteData(1, true, []byte("x")) }},
	{name: "a second HEADERS without END_STREAM", section: "8.1", stream: ProtocolError, play: answered(head(false, "a", "b"))},
	{name: ":status in trailers", section: "8.1", stream: ProtocolError, play: answered(head(true, ":status", "200"))},
	{name: "a content-length above the body's", section: "8.1.1", stream: ProtocolError, play: func(p *peer) {
		p.headers(1, false, ":status", "200", "content-length", "5")
		p.WriteData(1, true, []byte("four"))
	}},
	{name: "a content-length below the body's", section: "8.1.1", stream: ProtocolError, play: func(p *peer) {
		p.headers(1, false, ":status", "200", "content-length", "3")
		p.WriteData(1, false, []byte("four"))
	}},
	{name: "a content-length and no body", section: "8.1.1", stream: ProtocolError, play: head(true, ":status", "200", "content-length", "3")},
	{name: "a content-length, no body, 304", section: "8.1.1", tolerated: true, play: head(true, ":status", "304", "content-length", "3")},
	{name: "a reset that refuses", section: "8.7", tolerated: true, play: func(p *peer) { p.WriteRSTStream(1, xhttp2.ErrCodeRefusedStream) }},
}

var hostileHeaders = []hostile{
	{name: "an index beyond the table", section: "4.3", connection: CompressionError, play: raw(0, 0, 1, 1, 5, 0, 0, 0, 1, 0xff-1)},
	{name: "index 0", section: "RFC 7541, section 6.1", connection: CompressionError, play: raw(0, 0, 1, 1, 5, 0, 0, 0, 1, 0x80)},
	{name: "a block that ends inside a field", section: "4.3", connection: CompressionError, play: raw(0, 0, 3, 1, 5, 0, 0, 0, 1, 0x88, 0x40, 0x05)},
	{name: "an integer that never ends", section: "RFC 7541, section 5.1", connection: CompressionError,
		play: raw(0, 0, 13, 1, 5, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)},
	{name: "a table larger than ours", section: "RFC 7541, section 6.3", connection: CompressionError,
		play: raw(0, 0, 5, 1, 5, 0, 0, 0, 1, 0x3f, 0xe2, 0x1f, 0x88, 0x88)},
	{name: "bad Huffman padding", section: "RFC 7541, section 5.2", connection: CompressionError,
		play: raw(0, 0, 5, 1, 5, 0, 0, 0, 1, 0x88, 0x00, 0x81, 0x00, 0x00)},
	{name: "a broken block on a dropped stream", section: "4.3", connection: CompressionError, play: func(p *peer) {
		p.WriteRSTStream(1, xhttp2.ErrCodeCancel)
		p.WriteRawFrame(xhttp2.FrameHeaders, 5, 1, []byte{0x80})
	}},
	{name: "no :status", section: "8.3.2", stream: ProtocolError, play: head(true, "a", "b")},
	{name: "two :status", section: "8.3", stream: ProtocolError, play: head(true, ":status", "200", ":status", "200")},
	{name: "a :status of two digits", section: "8.3.2", stream: ProtocolError, play: head(true, ":status", "99")},
	{name: "a :status that is no number", section: "8.3.2", stream: ProtocolError, play: head(true, ":status", "2x0")},
	{name: ":status behind a field", section: "8.3", stream: ProtocolError, play: head(true, "a", "b", ":status", "200")},
	{name: "a request's pseudo-field", section: "8.3", stream: ProtocolError, play: head(true, ":status", "200", ":path", "/")},
	{name: "an unknown pseudo-field", section: "8.3", stream: ProtocolError, play: head(true, ":status", "200", ":what", "ever")},
	{name: "a pseudo-field in trailers", section: "8.1", stream: ProtocolError, play: answered(head(true, ":path", "/"))},
	{name: "a name in upper case", section: "8.2.1", stream: ProtocolError, play: head(true, ":status", "200", "Content-Type", "a")},
	{name: "a name with a blank", section: "8.2.1", stream: ProtocolError, play: head(true, ":status", "200", "a b", "c")},
	{name: "an empty name", section: "8.2.1", stream: ProtocolError, play: head(true, ":status", "200", "", "c")},
	{name: "a value with a line end", section: "8.2.1", stream: ProtocolError, play: head(true, ":status", "200", "a", "b\r\nc: d")},
	{name: "a value with a zero byte", section: "8.2.1", stream: ProtocolError, play: head(true, ":status", "200", "a", "b\x00")},
	{name: "a value that begins with a blank", section: "8.2.1", stream: ProtocolError, play: head(true, ":status", "200", "a", " b")},
	{name: "a connection header", section: "8.2.2", stream: ProtocolError, play: head(true, ":status", "200", "connection", "close")},
	{name: "a transfer-encoding header", section: "8.2.2", stream: ProtocolError, play: head(true, ":status", "200", "transfer-encoding", "chunked")},
	{name: "an upgrade", section: "8.6", stream: ProtocolError, play: head(false, ":status", "101")},
	{name: "100 with END_STREAM", section: "8.1", stream: ProtocolError, play: head(true, ":status", "100")},
	{name: "100, then 103, then the answer", section: "8.1", tolerated: true, play: func(p *peer) {
		p.headers(1, false, ":status", "100")
		p.headers(1, false, ":status", "103", "link", "</a>")
	}},
	{name: "two content-lengths", section: "RFC 9110, section 8.6", stream: ProtocolError,
		play: head(true, ":status", "200", "content-length", "1", "content-length", "2")},
	{name: "a header list beyond our limit", section: "10.5.1", stream: CancelCode, outcome: wiregauge.TooLarge,
		play: head(false, ":status", "200", "a", strings.Repeat("x", 17<<10))},
	{name: "an HPACK bomb", section: "RFC 7541, section 7.3", stream: CancelCode, outcome: wiregauge.TooLarge, play: func(p *peer) {
		p.headers(1, false, ":status", "100", "bomb", strings.Repeat("x", 3000))
		bomb := append([]byte{0x88}, bytes.Repeat([]byte{0xbe}, 16000)...) // 48 MB in 16 kB
		p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: bomb, EndHeaders: true})
	}},
}

var hostileFlow = []hostile{
	{name: "WINDOW_UPDATE of 0 on a stream", section: "6.9", stream: ProtocolError, play: raw(0, 0, 4, 8, 0, 0, 0, 0, 1, 0, 0, 0, 0)},
	{name: "WINDOW_UPDATE of 0 on the connection", section: "6.9", connection: ProtocolError, play: raw(0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0)},
	{name: "WINDOW_UPDATE of three bytes", section: "6.9", connection: FrameSizeError, play: raw(0, 0, 3, 8, 0, 0, 0, 0, 0, 0, 0, 1)},
	{name: "WINDOW_UPDATE on an idle stream", section: "5.1", connection: ProtocolError, play: func(p *peer) { p.WriteWindowUpdate(5, 1) }},
	{name: "a stream's window above 2^31-1", section: "6.9.1", stream: FlowControlError, play: func(p *peer) { p.WriteWindowUpdate(1, 1<<31-1) }},
	{name: "the connection's window above 2^31-1", section: "6.9.1", connection: FlowControlError, play: func(p *peer) { p.WriteWindowUpdate(0, 1<<31-1) }},
	{name: "SETTINGS that lift a stream's window above 2^31-1", section: "6.9.2", connection: FlowControlError, play: func(p *peer) {
		p.WriteWindowUpdate(1, 1)
		p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 1<<31 - 1})
	}},
	{name: "DATA beyond the stream's window", section: "6.9.1", stream: FlowControlError, play: answered(func(p *peer) {
		// The window is given back as it is used, so the server must be faster than its answers: all in one piece.
		p.d.Session.(*Session).streams.get(1).credit = 0
		for range 65 {
			p.WriteData(1, false, make([]byte, 16384))
		}
	})},
}

var hostileFloods = []hostile{
	{name: "PINGs without end", section: "10.5", connection: EnhanceYourCalm, play: times(10_001, func(p *peer) { p.WritePing(false, [8]byte{}) })},
	{name: "SETTINGS without end", section: "10.5", connection: EnhanceYourCalm, play: times(10_001, func(p *peer) { p.WriteSettings() })},
	{name: "empty DATA without end", section: "10.5", connection: EnhanceYourCalm,
		play: answered(times(10_001, func(p *peer) { p.WriteData(1, false, nil) }))},
	{name: "100s without end", section: "10.5", connection: EnhanceYourCalm, play: times(10_001, head(false, ":status", "100"))},
	{name: "unknown frames without end", section: "10.5", connection: EnhanceYourCalm, play: times(10_001, func(p *peer) { p.WriteRawFrame(0xee, 0, 0, nil) })},
	{name: "WINDOW_UPDATEs without end", section: "10.5", connection: EnhanceYourCalm, play: times(10_001, func(p *peer) { p.WriteWindowUpdate(1, 1) })},
	{name: "GOAWAYs without end", section: "10.5", connection: EnhanceYourCalm, play: times(10_001, func(p *peer) { p.WriteGoAway(3, 0, nil) })},
	{name: "CONTINUATIONs without end", section: "10.5.1", connection: EnhanceYourCalm, play: func(p *peer) {
		p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x88}})
		times(1025, func(p *peer) { p.WriteContinuation(1, false, nil) })(p)
	}},
	{name: "a header block without end", section: "10.5.1", connection: EnhanceYourCalm, play: func(p *peer) {
		p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x88}})
		times(4, func(p *peer) { p.WriteContinuation(1, false, make([]byte, 16384)) })(p)
	}},
}
