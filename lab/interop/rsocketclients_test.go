//go:build external

package interop

import (
	"testing"
	"time"

	"wiregauge/protocol/rsocket"
)

// TestRSocketClientsOfOthers has every client that we did not write carry out all interactions with our answering end.
func TestRSocketClientsOfOthers(t *testing.T) {
	lease := rsocket.Lease{Requests: 5, TimeToLive: 400 * time.Millisecond, Every: 500 * time.Millisecond}
	rows := []struct {
		name    string
		serving rsocket.Serving
		steps   []step
		options []string
	}{
		{"TCP", rsocket.Serving{}, interactions, nil},
		{"WebSocket", rsocket.Serving{WebSocket: true}, interactions, nil},
		{"fragments", rsocket.Serving{Fragment: 64}, fragmented, []string{"mtu=64"}},
		{"fragments over WebSocket", rsocket.Serving{WebSocket: true, Fragment: 64}, fragmented, []string{"mtu=64"}},
		{"10,000 in flight", rsocket.Serving{}, thousands, nil},
		{"keep-alive", rsocket.Serving{}, kept, []string{"keepalive=1000", "lifetime=5000"}},
		{"lease", rsocket.Serving{Lease: lease}, leased, []string{"lease=true"}},
	}
	for _, client := range rsocketStacks {
		t.Run(client.name, func(t *testing.T) {
			t.Parallel()
			for i, row := range rows {
				if client.name == springThree.name && i >= 2 {
					break // below Spring it is the same library as that of the other two
				}
				t.Run(row.name, func(t *testing.T) {
					scheme := "tcp://"
					if row.serving.WebSocket {
						scheme = "ws://"
					}
					plays(t, client.name, "ours", scheme+serveOurs(t, row.serving), client.says, row.steps, row.options...)
				})
			}
		})
	}
}
