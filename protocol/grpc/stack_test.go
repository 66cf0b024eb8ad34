package grpc_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	testing_ "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"wiregauge"
	"wiregauge/protocol"
	ours "wiregauge/protocol/grpc"
)

// counter counts what a stack client fires.
type counter struct{ sent, first, messages int }

func (c *counter) Sent(*wiregauge.Call)            { c.sent++ }
func (c *counter) First(*wiregauge.Call)           { c.first++ }
func (c *counter) Message(*wiregauge.Call, []byte) { c.messages++ }
func (c *counter) Room(*wiregauge.Call)            {}
func (c *counter) Closing()                        {}
func (c *counter) Done(*wiregauge.Call)            {}

// testServer answers what the rows below ask for.
type testServer struct {
	testing_.UnimplementedTestServiceServer
}

func (testServer) EmptyCall(context.Context, *testing_.Empty) (*testing_.Empty, error) {
	return &testing_.Empty{}, nil
}

func (testServer) UnaryCall(_ context.Context, r *testing_.SimpleRequest) (*testing_.SimpleResponse, error) {
	return nil, status.Error(codes.Code(r.GetResponseStatus().GetCode()), r.GetResponseStatus().GetMessage())
}

func (testServer) StreamingOutputCall(r *testing_.StreamingOutputCallRequest, s grpc.ServerStreamingServer[testing_.StreamingOutputCallResponse]) error {
	for range r.GetResponseParameters() {
		if err := s.Send(&testing_.StreamingOutputCallResponse{}); err != nil {
			return err
		}
	}
	return nil
}

func (testServer) StreamingInputCall(s grpc.ClientStreamingServer[testing_.StreamingInputCallRequest, testing_.StreamingInputCallResponse]) error {
	for {
		if _, err := s.Recv(); errors.Is(err, io.EOF) {
			return s.SendAndClose(&testing_.StreamingInputCallResponse{})
		} else if err != nil {
			return err
		}
	}
}

func (testServer) FullDuplexCall(s grpc.BidiStreamingServer[testing_.StreamingOutputCallRequest, testing_.StreamingOutputCallResponse]) error {
	for {
		r, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for range r.GetResponseParameters() {
			if err := s.Send(&testing_.StreamingOutputCallResponse{}); err != nil {
				return err
			}
		}
	}
}

func stackClientOf(t *testing.T) wiregauge.Client {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	testing_.RegisterTestServiceServer(s, testServer{})
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	dial := func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
	}
	c, err := ours.NewStackClient(protocol.Options{Scheme: "http", Authority: l.Addr().String()}, dial)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestStackClient: every shape of a call through grpc-go, and what its failures become.
func TestStackClient(t *testing.T) {
	client := stackClientOf(t)
	output := func(n int) proto.Message {
		r := &testing_.StreamingOutputCallRequest{}
		for range n {
			r.ResponseParameters = append(r.ResponseParameters, &testing_.ResponseParameters{Size: 100})
		}
		return r
	}
	fails := &testing_.SimpleRequest{ResponseStatus: &testing_.EchoStatus{Code: 13, Message: `bad, "quoted"` + "\nsecond line"}}
	rows := []struct {
		name, method string
		shape        wiregauge.Shape
		messages     []proto.Message
		received     int
		outcome      wiregauge.Outcome
		status       int
		text         string
	}{
		{"unary", "EmptyCall", wiregauge.Unary, []proto.Message{&testing_.Empty{}}, 1, wiregauge.OK, 0, ""},
		{"server stream", "StreamingOutputCall", wiregauge.ServerStream, []proto.Message{output(10)}, 10, wiregauge.OK, 0, ""},
		{"an empty server stream", "StreamingOutputCall", wiregauge.ServerStream, []proto.Message{output(0)}, 0, wiregauge.OK, 0, ""},
		{"client stream", "StreamingInputCall", wiregauge.ClientStream, []proto.Message{&testing_.StreamingInputCallRequest{}, &testing_.StreamingInputCallRequest{}}, 1, wiregauge.OK, 0, ""},
		{"bidi", "FullDuplexCall", wiregauge.Bidi, []proto.Message{output(3), output(4)}, 7, wiregauge.OK, 0, ""},
		{"a failure keeps its text", "UnaryCall", wiregauge.Unary, []proto.Message{fails}, 0, wiregauge.Failed, 13, "bad, \"quoted\"\nsecond line"},
		{"an unknown method", "Nope", wiregauge.Unary, []proto.Message{&testing_.Empty{}}, 0, wiregauge.Failed, 12, "unknown method Nope for service grpc.testing.TestService"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r := &wiregauge.Request{Method: "/grpc.testing.TestService/" + row.method, Shape: row.shape, Keep: true}
			for _, m := range row.messages {
				b, err := proto.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				r.Messages = append(r.Messages, b)
			}
			ev, c := &counter{}, &wiregauge.Call{Detail: &wiregauge.Detail{}}
			c.Reset(r)
			c.Explain = true
			client.Do(t.Context(), c, ev)
			if c.Outcome != row.outcome || c.Status != row.status || c.Text != row.text {
				t.Fatalf("got %v %d %q, want %v %d %q", c.Outcome, c.Status, c.Text, row.outcome, row.status, row.text)
			}
			if c.Received != row.received || ev.messages != row.received {
				t.Errorf("%d messages, %d told; want %d", c.Received, ev.messages, row.received)
			}
		})
	}
	if s := client.Stats(); s.Opened != 1 || s.Retries+s.Resent != 0 || s.SentBytes == 0 {
		t.Errorf("stats: %+v", s)
	}
}

// An empty message goes out as it is, also where messages are compressed.
func TestStackClientCompresses(t *testing.T) {
	client := stackClientOf(t)
	r, err := ours.Prepare(protocol.Input{Procedure: "/grpc.testing.TestService/StreamingInputCall", Shape: wiregauge.ClientStream,
		Bodies: [][]byte{{}, {0x0a, 0}}, HasBody: true, Compress: "gzip"})
	if err != nil {
		t.Fatal(err)
	}
	c := &wiregauge.Call{}
	c.Reset(r)
	c.Explain = true
	client.Do(t.Context(), c, &counter{})
	if c.Outcome != wiregauge.OK || r.Encoding != "gzip" {
		t.Errorf("%v %q of a call compressed as %q", c.Outcome, c.Text, r.Encoding)
	}
}
