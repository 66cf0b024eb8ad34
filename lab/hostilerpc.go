package lab

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	reflectv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectv1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"wiregauge/lab/hostile"
	"wiregauge/lab/plant"
)

// answerRPC answers a unary gRPC call.
func (p *spoiler) answerRPC(st *hostile.Stream, c *spoiled) {
	reply, err := p.callRPC(st, c)
	if err != nil {
		c.end(false)
		e := status.Convert(err)
		hostile.RPCHead(st)
		hostile.RPCStatus(st, int(e.Code()), e.Message())
		return
	}
	p.until(st, c.fate.Chunk(-1))
	hostile.RPCHead(st)
	if p.body(st, c, hostile.Message(reply)) {
		c.end(true)
		hostile.RPCStatus(st, 0, "")
	}
}

func (p *spoiler) callRPC(st *hostile.Stream, c *spoiled) ([]byte, error) {
	if c.refusal != nil {
		return nil, status.Error(codes.InvalidArgument, c.refusal.Error())
	}
	if c.fate.Act == plant.Fail {
		return nil, status.Error(codes.Code(c.fate.Code.GRPC), plantedText)
	}
	m, ok := p.rpc.methods[st.Get(":path")]
	if !ok {
		return nil, status.Errorf(codes.Unimplemented, "unknown method %s", st.Get(":path"))
	}
	if len(st.Body) < 5 || st.Body[0] != 0 {
		return nil, status.Error(codes.Unimplemented, "want one uncompressed message under this plant")
	}
	a, err := m.handler(m.server, st.Context(), func(v any) error { return proto.Unmarshal(st.Body[5:], v.(proto.Message)) }, nil)
	if err != nil {
		return nil, err
	}
	if c.fate.Size > 0 {
		fill(a, make([]byte, c.fate.Size))
	}
	return proto.Marshal(a.(proto.Message))
}

// streamRPC answers a gRPC call of another shape, message by message.
func (p *spoiler) streamRPC(st *hostile.Stream, c *spoiled) {
	m := p.rpc.streams[st.Get(":path")]
	ss := &spoiledStream{st: st}
	err := c.refusal
	switch {
	case err != nil:
		err = status.Error(codes.InvalidArgument, err.Error())
	case c.fate.Act == plant.Fail:
		err = status.Error(codes.Code(c.fate.Code.GRPC), plantedText)
	default:
		err = m.handler(m.server, ss)
	}
	c.end(err == nil)
	e := status.Convert(err)
	ss.SendHeader(nil)
	hostile.RPCStatus(st, int(e.Code()), e.Message())
}

// A spoiledStream is a call of the spoiler as generated code sees it.
type spoiledStream struct {
	st   *hostile.Stream
	sent bool // the head of the answer
}

func (s *spoiledStream) Context() context.Context    { return s.st.Context() }
func (s *spoiledStream) SetHeader(metadata.MD) error { return nil }
func (s *spoiledStream) SetTrailer(metadata.MD)      {}
func (s *spoiledStream) SendHeader(metadata.MD) error {
	if !s.sent {
		s.sent = true
		hostile.RPCHead(s.st)
	}
	return nil
}

func (s *spoiledStream) SendMsg(m any) error {
	b, err := proto.Marshal(m.(proto.Message))
	if err != nil {
		return err
	}
	s.SendHeader(nil)
	return s.st.Data(hostile.Message(b), false)
}

func (s *spoiledStream) RecvMsg(m any) error {
	b, err := s.st.Next()
	if err != nil {
		return err
	}
	return proto.Unmarshal(b, m.(proto.Message))
}

// registrar collects the methods of services instead of serving them.
type registrar struct {
	methods  map[string]rpcMethod
	streams  map[string]rpcStream
	services map[string]grpc.ServiceInfo
}

type rpcMethod struct {
	server  any
	handler grpc.MethodHandler
}

type rpcStream struct {
	server  any
	handler grpc.StreamHandler
}

// RegisterService is called by generated code.
func (r registrar) RegisterService(d *grpc.ServiceDesc, impl any) {
	r.services[d.ServiceName] = grpc.ServiceInfo{Metadata: d.Metadata}
	for _, m := range d.Methods {
		r.methods[fmt.Sprintf("/%s/%s", d.ServiceName, m.MethodName)] = rpcMethod{impl, m.Handler}
	}
	for _, m := range d.Streams {
		r.streams[fmt.Sprintf("/%s/%s", d.ServiceName, m.StreamName)] = rpcStream{impl, m.Handler}
	}
}

// GetServiceInfo is for reflection.
func (r registrar) GetServiceInfo() map[string]grpc.ServiceInfo { return r.services }

// registrar holds the chosen services, with reflection and health as in newRPC.
func (s *Server) registrar() registrar {
	r := registrar{map[string]rpcMethod{}, map[string]rpcStream{}, map[string]grpc.ServiceInfo{}}
	checks := health.NewServer()
	for _, name := range s.config.Services {
		checks.SetServingStatus(registerService(r, name), grpc_health_v1.HealthCheckResponse_SERVING)
	}
	grpc_health_v1.RegisterHealthServer(r, checks)
	o := reflection.ServerOptions{Services: r}
	reflectv1.RegisterServerReflectionServer(r, reflection.NewServerV1(o))
	reflectv1alpha.RegisterServerReflectionServer(r, reflection.NewServer(o))
	return r
}
