package slurp

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFile(t *testing.T) {
	const most = 1 << 20
	dir := t.TempDir()
	write := func(name string, size int) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name, path string
		size       int
		want       string
	}{
		{"an empty file", write("empty", 0), 0, ""},
		{"as much as is allowed", write("full", most), most, ""},
		{"one byte more", write("over", most+1), 0, "over: longer than 1 MiB"},
		{"a folder", dir, 0, "is a directory"},
		{"nothing", filepath.Join(dir, "nothing"), 0, "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := File(c.path, most)
			if len(got) != c.size || (err == nil) != (c.want == "") {
				t.Fatalf("%d bytes, %v", len(got), err)
			}
			if err != nil && (!strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), dir) != 1) {
				t.Errorf("got %v, want %q and the path once", err, c.want)
			}
		})
	}
}

// forever never ends.
type forever struct{}

func (forever) Read(p []byte) (int, error) { return len(p), nil }

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Read([]byte) (int, error) { return 0, errBroken }

func TestAll(t *testing.T) {
	if _, err := All(forever{}, 1<<20); err == nil {
		t.Error("an endless reader was read to its end")
	}
	if _, err := All(broken{}, 1<<20); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}
