package hostile

import (
	"bufio"
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"

	"golang.org/x/net/http2"
)

// A Named is a Play that tests go through by name.
type Named struct {
	Name string // "silent", "http1: endless headers", "grpc: no trailers"
	// For says which clients it is meant for: "any", "http1", "http2" or "grpc"; "http2" plays are good for gRPC too.
	For  string
	Play Play
	// Endless plays never end by themselves: a client needs a time limit.
	Endless bool
}

// Plays lists what can be played without being told more.
func Plays() []Named {
	return []Named{
		{Name: "closes at once", For: "any", Play: CloseAtOnce},
		{Name: "resets at once", For: "any", Play: ResetAtOnce},
		{Name: "silent", For: "any", Play: Silent, Endless: true},
		{Name: "garbage", For: "any", Play: Garbage},
		{Name: "endless garbage", For: "any", Play: EndlessGarbage, Endless: true},
		{Name: "another protocol's banner", For: "any", Play: Text("220 mail.test ESMTP ready\r\n")},

		{Name: "http1: endless headers", For: "http1", Play: EndlessHeaders, Endless: true},
		{Name: "http1: endless status line", For: "http1", Play: EndlessLine, Endless: true},
		{Name: "http1: a body that breaks off", For: "http1", Play: Text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")},
		{Name: "http1: a bad chunk size", For: "http1", Play: Text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")},
		{Name: "http1: a chunk size beyond all bounds", For: "http1", Play: Text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n")},
		{Name: "http1: two lengths", For: "http1", Play: Text("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")},
		{Name: "http1: a negative length", For: "http1", Play: Text("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n")},
		{Name: "http1: an answer of HTTP/0.9", For: "http1", Play: Text("hello\r\n")},
		{Name: "http1: endless 100 Continue", For: "http1", Play: EndlessContinue, Endless: true},

		{Name: "http2: an HTTP/1.1 server", For: "http2", Play: Text("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")},
		{Name: "http2: a giant frame", For: "http2", Play: onHTTP2(GiantFrame)},
		{Name: "http2: an HPACK bomb", For: "http2", Play: onHTTP2(HPACKBomb)},
		{Name: "http2: endless CONTINUATION", For: "http2", Play: onHTTP2(EndlessContinuation), Endless: true},
		{Name: "http2: a broken header block", For: "http2", Play: onHTTP2(BrokenBlock)},
		{Name: "http2: more data than the window", For: "http2", Play: onHTTP2(Overflow)},
		{Name: "http2: refuses every stream", For: "http2", Play: (&HTTP2{Head: Refuse}).Play},
		{Name: "http2: resets every stream after reading it", For: "http2", Play: onHTTP2(ResetWith(http2.ErrCodeInternal))},
		{Name: "http2: closes in the middle of an answer", For: "http2", Play: onHTTP2(BreakOff)},
		{Name: "http2: an answer to nobody", For: "http2", Play: onHTTP2(WrongStream)},
		{Name: "http2: GOAWAY before every answer", For: "http2", Play: (&HTTP2{GoAway: 1}).Play},

		{Name: "grpc: no trailers", For: "grpc", Play: onHTTP2(NoTrailers)},
		{Name: "grpc: a message, then INTERNAL", For: "grpc", Play: onHTTP2(LateStatus(13, "late"))},
		{Name: "grpc: trailers before the request is read", For: "grpc", Play: (&HTTP2{Head: EarlyTrailers(8, "early")}).Play},
		{Name: "grpc: half a message", For: "grpc", Play: onHTTP2(HalfMessage)},
		{Name: "grpc: a message beyond all bounds", For: "grpc", Play: onHTTP2(GiantMessage)},
		{Name: "grpc: a compressed bomb", For: "grpc", Play: onHTTP2(CompressedBomb)},
		{Name: "grpc: two messages for one", For: "grpc", Play: onHTTP2(TwoMessages)},
		{Name: "grpc: an HTML error page", For: "grpc", Play: onHTTP2(ErrorPage)},
		{Name: "grpc: a status that is no number", For: "grpc", Play: onHTTP2(OddStatus)},
	}
}

// CloseAtOnce ends each connection without a word.
func CloseAtOnce(_ context.Context, c net.Conn) { leave(c) }

// ResetAtOnce resets each connection without a word.
func ResetAtOnce(_ context.Context, c net.Conn) { reset(c) }

// Silent reads and never answers.
func Silent(_ context.Context, c net.Conn) { swallow(c) }

// Garbage reads something, answers 64 KiB of noise and ends. The noise is the same each time.
func Garbage(_ context.Context, c net.Conn) {
	c.Read(make([]byte, 1))
	c.Write(noise(64 << 10))
	leave(c)
}

// EndlessGarbage answers noise until the client has had enough.
func EndlessGarbage(_ context.Context, c net.Conn) {
	endless(c, "", string(noise(16<<10)))
}

func noise(n int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	p := make([]byte, n)
	r.Read(p)
	return p
}

// Text reads what looks like an HTTP/1.1 request, or anything else up to a first read, and answers with text
// before it ends.
func Text(text string) Play {
	return func(_ context.Context, c net.Conn) {
		readRequest(c)
		c.Write([]byte(text))
		leave(c)
	}
}

// readRequest reads one HTTP/1.1 request with its body; when it is none, what is there.
func readRequest(c net.Conn) {
	br := bufio.NewReader(c)
	if first, err := br.Peek(3); err != nil || string(first) == http2.ClientPreface[:3] {
		return
	}
	if r, err := http.ReadRequest(br); err == nil {
		for buf := make([]byte, 4096); err == nil; {
			_, err = r.Body.Read(buf)
		}
	}
}

// EndlessHeaders answers with a head that never ends.
func EndlessHeaders(_ context.Context, c net.Conn) {
	readRequest(c)
	endless(c, "HTTP/1.1 200 OK\r\n", strings.Repeat("X-More: "+strings.Repeat("x", 1000)+"\r\n", 16))
}

// EndlessLine answers with a status line that never ends.
func EndlessLine(_ context.Context, c net.Conn) {
	readRequest(c)
	endless(c, "HTTP/1.1 200 ", strings.Repeat("OK ", 5000))
}

// EndlessContinue answers 100 Continue again and again.
func EndlessContinue(_ context.Context, c net.Conn) {
	readRequest(c)
	endless(c, "", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 500))
}

// endless writes start once and then more until the peer goes away.
func endless(c net.Conn, start, more string) {
	if _, err := c.Write([]byte(start)); err != nil {
		return
	}
	for {
		if _, err := c.Write([]byte(more)); err != nil {
			return
		}
	}
}

// onHTTP2 plays handle for each whole request on HTTP/2.
func onHTTP2(handle func(*Stream)) Play { return (&HTTP2{Handle: handle}).Play }
