package contract

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	rpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"

	"wiregauge"
	"wiregauge/internal/testcert"
)

// A reflectionServer answers from a contract, with the peculiarities of servers in the wild. It serves the
// messages of v1 under either name, as their bytes are the same.
type reflectionServer struct {
	from      *Contract
	versions  []string
	noMethods bool // NOT_FOUND for methods (K26)
	noSymbols bool // NOT_FOUND for everything
	noList    bool
	oneFile   bool // files come one by one, without what they import

	mu      sync.Mutex
	asked   []string
	headers metadata.MD
	open    int // streams that have not ended
}

func (s *reflectionServer) start(t *testing.T, network string, options ...grpc.ServerOption) string {
	t.Helper()
	address := "127.0.0.1:0"
	if network == "unix" {
		address = filepath.Join(t.TempDir(), "s")
	}
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	srv := grpc.NewServer(options...)
	for _, v := range s.versions {
		srv.RegisterService(&grpc.ServiceDesc{ServiceName: "grpc.reflection." + v + ".ServerReflection", HandlerType: (*any)(nil),
			Streams: []grpc.StreamDesc{{StreamName: "ServerReflectionInfo", ServerStreams: true, ClientStreams: true, Handler: s.handle}}}, s)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(l) }()
	t.Cleanup(func() { srv.Stop(); <-done })
	return l.Addr().String()
}

func (s *reflectionServer) handle(_ any, stream grpc.ServerStream) error {
	s.mu.Lock()
	s.open++
	s.headers, _ = metadata.FromIncomingContext(stream.Context())
	s.mu.Unlock()
	defer func() { s.mu.Lock(); s.open--; s.mu.Unlock() }()
	for {
		q := new(rpb.ServerReflectionRequest)
		if err := stream.RecvMsg(q); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		if err := stream.SendMsg(s.answer(q)); err != nil {
			return err
		}
	}
}

func refuse(code codes.Code, text string) *rpb.ServerReflectionResponse {
	return &rpb.ServerReflectionResponse{MessageResponse: &rpb.ServerReflectionResponse_ErrorResponse{
		ErrorResponse: &rpb.ErrorResponse{ErrorCode: int32(code), ErrorMessage: text}}}
}

func (s *reflectionServer) answer(q *rpb.ServerReflectionRequest) *rpb.ServerReflectionResponse {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m := q.MessageRequest.(type) {
	case *rpb.ServerReflectionRequest_ListServices:
		s.asked = append(s.asked, "list")
		if s.noList {
			return refuse(codes.PermissionDenied, "no list for you")
		}
		list := &rpb.ListServiceResponse{}
		for _, name := range append(s.from.Services(), "grpc.reflection.v1.ServerReflection") {
			list.Service = append(list.Service, &rpb.ServiceResponse{Name: name})
		}
		return &rpb.ServerReflectionResponse{MessageResponse: &rpb.ServerReflectionResponse_ListServicesResponse{ListServicesResponse: list}}
	case *rpb.ServerReflectionRequest_FileContainingSymbol:
		s.asked = append(s.asked, m.FileContainingSymbol)
		d := s.from.lib.known(protoreflect.FullName(m.FileContainingSymbol))
		if _, is := d.(protoreflect.MethodDescriptor); d == nil || s.noSymbols || (is && s.noMethods) {
			return refuse(codes.NotFound, "Symbol not found")
		}
		return s.file(d.ParentFile())
	case *rpb.ServerReflectionRequest_FileByFilename:
		s.asked = append(s.asked, m.FileByFilename)
		fd, err := s.from.lib.files.FindFileByPath(m.FileByFilename)
		if err != nil {
			return refuse(codes.NotFound, "File not found")
		}
		return s.file(fd)
	}
	return refuse(codes.InvalidArgument, "what?")
}

func (s *reflectionServer) file(fd protoreflect.FileDescriptor) *rpb.ServerReflectionResponse {
	files := &rpb.FileDescriptorResponse{}
	var add func(protoreflect.FileDescriptor)
	add = func(fd protoreflect.FileDescriptor) {
		raw, err := proto.Marshal(protodesc.ToFileDescriptorProto(fd))
		if err != nil {
			return
		}
		files.FileDescriptorProto = append(files.FileDescriptorProto, raw)
		for i := range fd.Imports().Len() {
			if !s.oneFile {
				add(fd.Imports().Get(i).FileDescriptor)
			}
		}
	}
	add(fd)
	return &rpb.ServerReflectionResponse{MessageResponse: &rpb.ServerReflectionResponse_FileDescriptorResponse{FileDescriptorResponse: files}}
}

