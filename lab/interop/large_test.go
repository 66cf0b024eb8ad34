//go:build external

package interop

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	testing_ "google.golang.org/grpc/interop/grpc_testing"
)

const (
	hugeReply   = 8_259_568 // what users have met; grpcurl stops at 4 MiB
	hugeRequest = 16 << 20
)

// TestLargeMessages: a reply of 8 MB and a request of 16 MiB go through without a flag, or the server's own refusal is
// told.
func TestLargeMessages(t *testing.T) {
	dir, calls := t.TempDir(), 0
	upload := filepath.Join(dir, "upload.json")
	text := `{"payload":{"body":"` + base64.StdEncoding.EncodeToString(pattern(hugeRequest)) + `"},"responseSize":1}`
	if err := os.WriteFile(upload, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range servers {
		if strings.HasSuffix(s.name, "TLS") {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			address, _ := s.start(t)
			for _, client := range clients {
				call := []string{"call", "grpc://" + address + "/grpc.testing.TestService/UnaryCall", "--protoset", protoset(t), "--client", client}
				t.Run("reply, "+client, func(t *testing.T) {
					largeReplyOf(t, append(call, "-d", `{"responseSize":`+strconv.Itoa(hugeReply)+`}`))
				})
				t.Run("request, "+client, func(t *testing.T) { largeRequestTo(t, s.name, append(call, "-d", "@"+upload)) })
				calls += 2
			}
		})
	}
	t.Run("nginx", func(t *testing.T) {
		up := newUpstream(t)
		s := nginx(t, up.address, "", "")
		for _, scheme := range []string{"http", "https", "h2c", "h2"} {
			for _, client := range clients {
				t.Run(scheme+" "+client, func(t *testing.T) {
					flags := s.flags(scheme, "--client", client, s.base[scheme]+"/web/echo")
					post("/web/echo", hugeRequest).check(t, s, flags)
				})
				calls++
			}
		}
	})
	t.Logf("%d calls", calls)
}

func largeReplyOf(t *testing.T, args []string) {
	t.Helper()
	did := wg(t, args...)
	var got testing_.SimpleResponse
	if did.code != 0 || protojson.Unmarshal(did.stdout, &got) != nil || len(got.GetPayload().GetBody()) != hugeReply {
		t.Errorf("exit %d, a payload of %d bytes, want %d\n%.500s", did.code, len(got.GetPayload().GetBody()), hugeReply, did.stderr)
	}
}

// largeRequestTo accepts the refusal of servers whose limit is 4 MiB: they answer so, and the answer must be told.
func largeRequestTo(t *testing.T, server string, args []string) {
	t.Helper()
	did := wg(t, args...)
	if strings.HasPrefix(server, "connect-go") {
		if did.code != 0 {
			t.Errorf("exit %d, want 0\n%.500s", did.code, did.stderr)
		}
		return
	}
	if did.code != 4 || !strings.Contains(did.stderr, "RESOURCE_EXHAUSTED (8)") || !strings.Contains(did.stderr, strconv.Itoa(4<<20)) {
		t.Errorf("exit %d, want 4 with RESOURCE_EXHAUSTED and the server's limit\n%.500s", did.code, did.stderr)
	}
}
