package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/ast"
	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/parser"
	"github.com/bufbuild/protocompile/reporter"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"wiregauge/internal/slurp"
)

// maxSource is how much is read of one .proto file or protoset.
const maxSource = 64 << 20

// compile reads .proto files and all that they import. own holds the files that the user named, by path.
func compile(ctx context.Context, s Source) (protos []*descriptorpb.FileDescriptorProto, own map[string]bool, err error) {
	t := &tree{fs: s.FS, roots: s.ImportPaths, names: map[string]string{}}
	names, err := t.nameAll(s.Files)
	if err != nil {
		return nil, nil, err
	}
	var faults faults
	c := protocompile.Compiler{
		Resolver:       t,
		SourceInfoMode: protocompile.SourceInfoStandard,
		Reporter:       reporter.NewReporter(faults.add, nil),
	}
	files, err := c.Compile(ctx, names...)
	if err = faults.result(err); err != nil {
		return nil, nil, err
	}
	own, seen := map[string]bool{}, map[string]bool{}
	for _, n := range names {
		own[n] = true
	}
	for _, f := range files {
		protos = appendFile(protos, f, seen)
	}
	return protos, own, nil
}

// appendFile adds a file after everything that it imports.
func appendFile(protos []*descriptorpb.FileDescriptorProto, f protoreflect.FileDescriptor, seen map[string]bool) []*descriptorpb.FileDescriptorProto {
	if seen[f.Path()] {
		return protos
	}
	seen[f.Path()] = true
	for i := range f.Imports().Len() {
		protos = appendFile(protos, f.Imports().Get(i).FileDescriptor, seen)
	}
	if r, ok := f.(linker.Result); ok {
		return append(protos, r.FileDescriptorProto())
	}
	if _, err := protoregistry.GlobalFiles.FindFileByPath(f.Path()); err == nil {
		return protos // built in
	}
	return append(protos, protodesc.ToFileDescriptorProto(f))
}

// faults collects every mistake of the sources, so that all are reported at once.
type faults struct {
	mu  sync.Mutex
	all []error
}

func (f *faults) add(err reporter.ErrorWithPos) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var missing *ImportError
	if errors.As(err, &missing) {
		m := *missing
		m.From = err.GetPosition().String()
		f.all = append(f.all, &m)
		return nil
	}
	f.all = append(f.all, fmt.Errorf("%s: %w", err.GetPosition(), err.Unwrap()))
	return nil
}

func (f *faults) result(err error) error {
	if err == nil || errors.Is(err, reporter.ErrInvalidSource) {
		return errors.Join(f.all...)
	}
	var at reporter.ErrorWithPos
	if errors.As(err, &at) {
		_ = f.add(at)
		return errors.Join(f.all...)
	}
	return err
}

// A tree is where .proto files are looked up: the disk, or an embedded file system.
type tree struct {
	fs    fs.FS
	roots []string
	// extra are the folders of the named files and those above them, tried when there are no roots.
	extra []string
	// names are the files that have a name already, by place: a file that others import must have one name only.
	names map[string]string
}

// nameAll finds the files that the user named and gives each the name under which others import it.
func (t *tree) nameAll(files []string) ([]string, error) {
	places := make([]string, len(files))
	for i, f := range files {
		place, _, tried := t.locate(f)
		if place == "" {
			return nil, &ImportError{Name: f, Tried: tried}
		}
		places[i] = place
		t.extra = append(t.extra, above(path.Dir(filepath.ToSlash(place)))...)
	}
	for _, p := range places {
		t.follow(p)
	}
	names := make([]string, 0, len(files))
	seen := map[string]bool{}
	for _, p := range places {
		if !seen[p] {
			seen[p] = true
			names = append(names, t.nameOf(p))
		}
	}
	return names, nil
}

// above lists a folder and the folders above it, the folder first.
func above(dir string) []string {
	dirs := []string{dir}
	for dir != "." && dir != "/" && !strings.HasSuffix(dir, "..") {
		dir = path.Dir(dir)
		dirs = append(dirs, dir)
	}
	return dirs
}

// follow records the names by which the file and its imports import one another.
func (t *tree) follow(place string) {
	text, err := t.read(place)
	if err != nil {
		return
	}
	for _, name := range imports(place, text) {
		found, _, _ := t.locate(name)
		if found == "" || t.names[found] != "" {
			continue
		}
		t.names[found] = name
		t.follow(found)
	}
}

