package contract

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	// Files that every contract may import without bringing them along.
	_ "google.golang.org/genproto/googleapis/api/annotations"
	_ "google.golang.org/genproto/googleapis/api/httpbody"
	_ "google.golang.org/genproto/googleapis/api/visibility"
	_ "google.golang.org/genproto/googleapis/rpc/code"
	_ "google.golang.org/genproto/googleapis/rpc/errdetails"
	_ "google.golang.org/genproto/googleapis/rpc/status"
	_ "google.golang.org/protobuf/types/known/anypb"
	_ "google.golang.org/protobuf/types/known/apipb"
	_ "google.golang.org/protobuf/types/known/durationpb"
	_ "google.golang.org/protobuf/types/known/emptypb"
	_ "google.golang.org/protobuf/types/known/fieldmaskpb"
	_ "google.golang.org/protobuf/types/known/sourcecontextpb"
	_ "google.golang.org/protobuf/types/known/structpb"
	_ "google.golang.org/protobuf/types/known/timestamppb"
	_ "google.golang.org/protobuf/types/known/typepb"
	_ "google.golang.org/protobuf/types/known/wrapperspb"
)

// A library holds every file of a contract and finds types in them: those of the contract first, then the built-in
// ones, then, with reflection, what the server can be asked for. It is the resolver of Any and of extensions.
type library struct {
	mu    sync.RWMutex
	files *protoregistry.Files
	types *dynamicpb.Types
	// ask gets the files that define a symbol, with everything they import that have does not hold; nil without a
	// server. The string is what the server answered, in words.
	ask    func(symbol string, have func(path string) bool) ([]*descriptorpb.FileDescriptorProto, string, error)
	absent map[string]string // symbols the server does not know, with its answer
}

func newLibrary() *library {
	files := new(protoregistry.Files)
	return &library{files: files, types: dynamicpb.NewTypes(files), absent: map[string]string{}}
}

// add registers files in any order. A file whose path is taken is skipped.
func (l *library) add(protos []*descriptorpb.FileDescriptorProto, partial bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	byPath := make(map[string]*descriptorpb.FileDescriptorProto, len(protos))
	for _, p := range protos {
		if byPath[p.GetName()] == nil {
			byPath[p.GetName()] = p
		}
	}
	state := map[string]bool{}
	for _, p := range protos {
		if err := l.register(p, byPath, state, partial); err != nil {
			return err
		}
	}
	return nil
}

// register adds one file after those it imports. state is false while a file waits for its imports.
func (l *library) register(p *descriptorpb.FileDescriptorProto, byPath map[string]*descriptorpb.FileDescriptorProto,
	state map[string]bool, partial bool) error {
	done, seen := state[p.GetName()]
	if done {
		return nil
	}
	if seen {
		return fmt.Errorf("%s imports itself, directly or through others", p.GetName())
	}
	state[p.GetName()] = false
	for _, dep := range p.GetDependency() {
		if q := byPath[dep]; q != nil {
			if err := l.register(q, byPath, state, partial); err != nil {
				return err
			}
		}
	}
	state[p.GetName()] = true
	if _, err := l.files.FindFileByPath(p.GetName()); err == nil {
		return nil
	}
	fd, err := protodesc.FileOptions{AllowUnresolvable: partial}.New(native(p), both{l.files})
	if err != nil {
		return fmt.Errorf("%s: %s", p.GetName(), plain(err))
	}
	if err := l.files.RegisterFile(fd); err != nil {
		return fmt.Errorf("%s: %s", p.GetName(), plain(err))
	}
	return nil
}

// native reads the file's options again, so that those this program has types for (google.api.http) are no
// longer dynamic messages or unknown bytes.
func native(p *descriptorpb.FileDescriptorProto) *descriptorpb.FileDescriptorProto {
	raw, err := proto.MarshalOptions{AllowPartial: true}.Marshal(p)
	if err != nil {
		return p
	}
	q := new(descriptorpb.FileDescriptorProto)
	if (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(raw, q) != nil {
		return p
	}
	return q
}

// both finds files in the contract and then among the built-in ones.
type both struct{ files *protoregistry.Files }

func (b both) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	if fd, err := b.files.FindFileByPath(path); err == nil {
		return fd, nil
	}
	return protoregistry.GlobalFiles.FindFileByPath(path)
}

