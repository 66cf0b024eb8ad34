//go:build external

package interop

import "testing"

// TestRSocketPeersAmongThemselves checks that the peers say to each other what the tables expect of them: a table that
// is wrong about a peer would blame our side.
func TestRSocketPeersAmongThemselves(t *testing.T) {
	for _, server := range []stack{springFour, springThree, npmAlpha, npmOld, pythonRS} {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			at := server.serve(t, "tcp", "ws")
			for _, client := range []stack{rsocketJava, npmAlpha, npmOld, pythonRS} {
				t.Run(client.name, func(t *testing.T) {
					plays(t, client.name, server.name, "tcp://"+at["tcp"], client.says, interactions)
				})
			}
		})
	}
}
