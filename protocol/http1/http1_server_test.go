package http1

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/content"
	"wiregauge/protocol/prototest"
)

// detailed makes one call of r on a new connection, with everything a person wants to see.
func detailed(t *testing.T, opt protocol.Options, r *wiregauge.Request) (*prototest.Lane, *wiregauge.Call) {
	t.Helper()
	l := prototest.NewLane(t, serve(t)(t), open(opt))
	c := prototest.NewCall(r)
	c.Explain, c.Detail = true, &wiregauge.Detail{}
	l.Start(c)
	l.Wait(c)
	return l, c
}

func TestDetail(t *testing.T) {
	_, c := detailed(t, protocol.Options{}, &wiregauge.Request{Method: "GET /trailers", Keep: true})
	d := c.Detail
	if c.Outcome != wiregauge.OK || d.StatusLine != "HTTP/1.1 200 OK" || !slices.Equal(d.Informational, []int{103}) {
		t.Errorf("outcome %s, %q, interim %v", c.Outcome, d.StatusLine, d.Informational)
	}
	if !has(d.Header, "Date") || !has(d.Header, "Transfer-Encoding") {
		t.Errorf("header %v", d.Header)
	}
	if want := []wiregauge.Field{{Name: "Sum", Value: "17"}}; !slices.Equal(d.Trailer, want) {
		t.Errorf("trailer %v, expected %v", d.Trailer, want)
	}
	if d.Encodings["identity"] != 1 {
		t.Errorf("encodings %v", d.Encodings)
	}
}

func TestRealServer(t *testing.T) {
	for _, tt := range []struct {
		name, method string
		opt          protocol.Options
		outcome      wiregauge.Outcome
		status       int
		body         string
		closing      bool
	}{
		{"close", "GET /close", protocol.Options{}, wiregauge.OK, 200, "last", true},
		{"one call per connection", "GET /trailers", protocol.Options{OneCall: true}, wiregauge.OK, 200, "part one, part two", true},
		{"no content", "GET /none", protocol.Options{}, wiregauge.OK, 204, "", false},
		{"HEAD", "HEAD /trailers", protocol.Options{}, wiregauge.OK, 200, "", false},
		{"HEAD of an error", "HEAD /fail", protocol.Options{}, wiregauge.Failed, 503, "", false},
		{"a redirect is not followed", "POST /moved", protocol.Options{}, wiregauge.OK, 302, "", false},
		{"an error's body is kept too", "GET /fail", protocol.Options{}, wiregauge.Failed, 503, "bad, \"quoted\"\nsecond line\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, c := detailed(t, tt.opt, &wiregauge.Request{Method: tt.method, Keep: true})
			if c.Outcome != tt.outcome || c.Status != tt.status {
				t.Errorf("outcome %s, status %d; expected %s, %d", c.Outcome, c.Status, tt.outcome, tt.status)
			}
			l.Until("closing, if it comes", func() bool { return l.Events.SaidClosing() == tt.closing })
			if got := l.Events.Messages(c); len(got) != 1 || string(got[0]) != tt.body {
				t.Errorf("body %q, expected %q", got, tt.body)
			}
		})
	}
}

func TestStartAfterClosing(t *testing.T) {
	for name, opt := range map[string]protocol.Options{"the server closes": {}, "one call": {OneCall: true}} {
		d := prototest.NewDriver(open(opt))
		d.Start(prototest.NewCall(get))
		d.Feed([]byte("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"))
		if err := d.Start(prototest.NewCall(get)); err != wiregauge.Closing {
			t.Errorf("%s: start %v, expected closing", name, err)
		}
		want := []string{"first 0", `message 0 ""`, "done 0 ok 200", "closing -1"}
		if got := d.Events.Answers(); !slices.Equal(got, want) {
			t.Errorf("%s: events %v, expected %v", name, got, want)
		}
	}
}

