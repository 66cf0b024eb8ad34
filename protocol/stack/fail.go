package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"golang.org/x/net/http2"

	"wiregauge"
)

// fail puts an error of net/http into an outcome and words.
func fail(ctx context.Context, c *wiregauge.Call, err error) {
	c.Outcome, c.Status = outcome(ctx, err), 0 // an answer that broke off is none
	var stream http2.StreamError
	if errors.As(err, &stream) && c.Outcome != wiregauge.Malformed {
		c.Status = int(stream.Code)
	}
	if c.Explain && c.Text == "" {
		c.Text = Text(c.Outcome, err)
	}
}

// peerSays is the cause of a stream error that came from the server; any other one is a breach that the library saw.
const peerSays = "received from peer"

func outcome(ctx context.Context, err error) wiregauge.Outcome {
	var (
		dial   *net.OpError
		stream http2.StreamError
	)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return wiregauge.Timeout
	case ctx.Err() != nil:
		return wiregauge.Canceled
	case errors.As(err, &stream):
		return ofStream(stream)
	case errors.As(err, &dial) && dial.Op == "dial":
		return wiregauge.Connect
	case dial != nil && dial.Op == "remote error": // a TLS alert
		return wiregauge.Closed
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return wiregauge.Reset
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.Is(err, os.ErrClosed):
		return wiregauge.Closed
	}
	return ofWords(err.Error())
}

func ofStream(e http2.StreamError) wiregauge.Outcome {
	switch {
	case e.Code == http2.ErrCodeRefusedStream:
		return wiregauge.Refused
	case e.Cause != nil && e.Cause.Error() != peerSays:
		return wiregauge.Malformed
	}
	return wiregauge.Reset
}

// ofWords judges an error of the library that has no type of its own.
func ofWords(text string) wiregauge.Outcome {
	for _, known := range []struct {
		words   string
		outcome wiregauge.Outcome
	}{
		{"server response headers exceeded", wiregauge.TooLarge},
		{"response header list larger than advertised limit", wiregauge.TooLarge},
		{"client conn could not be established", wiregauge.Connect},
		{"server closed idle connection", wiregauge.Closed},
		{"cannot rewind body after connection loss", wiregauge.Closed},
		{"readLoop exiting", wiregauge.Closed},
		{"GOAWAY", wiregauge.Closed},
		{"force closed", wiregauge.Closed},
		{"client connection lost", wiregauge.Closed},
		{"client conn is closed", wiregauge.Closed},
		{"client conn not usable", wiregauge.Closed},
	} {
		if strings.Contains(text, known.words) {
			return known.outcome
		}
	}
	return wiregauge.Malformed
}

// unasked is how net/http ends a connection on which bytes come while no request waits; what follows is the error of
// that read, and there is none.
const unasked = "readLoopPeekFailLocked: %!w(<nil>)"

// Text is what an error table says of an error: the same words for the same cause, whichever call it ended, and none
// where the outcome says it all.
func Text(o wiregauge.Outcome, err error) string {
	var (
		stream http2.StreamError
		number syscall.Errno
	)
	switch {
	case o == wiregauge.Timeout, o == wiregauge.Canceled:
		return ""
	case errors.As(err, &stream) && o == wiregauge.Malformed:
		return fmt.Sprintf("%v (%v)", stream.Cause, stream.Code)
	case errors.As(err, &stream):
		return fmt.Sprintf("RST_STREAM %v (%d)", stream.Code, uint32(stream.Code))
	case o == wiregauge.Reset && errors.As(err, &number):
		return number.Error()
	case o == wiregauge.Closed && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
		return "the server closed the connection before the answer was complete"
	}
	text := err.Error()
	if strings.Contains(text, unasked) {
		return "the server sent bytes before it was asked"
	}
	for _, prefix := range []string{"net/http: HTTP/1.x transport connection broken: ", "net/http: ", "http: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}
