package rsocket

import (
	"slices"
	"strings"
	"testing"

	"wiregauge/protocol/rsocket/frame"
)

// explained feeds one direction in pieces of that size.
func explainedLines(p []byte, sent bool, size int) (lines []string) {
	var x explainer
	for len(p) > 0 {
		n := min(size, len(p))
		x.Explain(slices.Clone(p[:n]), sent, func(s string) { lines = append(lines, s) })
		p = p[n:]
	}
	return lines
}

func TestExplain(t *testing.T) {
	for _, tt := range []struct {
		name string
		sent bool
		in   []byte
		want []string
	}{
		{"a server", false, cat(leaseOf(800, 2), keepAliveOf(0, ""), payload(1, next|complete, "hi"), errorOf(3, frame.Rejected, "too\nmuch\x1b[m"), errorOf(0, 0xdead, ""),
			wire(frame.Frame{Type: frame.Cancel, Stream: 5}), requestN(5, 12), requestN(5, frame.MaxN), wire(frame.Frame{Type: frame.Ext, Flags: frame.Ignore, N: 7, Data: []byte("x")}),
			wire(frame.Frame{Type: 0x20, Flags: frame.Ignore, Data: []byte("x")})), []string{
			"LEASE 14 bytes: 2 requests, for 800ms", "KEEPALIVE 14 bytes", "PAYLOAD stream 1, 8 bytes COMPLETE NEXT: data 2 bytes",
			`ERROR stream 3, 21 bytes: REJECTED (0x202) too\nmuch\x1b[m`, "ERROR 10 bytes: 0xdead", "CANCEL stream 5, 6 bytes", "REQUEST_N stream 5, 10 bytes: n 12",
			"REQUEST_N stream 5, 10 bytes: n unbounded", "EXT 11 bytes IGNORE: type 0x7, data 1 bytes", "type 0x20 7 bytes IGNORE: data 1 bytes"}},
		{"a long frame", false, cat(payload(1, next, strings.Repeat("x", 100_000)), payload(1, complete, "")), []string{
			"PAYLOAD stream 1, 100006 bytes NEXT: data 100000 bytes", "PAYLOAD stream 1, 6 bytes COMPLETE"}},
		{"what cannot be read", false, cat([]byte{0, 0, 2, 1, 2}, wire(frame.Frame{Type: frame.Payload, Stream: 1, Flags: next | frame.Meta, Metadata: nil})[:9], []byte{0xff, 0xff, 0xff}), []string{
			"a frame of 2 bytes", "PAYLOAD stream 1, 9 bytes METADATA NEXT: metadata longer than its frame: PAYLOAD of 9 bytes"}},
		{"WebSocket", false, cat([]byte("HTTP/1.1 101 Switching Protocols\r\nA: b\r\n\r\n\x82\x08"), payload(1, next|complete, "hi")[3:], []byte{0x89, 1, 'x', 0x02, 1, 'x', 0x88, 2, 3, 0xe8}), []string{
			"HTTP/1.1 101 Switching Protocols", "PAYLOAD stream 1, 8 bytes COMPLETE NEXT: data 2 bytes", "WebSocket ping of 1 bytes", "WebSocket binary of 1 bytes", "WebSocket close with code 1000"}},
		{"a refused upgrade", false, []byte("HTTP/1.1 404 Not Found\r\n\r\nsome page"), []string{"HTTP/1.1 404 Not Found"}},
		{"WebSocket that is none", false, []byte("HTTP/1.1 101 x\r\n\r\n\xff\xff\xff"), []string{"HTTP/1.1 101 x",
			"WebSocket: a frame with reserved bits set (0xff), although no extension was agreed on"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, size := range []int{1 << 20, 1, 7} {
				if got := explainedLines(tt.in, tt.sent, size); !slices.Equal(got, tt.want) {
					t.Errorf("in pieces of %d:\n%q\nexpected\n%q", size, got, tt.want)
				}
			}
		})
	}
}

// Every frame of the captures is explained, one a line, whatever the pieces.
func TestExplainCaptures(t *testing.T) {
	for _, c := range captures(t) {
		for _, sent := range []bool{false, true} {
			var all []byte
			frames := 0
			for _, l := range c.lines {
				if l.fromClient == sent {
					all, frames = append(all, l.bytes...), frames+1
				}
			}
			whole := explainedLines(all, sent, 1<<20)
			if len(whole) != frames || !slices.Equal(whole, explainedLines(all, sent, 1)) {
				t.Errorf("%s, sent %t: %d lines for %d frames\n%s", c.name, sent, len(whole), frames, strings.Join(whole, "\n"))
			}
		}
	}
}

func FuzzExplain(f *testing.F) {
	for _, c := range captures(f) {
		var all []byte
		for _, l := range c.lines {
			if !l.fromClient {
				all = append(all, l.bytes...)
			}
		}
		f.Add(all, uint8(3))
	}
	f.Fuzz(func(t *testing.T, p []byte, size uint8) {
		got := explainedLines(p, false, int(size)+1)
		if whole := explainedLines(p, false, len(p)+1); !slices.Equal(got, whole) {
			t.Errorf("in pieces %q; whole %q", got, whole)
		}
		for _, line := range got {
			if strings.ContainsAny(line, "\n\r\x1b") {
				t.Errorf("%q is not one line of text", line)
			}
		}
	})
}
