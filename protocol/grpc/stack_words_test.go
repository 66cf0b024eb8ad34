package grpc

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"wiregauge"
)

// What grpc-go says of a connection that ended is told from what servers say, and from one another.
func TestVerdictOnUnavailable(t *testing.T) {
	for _, tt := range []struct {
		text string
		want wiregauge.Outcome
	}{
		{"error reading from server: EOF", wiregauge.Closed},
		{`closing transport due to: connection error: desc = "error reading from server: EOF", received prior goaway: code: NO_ERROR, debug data: "max_age"`, wiregauge.Closed},
		{"error reading from server: read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer", wiregauge.Reset},
		{"error reading from server: connection error: PROTOCOL_ERROR", wiregauge.Malformed},
		{"error reading from server: http2: frame too large", wiregauge.Malformed},
		{"the connection is draining", wiregauge.Closed},
		{`connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:1: connect: connection refused"`, wiregauge.Connect},
		{"out of order until noon", wiregauge.Failed},
	} {
		if got := verdict(t.Context(), status.New(codes.Unavailable, tt.text), 100); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.text, got, tt.want)
		}
	}
}

// A grpc-go server refuses a request that is too large for it in the words in which our own end refuses a reply.
func TestVerdictOnLargeMessages(t *testing.T) {
	const limit = 1000
	for _, tt := range []struct {
		text string
		want wiregauge.Outcome
	}{
		{"grpc: received message larger than max (4096 vs. 1000)", wiregauge.TooLarge},
		{"grpc: received message after decompression larger than max 1000", wiregauge.TooLarge},
		{"grpc: message after decompression larger than max (4096 vs. 1000)", wiregauge.TooLarge},
		{"grpc: received message larger than max (16777228 vs. 4194304)", wiregauge.Failed},
		{"quota 1000", wiregauge.Failed},
	} {
		got := verdict(t.Context(), status.New(codes.ResourceExhausted, tt.text), limit)
		if got != tt.want {
			t.Errorf("%q: %v, want %v", tt.text, got, tt.want)
		}
		if text := words(got, tt.text); strings.Contains(text, "--max-reply") != (got == wiregauge.TooLarge) {
			t.Errorf("%v is told as %q; the flag that raises the limit belongs to it, and to nothing else", got, text)
		}
	}
}

// A server resets a call when its deadline has passed, and may do so before our own timer fires.
func TestVerdictOnResets(t *testing.T) {
	for _, tt := range []struct {
		code codes.Code
		text string
		want wiregauge.Outcome
	}{
		{codes.DeadlineExceeded, "stream terminated by RST_STREAM with error code: CANCEL", wiregauge.Timeout},
		{codes.Canceled, "stream terminated by RST_STREAM with error code: CANCEL", wiregauge.Reset},
		{codes.Unavailable, "stream terminated by RST_STREAM with error code: REFUSED_STREAM", wiregauge.Refused},
		{codes.DeadlineExceeded, "the server's own word", wiregauge.Failed},
	} {
		if got := verdict(t.Context(), status.New(tt.code, tt.text), 1000); got != tt.want {
			t.Errorf("%v %q: %v, want %v", tt.code, tt.text, got, tt.want)
		}
	}
}
