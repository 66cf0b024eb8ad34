//go:build external

package interop

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"wiregauge/lab"
)

// reference is a `wiregauge serve` in a process of its own.
type reference struct {
	base  map[string]string // by scheme, without a path: "h2" → "h2://127.0.0.1:12345"
	stats string            // URL of what it counts
	ca    string
}

func serveReference(t *testing.T) *reference {
	t.Helper()
	dir := t.TempDir()
	p := start(t, nil, program, "serve", "--ca-dir", dir)
	r := &reference{base: map[string]string{}, ca: filepath.Join(dir, "ca.pem")}
	r.stats = p.line(t, func(l string) bool {
		scheme, rest, _ := strings.Cut(l, "://")
		host, _, _ := strings.Cut(rest, "/")
		if !strings.HasSuffix(l, "/stats") {
			r.base[scheme] = scheme + "://" + host
		}
		return strings.HasSuffix(l, "/stats")
	})
	return r
}

// address is where a scheme is answered, host:port.
func (r *reference) address(scheme string) string {
	_, host, _ := strings.Cut(r.base[scheme], "://")
	return host
}

// counted reads with curl what the server has counted since the start.
func (r *reference) counted(t *testing.T) lab.Stats {
	t.Helper()
	got := run(t, nil, peer(t, "curl"), "-s", r.stats)
	var s lab.Stats
	if err := json.Unmarshal(got.stdout, &s); err != nil {
		t.Fatalf("%s: %v\n%s", r.stats, err, got.stdout)
	}
	return s
}