func (b both) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	if d, err := b.files.FindDescriptorByName(name); err == nil {
		return d, nil
	}
	return protoregistry.GlobalFiles.FindDescriptorByName(name)
}

// has reports whether a file needs no fetching.
func (l *library) has(path string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	_, err := both{l.files}.FindFileByPath(path)
	return err == nil
}

// known finds a descriptor in the contract's own files.
func (l *library) known(name protoreflect.FullName) protoreflect.Descriptor {
	l.mu.RLock()
	defer l.mu.RUnlock()
	d, err := l.files.FindDescriptorByName(name)
	if err != nil {
		return nil
	}
	return d
}

// fetch asks the server for the files of a symbol and says what it answered. A symbol that it does not know is
// not an error; no connection is.
func (l *library) fetch(symbol string) (answer string, err error) {
	l.mu.RLock()
	answer, gone := l.absent[symbol]
	l.mu.RUnlock()
	if gone {
		return answer, nil
	}
	protos, answer, err := l.ask(symbol, l.has)
	if err != nil {
		return "", err
	}
	if len(protos) == 0 {
		l.mu.Lock()
		l.absent[symbol] = answer
		l.mu.Unlock()
		return answer, nil
	}
	return answer, l.add(protos, true)
}

// find looks everywhere.
func (l *library) find(name protoreflect.FullName) (protoreflect.Descriptor, string, error) {
	if d := l.known(name); d != nil {
		return d, "", nil
	}
	if d, err := protoregistry.GlobalFiles.FindDescriptorByName(name); err == nil {
		return d, "", nil
	}
	if l.ask == nil {
		return nil, "", nil
	}
	answer, err := l.fetch(string(name))
	if err != nil {
		return nil, "", err
	}
	return l.known(name), answer, nil
}

// FindMessageByName is part of the resolver.
func (l *library) FindMessageByName(name protoreflect.FullName) (protoreflect.MessageType, error) {
	d, answer, err := l.find(name)
	if err != nil {
		return nil, err
	}
	md, ok := d.(protoreflect.MessageDescriptor)
	if !ok {
		if answer != "" {
			return nil, errors.New(answer)
		}
		return nil, protoregistry.NotFound
	}
	return dynamicpb.NewMessageType(md), nil
}

// FindMessageByURL resolves the type of an Any: what follows the last slash is the message's name.
func (l *library) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	return l.FindMessageByName(protoreflect.FullName(url[strings.LastIndexByte(url, '/')+1:]))
}

// FindExtensionByName is part of the resolver.
func (l *library) FindExtensionByName(name protoreflect.FullName) (protoreflect.ExtensionType, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if x, err := l.types.FindExtensionByName(name); err == nil {
		return x, nil
	}
	return protoregistry.GlobalTypes.FindExtensionByName(name)
}

// FindExtensionByNumber is part of the resolver.
func (l *library) FindExtensionByNumber(message protoreflect.FullName, n protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	l.mu.Lock() // dynamicpb keeps an index that it builds here
	defer l.mu.Unlock()
	if x, err := l.types.FindExtensionByNumber(message, n); err == nil {
		return x, nil
	}
	return protoregistry.GlobalTypes.FindExtensionByNumber(message, n)
}

// serviceNames lists the services of the files that own accepts, sorted; nil accepts all.
func (l *library) serviceNames(own map[string]bool) []string {
	var names []string
	l.files.RangeFiles(func(fd protoreflect.FileDescriptor) bool {
		if own != nil && !own[fd.Path()] {
			return true
		}
		for i := range fd.Services().Len() {
			names = append(names, string(fd.Services().Get(i).FullName()))
		}
		return true
	})
	sort.Strings(names)
	return names
}

// plain takes the library's own prefix off an error of google.golang.org/protobuf. The space in it may be a
// no-break space, on purpose.
func plain(err error) string {
	s := err.Error()
	if rest, ok := strings.CutPrefix(s, "proto:"); ok {
		s = strings.TrimLeft(rest, " \u00a0")
	}
	return s
}

func fromProtos(protos []*descriptorpb.FileDescriptorProto, own map[string]bool, origin string) (*Contract, error) {
	l := newLibrary()
	if err := l.add(protos, false); err != nil {
		return nil, err
	}
	return &Contract{lib: l, origin: origin, services: l.serviceNames(own)}, nil
}
