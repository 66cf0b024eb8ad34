// Command gen writes the Go code of the .proto files of the reference services, without protoc: protocompile
// compiles them, and the pinned plugins protoc-gen-go and protoc-gen-go-grpc run through "go run".
//
// It is run from the root of the module: go run ./lab/gen
package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	_ "google.golang.org/genproto/googleapis/api/annotations" // resolves google/api/*.proto
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// The plugins; the first comes from the version in go.mod.
var plugins = []string{
	"google.golang.org/protobuf/cmd/protoc-gen-go",
	"google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2",
}

// Folders with .proto files, and the prefix that their go_package options share with the module.
var folders = []string{"lab/proto", "lab/casesvc"}

const module = "wiregauge/"

func main() {
	for _, dir := range folders {
		if err := generate(dir); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}

func generate(dir string) error {
	names, err := fs.Glob(os.DirFS(dir), "*.proto")
	if err != nil || len(names) == 0 {
		return err
	}
	compiler := protocompile.Compiler{
		SourceInfoMode: protocompile.SourceInfoStandard,
		Resolver: protocompile.CompositeResolver{
			&protocompile.SourceResolver{ImportPaths: []string{dir}},
			protocompile.ResolverFunc(registered),
		},
	}
	files, err := compiler.Compile(context.Background(), names...)
	if err != nil {
		return err
	}
	request := &pluginpb.CodeGeneratorRequest{FileToGenerate: names, ProtoFile: withImports(files)}
	for _, plugin := range plugins {
		if err := run(plugin, request); err != nil {
			return fmt.Errorf("%s on %s: %w", plugin, dir, err)
		}
	}
	return nil
}

// registered finds files that are linked into this program.
func registered(path string) (protocompile.SearchResult, error) {
	d, err := protoregistry.GlobalFiles.FindFileByPath(path)
	return protocompile.SearchResult{Desc: d}, err
}

// withImports lists the files and all that they import, imports first, as plugins want them.
func withImports(files linker.Files) []*descriptorpb.FileDescriptorProto {
	var list []*descriptorpb.FileDescriptorProto
	seen := map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(d protoreflect.FileDescriptor) {
		if seen[d.Path()] {
			return
		}
		seen[d.Path()] = true
		for i := range d.Imports().Len() {
			add(d.Imports().Get(i).FileDescriptor)
		}
		list = append(list, protodesc.ToFileDescriptorProto(d))
	}
	for _, f := range files {
		add(f)
	}
	return list
}

// run lets one plugin answer and writes the files it made.
func run(plugin string, request *pluginpb.CodeGeneratorRequest) error {
	in, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	cmd := exec.Command("go", "run", plugin)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out.Bytes(), &response); err != nil {
		return err
	}
	if response.Error != nil {
		return fmt.Errorf("%s", *response.Error)
	}
	for _, f := range response.File {
		name := filepath.FromSlash(strings.TrimPrefix(f.GetName(), module))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(f.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
