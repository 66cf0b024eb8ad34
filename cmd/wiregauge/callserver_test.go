package main

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/bufbuild/protocompile"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	rpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	_ "google.golang.org/grpc/encoding/gzip"

	"wiregauge/contract"
)

// svcProto is the service of the case list.
const svcProto = `syntax = "proto3";
package t;
import "google/protobuf/any.proto";
message M {
  int64 id = 1; string s = 2; double d = 3; bytes b = 4; map<string,int64> m = 5;
  repeated uint64 u = 6; bool ok = 7; oneof o { string x = 8; int32 y = 9; } map<int64,string> k = 10;
}
message Q { string sku = 1; string warehouse = 2; google.protobuf.Any extra = 3; }
service Svc {
  rpc Echo(M) returns (M);
  rpc Fail(M) returns (M);
  rpc Hang(M) returns (M);
  rpc Big(M) returns (M);
  rpc Stream(M) returns (stream M);
  rpc Endless(M) returns (stream M);
  rpc Up(stream M) returns (M);
  rpc BidiEcho(stream M) returns (stream M);
  rpc Check(Q) returns (Q);
}
`

// badText is the status message of Fail.
const badText = "bad, \"quoted\"\nsecond line"

// A svc is that service on grpc-go. It keeps the bytes of what it receives.
type svc struct {
	mu       sync.Mutex
	received [][]byte
	metadata metadata.MD
	ended    []error       // how the contexts of streams ended
	arrived  chan struct{} // one for each message received
	address  string
}

// rawCodec passes bytes through.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }
func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}
func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

// serviceInfo names the services for reflection.
type serviceInfo []string

func (s serviceInfo) GetServiceInfo() map[string]grpc.ServiceInfo {
	m := map[string]grpc.ServiceInfo{}
	for _, name := range s {
		m[name] = grpc.ServiceInfo{}
	}
	return m
}

// startSvc serves on loopback, with reflection unless it is said to be without.
func startSvc(t *testing.T, withReflection bool, options ...grpc.ServerOption) *svc {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &svc{address: l.Addr().String(), arrived: make(chan struct{}, 1000)}
	reflect := newReflection(t)
	srv := grpc.NewServer(append(options, grpc.ForceServerCodecV2(rawCodec{}), grpc.MaxRecvMsgSize(32<<20),
		grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
			name, _ := grpc.MethodFromServerStream(stream)
			if strings.HasPrefix(name, "/grpc.reflection.v1.") && withReflection {
				return reflect(stream)
			}
			return s.handle(name, stream)
		}))...)
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(l) }()
	t.Cleanup(func() { srv.Stop(); <-done })
	return s
}

// newReflection answers reflection through the raw codec, from svcProto.
func newReflection(t *testing.T) func(grpc.ServerStream) error {
	t.Helper()
	c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(map[string]string{"t.proto": svcProto})})}
	files, err := c.Compile(context.Background(), "t.proto")
	if err != nil {
		t.Fatal(err)
	}
	server := reflection.NewServerV1(reflection.ServerOptions{Services: serviceInfo{"t.Svc"}, DescriptorResolver: files.AsResolver()})
	return func(stream grpc.ServerStream) error {
		return server.ServerReflectionInfo(&reflectionStream{ServerStream: stream})
	}
}

