package grpc

import (
	"io"
	"slices"
	"strings"
	"testing"

	xhttp2 "golang.org/x/net/http2"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

// An odd row is one way to answer a unary call, and what it comes to.
type odd struct {
	name     string
	play     func(s *script)
	shape    wiregauge.Shape
	open     bool // the caller's side is still open
	outcome  wiregauge.Outcome
	status   int
	text     string // that Call.Text must hold
	received int
	resets   []xhttp2.ErrCode
}

var (
	cancelled = []xhttp2.ErrCode{xhttp2.ErrCodeCancel}
	breached  = []xhttp2.ErrCode{xhttp2.ErrCodeProtocol}
)

var odds = slices.Concat(oddTrailers, oddHeads, oddMessages, oddEnds)

var oddTrailers = []odd{
	{name: "header, message, status 0", outcome: wiregauge.OK, received: 1, play: func(s *script) {
		s.ok()
		s.message(0, "hello")
		s.head(true, "grpc-status", "0")
	}},
	{name: "a message, then status 13 in the trailers (K29)", outcome: wiregauge.Failed, status: 13, text: "lost it", received: 1, play: func(s *script) {
		s.ok()
		s.message(0, "hello")
		s.head(true, "grpc-status", "13", "grpc-message", "lost it")
	}},
	{name: "the stream ends without trailers (K29)", outcome: wiregauge.NoStatus, status: 13, received: 1, play: func(s *script) {
		s.ok()
		s.message(0, "hello")
		s.data(true, "")
	}},
	{name: "trailers without grpc-status", outcome: wiregauge.NoStatus, status: 13, received: 1, play: func(s *script) {
		s.ok()
		s.message(0, "hello")
		s.head(true, "other", "1")
	}},
	{name: "trailers-only", outcome: wiregauge.Failed, status: 12, text: "no such method",
		play: func(s *script) {
			s.head(true, ":status", "200", "content-type", "application/grpc", "grpc-status", "12", "grpc-message", "no such method")
		}},
	{name: "trailers-only without content-type", outcome: wiregauge.Failed, status: 5,
		play: func(s *script) { s.head(true, ":status", "200", "grpc-status", "5") }},
	{name: "trailers-only with status 0", outcome: wiregauge.Malformed, status: 12, text: "without a message",
		play: func(s *script) {
			s.head(true, ":status", "200", "content-type", "application/grpc", "grpc-status", "0")
		}},
	{name: "trailers-only with status 0, of a stream", shape: wiregauge.ServerStream, outcome: wiregauge.OK,
		play: func(s *script) {
			s.head(true, ":status", "200", "content-type", "application/grpc", "grpc-status", "0")
		}},
	{name: "grpc-status in a first block that does not end the stream, no trailers", outcome: wiregauge.NoStatus, status: 13, received: 1, play: func(s *script) {
		s.ok("grpc-status", "0")
		s.message(0, "hello")
		s.data(true, "")
	}},
	{name: "grpc-status in a first block and another in the trailers", outcome: wiregauge.Failed, status: 9, received: 1, play: func(s *script) {
		s.ok("grpc-status", "0")
		s.message(0, "hello")
		s.head(true, "grpc-status", "9")
	}},
	{name: "grpc-status is no number", outcome: wiregauge.Failed, status: 2, text: `the grpc-status "oops" is no number`, play: func(s *script) {
		s.ok()
		s.head(true, "grpc-status", "oops")
	}},
	{name: "grpc-status below 0", outcome: wiregauge.Failed, status: 2, play: func(s *script) {
		s.ok()
		s.head(true, "grpc-status", "-1")
	}},
	{name: "grpc-status that nobody knows", outcome: wiregauge.Failed, status: 99, play: func(s *script) {
		s.ok()
		s.head(true, "grpc-status", "99")
	}},
	{name: "a percent-encoded message", outcome: wiregauge.Failed, status: 2, text: "\t☺ 100%", play: func(s *script) {
		s.ok()
		s.head(true, "grpc-status", "2", "grpc-message", "%09%E2%98%BA 100%25")
	}},
	{name: "broken percent-encoding", outcome: wiregauge.Failed, status: 2, text: "50% off %zz%", play: func(s *script) {
		s.ok()
		s.head(true, "grpc-status", "2", "grpc-message", "50%25 off %zz%")
	}},
}

var oddHeads = []odd{
	{name: "HTTP 404 with a page", outcome: wiregauge.Failed, status: 12, text: "HTTP status 404 without grpc-status, content-type \"text/html\": <h1>not here</h1>", play: func(s *script) {
		s.head(false, ":status", "404", "content-type", "text/html")
		s.data(true, "<h1>not here</h1>")
	}},
	{name: "HTTP 503 without a body", outcome: wiregauge.Failed, status: 14, play: func(s *script) { s.head(true, ":status", "503") }},
	{name: "HTTP 401", outcome: wiregauge.Failed, status: 16, play: func(s *script) { s.head(true, ":status", "401") }},
	{name: "HTTP 403", outcome: wiregauge.Failed, status: 7, play: func(s *script) { s.head(true, ":status", "403") }},
	{name: "HTTP 400", outcome: wiregauge.Failed, status: 13, play: func(s *script) { s.head(true, ":status", "400") }},
	{name: "HTTP 429", outcome: wiregauge.Failed, status: 14, play: func(s *script) { s.head(true, ":status", "429") }},
	{name: "HTTP 431", outcome: wiregauge.Failed, status: 2, play: func(s *script) { s.head(true, ":status", "431") }},
	{name: "HTTP 500", outcome: wiregauge.Failed, status: 2, play: func(s *script) { s.head(true, ":status", "500") }},
	{name: "HTTP 502 with gRPC's content-type", outcome: wiregauge.Failed, status: 14, play: func(s *script) {
		s.head(false, ":status", "502", "content-type", "application/grpc")
		s.data(true, "bad gateway")
	}},
	{name: "HTTP 415 with grpc-status 3", outcome: wiregauge.Failed, status: 3, text: "invalid", play: func(s *script) {
		s.head(true, ":status", "415", "grpc-status", "3", "grpc-message", "invalid content-type")
		s.WriteRSTStream(1, xhttp2.ErrCodeNo)
	}},
	{name: "HTTP 500 and grpc-status in the trailers", outcome: wiregauge.Failed, status: 8, play: func(s *script) {
		s.head(false, ":status", "500", "content-type", "text/plain")
		s.data(false, "text")
		s.head(true, "grpc-status", "8")
	}},
	{name: "content-type text/html with 200", outcome: wiregauge.NoStatus, status: 2, text: "<html>", play: func(s *script) {
		s.head(false, ":status", "200", "content-type", "text/html")
		s.data(true, "<html>")
	}},
	{name: "no content-type, then closed", outcome: wiregauge.NoStatus, status: 2, play: func(s *script) { s.head(true, ":status", "200") }},
	{name: "content-type of gRPC-Web", outcome: wiregauge.NoStatus, status: 2, play: func(s *script) {
		s.head(false, ":status", "200", "content-type", "application/grpc-web")
		s.data(true, "")
	}},
	{name: "another codec than asked for", outcome: wiregauge.Malformed, status: 13, text: "application/grpc+json", resets: cancelled,
		play: func(s *script) { s.head(false, ":status", "200", "content-type", "application/grpc+json") }},
	{name: "the codec spelled out, with a parameter", outcome: wiregauge.OK, received: 1, play: func(s *script) {
		s.head(false, ":status", "200", "content-type", "application/grpc+proto; charset=x")
		s.message(0, "")
		s.head(true, "grpc-status", "0")
	}},
	{name: "a 1xx block", outcome: wiregauge.OK, received: 1, play: func(s *script) {
		s.head(false, ":status", "103", "link", "</a>")
		s.ok()
		s.message(0, "hello")
		s.head(true, "grpc-status", "0")
	}},
	{name: "a 1xx block with END_STREAM", outcome: wiregauge.Malformed, status: 13, resets: breached,
		play: func(s *script) { s.head(true, ":status", "100") }},
	{name: "a second header block without END_STREAM", outcome: wiregauge.Malformed, status: 13, resets: breached, play: func(s *script) {
		s.ok()
		s.head(false, "grpc-status", "0")
	}},
	{name: "a header list above our limit", outcome: wiregauge.TooLarge, status: 13, resets: cancelled,
		play: func(s *script) { s.ok("x", strings.Repeat("x", 10_000)) }},
}

var oddMessages = []odd{
	{name: "two messages", outcome: wiregauge.Malformed, status: 12, text: "2 messages", received: 2, play: func(s *script) {
		s.ok()
		s.message(0, "a")
		s.message(0, "b")
		s.head(true, "grpc-status", "0")
	}},
	{name: "no message", outcome: wiregauge.Malformed, status: 12, play: func(s *script) {
		s.ok()
		s.head(true, "grpc-status", "0")
	}},
	{name: "messages without end", outcome: wiregauge.Malformed, status: 12, received: 2, resets: cancelled, text: "more and more messages", play: func(s *script) {
		s.ok()
		for range 1000 {
			s.message(0, "x")
		}
	}},
	{name: "two messages and an error", outcome: wiregauge.Failed, status: 7, received: 2, play: func(s *script) {
		s.ok()
		s.message(0, "a")
		s.message(0, "b")
		s.head(true, "grpc-status", "7")
	}},
	{name: "a message that ends early", outcome: wiregauge.Malformed, status: 13, text: "inside a message", play: func(s *script) {
		s.ok()
		s.data(false, "\x00\x00\x00\x00\x05hell")
		s.head(true, "grpc-status", "0")
	}},
	{name: "a prefix that ends early", outcome: wiregauge.Malformed, status: 13, text: "inside a message", received: 1, play: func(s *script) {
		s.ok()
		s.message(0, "hello")
		s.data(false, "\x00\x00\x00")
		s.head(true, "grpc-status", "0")
	}},
	{name: "a message cut by frames, two messages in one frame", shape: wiregauge.Bidi, outcome: wiregauge.OK, received: 3, play: func(s *script) {
		s.ok()
		s.data(false, "\x00\x00")
		s.data(false, "\x00\x00\x05he")
		s.data(false, "")
		s.data(false, "llo\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01a")
		s.head(true, "grpc-status", "0")
	}},
	{name: "flag 1 without grpc-encoding", outcome: wiregauge.Malformed, status: 13, text: "without grpc-encoding", resets: cancelled, play: func(s *script) {
		s.ok()
		s.message(1, "hello")
	}},
	{name: "flag 1 with identity", outcome: wiregauge.Malformed, status: 13, resets: cancelled, play: func(s *script) {
		s.ok("grpc-encoding", "identity")
		s.message(1, "hello")
	}},
	{name: "an unknown grpc-encoding", outcome: wiregauge.Malformed, status: 13, text: "\"snappy\"", resets: cancelled, play: func(s *script) {
		s.ok("grpc-encoding", "snappy")
		s.message(1, "hello")
	}},
	{name: "an unknown grpc-encoding that is not used", outcome: wiregauge.OK, received: 1, play: func(s *script) {
		s.ok("grpc-encoding", "snappy")
		s.message(0, "hello")
		s.head(true, "grpc-status", "0")
	}},
	{name: "flag 2", outcome: wiregauge.Malformed, status: 13, text: "flag byte 2", resets: cancelled, play: func(s *script) {
		s.ok()
		s.message(2, "hello")
	}},
	{name: "gzip that is none", outcome: wiregauge.Malformed, status: 13, text: "not gzip", resets: cancelled, play: func(s *script) {
		s.ok("grpc-encoding", "gzip")
		s.message(1, "hello")
	}},
	{name: "a message above the limit", outcome: wiregauge.TooLarge, status: 8, text: "--max-reply", resets: cancelled, play: func(s *script) {
		s.ok()
		s.data(false, "\x00\x00\x10\x00\x00")
	}},
}

var oddEnds = []odd{
	{name: "RST_STREAM NO_ERROR behind the trailers", outcome: wiregauge.OK, received: 1, play: func(s *script) {
		s.ok()
		s.message(0, "hello")
		s.head(true, "grpc-status", "0")
		s.WriteRSTStream(1, xhttp2.ErrCodeNo)
	}},
	{name: "RST_STREAM NO_ERROR without trailers", outcome: wiregauge.Reset, status: 13, text: "RST_STREAM NO_ERROR", received: 1, play: func(s *script) {
		s.ok()
		s.message(0, "hello")
		s.WriteRSTStream(1, xhttp2.ErrCodeNo)
	}},
	{name: "trailers before the caller's side has ended", open: true, shape: wiregauge.Bidi, outcome: wiregauge.OK, resets: []xhttp2.ErrCode{xhttp2.ErrCodeNo},
		play: func(s *script) {
			s.ok()
			s.head(true, "grpc-status", "0")
		}},
	{name: "GOAWAY below the call", outcome: wiregauge.Unprocessed, status: 14, play: func(s *script) { s.WriteGoAway(0, xhttp2.ErrCodeNo, nil) }},
	{name: "a breach of HTTP/2", outcome: wiregauge.Malformed, status: 13, text: "RFC 9113", play: func(s *script) { s.WriteRawFrame(xhttp2.FramePing, 0, 0, nil) }},
	{name: "the connection is lost", outcome: wiregauge.Closed, status: 14, received: 1, play: func(s *script) {
		s.ok()
		s.message(0, "hello")
	}},
}

func TestClassification(t *testing.T) {
	for _, row := range odds {
		t.Run(row.name, func(t *testing.T) {
			for _, keep := range []bool{true, false} {
				if row.text == "not gzip" && !keep {
					continue // what is only counted is not inflated
				}
				for _, feed := range []func(*prototest.Driver, []byte){prototest.Whole, prototest.ByteByByte} {
					s := newScript()
					row.play(s)
					r := unary("question")
					r.Shape, r.Keep, r.Open, r.MaxReply = row.shape, keep, row.open, 1<<16
					d, c := s.play(t, protocol.Options{MaxHeader: 8 << 10}, r, feed)
					codes := resets(t, d.Take(1<<20))
					if d.Err != nil {
						d.End(d.Err)
					}
					d.End(io.EOF)
					if c.Outcome != row.outcome || c.Status != row.status || c.Received != row.received {
						t.Errorf("keep %v: outcome %s, status %d, received %d (%s); expected %s, %d, %d",
							keep, c.Outcome, c.Status, c.Received, c.Text, row.outcome, row.status, row.received)
					}
					if !strings.Contains(c.Text, row.text) || c.Outcome != wiregauge.OK && c.Text == "" && row.outcome != wiregauge.Failed {
						t.Errorf("text %q, expected it to hold %q", c.Text, row.text)
					}
					if !slices.Equal(codes, row.resets) {
						t.Errorf("RST_STREAM %v, expected %v", codes, row.resets)
					}
					d.Check(t)
				}
			}
		})
	}
}

// TestResetCodes maps every RST_STREAM code as the specification does.
func TestResetCodes(t *testing.T) {
	want := []int{13, 13, 13, 13, 13, 13, 13, 14, 1, 13, 13, 8, 7, 13, 2}
	for code, status := range want {
		s := newScript()
		s.WriteRSTStream(1, xhttp2.ErrCode(code))
		_, c := s.play(t, protocol.Options{}, unary(""), prototest.Whole)
		outcome := wiregauge.Reset
		if code == 7 {
			outcome = wiregauge.Refused
		}
		if c.Outcome != outcome || c.Status != status || !strings.HasPrefix(c.Text, "RST_STREAM ") {
			t.Errorf("code %d: outcome %s, status %d, text %q; expected %s, %d", code, c.Outcome, c.Status, c.Text, outcome, status)
		}
	}
}

func TestClass(t *testing.T) {
	for _, row := range []struct {
		outcome wiregauge.Outcome
		status  int
		want    string
	}{
		{wiregauge.Failed, 13, "INTERNAL"}, {wiregauge.Failed, 14, "UNAVAILABLE"}, {wiregauge.Failed, 99, "code 99"},
		{wiregauge.NoStatus, 13, "no grpc-status"}, {wiregauge.Reset, 13, ""}, {wiregauge.Malformed, 12, ""},
	} {
		if got := Class(row.outcome, row.status); got != row.want {
			t.Errorf("%s %d: %q, expected %q", row.outcome, row.status, got, row.want)
		}
	}
}
