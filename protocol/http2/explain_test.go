package http2

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// TestExplain puts a recorded exchange with grpc-go into words, cut at every byte.
func TestExplain(t *testing.T) {
	vectors := readVectors(t)
	sent := append([]byte(preface), unhex(t, vectors["G11"]+vectors["G3"]+vectors["G4"]+vectors["G14"])...)
	received := unhex(t, vectors["G8"]+vectors["G5"]+vectors["G6"]+vectors["G7"]+vectors["G13"]+vectors["G9"]+
		"000007 00 09 00000001 02 61626364 0000"+"000001 01 00 00000001 88"+"000001 09 04 00000001 88"+"000002 01 04 00000001 ffff"+"000003 ee 00 00000000 616263")
	explain := func(size int) string {
		var lines []string
		e := NewExplainer(Prefixed)
		feed := func(p []byte, sent bool, mark string) {
			for len(p) > 0 {
				n := min(size, len(p))
				e.Explain(p[:n], sent, func(s string) { lines = append(lines, mark+s) })
				p = p[n:]
			}
		}
		feed(sent, true, "> ")
		feed(received, false, "< ")
		return strings.Join(lines, "\n") + "\n"
	}
	got := explain(1 << 20)
	for _, size := range []int{1, 2, 7} {
		if pieces := explain(size); pieces != got {
			t.Errorf("in pieces of %d bytes:\n%s\nexpected\n%s", size, pieces, got)
		}
	}
	golden := filepath.Join("testdata", "explain.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nexpected\n%s", got, want)
	}
}

// readVectors reads testdata/vectors.txt: a name and hex digits a line, '#' for remarks.
func readVectors(t testing.TB) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "vectors.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		if name, digits, ok := strings.Cut(line, " "); ok {
			all[name] += digits
		}
	}
	return all
}
