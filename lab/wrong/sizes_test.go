package wrong

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// The schemes of the tests below; each has a well-behaved server that answers with what it got.
var sized = []string{"http", "h2c", "grpc"}

// each runs a test for every scheme and kind of client, one after the other: their messages are large.
func each(t *testing.T, test func(t *testing.T, scheme, client string)) {
	for _, scheme := range sized {
		for _, client := range clientsOf(scheme) {
			t.Run(scheme+" "+client, func(t *testing.T) { test(t, scheme, client) })
		}
	}
}

// encoded is a file of n bytes and the flags that send it as one encoded message.
func encoded(t *testing.T, n int) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "message")
	if err := os.WriteFile(path, make([]byte, n), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{"--binary", path}
}

// TestEmptyMessages: nothing sent and nothing received is an answer like any other.
func TestEmptyMessages(t *testing.T) {
	each(t, func(t *testing.T, scheme, client string) {
		url, dir := urlOf(scheme, good(t, scheme)), t.TempDir()
		args := append(encoded(t, 0), "--client", client, url)
		wg(t, append([]string{"call"}, args...)...).wants(t, 0)
		command{args: append([]string{"run", "-n", "7", "-c", "2", "-o", "json=r.json"}, args...), dir: dir}.run(t).wants(t, 0)
		if a := saved(t, filepath.Join(dir, "r.json")).Arms[0]; a.OK != 7 || a.Latency.N != 7 {
			t.Errorf("%+v", a.Counts)
		}
	})
}

// TestLargeMessages: messages as large as is allowed go both ways, every byte of them, in bounded memory; one byte
// more is refused before it is sent, and an answer of one byte more is a failure that says so.
func TestLargeMessages(t *testing.T) {
	const largest = 64 << 20
	each(t, func(t *testing.T, scheme, client string) {
		url, dir := urlOf(scheme, good(t, scheme)), t.TempDir()
		run := []string{"run", "-n", "1", "-t", "50s", "--client", client, url, "-o", "json=r.json"}
		s := command{args: append(run, encoded(t, largest)...), dir: dir}.run(t)
		s.wants(t, 0)
		a := saved(t, filepath.Join(dir, "r.json")).Arms[0]
		if a.OK != 1 || a.SentBytes.Body < largest || a.RecvBytes.Body < largest {
			t.Errorf("%+v, %d bytes sent, %d received", a.Counts, a.SentBytes.Body, a.RecvBytes.Body)
		}
		if s.peak > 16*largest {
			t.Errorf("%d MiB of memory", s.peak>>20)
		}
		t.Logf("%d MiB of memory", s.peak>>20)

		more := encoded(t, largest+1)
		wg(t, append(run, more...)...).refuses(t, 2, "longer than 64 MiB", "--max-data")
		command{args: append(run, append(more, "--max-data", strconv.Itoa(largest+1)+"b")...), dir: dir}.run(t).wants(t, 5)
		failures(t, &saved(t, filepath.Join(dir, "r.json")).Arms[0], []string{"too large"})
	})
}
