package grpc

import (
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
		if got := verdict(t.Context(), status.New(codes.Unavailable, tt.text)); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.text, got, tt.want)
		}
	}
}
