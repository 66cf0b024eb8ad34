//go:build external

package interop

import (
	"strings"
	"testing"
)

// TestReflection: what a server of another language tells about itself, over v1alpha alone, is enough to list, describe
// and call it.
func TestReflection(t *testing.T) {
	address := "grpc://" + grpcio(t)
	lines := 0
	for _, row := range []struct {
		name string
		args []string
		says []string
	}{
		{"list", []string{"list", address}, []string{"grpc.testing.TestService", "grpc.reflection.v1alpha.ServerReflection"}},
		{"list methods", []string{"list", address, "grpc.testing.TestService"}, []string{"EmptyCall", "FullDuplexCall"}},
		{"describe a service", []string{"describe", address, "grpc.testing.TestService"}, []string{"rpc UnaryCall"}},
		{"describe a method", []string{"describe", address, "grpc.testing.TestService/UnaryCall"}, []string{"grpc.testing.SimpleRequest"}},
		{"describe a message", []string{"describe", address, "grpc.testing.SimpleRequest"}, []string{"response_size"}},
		{"call", []string{"call", address + "/grpc.testing.TestService/UnaryCall", "-d", `{"responseSize":3}`}, []string{`"body": "AAAA"`}},
		{"call as grpcurl users type it", []string{"call", "--plaintext", strings.TrimPrefix(address, "grpc://"),
			"grpc.testing.TestService/UnaryCall", "-d", `{"responseSize":3}`}, []string{`"body": "AAAA"`}},
		{"call with the library", []string{"call", "--client", "stack", address + "/grpc.testing.TestService/StreamingOutputCall",
			"-d", `{"responseParameters":[{"size":3},{"size":6}]}`}, []string{`"body": "AAAA"`, `"body": "AAAAAAAA"`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			did := wg(t, row.args...)
			if did.code != 0 {
				t.Fatalf("wiregauge %q: exit %d\n%s", row.args, did.code, did.stderr)
			}
			for _, word := range row.says {
				if !strings.Contains(string(did.stdout), word) {
					t.Errorf("wiregauge %q does not say %q:\n%s", row.args, word, did.stdout)
				}
			}
		})
		lines++
	}
	t.Run("a method that is not there", func(t *testing.T) {
		did := wg(t, "call", address+"/grpc.testing.TestService/Gone", "-d", "{}")
		if did.code != 2 || !strings.Contains(did.stderr, "UnaryCall") {
			t.Errorf("exit %d, want 2 with the methods that there are\n%s", did.code, did.stderr)
		}
	})
	t.Logf("%d command lines", lines+1)
}