var shopFiles = map[string]string{
	"inv/v1/inventory.proto": `syntax = "proto3"; package inv.v1;
import "google/api/annotations.proto"; import "google/protobuf/any.proto"; import "inv/v1/item.proto";
message CheckRequest { string sku = 1; string warehouse = 2; google.protobuf.Any extra = 3; }
service Inventory {
  rpc Check(CheckRequest) returns (Item) { option (google.api.http) = { post: "/v1/check" body: "*" }; }
  rpc Watch(CheckRequest) returns (stream Item);
}`,
	"inv/v1/item.proto":  `syntax = "proto3"; package inv.v1; import "inv/v1/base.proto"; message Item { string sku = 1; Base base = 2; }`,
	"inv/v1/base.proto":  `syntax = "proto3"; package inv.v1; message Base { int64 n = 1; }`,
	"inv/v1/extra.proto": `syntax = "proto3"; package inv.v1; import "inv/v1/inventory.proto"; message Extra { int64 n = 1; }`,
}

func reflectOn(t *testing.T, network, address string, header ...wiregauge.Field) (*Contract, error) {
	t.Helper()
	c, err := Load(context.Background(), Source{Reflect: &Reflection{Address: address, Network: network, Header: header}})
	if err == nil {
		t.Cleanup(func() { _ = c.Close() })
	}
	return c, err
}

func TestReflection(t *testing.T) {
	for _, c := range []struct {
		name    string
		server  *reflectionServer
		network string
		origin  string
		asked   []string // symbols and files, in order
	}{
		{"v1", &reflectionServer{versions: []string{"v1"}}, "tcp", "reflection v1", []string{"list", "inv.v1.Inventory.Check"}},
		{"v1 and v1alpha", &reflectionServer{versions: versions}, "tcp", "reflection v1", []string{"list", "inv.v1.Inventory.Check"}},
		{"v1alpha only", &reflectionServer{versions: []string{"v1alpha"}}, "tcp", "reflection v1alpha", []string{"list", "inv.v1.Inventory.Check"}},
		{"a unix socket", &reflectionServer{versions: []string{"v1"}}, "unix", "reflection v1", []string{"list", "inv.v1.Inventory.Check"}},
		{"methods are not indexed (K26)", &reflectionServer{versions: []string{"v1"}, noMethods: true}, "tcp", "reflection v1",
			[]string{"list", "inv.v1.Inventory.Check", "inv.v1.Inventory"}},
		{"no list", &reflectionServer{versions: []string{"v1"}, noList: true}, "tcp", "reflection v1", []string{"list", "inv.v1.Inventory.Check"}},
		{"imports have to be asked for", &reflectionServer{versions: []string{"v1"}, oneFile: true}, "tcp", "reflection v1",
			[]string{"list", "inv.v1.Inventory.Check", "inv/v1/item.proto", "inv/v1/base.proto"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := c.server
			s.from = fromText(t, "inv/v1/inventory.proto", shopFiles)
			k, err := reflectOn(t, c.network, s.start(t, c.network))
			if err != nil {
				t.Fatal(err)
			}
			m := method(t, k, "inv.v1.Inventory/Check")
			if k.Origin() != c.origin {
				t.Errorf("origin %q, want %q", k.Origin(), c.origin)
			}
			if !s.noList && !slices.Contains(k.Services(), "inv.v1.Inventory") {
				t.Errorf("services %v", k.Services())
			}
			if !slices.Equal(s.asked, c.asked) {
				t.Errorf("asked for %q, want %q", s.asked, c.asked)
			}
			back, err := m.Decode("protobuf", unhex(t, "0a 02 34 32 12 02 08 07"), true, DecodeOptions{Compact: true})
			if err != nil || string(back) != `{"sku":"42","base":{"n":"7"}}` {
				t.Errorf("reply %s (%v)", back, err)
			}
			if verb, path, body, _, err := m.REST([]byte(`{"sku":"42"}`)); err != nil || verb+path+string(body) != `POST/v1/check{"sku":"42"}` {
				t.Errorf("REST %s %s %s (%v)", verb, path, body, err)
			}
			if text, err := k.Describe("inv.v1.Inventory.Watch"); err != nil || !strings.Contains(text, "returns (stream inv.v1.Item)") {
				t.Errorf("describe: %s (%v)", text, err)
			}
		})
	}
}

