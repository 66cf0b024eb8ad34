// Command connect-server answers grpc.testing.TestService with connect-go on h2c, as a gRPC peer for the interop
// tests. It is a module of its own, so that connect-go is no dependency of wiregauge. It prints its address.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"connectrpc.com/connect"
	testing "google.golang.org/grpc/interop/grpc_testing"
)

const service = "/grpc.testing.TestService/"

func main() {
	mux := http.NewServeMux()
	mux.Handle(service+"EmptyCall", connect.NewUnaryHandler(service+"EmptyCall", empty))
	mux.Handle(service+"UnaryCall", connect.NewUnaryHandler(service+"UnaryCall", unary))
	mux.Handle(service+"StreamingOutputCall", connect.NewServerStreamHandler(service+"StreamingOutputCall", output))
	mux.Handle(service+"StreamingInputCall", connect.NewClientStreamHandler(service+"StreamingInputCall", input))
	mux.Handle(service+"FullDuplexCall", connect.NewBidiStreamHandler(service+"FullDuplexCall", duplex))

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: mux, Protocols: protocols}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { server.Close() })
	fmt.Println(l.Addr())
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}

func empty(context.Context, *connect.Request[testing.Empty]) (*connect.Response[testing.Empty], error) {
	return connect.NewResponse(&testing.Empty{}), nil
}

func unary(_ context.Context, r *connect.Request[testing.SimpleRequest]) (*connect.Response[testing.SimpleResponse], error) {
	if err := asked(r.Msg.GetResponseStatus()); err != nil {
		return nil, err
	}
	answer := connect.NewResponse(&testing.SimpleResponse{Payload: payload(r.Msg.GetResponseSize())})
	echo(r.Header(), answer.Header(), answer.Trailer())
	return answer, nil
}

func output(ctx context.Context, r *connect.Request[testing.StreamingOutputCallRequest], s *connect.ServerStream[testing.StreamingOutputCallResponse]) error {
	for _, p := range r.Msg.GetResponseParameters() {
		if err := s.Send(&testing.StreamingOutputCallResponse{Payload: payload(p.GetSize())}); err != nil {
			return err
		}
	}
	return nil
}

func input(_ context.Context, s *connect.ClientStream[testing.StreamingInputCallRequest]) (*connect.Response[testing.StreamingInputCallResponse], error) {
	var sum int32
	for s.Receive() {
		sum += int32(len(s.Msg().GetPayload().GetBody()))
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	return connect.NewResponse(&testing.StreamingInputCallResponse{AggregatedPayloadSize: sum}), nil
}

func duplex(_ context.Context, s *connect.BidiStream[testing.StreamingOutputCallRequest, testing.StreamingOutputCallResponse]) error {
	echo(s.RequestHeader(), s.ResponseHeader(), s.ResponseTrailer())
	for {
		r, err := s.Receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := asked(r.GetResponseStatus()); err != nil {
			return err
		}
		for _, p := range r.GetResponseParameters() {
			if err := s.Send(&testing.StreamingOutputCallResponse{Payload: payload(p.GetSize())}); err != nil {
				return err
			}
		}
	}
}

// asked is the error that the request wants to see, nil for none.
func asked(s *testing.EchoStatus) error {
	if s.GetCode() == 0 {
		return nil
	}
	return connect.NewError(connect.Code(s.GetCode()), errors.New(s.GetMessage()))
}

func payload(size int32) *testing.Payload { return &testing.Payload{Body: make([]byte, size)} }

// echo sends the two metadata entries of the custom_metadata case back.
func echo(in, header, trailer http.Header) {
	const initial, trailing = "X-Grpc-Test-Echo-Initial", "X-Grpc-Test-Echo-Trailing-Bin"
	if v := in.Get(initial); v != "" {
		header.Set(initial, v)
	}
	if v := in.Get(trailing); v != "" {
		trailer.Set(trailing, v)
	}
}
