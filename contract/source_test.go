package contract

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// onDisk writes files below a new folder and goes there.
func onDisk(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func service(pkg string, imports ...string) string {
	s := "syntax = \"proto3\";\npackage " + pkg + ";\n"
	for _, i := range imports {
		s += "import \"" + i + "\";\n"
	}
	return s + "message Q { string s = 1; }\nservice Svc { rpc M(Q) returns (Q); }\n"
}

func TestProtoFilesAreFound(t *testing.T) {
	files := map[string]string{
		"top.proto":              service("top"),
		"api/shop/v1/a.proto":    service("shop.a", "shop/v1/b.proto"),
		"api/shop/v1/b.proto":    service("shop.b"),
		"api/shop/v1/near.proto": service("shop.near", "b.proto"),
	}
	for _, c := range []struct {
		name           string
		files, imports []string
		services       []string
	}{
		{"a file in the working folder", []string{"top.proto"}, nil, []string{"top.Svc"}},
		{"an import relative to a folder above the file", []string{"api/shop/v1/a.proto"}, nil, []string{"shop.a.Svc"}},
		{"an import beside the file", []string{"api/shop/v1/near.proto"}, nil, []string{"shop.near.Svc"}},
		{"a name below an import path", []string{"shop/v1/a.proto"}, []string{"api"}, []string{"shop.a.Svc"}},
		{"a path that leads into an import path", []string{"api/shop/v1/a.proto"}, []string{"api"}, []string{"shop.a.Svc"}},
		{"a file and one that it imports under another name",
			[]string{"api/shop/v1/b.proto", "api/shop/v1/a.proto"}, nil, []string{"shop.a.Svc", "shop.b.Svc"}},
		{"the same file twice", []string{"top.proto", "./top.proto"}, nil, []string{"top.Svc"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			onDisk(t, files)
			got, err := Load(context.Background(), Source{Files: c.files, ImportPaths: c.imports})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Services(), c.services) {
				t.Errorf("services %v, want %v", got.Services(), c.services)
			}
		})
	}
	t.Run("an absolute path", func(t *testing.T) {
		onDisk(t, files)
		here, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Load(context.Background(), Source{Files: []string{filepath.Join(here, "api/shop/v1/a.proto")}})
		if err != nil || !slices.Equal(got.Services(), []string{"shop.a.Svc"}) {
			t.Errorf("services %v (%v)", got.Services(), err)
		}
	})
}

func TestSourcesThatCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		name    string
		files   map[string]string
		source  Source
		want    []string
		imports int
	}{
		{"a file that is nowhere", nil, Source{Files: []string{"gone.proto"}, ImportPaths: []string{"x", "y/z"}},
			[]string{`proto file "gone.proto" not found`, "x/gone.proto", "y/z/gone.proto", ", gone.proto"}, 1},
		{"an import that is nowhere", map[string]string{"a/b.proto": service("b", "c/d.proto")},
			Source{Files: []string{"a/b.proto"}},
			[]string{`a/b.proto:3:8: import "c/d.proto" not found`, "c/d.proto", "a/c/d.proto", "-I"}, 1},
		{"an import of an import that is nowhere",
			map[string]string{"a.proto": service("a", "b.proto"), "b.proto": service("b", "c.proto")},
			Source{Files: []string{"a.proto"}}, []string{`b.proto:3:8: import "c.proto" not found; tried c.proto`}, 1},
		{"mistakes in the text, all of them", map[string]string{"a.proto": "syntax = \"proto3\";\nmessage M { Nope x = 1; Gone y = 2; }\n"},
			Source{Files: []string{"a.proto"}}, []string{"a.proto:2:13: ", "Nope", "a.proto:2:25: ", "Gone"}, 0},
		{"no proto at all", map[string]string{"a.proto": "{\"id\":1}"}, Source{Files: []string{"a.proto"}}, []string{"a.proto:1:1: syntax error"}, 0},
		{"files that import each other", map[string]string{"a.proto": service("a", "b.proto"), "b.proto": service("b", "a.proto")},
			Source{Files: []string{"a.proto"}}, []string{"cycle", "a.proto", "b.proto"}, 0},
		{"a protoset that is nowhere", nil, Source{Protosets: []string{"gone.pb"}}, []string{"protoset", "gone.pb"}, 0},
		{"a protoset that is none", map[string]string{"a.pb": "hello there"}, Source{Protosets: []string{"a.pb"}}, []string{"a.pb", "protoc --include_imports"}, 0},
		{"an empty protoset", map[string]string{"a.pb": ""}, Source{Protosets: []string{"a.pb"}}, []string{"a.pb", "protoc --include_imports"}, 0},
		{"nothing", nil, Source{}, []string{"no contract given"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			onDisk(t, c.files)
			_, err := Load(context.Background(), c.source)
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%v\nlacks %q", err, w)
				}
			}
			var missing *ImportError
			if got := errors.As(err, &missing); got != (c.imports > 0) {
				t.Errorf("an ImportError: %v, want %v", got, c.imports > 0)
			}
		})
	}
}