func TestReflectionFetchesTheTypeOfAnAny(t *testing.T) {
	s := &reflectionServer{from: fromText(t, "inv/v1/extra.proto", shopFiles), versions: []string{"v1"}}
	k, err := reflectOn(t, "tcp", s.start(t, "tcp"))
	if err != nil {
		t.Fatal(err)
	}
	m := method(t, k, "inv.v1.Inventory/Check")
	if err := k.Close(); err != nil { // the connection comes back when it is needed
		t.Fatal(err)
	}
	const text = `{"extra":{"@type":"type.googleapis.com/inv.v1.Extra","n":"9223372036854775807"}}`
	wire, err := m.Encode("protobuf", []byte(text), EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	back, err := m.Decode("protobuf", wire, false, DecodeOptions{Compact: true})
	if err != nil || string(back) != text {
		t.Errorf("%s (%v), want %s", back, err, text)
	}
	if n := len(s.asked); s.asked[n-1] != "inv.v1.Extra" {
		t.Errorf("asked for %q, want inv.v1.Extra last", s.asked)
	}
	_, err = m.Encode("protobuf", []byte(`{"extra":{"@type":"type.googleapis.com/inv.v1.Gone"}}`), EncodeOptions{})
	if err == nil || !strings.Contains(err.Error(), "Symbol not found") || !strings.Contains(err.Error(), "inv.v1.Gone") {
		t.Errorf("got %v, want what the server answered for inv.v1.Gone", err)
	}
}

func TestReflectionLeavesNoStreamOpen(t *testing.T) {
	s := &reflectionServer{from: fromText(t, "inv/v1/inventory.proto", shopFiles), versions: []string{"v1"}}
	k, err := reflectOn(t, "tcp", s.start(t, "tcp"), wiregauge.Field{Name: "Authorization", Value: "Bearer x"}, wiregauge.Field{Name: "trace-bin", Value: "AQI"})
	if err != nil {
		t.Fatal(err)
	}
	method(t, k, "inv.v1.Inventory/Check")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open != 0 {
		t.Errorf("%d streams open", s.open)
	}
	if got := s.headers.Get("authorization"); !slices.Equal(got, []string{"Bearer x"}) {
		t.Errorf("authorization %q", got)
	}
	if got := s.headers.Get("trace-bin"); !slices.Equal(got, []string{"\x01\x02"}) {
		t.Errorf("trace-bin %q", got)
	}
}

// The name in the certificate and the authority that is sent are two things.
func TestReflectionOverTLS(t *testing.T) {
	ca, err := testcert.NewCA()
	if err != nil {
		t.Fatal(err)
	}
	cert, err := ca.Issue(testcert.Request{Names: []string{"shop.test"}})
	if err != nil {
		t.Fatal(err)
	}
	s := &reflectionServer{from: fromText(t, "inv/v1/inventory.proto", shopFiles), versions: []string{"v1"}}
	address := s.start(t, "tcp", grpc.Creds(credentials.NewServerTLSFromCert(&cert)))
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca.PEM)
	for _, c := range []struct{ name, authority, want string }{
		{"the authority of the address", "", ""},
		{"an authority of its own", "other.test:99", "other.test:99"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, err := Load(context.Background(), Source{Reflect: &Reflection{Address: address, Authority: c.authority,
				TLS: &tls.Config{RootCAs: roots, ServerName: "shop.test", NextProtos: []string{"h2"}}}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = k.Close() })
			method(t, k, "inv.v1.Inventory/Check")
			if got := s.headers.Get(":authority"); c.want != "" && !slices.Equal(got, []string{c.want}) {
				t.Errorf("authority %q, want %q", got, c.want)
			}
		})
	}
	_, err = Load(context.Background(), Source{Reflect: &Reflection{Address: address, TLS: &tls.Config{ServerName: "shop.test"}}})
	var e *ReflectionError
	if !errors.As(err, &e) || !e.Unreachable || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v, want a certificate that is not trusted", err)
	}
}

