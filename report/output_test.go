package report

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"wiregauge/report/internal/sample"
	"wiregauge/result"
)

func TestParseOutputs(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		want       Output
		fault      string
	}{
		{"format and path", "html=r.html", Output{"html", "r.html"}, ""},
		{"standard output", "json=-", Output{"json", "-"}, ""},
		{"extension", "dir/r.csv", Output{"csv", "dir/r.csv"}, ""},
		{"extension under gzip", "r.html.gz", Output{"html", "r.html.gz"}, ""},
		{"text by its extension", "r.txt", Output{"text", "r.txt"}, ""},
		{"an equals sign in the path", "md=a=b.txt", Output{"md", "a=b.txt"}, ""},
		{"a path with an equals sign whose extension is known", "./a=b.md", Output{"md", "./a=b.md"}, ""},
		{"format without path", "html=", Output{}, "write html=FILE"},
		{"format alone", "html", Output{}, "write FORMAT=PATH"},
		{"dash alone", "-", Output{}, "write FORMAT=PATH"},
		{"empty", "", Output{}, "write FORMAT=PATH"},
		{"unknown format", "xml=r", Output{}, `unknown format "xml"; known: text`},
		{"unknown extension", "r.xyz", Output{}, "the extension tells no format"},
	} {
		got, err := ParseOutputs([]string{c.spec})
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.fault)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, []Output{c.want}) {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

func TestAtMostOneOutputGoesToOnePlace(t *testing.T) {
	for _, specs := range [][]string{{"json=-", "text=-"}, {"json=a", "text=./a"}} {
		if _, err := ParseOutputs(specs); err == nil || !strings.Contains(err.Error(), "at most one each") {
			t.Errorf("%v: %v", specs, err)
		}
	}
}

func TestCheckFindsWhatCannotBeWrittenBeforeAnythingIsSent(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, fault string }{
		{"a file to be", filepath.Join(dir, "r.html"), ""},
		{"a file that is there", filepath.Join(dir, "file"), ""},
		{"standard output", "-", ""},
		{"no such folder", filepath.Join(dir, "no", "r.html"), "mkdir -p " + filepath.Join(dir, "no")},
		{"a folder", dir, "is a folder"},
		{"a file in a file", filepath.Join(dir, "file", "r.html"), "there is no folder"},
	} {
		err := Output{"html", c.path}.Check()
		if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.fault)
		}
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 1 {
		t.Errorf("checking left %d files, want the one that was there", len(entries))
	}
	outs := []Output{{"html", filepath.Join(dir, "x", "a")}, {"json", filepath.Join(dir, "y", "b")}}
	if err := CheckAll(outs); err == nil || strings.Count(err.Error(), "there is no folder") != 2 {
		t.Errorf("not all faults at once: %v", err)
	}
}

func TestWriteAllWritesEveryOutputWhole(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	outs := []Output{{"html", at("r.html.gz")}, {"json", at("r.json")}, {"csv", "-"}, {"text", at("r.txt")}}
	if err := os.WriteFile(at("r.json"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout bytes.Buffer
	if err := WriteAll(outs, &stdout, []*result.File{sample.Met()}, Options{Color: true, Width: 40}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(stdout.String(), "id,kind") {
		t.Errorf("standard output: %.40q", stdout.String())
	}
	for _, name := range []string{"r.html.gz", "r.json"} {
		f, err := os.Open(at(name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := result.Read(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
	}
	text, err := os.ReadFile(at("r.txt"))
	if err != nil || bytes.ContainsRune(text, '\x1b') {
		t.Errorf("a text file with colours, or none: %v", err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 3 {
		t.Errorf("%d files, want 3: temporary ones were left", len(entries))
	}
}

func TestWriteAllWithoutOutputsIsText(t *testing.T) {
	var stdout bytes.Buffer
	if err := WriteAll(nil, &stdout, []*result.File{sample.Met()}, Options{}); err != nil || !strings.HasPrefix(stdout.String(), "Met the rate") {
		t.Errorf("%v: %.60q", err, stdout.String())
	}
}

func TestWriteAllWritesWhatItCan(t *testing.T) {
	dir := t.TempDir()
	outs := []Output{{"json", filepath.Join(dir, "gone", "r.json")}, {"md", filepath.Join(dir, "r.md")}}
	err := WriteAll(outs, new(bytes.Buffer), []*result.File{sample.Met()}, Options{})
	if err == nil || !strings.Contains(err.Error(), "output json=") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "r.md")); err != nil {
		t.Errorf("the other output is missing: %v", err)
	}
}
