package lab

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc"

	"wiregauge/lab/wgpb"
)

// The services as a Go programmer would write them; REST and gRPC answer with the same functions.

func sayHello(greeting string) string { return "hello " + greeting }

// stock is how many of an article there are: a number from 0 to 99 that only its name decides.
func stock(sku string) (inStock int32, warehouse string) {
	h := uint32(2166136261)
	for i := range len(sku) {
		h = (h ^ uint32(sku[i])) * 16777619
	}
	return int32(h % 100), warehouses[h>>8&3]
}

var warehouses = [...]string{"ams-1", "fra-2", "iad-3", "sin-4"}

// The gRPC services.

type helloServer struct{ wgpb.UnimplementedHelloServer }

func (helloServer) SayHello(_ context.Context, q *wgpb.HelloRequest) (*wgpb.HelloReply, error) {
	return &wgpb.HelloReply{Reply: sayHello(q.Greeting)}, nil
}

type randomServer struct{ wgpb.UnimplementedRandomServer }

func (randomServer) DoSomething(_ context.Context, q *wgpb.RandomRequest) (*wgpb.RandomReply, error) {
	return &wgpb.RandomReply{RandomString: q.RandomString, RandomInt: q.RandomInt}, nil
}

type inventoryServer struct {
	wgpb.UnimplementedInventoryServer
}

func (inventoryServer) Check(_ context.Context, q *wgpb.CheckRequest) (*wgpb.CheckReply, error) {
	n, where := stock(q.Sku)
	return &wgpb.CheckReply{Sku: q.Sku, Available: n >= q.Quantity, InStock: n, Warehouse: where}, nil
}

type echoServer struct{ wgpb.UnimplementedEchoServer }

func (echoServer) Echo(_ context.Context, q *wgpb.EchoMessage) (*wgpb.EchoMessage, error) {
	return &wgpb.EchoMessage{Payload: q.Payload, Count: q.Count}, nil
}

func (echoServer) ServerStream(q *wgpb.EchoMessage, s grpc.ServerStreamingServer[wgpb.EchoMessage]) error {
	a := &wgpb.EchoMessage{Payload: q.Payload}
	for i := int32(0); q.Count < 0 || i < answers(q.Count); i++ {
		if err := s.Send(a); err != nil {
			return err
		}
	}
	return nil
}

// answers is how many messages a server stream has; 0 stands for 10.
func answers(count int32) int32 {
	if count == 0 {
		return 10
	}
	return count
}

func (echoServer) ClientStream(s grpc.ClientStreamingServer[wgpb.EchoMessage, wgpb.EchoSummary]) error {
	var sum wgpb.EchoSummary
	for {
		q, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return s.SendAndClose(&sum)
		}
		if err != nil {
			return err
		}
		sum.Messages++
		sum.Bytes += int64(len(q.Payload))
	}
}

func (echoServer) BidiStream(s grpc.BidiStreamingServer[wgpb.EchoMessage, wgpb.EchoMessage]) error {
	for {
		q, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.Send(&wgpb.EchoMessage{Payload: q.Payload}); err != nil {
			return err
		}
	}
}

type tickerServer struct{ wgpb.UnimplementedTickerServer }

func (tickerServer) Ticks(q *wgpb.TickRequest, s grpc.ServerStreamingServer[wgpb.Tick]) error {
	interval, left := ticking(q.EveryMs, q.Count)
	t := time.NewTicker(interval)
	defer t.Stop()
	for n := int64(1); left != 0; n++ {
		select {
		case <-t.C:
		case <-s.Context().Done():
			return s.Context().Err()
		}
		if err := s.Send(&wgpb.Tick{Number: n}); err != nil {
			return err
		}
		left--
	}
	return nil
}

// ticking is how often a ticker ticks, every second when nothing is said, and how many times: below 0 without end.
func ticking(everyMS, count int32) (interval time.Duration, left int) {
	interval, left = time.Duration(everyMS)*time.Millisecond, int(count)
	if interval <= 0 {
		interval = time.Second
	}
	if left <= 0 {
		left = -1
	}
	return interval, left
}

// A method is one method of a reference service on the wires: gRPC's path, and REST's and RSocket's where it has one.
type method struct {
	service  string
	name     string // "" for the service's first method
	rpc      string // "/wg.v1.Hello/SayHello"
	restPath string // of POST
	route    string
}

var methods = []method{
	{"hello", "", "/wg.v1.Hello/SayHello", "/v1/hello", "hello"},
	{"random", "", "/wg.v1.Random/DoSomething", "/v1/random", "random"},
	{"inventory", "", "/wg.v1.Inventory/Check", "/v1/inventory/check", "inventory.check"},
	{"echo", "", "/wg.v1.Echo/Echo", "/v1/echo", "echo"},
	{"echo", "ServerStream", "/wg.v1.Echo/ServerStream", "/v1/echo/stream", "echo.stream"},
	{"echo", "ClientStream", "/wg.v1.Echo/ClientStream", "", ""},
	{"echo", "BidiStream", "/wg.v1.Echo/BidiStream", "", "echo.channel"},
	{"ticker", "", "/wg.v1.Ticker/Ticks", "", "ticker"},
}

// title is the endpoint's name: "echo" or "echo/ServerStream".
func (m method) title() string { return strings.TrimSuffix(m.service+"/"+m.name, "/") }
