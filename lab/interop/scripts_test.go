//go:build external

package interop

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	testing_ "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/proto"

	"wiregauge"
)

var (
	requestSizes = []int{27182, 8, 1828, 45904}
	replySizes   = []int{31415, 9, 2653, 58979}
)

const largeRequest, largeReply = 271828, 314159

func payload(size int) *testing_.Payload { return &testing_.Payload{Body: make([]byte, size)} }

func newStreamReply() *testing_.StreamingOutputCallResponse {
	return &testing_.StreamingOutputCallResponse{}
}
func newReply() *testing_.SimpleResponse { return &testing_.SimpleResponse{} }

func outputOf(request int, replies ...int) *testing_.StreamingOutputCallRequest {
	r := &testing_.StreamingOutputCallRequest{Payload: payload(request)}
	for _, size := range replies {
		r.ResponseParameters = append(r.ResponseParameters, &testing_.ResponseParameters{Size: int32(size)})
	}
	return r
}

func emptyUnary(t *testing.T, c *client) {
	_, replies := c.unary(t, "EmptyCall", &testing_.Empty{}, ok)
	if len(replies) != 1 || len(replies[0]) != 0 {
		t.Errorf("got %d replies %x, want one empty message", len(replies), replies)
	}
}

func largeUnary(t *testing.T, c *client) {
	_, replies := c.unary(t, "UnaryCall", &testing_.SimpleRequest{ResponseSize: largeReply, Payload: payload(largeRequest)}, ok)
	if got := sizes(t, replies, newReply); !slices.Equal(got, []int{largeReply}) {
		t.Errorf("reply sizes %v, want [%d]", got, largeReply)
	}
}

func clientStreaming(t *testing.T, c *client) {
	m := c.begin(t, t.Context(), request(t, "StreamingInputCall", wiregauge.ClientStream, true))
	want := 0
	for _, size := range requestSizes {
		m.send(t, &testing_.StreamingInputCallRequest{Payload: payload(size)}, false)
		want += size
	}
	m.send(t, nil, true)
	replies := m.end(t, t.Context(), ok)
	got := &testing_.StreamingInputCallResponse{}
	if len(replies) != 1 || proto.Unmarshal(replies[0], got) != nil || got.GetAggregatedPayloadSize() != int32(want) {
		t.Errorf("%d replies, aggregated size %d, want one of %d", len(replies), got.GetAggregatedPayloadSize(), want)
	}
}

func serverStreaming(t *testing.T, c *client) {
	m := c.begin(t, t.Context(), request(t, "StreamingOutputCall", wiregauge.ServerStream, false, outputOf(0, replySizes...)))
	if got := sizes(t, m.end(t, t.Context(), ok), newStreamReply); !slices.Equal(got, replySizes) {
		t.Errorf("reply sizes %v, want %v", got, replySizes)
	}
}