func (s *svc) handle(name string, stream grpc.ServerStream) error {
	md, _ := metadata.FromIncomingContext(stream.Context())
	s.mu.Lock()
	s.metadata = md
	s.mu.Unlock()
	switch name {
	case "/t.Svc/Up":
		return s.up(stream)
	case "/t.Svc/BidiEcho":
		for {
			in, err := s.receive(stream)
			if err != nil {
				return eofIsNil(err)
			}
			if err := stream.SendMsg(&in); err != nil {
				return err
			}
		}
	}
	in, err := s.receive(stream)
	if err != nil {
		return err
	}
	switch name {
	case "/t.Svc/Echo", "/t.Svc/Check":
		_ = stream.SetHeader(metadata.Pairs("wg-header", "h"))
		stream.SetTrailer(metadata.Pairs("wg-trailer", "t"))
		return stream.SendMsg(&in)
	case "/t.Svc/Fail":
		st, err := status.New(codes.Internal, badText).WithDetails(&errdetails.ErrorInfo{Reason: "GONE", Domain: "shop.test"})
		if err != nil {
			return err
		}
		return st.Err()
	case "/t.Svc/Hang":
		<-stream.Context().Done()
		return status.FromContextError(stream.Context().Err()).Err()
	case "/t.Svc/Big":
		body := append([]byte{0x22, 0xeb, 0x8f, 0xf8, 0x03}, make([]byte, 8259563)...) // 8,259,568 bytes in all (K24)
		return stream.SendMsg(&body)
	case "/t.Svc/Stream", "/t.Svc/Endless":
		return s.stream(stream, name == "/t.Svc/Endless")
	}
	return status.Errorf(codes.Unimplemented, "unknown method %s", name)
}

func eofIsNil(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

func (s *svc) receive(stream grpc.ServerStream) ([]byte, error) {
	var in []byte
	err := stream.RecvMsg(&in)
	if err == nil {
		s.mu.Lock()
		s.received = append(s.received, in)
		s.mu.Unlock()
		select {
		case s.arrived <- struct{}{}:
		default:
		}
	}
	return in, err
}

// up answers with the number of messages as id.
func (s *svc) up(stream grpc.ServerStream) error {
	n := byte(0)
	for {
		_, err := s.receive(stream)
		if err == io.EOF {
			reply := []byte{0x08, n}
			return stream.SendMsg(&reply)
		}
		if err != nil {
			return err
		}
		n++
	}
}

// stream sends messages with id 1, 2 … : ten, or until the caller goes.
func (s *svc) stream(stream grpc.ServerStream, endless bool) error {
	for i := byte(1); endless || i <= 10; i = i%100 + 1 {
		reply := []byte{0x08, i}
		if err := stream.SendMsg(&reply); err != nil {
			<-stream.Context().Done()
			s.mu.Lock()
			s.ended = append(s.ended, stream.Context().Err())
			s.mu.Unlock()
			s.arrived <- struct{}{}
			return err
		}
	}
	return nil
}

// got are the bytes of all messages so far.
func (s *svc) got() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([][]byte(nil), s.received...)
}

// wait returns after n signals of the server.
func (s *svc) wait(t *testing.T, n int) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for range n {
		select {
		case <-s.arrived:
		case <-limit:
			t.Fatal("the server saw nothing for 20 s")
		}
	}
}

// protoFile writes svcProto where --proto finds it.
func protoFile(t *testing.T) string {
	t.Helper()
	return writeFile(t, "t.proto", svcProto)
}

// checkContract keeps svcProto honest.
func TestServiceUnderTest(t *testing.T) {
	c, err := contract.Load(context.Background(), contract.Source{Files: []string{"t.proto"}, FS: fstest.MapFS{"t.proto": {Data: []byte(svcProto)}}})
	if err != nil || len(c.Services()) != 1 {
		t.Fatal(c, err)
	}
}

// reflectionStream turns the typed messages of the reflection service into bytes.
type reflectionStream struct{ grpc.ServerStream }

func (s *reflectionStream) Send(m *rpb.ServerReflectionResponse) error {
	raw, err := proto.Marshal(m)
	if err != nil {
		return err
	}
	return s.SendMsg(&raw)
}

func (s *reflectionStream) Recv() (*rpb.ServerReflectionRequest, error) {
	var raw []byte
	if err := s.RecvMsg(&raw); err != nil {
		return nil, err
	}
	m := new(rpb.ServerReflectionRequest)
	return m, proto.Unmarshal(raw, m)
}
