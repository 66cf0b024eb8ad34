package wiregauge_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The README's map names every package of this repository, and no folder that is not there.
func TestTheMapOfTheCodeIsComplete(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## The map of the code\n")
	if !found {
		t.Fatal("README.md has no section \"The map of the code\"")
	}
	var named []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]+)\\|").FindAllStringSubmatch(section, -1) {
		for _, folder := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			named = append(named, folder[1])
		}
	}
	packages := map[string]bool{}
	walkGo(t, func(dir, _ string) { packages[dir] = true })
	for dir := range packages {
		if !slices.Contains(named, dir) {
			t.Errorf("the map in README.md does not name %s", dir)
		}
	}
	seen := map[string]bool{}
	for _, dir := range named {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			t.Errorf("the map in README.md names %s, which is no folder", dir)
		}
		if seen[dir] {
			t.Errorf("the map in README.md names %s twice", dir)
		}
		seen[dir] = true
	}
}