func pingPong(t *testing.T, c *client) {
	m := c.begin(t, t.Context(), request(t, "FullDuplexCall", wiregauge.Bidi, true))
	for i, size := range replySizes {
		m.send(t, outputOf(requestSizes[i], size), false)
		select {
		case reply := <-m.replies:
			if got := sizes(t, [][]byte{reply}, newStreamReply); got[0] != size {
				t.Fatalf("reply %d has %d bytes, want %d", i, got[0], size)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("no reply to message %d", i)
		}
	}
	m.send(t, nil, true)
	if rest := m.end(t, t.Context(), ok); len(rest) != 0 {
		t.Errorf("%d replies too many", len(rest))
	}
}

func emptyStream(t *testing.T, c *client) {
	m := c.begin(t, t.Context(), request(t, "FullDuplexCall", wiregauge.Bidi, true))
	m.send(t, nil, true)
	if replies := m.end(t, t.Context(), ok); len(replies) != 0 {
		t.Errorf("%d replies, want none", len(replies))
	}
}

func timeoutOnSleepingServer(t *testing.T, c *client) {
	ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	r := request(t, "FullDuplexCall", wiregauge.Bidi, true)
	r.Timeout = time.Millisecond
	m := c.begin(t, t.Context(), r)
	err := c.Wait(ctx, m.Call)
	if m.Outcome != wiregauge.Timeout && !(m.Outcome == wiregauge.Failed && m.Status == deadlineExceeded) {
		t.Errorf("ended %v, status %d, %v; want a timeout", m.Outcome, m.Status, err)
	}
}

func cancelAfterBegin(t *testing.T, c *client) {
	m := c.begin(t, t.Context(), request(t, "StreamingInputCall", wiregauge.ClientStream, true))
	c.Cancel(m.Call)
	canceled(t, c, m)
}

func cancelAfterFirstResponse(t *testing.T, c *client) {
	m := c.begin(t, t.Context(), request(t, "FullDuplexCall", wiregauge.Bidi, true))
	m.send(t, outputOf(requestSizes[0], replySizes[0]), false)
	select {
	case <-m.replies:
	case <-time.After(20 * time.Second):
		t.Fatal("no reply")
	}
	c.Cancel(m.Call)
	canceled(t, c, m)
}

// canceled checks the outcome and that the connection goes on.
func canceled(t *testing.T, c *client, m *made) {
	t.Helper()
	if _ = c.Wait(t.Context(), m.Call); m.Outcome != wiregauge.Canceled {
		t.Errorf("ended %v, want canceled", m.Outcome)
	}
	emptyUnary(t, c)
}

func statusCodeAndMessage(t *testing.T, c *client) { echoesStatus(t, c, "test status message") }

func specialStatusMessage(t *testing.T, c *client) {
	echoesStatus(t, c, "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n")
}

func echoesStatus(t *testing.T, c *client, text string) {
	t.Helper()
	asked := &testing_.EchoStatus{Code: unknown, Message: text}
	m, _ := c.unary(t, "UnaryCall", &testing_.SimpleRequest{ResponseStatus: asked}, unknown)
	if m.Text != text {
		t.Errorf("unary: message %q, want %q", m.Text, text)
	}
	m = c.begin(t, t.Context(), request(t, "FullDuplexCall", wiregauge.Bidi, true))
	m.send(t, &testing_.StreamingOutputCallRequest{ResponseStatus: asked}, false)
	_ = c.Send(m.Call, nil, true) // the server may have ended the call already
	if m.end(t, t.Context(), unknown); m.Text != text {
		t.Errorf("full duplex: message %q, want %q", m.Text, text)
	}
}

func customMetadata(t *testing.T, c *client) {
	const initial, trailing = "x-grpc-test-echo-initial", "x-grpc-test-echo-trailing-bin"
	value := base64.RawStdEncoding.EncodeToString([]byte{0xab, 0xab, 0xab})
	header := []wiregauge.Field{{Name: initial, Value: "test_initial_metadata_value"}, {Name: trailing, Value: value}}
	check := func(m *made) {
		t.Helper()
		if got := field(m.Detail.Header, initial); got != header[0].Value {
			t.Errorf("initial metadata %q, want %q", got, header[0].Value)
		}
		if got := strings.TrimRight(field(m.Detail.Trailer, trailing), "="); got != value {
			t.Errorf("trailing metadata %q, want %q", got, value)
		}
	}
	r := request(t, "UnaryCall", wiregauge.Unary, false, &testing_.SimpleRequest{ResponseSize: largeReply, Payload: payload(largeRequest)})
	r.Header = header
	m := c.begin(t, t.Context(), r)
	m.end(t, t.Context(), ok)
	check(m)

	r = request(t, "FullDuplexCall", wiregauge.Bidi, true)
	r.Header, r.Index = header, 1
	m = c.begin(t, t.Context(), r)
	m.send(t, outputOf(largeRequest, largeReply), false)
	m.send(t, nil, true)
	m.end(t, t.Context(), ok)
	check(m)
}

func unimplementedMethod(t *testing.T, c *client) {
	c.unary(t, "UnimplementedCall", &testing_.Empty{}, unimplemented)
}

func unimplementedService(t *testing.T, c *client) {
	r := request(t, "UnimplementedCall", wiregauge.Unary, false, &testing_.Empty{})
	r.Method = "/grpc.testing.UnimplementedService/UnimplementedCall"
	c.begin(t, t.Context(), r).end(t, t.Context(), unimplemented)
}

func gzipBothWays(t *testing.T, c *client) {
	r := request(t, "UnaryCall", wiregauge.Unary, false, &testing_.SimpleRequest{ResponseSize: largeReply, Payload: payload(largeRequest)})
	r.Encoding, r.Messages[0] = "gzip", deflate(t, r.Messages[0])
	m := c.begin(t, t.Context(), r)
	if err := c.Wait(t.Context(), m.Call); err != nil {
		t.Fatal(err)
	}
	close(m.replies)
	if m.Outcome == wiregauge.Failed && m.Status == unimplemented {
		if len(r.Messages[0]) > largeRequest/10 {
			t.Fatal("the request was not compressed")
		}
		return // a server without gzip refuses with UNIMPLEMENTED, which is right too
	}
	if m.Outcome != wiregauge.OK {
		t.Fatalf("ended %v, status %d %q", m.Outcome, m.Status, m.Text)
	}
	if got := sizes(t, [][]byte{<-m.replies}, newReply); !slices.Equal(got, []int{largeReply}) {
		t.Errorf("reply sizes %v, want [%d]", got, largeReply)
	}
}

func rpcSoak(t *testing.T, c *client) {
	for range 10 {
		largeUnary(t, c)
	}
}

func channelSoak(t *testing.T, c *client) {
	for range 10 {
		largeUnary(t, c.again(t))
	}
}
