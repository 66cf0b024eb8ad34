package grpc

import (
	"context"
	"math"
	"net"
	"strconv"
	"strings"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"wiregauge"
	"wiregauge/protocol/stack"
)

// watching hands grpc-go the connection above TLS with its frames read.
type watching struct {
	credentials.TransportCredentials
	conns  *stack.Conns
	broken *lastError
}

func (w watching) ClientHandshake(ctx context.Context, authority string, c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := w.TransportCredentials.ClientHandshake(ctx, authority, c)
	if err != nil {
		w.broken.set(err)
		return nil, nil, err
	}
	return w.conns.Watch(conn), info, nil
}

// Info leaves out the name that TLS checks: gRPC refuses an authority that differs from it, and a port is enough.
func (w watching) Info() credentials.ProtocolInfo {
	info := w.TransportCredentials.Info()
	//lint:ignore SA1019 grpc-go reads the name here and nowhere else
	info.ServerName = ""
	return info
}

func (w watching) Clone() credentials.TransportCredentials {
	return watching{w.TransportCredentials.Clone(), w.conns, w.broken}
}

// attempts counts what grpc-go did for one call. Its events may still come when the call has returned.
type attempts struct {
	*stack.Hooks
	begun, wrote atomic.Int64
}

type attemptsKey struct{}

// watcher is the stats handler; it finds the call in the context.
type watcher struct{}

func (watcher) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

func (watcher) HandleRPC(ctx context.Context, s stats.RPCStats) {
	a, ok := ctx.Value(attemptsKey{}).(*attempts)
	if !ok {
		return
	}
	switch s.(type) {
	case *stats.Begin:
		a.begun.Add(1)
	case *stats.OutHeader:
		a.wrote.Add(1)
	case *stats.OutPayload:
		a.Sent()
	case *stats.InHeader:
		a.First()
	}
}

func (watcher) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

func (watcher) HandleConn(context.Context, stats.ConnStats) {}

// judge puts what grpc-go returned into an outcome. The library makes up statuses of its own for what happened on
// the connection; their words tell them from the server's.
func judge(ctx context.Context, c *wiregauge.Call, err error) {
	if err == nil {
		c.Outcome = wiregauge.OK
		return
	}
	s := status.Convert(err)
	c.Status, c.Outcome = int(s.Code()), verdict(ctx, s, mostReply(c))
	if c.Explain {
		c.Text = words(c.Outcome, s.Message())
	}
}

// words are those of the library without what only its authors need, and none where the outcome says it all.
func words(o wiregauge.Outcome, text string) string {
	switch {
	case o == wiregauge.Timeout, o == wiregauge.Canceled:
		return ""
	case o == wiregauge.TooLarge:
		return text + "; --max-reply raises the limit"
	case o == wiregauge.Closed && strings.HasSuffix(text, "EOF"):
		return "the server closed the connection before the answer was complete"
	}
	for _, same := range []string{"connection reset by peer", "broken pipe"} { // whichever two ports it was
		if o == wiregauge.Reset && strings.HasSuffix(text, same) {
			return same
		}
	}
	if _, value, ok := strings.Cut(text, "malformed grpc-status: strconv.ParseInt: parsing "); ok {
		value, _, _ = strings.Cut(value, ": ")
		return "the grpc-status " + value + " is no number"
	}
	if _, inner, ok := strings.Cut(text, `connection error: desc = "transport: Error while dialing: `); ok {
		return strings.TrimSuffix(inner, `"`)
	}
	return strings.TrimPrefix(text, "error reading from server: ")
}

func verdict(ctx context.Context, s *status.Status, limit int) wiregauge.Outcome {
	says := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(s.Message(), w) {
				return true
			}
		}
		return false
	}
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		return wiregauge.Timeout
	case ctx.Err() != nil:
		return wiregauge.Canceled
	case says("RST_STREAM with error code: REFUSED_STREAM"):
		return wiregauge.Refused
	case says("RST_STREAM with error code") && s.Code() == codes.DeadlineExceeded:
		return wiregauge.Timeout // the server's clock was a moment ahead of ours, as the library has found out
	case says("RST_STREAM with error code"):
		return wiregauge.Reset
	case says("without sending trailers"):
		return wiregauge.NoStatus
	case s.Code() == codes.ResourceExhausted && beyondLimit(s.Message(), limit):
		return wiregauge.TooLarge
	case s.Code() == codes.Unavailable:
		return unavailability(says)
	}
	return wiregauge.Failed
}

// mostReply is the limit of one message that the library is told.
func mostReply(c *wiregauge.Call) int {
	if c.MaxReply > 0 {
		return c.MaxReply
	}
	return math.MaxInt32
}

// beyondLimit tells our own limit from that of a grpc-go server, which refuses a request in the same words.
func beyondLimit(text string, limit int) bool {
	return strings.Contains(text, " larger than max") && strings.HasSuffix(strings.TrimSuffix(text, ")"), " "+strconv.Itoa(limit))
}

// unavailability tells the library's own words for a connection that ended from a server that says UNAVAILABLE.
func unavailability(says func(...string) bool) wiregauge.Outcome {
	reading := says("error reading from server")
	switch {
	case reading && says("server: connection error: ", "frame too large"):
		return wiregauge.Malformed
	case says("connection reset by peer", "broken pipe") && !says("while dialing"):
		return wiregauge.Reset
	case reading, says("transport is closing", "received prior goaway", "the connection is draining"):
		return wiregauge.Closed
	case says("connection error", "connection refused"):
		return wiregauge.Connect
	}
	return wiregauge.Failed
}

var _ stats.Handler = watcher{}