// nameOf is the name of a file that the user named: as others import it, else relative to its root.
func (t *tree) nameOf(place string) string {
	if n := t.names[place]; n != "" {
		return n
	}
	n := filepath.ToSlash(place)
	for _, root := range append([]string{"."}, t.roots...) {
		if rel, err := filepath.Rel(root, place); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			n = filepath.ToSlash(rel)
		}
	}
	t.names[place] = n
	return n
}

// locate finds the place of a file by its name: under each root, else in the folders of the named files.
func (t *tree) locate(name string) (place, root string, tried []string) {
	roots := append(append([]string{}, t.roots...), ".")
	if len(t.roots) == 0 {
		roots = append(roots, t.extra...)
	}
	if filepath.IsAbs(name) {
		roots = []string{""}
	}
	seen := map[string]bool{}
	for _, root := range roots {
		p := filepath.Join(root, filepath.FromSlash(name))
		if seen[p] {
			continue
		}
		seen[p] = true
		if t.exists(p) {
			return p, root, nil
		}
		tried = append(tried, p)
	}
	return "", "", tried
}

func (t *tree) exists(p string) bool {
	var info fs.FileInfo
	var err error
	if t.fs != nil {
		info, err = fs.Stat(t.fs, filepath.ToSlash(p))
	} else {
		info, err = os.Stat(p)
	}
	return err == nil && !info.IsDir()
}

func (t *tree) read(p string) ([]byte, error) {
	if t.fs != nil {
		return fs.ReadFile(t.fs, filepath.ToSlash(p))
	}
	return slurp.File(p, maxSource)
}

// FindFileByPath gives the compiler a file. Google's own files are built in and come before a copy of them,
// because this program has types for them; other built-in files come after what the user has.
func (t *tree) FindFileByPath(name string) (protocompile.SearchResult, error) {
	builtin, _ := protoregistry.GlobalFiles.FindFileByPath(name)
	if builtin != nil && strings.HasPrefix(name, "google/") {
		return protocompile.SearchResult{Desc: builtin}, nil
	}
	place, tried := t.placeOf(name)
	if place != "" {
		text, err := t.read(place)
		if err != nil {
			return protocompile.SearchResult{}, err
		}
		return protocompile.SearchResult{Source: bytes.NewReader(bytes.TrimPrefix(text, bom))}, nil
	}
	if builtin != nil {
		return protocompile.SearchResult{Desc: builtin}, nil
	}
	return protocompile.SearchResult{}, &ImportError{Name: name, Tried: tried}
}

// placeOf is the place of a name that was given out, else of one that can be found.
func (t *tree) placeOf(name string) (place string, tried []string) {
	for p, n := range t.names {
		if n == name {
			return p, nil
		}
	}
	place, _, tried = t.locate(name)
	return place, tried
}

// imports lists what a source imports, as far as it can be parsed.
func imports(name string, text []byte) []string {
	quiet := reporter.NewHandler(reporter.NewReporter(func(reporter.ErrorWithPos) error { return nil }, nil))
	file, err := parser.Parse(name, bytes.NewReader(text), quiet)
	if file == nil || (err != nil && !errors.Is(err, reporter.ErrInvalidSource)) {
		return nil
	}
	var found []string
	for _, d := range file.Decls {
		if i, ok := d.(*ast.ImportNode); ok {
			found = append(found, i.Name.AsString())
		}
	}
	return found
}

// readProtosets reads files that hold a FileDescriptorSet.
func readProtosets(s Source) ([]*descriptorpb.FileDescriptorProto, error) {
	t := &tree{fs: s.FS}
	var all []*descriptorpb.FileDescriptorProto
	for _, name := range s.Protosets {
		raw, err := t.read(name)
		if err != nil {
			return nil, fmt.Errorf("protoset: %w", err)
		}
		var set descriptorpb.FileDescriptorSet
		if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(raw, &set); err != nil || len(set.File) == 0 {
			return nil, fmt.Errorf("protoset %s: not a FileDescriptorSet; make one with protoc --include_imports --descriptor_set_out=%s", name, path.Base(name))
		}
		all = append(all, set.File...)
	}
	return all, nil
}

var _ protocompile.Resolver = (*tree)(nil)
var _ io.Reader = (*bytes.Reader)(nil)