const annotated = `syntax = "proto3";
package r;
import "google/api/annotations.proto";
import "google/protobuf/timestamp.proto";
message Q { string name = 1; int64 n = 2; }
service Svc { rpc Get(Q) returns (Q) { option (google.api.http) = { get: "/v1/{name}" }; } }
`

// protosetOf compiles sources into the bytes of a protoset, without the built-in files, as protoc would leave
// them out without --include_imports of those.
func protosetOf(t *testing.T, withBuiltin bool, first string, files map[string]string) []byte {
	t.Helper()
	c := fromText(t, first, files)
	set := new(descriptorpb.FileDescriptorSet)
	seen := map[string]bool{}
	var add func(fd protoreflect.FileDescriptor)
	add = func(fd protoreflect.FileDescriptor) {
		if seen[fd.Path()] {
			return
		}
		seen[fd.Path()] = true
		for i := range fd.Imports().Len() {
			add(fd.Imports().Get(i).FileDescriptor)
		}
		if withBuiltin || !strings.HasPrefix(fd.Path(), "google/") {
			set.File = append(set.File, protodesc.ToFileDescriptorProto(fd))
		}
	}
	c.lib.files.RangeFiles(func(fd protoreflect.FileDescriptor) bool { add(fd); return true })
	raw, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestEverySourceGivesTheSameContract(t *testing.T) {
	files := map[string]string{"r.proto": annotated}
	fsys := fstest.MapFS{
		"dir/r.proto":  {Data: []byte(annotated)},
		"full.pb":      {Data: protosetOf(t, true, "r.proto", files)},
		"no-google.pb": {Data: protosetOf(t, false, "r.proto", files)},
	}
	for _, c := range []struct {
		name   string
		source Source
		origin string
	}{
		{"proto text", Source{Files: []string{"dir/r.proto"}, FS: fsys}, "proto"},
		{"a protoset with its imports", Source{Protosets: []string{"full.pb"}, FS: fsys}, "protoset"},
		{"a protoset without the built-in files", Source{Protosets: []string{"no-google.pb"}, FS: fsys}, "protoset"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, err := Load(context.Background(), c.source)
			if err != nil {
				t.Fatal(err)
			}
			if k.Origin() != c.origin {
				t.Errorf("origin %q, want %q", k.Origin(), c.origin)
			}
			if !slices.Equal(k.Services(), []string{"r.Svc"}) {
				t.Errorf("services %v, want r.Svc", k.Services())
			}
			m := method(t, k, "r.Svc.Get")
			verb, path, _, _, err := m.REST([]byte(`{"name":"a b","n":3}`))
			if err != nil || verb != "GET" || path != "/v1/a%20b?n=3" {
				t.Errorf("REST: %s %s (%v), want GET /v1/a%%20b?n=3", verb, path, err)
			}
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAnyOfAnotherFile(t *testing.T) {
	c := fromText(t, "a.proto", map[string]string{
		"a.proto": "syntax=\"proto3\"; package a; import \"google/protobuf/any.proto\"; import \"b.proto\";\n" +
			"message Q { google.protobuf.Any x = 1; } service S { rpc M(Q) returns (Q); }",
		"b.proto": "syntax=\"proto3\"; package b; message Inner { int64 id = 1; map<string,int32> m = 2; }",
	})
	m := method(t, c, "a.S/M")
	const text = `{"x":{"@type":"type.googleapis.com/b.Inner","id":"1000000000000000089","m":{"a":1,"b":2}}}`
	inner := unhex(t, "08 d9 80 90 bb ba d6 ad f0 0d 12 05 0a 01 61 10 01 12 05 0a 01 62 10 02")
	want := anyField(inner)
	got, err := m.Encode("protobuf", []byte(text), EncodeOptions{})
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("% x (%v), want % x", got, err, want)
	}
	back, err := m.Decode("protobuf", want, true, DecodeOptions{Compact: true})
	if err != nil || string(back) != text {
		t.Errorf("%s (%v), want %s", back, err, text)
	}
	// A sender may pack the map in any order; the canonical form does not show it.
	swapped := unhex(t, "08 d9 80 90 bb ba d6 ad f0 0d 12 05 0a 01 62 10 02 12 05 0a 01 61 10 01")
	same, err := m.Canonical("protobuf", anyField(swapped), true)
	if err != nil || !bytes.Equal(same, want) {
		t.Errorf("canonical % x (%v), want % x", same, err, want)
	}
	_, err = m.Encode("protobuf", []byte(`{"x":{"@type":"type.googleapis.com/b.Gone"}}`), EncodeOptions{})
	if err == nil || !strings.Contains(err.Error(), "b.Gone") {
		t.Errorf("got %v, want an error that names b.Gone", err)
	}
}

// anyField is field 1 with an Any that holds a b.Inner.
func anyField(inner []byte) []byte {
	const url = "type.googleapis.com/b.Inner"
	a := append([]byte{0x0a, byte(len(url))}, url...)
	a = append(append(a, 0x12, byte(len(inner))), inner...)
	return append([]byte{0x0a, byte(len(a))}, a...)
}
