package http1

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

// chunked is a streamed answer, each part a chunk.
func chunked(kind string, parts ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n", kind)
	for _, p := range parts {
		fmt.Fprintf(&b, "%x\r\n%s\r\n", len(p), p)
	}
	return b.String()
}

func TestStreams(t *testing.T) {
	const end = "0\r\n\r\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, "{}\n\n[1]\n")
	z.Close()
	for _, tt := range []struct {
		name, answer string
		outcome      wiregauge.Outcome
		want         []string
	}{
		{"a line each", chunked("application/x-ndjson", "{}\n[1]\n", "2\n") + end, wiregauge.OK, []string{"{}", "[1]", "2"}},
		{"lines across chunks", chunked("application/json", "{", "}\n[", "1]\n") + end, wiregauge.OK, []string{"{}", "[1]"}},
		{"events", chunked("Text/Event-Stream; charset=utf-8", ": hi\n\ndata: {}\n\n", "id: 1\ndata: [\ndata: 1]\n\n") + end, wiregauge.OK, []string{"{}", "[\n1]"}},
		{"no messages", chunked("application/json") + end, wiregauge.OK, nil},
		{"of a known length", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n{}\n[1]", wiregauge.OK, []string{"{}", "[1]"}},
		{"to the end of the connection", "HTTP/1.1 200 OK\r\n\r\n{}\n[1]", wiregauge.OK, []string{"{}", "[1]"}},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n", wiregauge.OK, nil},
		{"compressed as a whole", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + packed.String(), wiregauge.OK, []string{"{}", "[1]"}},
		{"cut between chunks", chunked("application/json", "{}\n[1]"), wiregauge.Closed, []string{"{}"}},
		{"an error is one answer", "HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\na\nb\n", wiregauge.Failed, []string{"a\nb\n"}},
		{"a redirect too", "HTTP/1.1 302 Found\r\nContent-Length: 4\r\n\r\na\nb\n", wiregauge.OK, []string{"a\nb\n"}},
		{"a message too large", chunked("application/json", "{}\n"+strings.Repeat("x", 65)+"\n{}\n") + end, wiregauge.TooLarge, []string{"{}"}},
		{"the last one too large", "HTTP/1.1 200 OK\r\n\r\n{}\n" + strings.Repeat("x", 65), wiregauge.TooLarge, []string{"{}"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &wiregauge.Request{Method: "GET /", Keep: true, Shape: wiregauge.ServerStream, MaxReply: 64}
			d, c, _ := feed(t, protocol.Options{}, r, tt.answer, io.EOF)
			var got []string
			for _, m := range d.Events.Messages(c) {
				got = append(got, string(m))
			}
			if c.Outcome != tt.outcome || !slices.Equal(got, tt.want) || c.Received != len(got) {
				t.Errorf("%s (%s), received %d, %q; expected %s, %q", c.Outcome, c.Text, c.Received, got, tt.outcome, tt.want)
			}
			if c.Outcome == wiregauge.TooLarge && !strings.Contains(c.Text, "--max-reply") {
				t.Errorf("text %q", c.Text)
			}
		})
	}
}

// Lines that are not kept are counted, and a body of many goes over no limit of one.
func TestStreamsThatAreCounted(t *testing.T) {
	r := &wiregauge.Request{Method: "GET /", Shape: wiregauge.ServerStream, MaxReply: 64}
	answer := chunked("application/json", strings.Repeat("{}\n", 1000)) + "0\r\n\r\n"
	_, c, _ := feed(t, protocol.Options{}, r, answer, io.EOF)
	if c.Outcome != wiregauge.OK || c.Received != 1000 {
		t.Errorf("%s, %d messages", c.Outcome, c.Received)
	}
}

// A stream that is cancelled takes its connection with it.
func TestCancelledStream(t *testing.T) {
	d := prototest.NewDriver(open(protocol.Options{}))
	c := prototest.NewCall(&wiregauge.Request{Method: "GET /", Keep: true, Shape: wiregauge.ServerStream})
	d.Start(c)
	d.Feed([]byte(chunked("application/json", "1\n", "2\n", "3\n4\n")))
	if n := len(d.Events.Messages(c)); n != 4 {
		t.Errorf("%d messages before the end, expected 4", n)
	}
	if err := d.Cancel(c); err != wiregauge.ErrClose {
		t.Errorf("cancel: %v, expected that the connection is spent", err)
	}
	if err := d.Feed([]byte("2\r\n5\n\r\n")); err != nil || len(d.Events.Messages(c)) != 4 {
		t.Errorf("what comes behind: %v, %d messages", err, len(d.Events.Messages(c)))
	}
	d.Check(t)
}
