package wiregauge_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// policy says what each package may import of this module. A folder that has no row of its own follows the
// nearest one above it. "std" rows import the standard library only; test files may import more.
var policy = map[string]struct {
	ours   []string // packages of this module, a trailing /... for a subtree
	stdlib bool     // nothing from outside the standard library
}{
	".":           {stdlib: true},
	"hist":        {},
	"stat":        {stdlib: true},
	"pace":        {stdlib: true},
	"result":      {ours: []string{"hist"}},
	"meter":       {ours: []string{".", "hist", "internal/..."}},
	"internal":    {ours: []string{".", "hist", "result", "report/number", "internal/..."}},
	"contract":    {ours: []string{".", "internal/..."}},
	"wire":        {ours: []string{".", "internal/..."}},
	"protocol":    {ours: []string{".", "contract/...", "wire", "internal/..."}},
	"load":        {ours: []string{".", "hist", "pace", "result", "meter", "wire", "internal/..."}},
	"lab":         {ours: []string{".", "hist", "contract/...", "protocol/tcp", "protocol/rsocket/...", "lab/...", "internal/..."}},
	"warm":        {ours: []string{"stat", "result"}},
	"trust":       {ours: []string{"stat", "hist", "result"}},
	"capacity":    {ours: []string{"stat", "result"}},
	"judge":       {ours: []string{"stat", "result"}},
	"compare":     {ours: []string{".", "hist", "stat", "pace", "judge", "trust", "warm", "result", "load", "lab", "internal/..."}},
	"report":      {ours: []string{"hist", "stat", "trust", "result", "report/...", "internal/..."}},
	"doctor":      {ours: []string{"hist", "result", "meter", "report/number", "internal/..."}},
	"suite":       {ours: []string{".", "pace", "load", "internal/..."}},
	"cmd":         {ours: []string{"..."}},
	"lab/bench":   {ours: []string{"..."}},
	"lab/interop": {ours: []string{"..."}},

	"lab/accuracy":       {ours: []string{"..."}},
	"lab/examples":       {ours: []string{"..."}},
	"protocol/lines":     {stdlib: true},
	"protocol/content":   {stdlib: true},
	"protocol/stack":     {ours: []string{".", "internal/...", "protocol", "protocol/content", "protocol/lines"}},
	"protocol/http1":     {ours: []string{".", "protocol", "protocol/content", "protocol/stack", "protocol/lines"}},
	"protocol/http2":     {ours: []string{".", "protocol", "protocol/content", "protocol/stack", "protocol/lines", "internal/..."}},
	"protocol/grpc":      {ours: []string{".", "protocol", "protocol/http2", "protocol/stack"}},
	"protocol/tcp":       {ours: []string{".", "protocol"}},
	"protocol/null":      {ours: []string{".", "protocol", "protocol/tcp"}},
	"protocol/prototest": {ours: []string{".", "protocol"}},

	"protocol/rsocket":           {ours: []string{".", "protocol", "protocol/rsocket/...", "internal/..."}},
	"protocol/rsocket/frame":     {stdlib: true},
	"protocol/rsocket/metadata":  {stdlib: true},
	"protocol/rsocket/websocket": {stdlib: true},

	"protocol/all": {ours: []string{"protocol/..."}},
}

// onlyImporters names packages that may be imported from one place only.
var onlyImporters = map[string]string{"protocol/all": "cmd/wiregauge"}

func TestImportsFollowThePolicy(t *testing.T) {
	seen := map[string]bool{}
	walkGo(t, func(dir, file string) {
		row, key := nearest(dir)
		if key == "" {
			t.Errorf("%s: no row in the import policy for folder %q", file, dir)
			return
		}
		seen[key] = true
		for _, imp := range imports(t, file) {
			if why := allowed(dir, imp, row.ours, row.stdlib); why != "" {
				t.Errorf("%s: %s", file, why)
			}
		}
	})
	for key := range policy {
		if !seen[key] {
			t.Errorf("the import policy has a row for %q, but no such package is there", key)
		}
	}
}

func allowed(dir, imp string, ours []string, stdlib bool) string {
	rel, own := strings.CutPrefix(imp, "wiregauge")
	if !own || (rel != "" && rel[0] != '/') {
		if stdlib && strings.Contains(strings.Split(imp, "/")[0], ".") {
			return "imports " + imp + ", but " + dir + " may import the standard library only"
		}
		return ""
	}
	rel = strings.TrimPrefix(rel, "/")
	if rel == "" {
		rel = "."
	}
	if only := onlyImporters[rel]; only != "" && only != dir {
		return "imports " + rel + ", which only " + only + " may"
	}
	if rel == dir || strings.HasPrefix(rel, dir+"/") && dir != "protocol" && dir != "." {
		return ""
	}
	for _, pattern := range ours {
		if base, tree := strings.CutSuffix(pattern, "..."); tree {
			if strings.HasPrefix(rel+"/", base) {
				return ""
			}
		} else if rel == pattern {
			return ""
		}
	}
	return "imports " + rel + ", which " + dir + " may not"
}

// nearest finds the policy row of a folder or of the nearest one above it.
func nearest(dir string) (row struct {
	ours   []string
	stdlib bool
}, key string) {
	for d := dir; ; d = path.Dir(d) {
		if r, ok := policy[d]; ok && (d != "." || dir == ".") {
			return r, d
		}
		if d == "." {
			return row, ""
		}
	}
}

// walkGo visits the non-test Go files of this module.
func walkGo(t *testing.T, visit func(dir, file string)) {
	t.Helper()
	nested := map[string]bool{"tools": true, "lab/peers": true, ".git": true}
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (nested[p] || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "_test.go") {
			visit(filepath.ToSlash(filepath.Dir(p)), p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func imports(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, i := range f.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, name)
	}
	return out
}