// A server that closes an idle connection has failed nobody.
func TestCleanEndWithNothingInFlight(t *testing.T) {
	d := prototest.NewDriver(open(protocol.Options{}))
	c := prototest.NewCall(get)
	d.Start(c)
	d.Feed([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	d.End(io.EOF)
	if n := d.Events.Count(prototest.Done, nil); n != 1 || c.Outcome != wiregauge.OK {
		t.Errorf("%d calls done, outcome %s; expected one, ok", n, c.Outcome)
	}
	if err := d.Start(prototest.NewCall(get)); err != wiregauge.Closing {
		t.Errorf("start after the end: %v, expected closing", err)
	}
}

// Pipelined calls behind an answer that closes will not be answered. Only the word "close" proves that they were not
// carried out either.
func TestPipelineThatCloses(t *testing.T) {
	for _, tt := range []struct {
		name, last string
		behind     wiregauge.Outcome
	}{
		{"close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", wiregauge.Unprocessed},
		{"close, with the end of the body", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nx", wiregauge.Unprocessed},
		{"the end of the body alone", "HTTP/1.1 200 OK\r\n\r\nx", wiregauge.Closed},
		{"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", wiregauge.Closed},
	} {
		t.Run(tt.name, func(t *testing.T) { pipelineThatCloses(t, tt.last, tt.behind) })
	}
}

func pipelineThatCloses(t *testing.T, last string, behind wiregauge.Outcome) {
	t.Helper()
	d := prototest.NewDriver(open(protocol.Options{Streams: 3}))
	var calls []*wiregauge.Call
	for range 3 {
		c := prototest.NewCall(get)
		c.Explain = true
		if err := d.Start(c); err != nil {
			t.Fatal(err)
		}
		calls = append(calls, c)
	}
	if err := d.Start(prototest.NewCall(get)); err != wiregauge.Streams {
		t.Errorf("a fourth call: %v, expected streams", err)
	}
	d.Feed([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" + last))
	d.End(io.EOF)
	for i, want := range []wiregauge.Outcome{wiregauge.OK, wiregauge.OK, behind} {
		if calls[i].Outcome != want {
			t.Errorf("call %d: %s, expected %s", i, calls[i].Outcome, want)
		}
	}
	if text := calls[2].Text; text != errNoMoreAnswers.Error() && text != errEarlyEnd.Error() {
		t.Errorf("text %q", text)
	}
	d.Check(t)
}

// While the body of a call is open no other call starts, and Room says when one can.
func TestPipelineBehindAnOpenBody(t *testing.T) {
	d := prototest.NewDriver(open(protocol.Options{Streams: 3}))
	live := prototest.NewCall(&wiregauge.Request{Method: "POST /", Shape: wiregauge.ClientStream, Open: true})
	if err := d.Start(live); err != nil || live.Queued == 0 {
		t.Fatalf("start: %v, %d bytes queued; the end of the body is", err, live.Queued)
	}
	if err := d.Start(prototest.NewCall(get)); err != wiregauge.Busy {
		t.Errorf("start behind it: %v, expected busy", err)
	}
	if err := d.Send(live, []byte("x"), true); err != nil {
		t.Fatal(err)
	}
	if d.Events.Count(prototest.Room, nil) != 1 || d.Events.Count(prototest.Sent, live) != 1 {
		t.Errorf("events %v; expected room and sent", d.Events.Events)
	}
	if err := d.Send(live, []byte("y"), true); err != wiregauge.ErrStopped {
		t.Errorf("send after the last: %v, expected ErrStopped", err)
	}
	if err := d.Start(prototest.NewCall(get)); err != nil {
		t.Errorf("start after it: %v", err)
	}
	d.Check(t)
}

func TestCompressedAnswers(t *testing.T) {
	zip := func(p []byte) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(p)
		w.Close()
		return b.String()
	}
	plain := prototest.Pattern(3000)
	for _, tt := range []struct {
		name, body string
		maxReply   int
		outcome    wiregauge.Outcome
	}{
		{"gzip", zip(plain), 0, wiregauge.OK},
		{"at the limit", zip(plain), 3000, wiregauge.OK},
		{"beyond the limit", zip(plain), 2999, wiregauge.TooLarge},
		{"a bomb", zip(make([]byte, 10<<20)), 100 << 10, wiregauge.TooLarge},
		{"no gzip at all", "plain", 0, wiregauge.Malformed},
		{"cut short", zip(plain)[:50], 0, wiregauge.Malformed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer := "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n" + tt.body
			r := &wiregauge.Request{Method: "GET /", Keep: true, MaxReply: tt.maxReply, Accept: "gzip"}
			d, c, err := feed(t, protocol.Options{}, r, answer, io.EOF)
			if err != nil || c.Outcome != tt.outcome {
				t.Fatalf("%v, outcome %s (%s); expected %s", err, c.Outcome, c.Text, tt.outcome)
			}
			if tt.outcome == wiregauge.OK && !bytes.Equal(d.Events.Messages(c)[0], plain) {
				t.Error("the body came back changed")
			}
			if c.Detail.Encodings["gzip"] != 1 {
				t.Errorf("encodings %v", c.Detail.Encodings)
			}
		})
	}
	t.Run("an error's text", func(t *testing.T) {
		r := &wiregauge.Request{Method: "GET /"}
		_, c, _ := feed(t, protocol.Options{}, r, "HTTP/1.1 500 Oops\r\nContent-Encoding: gzip\r\n\r\n"+zip([]byte("why")), io.EOF)
		if c.Outcome != wiregauge.Failed || c.Text != "why" {
			t.Errorf("outcome %s, text %q", c.Outcome, c.Text)
		}
	})
}

func TestTextIsTheFirstKilobyte(t *testing.T) {
	long := "HTTP/1.1 500 Oops\r\nContent-Length: 5000\r\n\r\n" + strings.Repeat("\xff", 5000)
	_, c, _ := feed(t, protocol.Options{}, &wiregauge.Request{Method: "GET /"}, long, io.EOF)
	if c.Text != "\uFFFD" {
		t.Errorf("text %q; expected one sign for what is no text", c.Text)
	}
	long = strings.ReplaceAll(long, "\xff", "e")
	_, c, _ = feed(t, protocol.Options{}, &wiregauge.Request{Method: "GET /"}, long, io.EOF)
	if c.Text != strings.Repeat("e", content.TextSize) {
		t.Errorf("text of %d bytes, expected %d", len(c.Text), content.TextSize)
	}
}

func TestExplainer(t *testing.T) {
	answer := "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\nSum: 3\r\n\r\n" +
		"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno" +
		"HTTP/1.1 200 OK\r\n\r\nrest"
	sent := "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcHEAD / HTTP/1.1\r\n\r\nGET /x HTTP/1.1\r\n\r\nGET /y HTTP/1.1\r\n\r\n"
	want := []string{
		"> POST / HTTP/1.1", "> Content-Length: 3", "> body of 3 bytes", "> HEAD / HTTP/1.1", "> GET /x HTTP/1.1", "> GET /y HTTP/1.1",
		"< HTTP/1.1 103 Early Hints", "< HTTP/1.1 200 OK", "< Transfer-Encoding: chunked", "< chunk of 3 bytes", "< chunk of 0 bytes", "< Sum: 3",
		"< HTTP/1.1 200 OK", "< Content-Length: 9", "< HTTP/1.1 404 Not Found", "< Content-Length: 2", "< body of 2 bytes",
		"< HTTP/1.1 200 OK", "< 4 bytes of a body without length",
	}
	for _, piece := range []int{1000, 4} {
		var got []string
		e := NewExplainer()
		in := func(s string, sent bool, mark string) {
			for len(s) > 0 {
				n := min(piece, len(s))
				e.Explain([]byte(s[:n]), sent, func(l string) { got = append(got, mark+l) })
				s = s[n:]
			}
		}
		in(sent, true, "> ")
		in(answer, false, "< ")
		if piece == 1000 && !slices.Equal(got, want) {
			t.Errorf("explained as\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if piece != 1000 && len(got) < len(want) {
			t.Errorf("in pieces of %d bytes: %d lines, expected %d", piece, len(got), len(want))
		}
	}
}

func TestNoAllocationPerCall(t *testing.T) {
	for name, r := range map[string]*wiregauge.Request{
		"POST":   {Method: "POST /echo", Messages: [][]byte{prototest.Pattern(1000)}},
		"chunks": {Method: "GET /trailers"},
		"HEAD":   {Method: "HEAD /echo"},
		"none":   {Method: "GET /none"},
		"lines":  {Method: "POST /lines", Messages: [][]byte{prototest.Pattern(1000)}, Shape: wiregauge.ServerStream},
	} {
		if n := prototest.Allocs(t, serve(t), open(protocol.Options{}), r, 200); n != 0 {
			t.Errorf("%s: %v allocations per call, expected 0", name, n)
		}
	}
}

// Over a real socket, where reads return what happens to be there.
func TestKeepAliveOverLoopback(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body)
	}))
	defer server.Close()
	conn := dial(t, server.Listener.Addr().String())
	l := prototest.NewLane(t, conn, open(protocol.Options{Streams: 16}))
	var calls []*wiregauge.Call
	for range 1000 {
		r, _ := echo(wiregauge.Unary, prototest.Pattern(100))
		c := prototest.NewCall(r)
		l.Start(c)
		calls = append(calls, c)
	}
	for i, c := range calls {
		if l.Wait(c); c.Outcome != wiregauge.OK {
			t.Fatalf("call %d: %s %s", i, c.Outcome, c.Text)
		}
	}
}

func FuzzReceive(f *testing.F) {
	requests := []*wiregauge.Request{
		{Method: "GET /", Keep: true, MaxReply: 1 << 20},
		{Method: "HEAD /", Index: 1},
		{Method: "POST /", Index: 2, Messages: [][]byte{make([]byte, 100<<10)}},
	}
	f.Add([]byte("HTTP/1.1 408 x"), uint8(2), uint8(0))
	prototest.FuzzReceive(f, open(protocol.Options{Streams: 3}), requests,
		[]byte("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"),
		[]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nSum: 1\r\n\r\n"),
		[]byte("HTTP/1.0 500 no\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"))
}

func FuzzExplain(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\nSum: 3\r\n\r\n"), true)
	f.Fuzz(func(t *testing.T, p []byte, sent bool) {
		lines := 0
		NewExplainer().Explain(p, sent, func(string) { lines++ })
		if lines > len(p)+1 {
			t.Errorf("%d bytes made %d lines", len(p), lines)
		}
	})
}
