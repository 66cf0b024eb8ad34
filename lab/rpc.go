package lab

import (
	"context"
	"crypto/tls"
	"math"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"

	"wiregauge/lab/plant"
	"wiregauge/lab/wgpb"
)

// rpcServer is the gRPC side of a Server: grpc-go with an interceptor that counts and plants.
type rpcServer struct {
	s      *Server
	meters map[string]*meter // by full method; never written after newRPC
	grpc   *grpc.Server
}

// newRPC makes a grpc-go server with the chosen services, reflection (v1 and v1alpha) and health.
func newRPC(s *Server, secure *tls.Config) *grpc.Server {
	r := &rpcServer{s: s, meters: map[string]*meter{}}
	r.grpc = grpc.NewServer(r.options(secure)...)
	for _, m := range methods {
		r.meters[m.rpc] = s.ledger.meter("grpc " + m.rpc)
	}
	checks := health.NewServer()
	for _, name := range s.config.Services {
		checks.SetServingStatus(registerService(r.grpc, name), grpc_health_v1.HealthCheckResponse_SERVING)
	}
	grpc_health_v1.RegisterHealthServer(r.grpc, checks)
	reflection.Register(r.grpc)
	return r.grpc
}

// registerService adds one reference service and returns its full name.
func registerService(g grpc.ServiceRegistrar, name string) string {
	switch name {
	case "hello":
		wgpb.RegisterHelloServer(g, helloServer{})
		return wgpb.Hello_ServiceDesc.ServiceName
	case "random":
		wgpb.RegisterRandomServer(g, randomServer{})
		return wgpb.Random_ServiceDesc.ServiceName
	case "inventory":
		wgpb.RegisterInventoryServer(g, inventoryServer{})
		return wgpb.Inventory_ServiceDesc.ServiceName
	case "ticker":
		wgpb.RegisterTickerServer(g, tickerServer{})
		return wgpb.Ticker_ServiceDesc.ServiceName
	}
	wgpb.RegisterEchoServer(g, echoServer{})
	return wgpb.Echo_ServiceDesc.ServiceName
}

// options are grpc-go's defaults, except that messages of any size are taken and that connections are planted.
func (r *rpcServer) options(secure *tls.Config) []grpc.ServerOption {
	o := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(math.MaxInt32),
		grpc.InTapHandle(keepPlant),
		grpc.UnaryInterceptor(r.unary),
		grpc.StreamInterceptor(r.stream),
	}
	if secure != nil {
		o = append(o, grpc.Creds(credentials.NewTLS(secure)))
	}
	p := r.s.plant
	if p.Streams > 0 {
		o = append(o, grpc.MaxConcurrentStreams(uint32(p.Streams)))
	}
	if p.Age > 0 || p.Idle > 0 {
		k := keepalive.ServerParameters{MaxConnectionIdle: p.Idle, MaxConnectionAge: p.Age}
		if p.Grace > 0 {
			k.MaxConnectionAgeGrace = p.Grace
		}
		o = append(o, grpc.KeepaliveParams(k))
	}
	return o
}

func (r *rpcServer) unary(ctx context.Context, q any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	m := r.meters[info.FullMethod]
	if m == nil { // health
		return next(ctx, q)
	}
	m.begin()
	arrived := r.s.arrived(ctx)
	start := time.Now()
	fate, err := r.fate(ctx, arrived)
	var a any
	if err == nil {
		a, err = next(ctx, q)
	}
	if err == nil && (fate.Size > 0 || fate.Body.Chunks > 0) {
		a, err = r.dress(ctx, a, fate)
	}
	r.s.note(arrived, fate.End(), start, err == nil)
	m.end(time.Since(start), err == nil)
	return a, err
}

func (r *rpcServer) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	m := r.meters[info.FullMethod]
	if m == nil { // health, reflection
		return next(srv, ss)
	}
	m.begin()
	arrived := r.s.arrived(ss.Context())
	start := time.Now()
	fate, err := r.fate(ss.Context(), arrived)
	if err == nil {
		err = next(srv, ss)
	}
	r.s.note(arrived, fate.End(), start, err == nil)
	m.end(time.Since(start), err == nil)
	return err
}

// fate waits for what is planted for a call; its error is the answer to give.
func (r *rpcServer) fate(ctx context.Context, arrived time.Duration) (plant.Fate, error) {
	p, err := r.s.planterFor(plantHeader(ctx))
	if err != nil {
		return plant.Fate{}, status.Error(codes.InvalidArgument, err.Error())
	}
	if p == nil {
		return plant.Fate{}, nil
	}
	f, err := p.Call(ctx, arrived)
	if err != nil {
		return f, status.FromContextError(err).Err()
	}
	switch f.Act {
	case plant.Answer:
		return f, nil
	case plant.Fail:
		return f, status.Error(codes.Code(f.Code.GRPC), plantedText)
	case plant.Hang:
		<-ctx.Done()
		return f, status.FromContextError(ctx.Err()).Err()
	}
	return f, status.Error(codes.InvalidArgument,
		"plant: reset, cut and refuse over gRPC are for a whole server (serve --plant), not for one request")
}

type headerKey struct{}

// keepPlant puts a wg-plant header into the call's context. grpc-go offers the metadata without a copy only here,
// before the call begins, and this is on the way of every call.
func keepPlant(ctx context.Context, info *tap.Info) (context.Context, error) {
	if v := info.Header[plantHeaderName]; len(v) > 0 {
		ctx = context.WithValue(ctx, headerKey{}, v[0])
	}
	return ctx, nil
}

func plantHeader(ctx context.Context) string {
	v, _ := ctx.Value(headerKey{}).(string)
	return v
}

// dress makes the answer larger and later as planted.
func (r *rpcServer) dress(ctx context.Context, a any, f plant.Fate) (any, error) {
	if f.Size > 0 {
		fill(a, make([]byte, f.Size))
	}
	if f.Body.Chunks == 0 {
		return a, nil
	}
	if err := r.s.until(ctx, f.Chunk(-1)); err != nil {
		return nil, status.FromContextError(err).Err()
	}
	if err := grpc.SendHeader(ctx, metadata.MD{}); err != nil {
		return nil, err
	}
	if err := r.s.until(ctx, f.End()); err != nil {
		return nil, status.FromContextError(err).Err()
	}
	return a, nil
}

// fill adds bytes to an answer.
func fill(a any, filler []byte) {
	switch a := a.(type) {
	case *wgpb.HelloReply:
		a.Filler = filler
	case *wgpb.RandomReply:
		a.Filler = filler
	case *wgpb.CheckReply:
		a.Filler = filler
	case *wgpb.EchoMessage:
		a.Payload = append(a.Payload[:len(a.Payload):len(a.Payload)], filler...)
	}
}

// serveGRPC runs g on l until it is closed.
func (s *Server) serveGRPC(g *grpc.Server, l net.Listener) {
	s.onClose(g.Stop)
	s.run(func() { g.Serve(s.ledger.count(l)) }) // ends with the listener
}
