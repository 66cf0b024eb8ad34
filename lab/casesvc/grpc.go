package casesvc

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/gzip" // clients may compress
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/reflection"
	reflectv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectv1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	_ "wiregauge/lab/casesvc/tpb" // registers t.proto for reflection
)

// A frame is a message as its bytes, undecoded, so that what is recorded is what came.
type frame struct{ bytes []byte }

// codec hands frames through and leaves everything else to protobuf.
type codec struct{ encoding.CodecV2 }

func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if f, ok := v.(*frame); ok {
		return mem.BufferSlice{mem.SliceBuffer(f.bytes)}, nil
	}
	return c.CodecV2.Marshal(v)
}

func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if f, ok := v.(*frame); ok {
		f.bytes = data.Materialize()
		return nil
	}
	return c.CodecV2.Unmarshal(data, v)
}

func (s *Server) serveGRPC(secure *tls.Config) {
	o := []grpc.ServerOption{
		grpc.ForceServerCodecV2(codec{encoding.GetCodecV2(proto.Name)}),
		grpc.MaxRecvMsgSize(math.MaxInt32),
	}
	if secure != nil {
		o = append(o, grpc.Creds(credentials.NewTLS(secure)))
	}
	g := grpc.NewServer(o...)
	g.RegisterService(s.description(), s)
	s.options.Reflection.register(g)
	s.close = append(s.close, g.Stop)
	s.wg.Go(func() { g.Serve(s.grpc) })
}

// description serves every method as a stream of frames; on the wire a unary method is no different.
func (s *Server) description() *grpc.ServiceDesc {
	d := &grpc.ServiceDesc{ServiceName: "t.Svc", HandlerType: (*any)(nil), Metadata: "t.proto"}
	add := func(method string, handle func(grpc.ServerStream) error) {
		d.Streams = append(d.Streams, grpc.StreamDesc{
			StreamName: method, ServerStreams: true, ClientStreams: true,
			Handler: func(_ any, ss grpc.ServerStream) error { return handle(ss) },
		})
	}
	for _, method := range unaryMethods {
		add(method, func(ss grpc.ServerStream) error { return s.unaryRPC(ss, method) })
	}
	add("Stream", s.stream)
	add("Up", s.up)
	add("BidiEcho", s.bidiEcho)
	return d
}

// next receives one message and records it.
func (s *Server) next(ss grpc.ServerStream, method string) ([]byte, error) {
	var f frame
	if err := ss.RecvMsg(&f); err != nil {
		return nil, err
	}
	s.received("grpc", method, f.bytes)
	return f.bytes, nil
}

func (s *Server) unaryRPC(ss grpc.ServerStream, method string) error {
	b, err := s.next(ss, method)
	if err != nil {
		return err
	}
	ok, err := s.unary(ss.Context(), method)
	if err != nil {
		return status.FromContextError(err).Err()
	}
	if !ok {
		return status.Error(codes.Internal, FailureText)
	}
	return ss.SendMsg(&frame{b})
}

func (s *Server) stream(ss grpc.ServerStream) error {
	b, err := s.next(ss, "Stream")
	if err != nil {
		return err
	}
	s.called("Stream")
	for n := 0; s.streamed(n); n++ {
		if err := ss.SendMsg(&frame{b}); err != nil {
			s.gaveUp("Stream")
			return err
		}
	}
	return nil
}

func (s *Server) up(ss grpc.ServerStream) error {
	s.called("Up")
	for n := uint64(0); ; n++ {
		_, err := s.next(ss, "Up")
		if errors.Is(err, io.EOF) {
			return ss.SendMsg(&frame{withID(n)})
		}
		if err != nil {
			s.gaveUp("Up")
			return err
		}
	}
}

// withID is the message M{id: n}.
func withID(n uint64) []byte {
	if n == 0 {
		return nil
	}
	return protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), n)
}

func (s *Server) bidiEcho(ss grpc.ServerStream) error {
	s.called("BidiEcho")
	for {
		b, err := s.next(ss, "BidiEcho")
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = ss.SendMsg(&frame{b})
		}
		if err != nil {
			s.gaveUp("BidiEcho")
			return err
		}
	}
}

// register adds the kind of reflection service.
func (r Reflection) register(g *grpc.Server) {
	o := reflection.ServerOptions{Services: g, DescriptorResolver: resolver{r}}
	switch r {
	case ReflectNone:
		return
	case ReflectAlpha:
	default:
		reflectv1.RegisterServerReflectionServer(g, reflection.NewServerV1(o))
	}
	reflectv1alpha.RegisterServerReflectionServer(g, reflection.NewServer(o))
}

// resolver knows as much as the kind of reflection allows.
type resolver struct{ kind Reflection }

var _ protodesc.Resolver = resolver{}

func (r resolver) FindFileByPath(path string) (protoreflect.FileDescriptor, error) {
	if r.kind == ReflectNames {
		//lint:ignore ST1005 the words of servers in C++
		return nil, fmt.Errorf("File not found: %s", path)
	}
	return protoregistry.GlobalFiles.FindFileByPath(path)
}

func (r resolver) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	d, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
	_, method := d.(protoreflect.MethodDescriptor)
	if err != nil || r.kind == ReflectNames || method && r.kind == ReflectServiceOnly {
		return nil, errors.New("Symbol not found: " + string(name)) //nolint:staticcheck // as servers in C++ put it
	}
	return d, nil
}
