package grpc

import (
	"bytes"
	"net"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

// raw is a codec that leaves messages as they are.
type raw struct{}

func (raw) Name() string { return "proto" }
func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}
func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = append([]byte(nil), data.Materialize()...)
	return nil
}

// serve runs a real grpc-go server without a network and returns how to connect to it.
func serve(t testing.TB, options ...grpc.ServerOption) func(testing.TB) net.Conn {
	l := prototest.NewPipeListener()
	options = append([]grpc.ServerOption{grpc.ForceServerCodecV2(raw{}), grpc.MaxRecvMsgSize(64 << 20), grpc.UnknownServiceHandler(handle)}, options...)
	server := grpc.NewServer(options...)
	go server.Serve(l)
	t.Cleanup(server.Stop)
	return func(testing.TB) net.Conn { return l.Dial() }
}

// handle serves every method by its name.
func handle(_ any, stream grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(stream)
	switch method {
	case "/test.Echo/Hang":
		<-stream.Context().Done()
		return stream.Context().Err()
	case "/test.Echo/Fail":
		return status.Error(codes.FailedPrecondition, "no, \"quoted\"\nand 100 % ünicode")
	case "/test.Echo/Nothing":
		return nil
	case "/test.Echo/Twice":
		for range 2 {
			if err := stream.SendMsg(&[]byte{}); err != nil {
				return err
			}
		}
		return nil
	case "/test.Echo/Details":
		st, err := status.New(codes.InvalidArgument, "details").WithDetails(&errdetails.ErrorInfo{Reason: "why"})
		if err != nil {
			return err
		}
		return st.Err()
	case "/test.Echo/Gzip":
		if err := grpc.SetSendCompressor(stream.Context(), "gzip"); err != nil {
			return err
		}
	case "/test.Echo/Join":
		return join(stream)
	case "/test.Echo/Meta":
		return meta(stream)
	}
	var first []byte
	if err := stream.RecvMsg(&first); err == nil {
		if err := stream.SendMsg(&first); err != nil {
			return err
		}
	}
	for {
		var m []byte
		if err := stream.RecvMsg(&m); err != nil {
			return nil
		}
		if err := stream.SendMsg(&m); err != nil {
			return err
		}
	}
}

// join answers all messages of the caller in one.
func join(stream grpc.ServerStream) error {
	var all, m []byte
	for stream.RecvMsg(&m) == nil {
		all = append(all, m...)
	}
	return stream.SendMsg(&all)
}

// meta echoes the request's metadata as header and trailer.
func meta(stream grpc.ServerStream) error {
	md, _ := metadata.FromIncomingContext(stream.Context())
	var m []byte
	if err := stream.RecvMsg(&m); err != nil {
		return err
	}
	stream.SetHeader(metadata.MD{"x-text": md["x-text"], "x-bin": md["x-bin"]})
	stream.SetTrailer(metadata.MD{"t-bin": md["x-bin"]})
	return stream.SendMsg(&m)
}

func open(opt protocol.Options) prototest.NewSession {
	if opt.Authority == "" {
		opt.Authority = "test"
	}
	return func(ev wiregauge.Events) wiregauge.Session { return New(opt, ev) }
}

func echo(shape wiregauge.Shape, bodies ...[]byte) (*wiregauge.Request, [][]byte) {
	if shape == wiregauge.ClientStream {
		return &wiregauge.Request{Method: "/test.Echo/Join", Messages: bodies, Shape: shape}, [][]byte{bytes.Join(bodies, nil)}
	}
	return &wiregauge.Request{Method: "/test.Echo/Echo", Messages: bodies, Shape: shape}, bodies
}

func TestSuite(t *testing.T) {
	for name, opt := range map[string]protocol.Options{"default windows": {}, "64 KiB windows": {Window: 65535}} {
		t.Run(name, func(t *testing.T) {
			prototest.Suite(t, prototest.Config{
				New:      open(opt),
				Dial:     serve(t),
				Echo:     echo,
				Shapes:   []wiregauge.Shape{wiregauge.Unary, wiregauge.ClientStream, wiregauge.ServerStream, wiregauge.Bidi},
				InFlight: 20,
				Hang:     &wiregauge.Request{Method: "/test.Echo/Hang", Messages: [][]byte{{}}},
				Failures: []prototest.Failure{
					{Name: "a status with a message", Request: &wiregauge.Request{Method: "/test.Echo/Fail", Messages: [][]byte{{}}},
						Outcome: wiregauge.Failed, Status: 9, Text: "no, \"quoted\"\nand 100 % ünicode"},
					{Name: "no message", Request: &wiregauge.Request{Method: "/test.Echo/Nothing", Messages: [][]byte{{}}},
						Outcome: wiregauge.Malformed, Status: 12},
					{Name: "two messages", Request: &wiregauge.Request{Method: "/test.Echo/Twice", Messages: [][]byte{{}}},
						Outcome: wiregauge.Malformed, Status: 12},
				},
			})
		})
	}
}

func TestAllocs(t *testing.T) {
	r, _ := echo(wiregauge.Unary, []byte("hello"))
	if n := prototest.Allocs(t, serve(t), open(protocol.Options{}), r, 200); n > 0 {
		t.Errorf("%v allocations per call, expected 0", n)
	}
}
