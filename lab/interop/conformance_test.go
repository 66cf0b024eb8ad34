//go:build external

package interop

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// allCases is how many cases the suite's version has for the features of grpc.yaml. A configuration that drops
// cases would pass, so their number is checked too.
const allCases = "644"

const conformanceModule = "connectrpc.com/conformance@v1.0.7"

// TestConnectConformance runs every gRPC case of the suite against the wire client.
func TestConnectConformance(t *testing.T) {
	adapter := filepath.Join(t.TempDir(), "adapter")
	if out, err := exec.Command("go", "build", "-o", adapter, "./conformance").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(peer(t, "connectconformance"), "--mode", "client", "--conf", "grpc.yaml", "-vv", "--",
		adapter, filepath.Join(moduleDir(t, conformanceModule), "proto"))
	out, err := cmd.CombinedOutput()
	text := string(out)
	if err != nil {
		t.Errorf("%v\n%s", err, failures(text))
	}
	summary := regexp.MustCompile(`Total cases: (\d+)\n(\d+) passed, (\d+) failed`).FindStringSubmatch(text)
	if summary == nil {
		t.Fatalf("no summary in the output:\n%s", tail(text))
	}
	t.Logf("conformance: %s cases, %s passed, %s failed", summary[1], summary[2], summary[3])
	if summary[1] != allCases || summary[2] != allCases {
		t.Errorf("%s cases ran and %s passed, want all %s", summary[1], summary[2], allCases)
	}
}

// moduleDir is where the module's files are after downloading it; it never enters our go.mod.
func moduleDir(t *testing.T, module string) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GO111MODULE=on")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", module, err, out)
	}
	dir := regexp.MustCompile(`"Dir": "([^"]+)"`).FindStringSubmatch(string(out))
	if dir == nil {
		t.Fatalf("%s: no folder in %s", module, out)
	}
	return dir[1]
}

func failures(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "FAILED") || strings.HasPrefix(line, "\t") {
			kept = append(kept, line)
		}
		if len(kept) > 200 {
			break
		}
	}
	return strings.Join(kept, "")
}

func tail(text string) string { return text[max(0, len(text)-2000):] }
