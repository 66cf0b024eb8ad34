package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"golang.org/x/net/http2"

	"wiregauge"
)

// TestFailures: what net/http returns becomes an outcome and one text per cause, whichever call and connection it was.
func TestFailures(t *testing.T) {
	reading := func(err error) error { return &net.OpError{Op: "read", Net: "tcp", Err: err} }
	late, cancel := context.WithTimeout(t.Context(), -1)
	defer cancel()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	const closed = "the server closed the connection before the answer was complete"
	for _, c := range []struct {
		name    string
		ctx     context.Context
		err     error
		outcome wiregauge.Outcome
		text    string
	}{
		{"our timeout", late, context.DeadlineExceeded, wiregauge.Timeout, ""},
		{"our stop", stopped, context.Canceled, wiregauge.Canceled, ""},
		{"the end", t.Context(), io.EOF, wiregauge.Closed, closed},
		{"the end inside a body", t.Context(), io.ErrUnexpectedEOF, wiregauge.Closed, closed},
		{"a connection that the library closed", t.Context(), errors.New("http2: client connection force closed via ClientConn.Close"), wiregauge.Closed, "http2: client connection force closed via ClientConn.Close"},
		{"a TLS alert", t.Context(), &net.OpError{Op: "remote error", Err: errors.New("tls: certificate required")}, wiregauge.Closed, "remote error: tls: certificate required"},
		{"a reset", t.Context(), reading(os.NewSyscallError("read", syscall.ECONNRESET)), wiregauge.Reset, "connection reset by peer"},
		{"a pipe that is broken", t.Context(), reading(os.NewSyscallError("write", syscall.EPIPE)), wiregauge.Reset, "broken pipe"},
		{"nobody listens", t.Context(), &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, wiregauge.Connect, "dial tcp: connect: connection refused"},
		{"no hello", t.Context(), errors.New("http2: client conn could not be established"), wiregauge.Connect, "http2: client conn could not be established"},
		{"a reset stream", t.Context(), http2.StreamError{StreamID: 7, Code: http2.ErrCodeInternal, Cause: errors.New(peerSays)}, wiregauge.Reset, "RST_STREAM INTERNAL_ERROR (2)"},
		{"a refused stream", t.Context(), http2.StreamError{StreamID: 9, Code: http2.ErrCodeRefusedStream, Cause: errors.New(peerSays)}, wiregauge.Refused, "RST_STREAM REFUSED_STREAM (7)"},
		{"a stream that broke the rules", t.Context(), http2.StreamError{StreamID: 3, Code: http2.ErrCodeProtocol, Cause: errors.New("malformed response")}, wiregauge.Malformed, "malformed response (PROTOCOL_ERROR)"},
		{"headers without end", t.Context(), errors.New("net/http: HTTP/1.x transport connection broken: net/http: server response headers exceeded 1048576 bytes; aborted"), wiregauge.TooLarge, "server response headers exceeded 1048576 bytes; aborted"},
		{"an answer to nothing", t.Context(), errors.New("net/http: HTTP/1.x transport connection broken: readLoopPeekFailLocked: %!w(<nil>)"), wiregauge.Malformed, "the server sent bytes before it was asked"},
		{"a connection that ended before a second try", t.Context(), errors.New("net/http: cannot rewind body after connection loss"), wiregauge.Closed, "cannot rewind body after connection loss"},
		{"no HTTP", t.Context(), errors.New(`net/http: HTTP/1.x transport connection broken: malformed HTTP response "hello"`), wiregauge.Malformed, `malformed HTTP response "hello"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := &wiregauge.Call{}
			call.Reset(&wiregauge.Request{})
			call.Explain, call.Status = true, 200
			fail(c.ctx, call, fmt.Errorf("wrapped: %w", c.err))
			if call.Outcome != c.outcome {
				t.Errorf("got %s, want %s", call.Outcome, c.outcome)
			}
			want := 0 // of an answer that broke off nothing counts
			var stream http2.StreamError
			if errors.As(c.err, &stream) && c.outcome != wiregauge.Malformed {
				want = int(stream.Code)
			}
			if call.Status != want {
				t.Errorf("status %d, want %d", call.Status, want)
			}
			if got := Text(c.outcome, c.err); got != c.text {
				t.Errorf("got %q, want %q", got, c.text)
			}
		})
	}
}
