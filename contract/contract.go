package contract

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"wiregauge"
	"wiregauge/internal/nearest"
)

// A Source says where a contract comes from: the first of Files, Protosets and Reflect that is set.
type Source struct {
	// Files are .proto files, ImportPaths the folders that they and their imports are looked up in. Without import
	// paths a file's own folder and the folders above it are tried.
	Files, ImportPaths []string
	// Protosets are files that hold a google.protobuf.FileDescriptorSet.
	Protosets []string
	// FS, when set, is where Files, ImportPaths and Protosets are found, instead of the disk.
	FS fs.FS
	// Reflect asks a running server.
	Reflect *Reflection
}

// Reflection says which server to ask.
type Reflection struct {
	Address   string // host:port or the socket's path
	Network   string // "tcp" or "unix"; empty means tcp
	TLS       *tls.Config
	Authority string
	Header    []wiregauge.Field
	Timeout   time.Duration // for the connection, TLS and HTTP/2 included; 0 means 5 s
	// Dial, when set, opens the plain connection instead of Network and Address.
	Dial func(ctx context.Context) (net.Conn, error)
}

// A Contract is a set of services and the messages they speak. It is safe for concurrent use.
type Contract struct {
	lib      *library
	services []string
	origin   string
	remote   *reflector // nil unless the contract comes from reflection
	noList   string     // what a reflection server answered instead of a list
}

// Load reads a contract. With reflection it asks for the list of services only; methods and messages are fetched
// when they are first needed. A failed reflection is a *ReflectionError.
func Load(ctx context.Context, s Source) (*Contract, error) {
	switch {
	case len(s.Files) > 0:
		protos, own, err := compile(ctx, s)
		if err != nil {
			return nil, err
		}
		return fromProtos(protos, own, "proto")
	case len(s.Protosets) > 0:
		protos, err := readProtosets(s)
		if err != nil {
			return nil, err
		}
		return fromProtos(protos, nil, "protoset")
	case s.Reflect != nil:
		return reflected(ctx, *s.Reflect)
	}
	return nil, errors.New("no contract given: name a .proto file, a protoset or a server with reflection")
}

// Origin says where the contract comes from: "proto", "protoset", "reflection v1" or "reflection v1alpha".
func (c *Contract) Origin() string {
	if c.remote != nil {
		return "reflection " + c.remote.version()
	}
	return c.origin
}

// Services lists the full names of the services, sorted.
func (c *Contract) Services() []string { return slices.Clone(c.services) }

// Close ends the connection to the reflection service, if there is one. The contract stays of use: a connection is
// opened again when the type of an Any has to be fetched.
func (c *Contract) Close() error {
	if c.remote == nil {
		return nil
	}
	return c.remote.close()
}

// Method finds a method by "pkg.Svc/M", "/pkg.Svc/M" or "pkg.Svc.M". When there is none the error is an
// *UnknownError that lists what there is.
func (c *Contract) Method(name string) (*Method, error) {
	service, method, err := splitMethod(name)
	if err != nil {
		return nil, err
	}
	d, answers, err := c.service(service, method)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, c.unknown("service", service, answers)
	}
	md := d.Methods().ByName(protoreflect.Name(method))
	if md == nil {
		known := methodNames(d)
		return nil, &UnknownError{Kind: "method", Name: method, In: service, Origin: c.Origin(), Known: known,
			Nearest: nearest.Of(method, known)}
	}
	return newMethod(md, c.lib), nil
}

// Methods lists the methods of a service in the order of its definition. A service that is not there is an
// *UnknownError.
func (c *Contract) Methods(service string) ([]*Method, error) {
	d, answers, err := c.service(service, "")
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, c.unknown("service", service, answers)
	}
	list := make([]*Method, d.Methods().Len())
	for i := range list {
		list[i] = newMethod(d.Methods().Get(i), c.lib)
	}
	return list, nil
}

// service finds the descriptor of a service; it is nil when nobody knows it, and answers hold what a server said.
// A server is asked for the method's symbol first, as every client does, and then for the service's, since some
// servers index no methods.
func (c *Contract) service(service, method string) (d protoreflect.ServiceDescriptor, answers []string, err error) {
	questions := []string{service + "." + method, service}
	if method == "" {
		questions = questions[1:]
	}
	for i := 0; ; i++ {
		if found := c.lib.known(protoreflect.FullName(service)); found != nil {
			d, ok := found.(protoreflect.ServiceDescriptor)
			if !ok {
				answers = append(answers, service+" is a "+kindOf(found)+", not a service")
			}
			return d, answers, nil
		}
		if c.remote == nil || i == len(questions) {
			return nil, answers, nil
		}
		answer, err := c.lib.fetch(questions[i])
		if err != nil {
			return nil, nil, err
		}
		answers = append(answers, answer)
	}
}

// unknown is the error for a service or symbol that nobody knows.
func (c *Contract) unknown(kind, name string, answers []string) *UnknownError {
	e := &UnknownError{Kind: kind, Name: name, Origin: c.Origin(), Known: c.listed(), Answers: answers}
	if c.noList != "" {
		e.Answers = append(e.Answers, c.noList)
	}
	if e.Nearest = nearestService(name, e.Known); kind != "service" {
		e.Nearest = nearest.Of(name, c.symbols())
	}
	if e.Nearest == name {
		e.Nearest = "" // it is listed, and yet not described
	}
	return e
}

// listed are the services worth naming in an error: those of the application first, reflection itself left out.
func (c *Contract) listed() []string {
	var own, infra []string
	for _, s := range c.services {
		switch {
		case strings.HasPrefix(s, "grpc.reflection."):
		case strings.HasPrefix(s, "grpc."):
			infra = append(infra, s)
		default:
			own = append(own, s)
		}
	}
	return append(own, infra...)
}

// nearestService suggests a service; one whose last part alone is right counts too.
func nearestService(name string, known []string) string {
	if n := nearest.Of(name, known); n != "" {
		return n
	}
	last := func(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }
	found := ""
	for _, k := range known {
		if strings.EqualFold(last(k), last(name)) {
			if found != "" {
				return ""
			}
			found = k
		}
	}
	return found
}

// splitMethod cuts a method's name into service and method.
func splitMethod(name string) (service, method string, err error) {
	s := strings.TrimPrefix(name, "/")
	cut := strings.LastIndexByte(s, '/')
	if cut < 0 {
		cut = strings.LastIndexByte(s, '.')
	}
	if cut <= 0 || cut == len(s)-1 || strings.ContainsAny(s[:cut], "/ ") {
		return "", "", &NameError{Name: name}
	}
	return s[:cut], s[cut+1:], nil
}

func methodNames(d protoreflect.ServiceDescriptor) []string {
	names := make([]string, d.Methods().Len())
	for i := range names {
		names[i] = string(d.Methods().Get(i).Name())
	}
	return names
}
