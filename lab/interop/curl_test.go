//go:build external

package interop

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A curlCase is one request by curl and what must come back.
type curlCase struct {
	name   string
	path   string
	flags  []string
	upload int // bytes of the body, -1 for none
	status int
	want   []byte
}

func curlCases() []curlCase {
	cases := []curlCase{
		{"hello", "/v1/hello", []string{"--json", `{"greeting":"curl"}`}, -1, 200, []byte(`{"reply":"hello curl"}`)},
		{"hello by GET", "/v1/hello/curl", nil, -1, 200, []byte(`{"reply":"hello curl"}`)},
		{"random", "/v1/random", []string{"--json", `{"randomString":"x","randomInt":7}`}, -1, 200, []byte(`{"randomString":"x","randomInt":7}`)},
		{"inventory", "/v1/inventory/check", []string{"--json", `{"sku":"42","quantity":0}`}, -1, 200, []byte(`"available":true`)},
		{"HEAD", "/v1/hello/curl", []string{"--head"}, -1, 200, nil},
		{"no such path", "/v1/none", nil, -1, 404, nil},
		{"no such method", "/v1/echo", []string{"-X", "DELETE"}, -1, 405, nil},
		{"broken JSON", "/v1/hello", []string{"--json", `{`}, -1, 400, nil},
		{"planted", "/v1/hello/curl", []string{"-H", "wg-plant: status=503"}, -1, 503, nil},
		{"100-continue", "/v1/echo", []string{"-H", "Expect: 100-continue"}, 1000, 200, pattern(1000)},
		{"chunked upload", "/v1/echo", []string{"-H", "Transfer-Encoding: chunked"}, 100_000, 200, pattern(100_000)},
	}
	for _, size := range fileSizes {
		cases = append(cases, curlCase{fmt.Sprintf("echo of %d bytes", size), "/v1/echo", nil, size, 200, pattern(size)})
	}
	return cases
}

// TestCurl: curl as a client of the reference services, over each protocol, in clear text and under TLS.
func TestCurl(t *testing.T) {
	server := serveReference(t)
	made := int64(0)
	for _, p := range []struct {
		scheme  string
		version string // as curl says it
		flags   []string
	}{
		{"http", "1.1", nil},
		{"h2c", "2", []string{"--http2-prior-knowledge"}},
		{"https", "1.1", []string{"--http1.1", "--cacert", server.ca}},
		{"h2", "2", []string{"--http2", "--cacert", server.ca}},
	} {
		url := strings.NewReplacer("h2c://", "http://", "h2://", "https://").Replace(server.base[p.scheme])
		for _, c := range curlCases() {
			if p.version == "2" && c.name == "chunked upload" {
				continue // HTTP/2 has no chunks
			}
			t.Run(p.scheme+" "+c.name, func(t *testing.T) { c.check(t, url, p.version, p.flags) })
			if c.status != 404 && c.status != 405 { // those reach no service
				made++
			}
		}
	}
	t.Run("a connection is kept", func(t *testing.T) {
		url := server.base["http"] + "/v1/hello/curl"
		did := run(t, nil, peer(t, "curl"), "-sS", "-w", "opened %{num_connects}\n", url, url, url)
		for text, want := range map[string]int{`{"reply":"hello curl"}`: 3, "opened 1": 1, "opened 0": 2} {
			if n := strings.Count(string(did.stdout), text); n != want {
				t.Errorf("three requests: %q stands there %d times, want %d\n%s", text, n, want, did.stdout)
			}
		}
	})
	made += 3
	if got := server.counted(t).Received; got != made {
		t.Errorf("the server has counted %d calls, want %d", got, made)
	}
	t.Logf("%d calls that a service answered", made)
}

func (c curlCase) check(t *testing.T, url, version string, flags []string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	args := append([]string{"-sS", "-m", "20", "-o", out, "-w", "%{http_code} %{http_version} %{num_connects}"}, flags...)
	args = append(args, c.flags...)
	var stdin []byte
	if c.upload >= 0 {
		stdin = pattern(c.upload)
		args = append(args, "--data-binary", "@-", "-H", "Content-Type: application/octet-stream")
	}
	did := run(t, stdin, peer(t, "curl"), append(args, url+c.path)...)
	if want := fmt.Sprintf("%d %s 1", c.status, version); did.code != 0 || string(did.stdout) != want {
		t.Fatalf("curl %q: exit %d, %q, want %q\n%s", args, did.code, did.stdout, want, did.stderr)
	}
	got, err := os.ReadFile(out)
	if err != nil && len(c.want) > 0 {
		t.Fatal(err)
	}
	if c.upload >= 0 && !bytes.Equal(got, c.want) || !bytes.Contains(got, c.want) {
		t.Errorf("curl %q: %d bytes came (%.100q), want %d bytes (%.100q)", args, len(got), got, len(c.want), c.want)
	}
}