func TestReflectionThatDoesNotHelp(t *testing.T) {
	t.Run("nothing listens", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := l.Addr().String()
		_ = l.Close()
		_, err = reflectOn(t, "tcp", address)
		var e *ReflectionError
		if !errors.As(err, &e) || !e.Unreachable || !strings.Contains(err.Error(), "refused") {
			t.Errorf("got %v, want an unreachable server", err)
		}
	})
	t.Run("a server without reflection", func(t *testing.T) {
		_, err := reflectOn(t, "tcp", (&reflectionServer{}).start(t, "tcp"))
		var e *ReflectionError
		if !errors.As(err, &e) || e.Unreachable || e.Code != "UNIMPLEMENTED" || !slices.Equal(e.Tried, versions) ||
			!strings.Contains(err.Error(), "--proto") || !strings.Contains(err.Error(), "v1 and v1alpha") {
			t.Errorf("got %v, want UNIMPLEMENTED after v1 and v1alpha", err)
		}
	})
	t.Run("a server that wants a password", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		srv := grpc.NewServer(grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error {
			return status.Error(codes.Unauthenticated, "who are you?")
		}))
		done := make(chan struct{})
		go func() { defer close(done); _ = srv.Serve(l) }()
		t.Cleanup(func() { srv.Stop(); <-done })
		_, err = reflectOn(t, "tcp", l.Addr().String())
		var e *ReflectionError
		if !errors.As(err, &e) || e.Unreachable || e.Code != "UNAUTHENTICATED" || !strings.Contains(err.Error(), "who are you?") {
			t.Errorf("got %v, want UNAUTHENTICATED", err)
		}
	})
}

// K26: when neither symbol is known the error says what was asked and what the server answered.
func TestReflectionOfAnUnknownService(t *testing.T) {
	s := &reflectionServer{from: fromText(t, "inv/v1/inventory.proto", shopFiles), versions: []string{"v1"}}
	k, err := reflectOn(t, "tcp", s.start(t, "tcp"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.Method("inv.v1.Inventry/Check")
	var e *UnknownError
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an UnknownError", err)
	}
	if e.Kind != "service" || e.Nearest != "inv.v1.Inventory" || !slices.Equal(e.Known, []string{"inv.v1.Inventory"}) {
		t.Errorf("got %+v", e)
	}
	for _, want := range []string{`NOT_FOUND "Symbol not found" for symbol "inv.v1.Inventry.Check"`,
		`NOT_FOUND "Symbol not found" for symbol "inv.v1.Inventry"`, "reflection lists: inv.v1.Inventory"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %s", err, want)
		}
	}
	mute := &reflectionServer{from: s.from, versions: []string{"v1"}, noSymbols: true}
	if k2, err := reflectOn(t, "tcp", mute.start(t, "tcp")); err != nil {
		t.Error(err)
	} else if _, err := k2.Method("inv.v1.Inventory/Check"); !strings.Contains(err.Error(), `service "inv.v1.Inventory" is listed, but not described`) ||
		strings.Contains(err.Error(), "did you mean") {
		t.Errorf("%v\ndoes not say what to do about a server that describes nothing", err)
	}
	quiet := &reflectionServer{from: s.from, versions: []string{"v1"}, noList: true}
	if k2, err := reflectOn(t, "tcp", quiet.start(t, "tcp")); err != nil {
		t.Error(err)
	} else if _, err := k2.Method("inv.v1.Gone/Check"); !strings.Contains(err.Error(), `PERMISSION_DENIED "no list for you" for the list of services`) {
		t.Errorf("%v\ndoes not say why there is no list", err)
	}
	_, err = k.Method("inv.v1.Inventory/Chek")
	if !errors.As(err, &e) || e.Kind != "method" || e.Nearest != "Check" || !slices.Equal(e.Known, []string{"Check", "Watch"}) {
		t.Errorf("got %v, want an unknown method that is near Check", err)
	}
}
