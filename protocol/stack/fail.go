package stack

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"golang.org/x/net/http2"

	"wiregauge"
)

// fail puts an error of net/http into an outcome.
func fail(ctx context.Context, c *wiregauge.Call, err error) {
	c.Outcome = outcome(ctx, err)
	if c.Explain && c.Text == "" {
		c.Text = err.Error()
	}
}

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
		if stream.Code == http2.ErrCodeRefusedStream {
			return wiregauge.Refused
		}
		return wiregauge.Reset
	case errors.As(err, &dial) && dial.Op == "dial":
		return wiregauge.Connect
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return wiregauge.Reset
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.Is(err, os.ErrClosed):
		return wiregauge.Closed
	case strings.Contains(err.Error(), "server closed idle connection"), strings.Contains(err.Error(), "GOAWAY"):
		return wiregauge.Closed
	}
	return wiregauge.Malformed
}
