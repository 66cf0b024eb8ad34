package grpc

import (
	"context"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"wiregauge"
)

// TestJudge tells what grpc-go makes up for a connection from what a server says, by its words.
func TestJudge(t *testing.T) {
	late, cancel := context.WithTimeout(t.Context(), -1)
	defer cancel()
	const closed = "the server closed the connection before the answer was complete"
	for _, c := range []struct {
		name    string
		ctx     context.Context
		code    codes.Code
		message string
		outcome wiregauge.Outcome
		text    string
	}{
		{"our timeout", late, codes.DeadlineExceeded, "context deadline exceeded", wiregauge.Timeout, ""},
		{"the server's own words", t.Context(), codes.Unavailable, "try later", wiregauge.Failed, "try later"},
		{"the server's own timeout", t.Context(), codes.DeadlineExceeded, "context deadline exceeded", wiregauge.Failed, "context deadline exceeded"},
		{"the end", t.Context(), codes.Unavailable, "error reading from server: EOF", wiregauge.Closed, closed},
		{"a reset connection", t.Context(), codes.Unavailable, "error reading from server: read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer", wiregauge.Reset, "connection reset by peer"},
		{"a breach of HTTP/2", t.Context(), codes.Unavailable, "error reading from server: connection error: PROTOCOL_ERROR", wiregauge.Malformed, "connection error: PROTOCOL_ERROR"},
		{"a giant frame", t.Context(), codes.Unavailable, "error reading from server: http2: frame too large", wiregauge.Malformed, "http2: frame too large"},
		{"nobody listens", t.Context(), codes.Unavailable, `connection error: desc = "transport: Error while dialing: connect to 127.0.0.1:1: connection refused"`, wiregauge.Connect, "connect to 127.0.0.1:1: connection refused"},
		{"a connection that is being given up", t.Context(), codes.Unavailable, "the connection is draining", wiregauge.Closed, "the connection is draining"},
		{"a refused stream", t.Context(), codes.Unavailable, "stream terminated by RST_STREAM with error code: REFUSED_STREAM", wiregauge.Refused, "stream terminated by RST_STREAM with error code: REFUSED_STREAM"},
		{"a status that is no number", t.Context(), codes.Unknown, `transport: malformed grpc-status: strconv.ParseInt: parsing "fine": invalid syntax`, wiregauge.Failed, `the grpc-status "fine" is no number`},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := &wiregauge.Call{}
			call.Reset(&wiregauge.Request{})
			call.Explain = true
			judge(c.ctx, call, status.Error(c.code, c.message))
			if call.Outcome != c.outcome || call.Text != c.text || call.Status != int(c.code) {
				t.Errorf("got %s %d %q, want %s %d %q", call.Outcome, call.Status, call.Text, c.outcome, c.code, c.text)
			}
		})
	}
}
