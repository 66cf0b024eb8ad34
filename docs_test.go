package wiregauge_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestEachDependencyHasItsReason: every direct requirement of go.mod has a line in docs/dependencies.md.
func TestEachDependencyHasItsReason(t *testing.T) {
	module, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	direct := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(module), -1)
	if len(direct) == 0 {
		t.Fatal("go.mod has no direct requirement: run go mod tidy")
	}
	for _, m := range direct {
		name := m[1]
		if !strings.Contains(string(page), name) && !strings.Contains(string(page), strings.TrimPrefix(name, "github.com/")) {
			t.Errorf("%s has no line in docs/dependencies.md", name)
		}
	}
}
