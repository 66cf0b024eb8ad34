//go:build external

package interop

import (
	"testing"

	"wiregauge/protocol/rsocket"
)

// TestRSocketClientsOfOthers has every client that we did not write carry out all interactions with our answering end.
func TestRSocketClientsOfOthers(t *testing.T) {
	for _, client := range rsocketStacks {
		t.Run(client.name, func(t *testing.T) {
			t.Parallel()
			t.Run("TCP", func(t *testing.T) {
				plays(t, client.name, "ours", "tcp://"+serveOurs(t, rsocket.Serving{}), client.says, interactions)
			})
			t.Run("WebSocket", func(t *testing.T) {
				plays(t, client.name, "ours", "ws://"+serveOurs(t, rsocket.Serving{WebSocket: true}), client.says, interactions)
			})
		})
	}
}
