package http1

import (
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

var get = &wiregauge.Request{Method: "GET /", Keep: true}

// feed starts one call of r, feeds the answer, whole and then byte by byte in another session, and ends the
// connection; both must tell the same.
func feed(t *testing.T, opt protocol.Options, r *wiregauge.Request, answer string, end error) (*prototest.Driver, *wiregauge.Call, error) {
	t.Helper()
	run := func(give func(*prototest.Driver, []byte)) (*prototest.Driver, *wiregauge.Call, error) {
		d := prototest.NewDriver(open(opt))
		c := prototest.NewCall(r)
		c.Explain, c.Detail = true, &wiregauge.Detail{}
		if err := d.Start(c); err != nil {
			t.Fatal(err)
		}
		give(d, []byte(answer))
		err := d.Err
		d.End(end)
		d.Check(t)
		return d, c, err
	}
	d, c, err := run(prototest.Whole)
	slow, _, slowErr := run(prototest.ByteByByte)
	if a, b := d.Events.Answers(), slow.Events.Answers(); !slices.Equal(a, b) {
		t.Errorf("whole:        %v\nbyte by byte: %v", a, b)
	}
	if (err == nil) != (slowErr == nil) {
		t.Errorf("whole: %v, byte by byte: %v", err, slowErr)
	}
	return d, c, err
}

func TestAnswers(t *testing.T) {
	head := &wiregauge.Request{Method: "HEAD /", Keep: true}
	for _, tt := range []struct {
		name    string
		r       *wiregauge.Request
		answer  string
		status  int
		body    string
		closing bool // the connection takes no more calls
	}{
		{"content length", get, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", false},
		{"no content", get, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, "", false},
		{"no reason", get, "HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", 200, "x", false},
		{"an empty reason", get, "HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx", 200, "x", false},
		{"line feeds alone", get, "HTTP/1.1 200 OK\nContent-Length: 1\n\nx", 200, "x", false},
		{"names in any case, white space around values", get, "HTTP/1.1 200 OK\r\ncONTENT-length: \t 1 \t\r\n\r\nx", 200, "x", false},
		{"the same length twice", get, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 200, "x", false},
		{"the same length in a list", get, "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nx", 200, "x", false},
		{"204 has no body", get, "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", 204, "", false},
		{"304 has no body", get, "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", 304, "", false},
		{"304 has no chunks", get, "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", 304, "", false},
		{"HEAD has no body", head, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 200, "", false},
		{"HEAD has no chunks", head, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 200, "", false},
		{"HEAD without length", head, "HTTP/1.1 200 OK\r\n\r\n", 200, "", false},
		{"HEAD of a compressed body", head, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", 200, "", false},
		{"chunks", get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n", 200, "abc0123456789", false},
		{"chunks with extensions", get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3;a=b;c=\"d\"\r\nabc\r\n000 ;x\r\n\r\n", 200, "abc", false},
		{"trailers", get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nSum: 1\r\nContent-Length: 7\r\n\r\n", 200, "a", false},
		{"interim answers", get, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, "x", false},
		{"a redirect is an answer", get, "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", 302, "", false},
		{"close", get, "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 1\r\n\r\nx", 200, "x", true},
		{"close in a list", get, "HTTP/1.1 200 OK\r\nConnection: x, close\r\nContent-Length: 1\r\n\r\nx", 200, "x", true},
		{"bytes behind close", get, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nxyz", 200, "x", true},
		{"HTTP/1.0", get, "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, "x", true},
		{"HTTP/1.0 with keep-alive", get, "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", 200, "x", false},
		{"HTTP/1.0 with keep-alive and chunks", get, "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", 200, "x", true},
		{"chunks win over a length", get, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", 200, "x", true},
		{"empty header values", get, "HTTP/1.1 200 OK\r\nX:\r\nContent-Length: 1\r\n\r\nx", 200, "x", false},
		{"bytes beyond ASCII in a value", get, "HTTP/1.1 200 OK\r\nX: \xe9\r\nContent-Length: 1\r\n\r\nx", 200, "x", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, c, err := feed(t, protocol.Options{}, tt.r, tt.answer, io.EOF)
			if err != nil || c.Outcome != wiregauge.OK || c.Status != tt.status {
				t.Fatalf("%v, outcome %s (%s), status %d; expected ok, %d", err, c.Outcome, c.Text, c.Status, tt.status)
			}
			if got := d.Events.Messages(c); len(got) != 1 || string(got[0]) != tt.body {
				t.Errorf("body %q, expected %q", got, tt.body)
			}
			if d.Events.SaidClosing() != tt.closing {
				t.Errorf("closing %t, expected %t", d.Events.SaidClosing(), tt.closing)
			}
		})
	}
}

func TestBodiesThatEndWithTheConnection(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\n\r\nall there is"
	for _, tt := range []struct {
		name    string
		end     error
		outcome wiregauge.Outcome
	}{
		{"closed", io.EOF, wiregauge.OK},
		{"cut inside TLS", io.ErrUnexpectedEOF, wiregauge.Closed},
		{"reset", syscall.ECONNRESET, wiregauge.Reset},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, c, err := feed(t, protocol.Options{}, get, answer, tt.end)
			if err != nil || c.Outcome != tt.outcome {
				t.Errorf("%v, outcome %s; expected %s", err, c.Outcome, tt.outcome)
			}
			if n := d.Events.Count(prototest.Message, c); (n == 1) != (tt.outcome == wiregauge.OK) {
				t.Errorf("%d messages", n)
			}
		})
	}
}

func TestWrongAnswers(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	chunked := ok + "Transfer-Encoding: chunked\r\n\r\n"
	for _, tt := range []struct {
		name, answer string
		want         string // in the error
	}{
		{"garbage", "\x00\x01\x02garbage", "no HTTP/1 status line"},
		{"another protocol", "SSH-2.0-OpenSSH_9.2\r\n", `no HTTP/1 status line but "S`},
		{"HTTP/2 in words", "HTTP/2.0 200 OK\r\n\r\n", "no HTTP/1 status line"},
		{"a status of two digits", "HTTP/1.1 20 OK\r\n\r\n", "status line"},
		{"a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", "status line"},
		{"a status below 100", "HTTP/1.1 099 OK\r\n\r\n", "the status 99"},
		{"no version", "HTTP/1. 200 OK\r\n\r\n", "status line"},
		{"a tab in the status line", "HTTP/1.1\t200 OK\r\n\r\n", "status line"},
		{"a space before the colon", ok + "Content-Length : 1\r\n\r\nx", "RFC 9112, section 5"},
		{"a line without a colon", ok + "Content-Length\r\n\r\n", "header line"},
		{"an empty name", ok + ": x\r\n\r\n", "header line"},
		{"a folded line", ok + "X: a\r\n b\r\n\r\n", "folded"},
		{"a bare CR", ok + "X: a\rb\r\n\r\n", "bare CR"},
		{"a zero byte", ok + "X: a\x00b\r\n\r\n", "zero byte"},
		{"two lengths", ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "Content-Length"},
		{"two lengths in a list", ok + "Content-Length: 1, 2\r\n\r\n", "Content-Length"},
		{"a negative length", ok + "Content-Length: -1\r\n\r\n", "Content-Length"},
		{"a signed length", ok + "Content-Length: +1\r\n\r\n", "Content-Length"},
		{"an empty length", ok + "Content-Length: \r\n\r\n", "Content-Length"},
		{"a length that overflows", ok + "Content-Length: 99999999999999999999\r\n\r\n", "Content-Length"},
		{"an unknown transfer coding", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n", "transfer coding"},
		{"chunked twice", ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "transfer coding"},
		{"a switch of protocols", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "101"},
		{"a chunk without size", chunked + "\r\nabc\r\n", "chunk line"},
		{"a negative chunk", chunked + "-3\r\nabc\r\n", "chunk line"},
		{"a chunk in 0x form", chunked + "0x3\r\nabc\r\n", "chunk line"},
		{"a chunk size that overflows", chunked + "FFFFFFFFFFFFFFFFFF\r\n", "chunk line"},
		{"a chunk line that ends in LF", chunked + "3\nabc\r\n", "chunk line"},
		{"a bare CR in an extension", chunked + "3;a\rb\r\nabc\r\n", "chunk line"},
		{"a chunk longer than it says", chunked + "3\r\nabcd\r\n", "behind a chunk"},
		{"an endless chunk line", chunked + "3;" + strings.Repeat("x", 5000), "chunk line"},
		{"a wrong trailer", chunked + "0\r\nnot a field\r\n\r\n", "header line"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, c, err := feed(t, protocol.Options{}, get, tt.answer, io.EOF)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("receive: %v; expected %q", err, tt.want)
			}
			if c.Outcome != wiregauge.Malformed || !strings.Contains(c.Text, tt.want) {
				t.Errorf("outcome %s (%s); expected malformed", c.Outcome, c.Text)
			}
		})
	}
}

func TestPeersThatSpeakSomethingElse(t *testing.T) {
	for name, tt := range map[string]struct{ bytes, want string }{
		"TLS":    {"\x15\x03\x01\x00\x02\x02\x16", "write https://"},
		"HTTP/2": {"\x00\x00\x12\x04\x00\x00\x00\x00\x00", "write h2c://"},
	} {
		d := prototest.NewDriver(open(protocol.Options{}))
		d.Start(prototest.NewCall(get))
		if err := d.Feed([]byte(tt.bytes)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v; expected %q", name, err, tt.want)
		}
	}
}

func TestTooLarge(t *testing.T) {
	limited := &wiregauge.Request{Method: "GET /", MaxReply: 10}
	kept := &wiregauge.Request{Method: "GET /", MaxReply: 10, Keep: true}
	for _, tt := range []struct {
		name, answer string
		opt          protocol.Options
		r            *wiregauge.Request
	}{
		{"an endless header", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 1000), protocol.Options{MaxHeader: 1000}, get},
		{"an endless header line", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", 1000), protocol.Options{MaxHeader: 1000}, get},
		{"an endless status line", "HTTP/1.1 200 " + strings.Repeat("y", 1000), protocol.Options{MaxHeader: 1000}, get},
		{"endless interim answers", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 100), protocol.Options{MaxHeader: 1000}, get},
		{"endless trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("X: y\r\n", 1000), protocol.Options{MaxHeader: 1000}, get},
		{"a body that says so", "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n", protocol.Options{}, limited},
		{"a kept body that says so", "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n", protocol.Options{}, kept},
		{"a giant body where no limit is given", "HTTP/1.1 200 OK\r\nContent-Length: 300000000\r\n\r\n", protocol.Options{}, get},
		{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nabcdef\r\n5\r\nghijk\r\n", protocol.Options{}, kept},
		{"one chunk, not kept", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nabcdefghijk", protocol.Options{}, limited},
		{"a body without length", "HTTP/1.1 200 OK\r\n\r\nabcdefghijk", protocol.Options{}, kept},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, c, err := feed(t, tt.opt, tt.r, tt.answer, io.EOF)
			if err == nil || c.Outcome != wiregauge.TooLarge {
				t.Errorf("receive: %v, outcome %s; expected an error and too large", err, c.Outcome)
			}
			if n := d.Events.Count(prototest.Message, c); n != 0 {
				t.Errorf("%d messages, expected none", n)
			}
		})
	}
}

func TestUnsolicitedBytes(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"
	for _, tt := range []struct {
		name, rest string
		fault      bool
	}{
		{"junk", "junk", true},
		{"a line end", "\r\n", true},
		{"a second answer", answer, true},
		{"a byte too many", "y", true},
		{"408: the server has waited long enough", "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n", false},
		{"408 in the old version", "HTTP/1.0 408 Request Time-out\r\n\r\n<html>", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, c, err := feed(t, protocol.Options{}, get, answer+tt.rest, io.EOF)
			if c.Outcome != wiregauge.OK {
				t.Errorf("outcome %s; what comes behind an answer is not its fault", c.Outcome)
			}
			if (err != nil) != tt.fault {
				t.Errorf("receive: %v; expected an error: %t", err, tt.fault)
			}
			if d.Events.SaidClosing() == tt.fault {
				t.Errorf("closing: %t", d.Events.SaidClosing())
			}
		})
	}
	t.Run("before the first call", func(t *testing.T) {
		d := prototest.NewDriver(open(protocol.Options{}))
		if err := d.Feed([]byte("220 ready\r\n")); err == nil {
			t.Error("a greeting was taken")
		}
	})
	t.Run("half a 408 takes no call", func(t *testing.T) {
		d := prototest.NewDriver(open(protocol.Options{}))
		d.Feed([]byte("HTTP/1.1 4"))
		if err := d.Start(prototest.NewCall(get)); err != wiregauge.Closing {
			t.Errorf("start: %v, expected closing", err)
		}
	})
}

// A head that came before is not parsed again; it must say the same, and a longer one that begins alike is no match.
func TestHeadsThatRepeat(t *testing.T) {
	d := prototest.NewDriver(open(protocol.Options{}))
	for i, tt := range []struct {
		answer string
		status int
		body   string
	}{
		{"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", 200, "a"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nb", 200, "b"},
		{"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nabcdefghijkl", 200, "abcdefghijkl"},
		{"HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\nc", 404, "c"},
		{"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 3000) + "\r\nContent-Length: 1\r\n\r\nd", 200, "d"},
		{"HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\ne", 404, "e"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nf\r\n0\r\n\r\n", 200, "f"},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\ng\r\n0\r\n\r\n", 200, "g"},
		{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nh\r\n0\r\n\r\n", 200, "h"},
	} {
		c := prototest.NewCall(get)
		if err := d.Start(c); err != nil {
			t.Fatalf("answer %d: start: %v", i, err)
		}
		if err := d.Feed([]byte(tt.answer)); err != nil {
			t.Fatalf("answer %d: %v", i, err)
		}
		got := d.Events.Messages(c)
		if c.Status != tt.status || len(got) != 1 || string(got[0]) != tt.body {
			t.Errorf("answer %d: status %d, body %q; expected %d, %q", i, c.Status, got, tt.status, tt.body)
		}
	}
	d.Check(t)
}
