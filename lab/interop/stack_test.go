//go:build external

package interop

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	testing_ "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/proto"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/grpc"
)

// stackCases are the interop cases whose messages are known before the call: the stack client sends them all and reads
// all answers.
var stackCases = []struct {
	name string
	run  func(t *testing.T, c wiregauge.Client)
}{
	{"empty_unary", stackEmptyUnary},
	{"large_unary", stackLargeUnary},
	{"client_streaming", stackClientStreaming},
	{"server_streaming", stackServerStreaming},
	{"both ways without waiting", stackBothWays},
	{"empty_stream", stackEmptyStream},
	{"status_code_and_message", stackStatus("test status message")},
	{"special_status_message", stackStatus("\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n")},
	{"custom_metadata", stackMetadata},
	{"unimplemented_method", stackUnimplemented("/grpc.testing.TestService/UnimplementedCall")},
	{"unimplemented_service", stackUnimplemented("/grpc.testing.UnimplementedService/UnimplementedCall")},
	{"gzip both ways", stackGzip},
	{"a deadline that passes", stackDeadline},
}

// TestGRPCInteropStack runs the interop cases with the stack client against each server.
func TestGRPCInteropStack(t *testing.T) {
	ran := 0
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			address, secure := s.start(t)
			client := stackClient(t, address, secure)
			for _, c := range stackCases {
				t.Run(c.name, func(t *testing.T) { c.run(t, client) })
				ran++
			}
			if got := client.Stats(); got.Opened != 1 || got.Retries != 0 || got.Resent != 0 {
				t.Errorf("%d connections opened, %d retries, %d resent; want one connection and no second try", got.Opened, got.Retries, got.Resent)
			}
		})
	}
	t.Logf("%d cases", ran)
}

func stackClient(t *testing.T, address string, secure *tls.Config) wiregauge.Client {
	t.Helper()
	options := protocol.Options{Scheme: "http", Authority: address, TLS: secure}
	if secure != nil {
		options.Scheme, options.Authority = "https", secure.ServerName
	}
	c, err := grpc.NewStackClient(options, func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", address)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// replies keeps the messages of one call.
type replies struct{ all [][]byte }

func (r *replies) Message(_ *wiregauge.Call, body []byte) { r.all = append(r.all, bytes.Clone(body)) }
func (*replies) Sent(*wiregauge.Call)                     {}
func (*replies) First(*wiregauge.Call)                    {}
func (*replies) Room(*wiregauge.Call)                     {}
func (*replies) Closing()                                 {}
func (*replies) Done(*wiregauge.Call)                     {}

// do makes one call and checks its status.
func do(t *testing.T, c wiregauge.Client, r *wiregauge.Request, code int) (*wiregauge.Call, [][]byte) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	call, got := &wiregauge.Call{Detail: &wiregauge.Detail{}}, &replies{}
	call.Reset(r)
	call.Explain = true
	c.Do(ctx, call, got)
	if (call.Outcome == wiregauge.OK) != (code == ok) || call.Outcome == wiregauge.Failed && call.Status != code {
		t.Fatalf("ended %v with status %d %q, want status %d", call.Outcome, call.Status, call.Text, code)
	}
	if call.Received != len(got.all) {
		t.Errorf("%d messages counted, %d came", call.Received, len(got.all))
	}
	return call, got.all
}

func stackEmptyUnary(t *testing.T, c wiregauge.Client) {
	_, got := do(t, c, request(t, "EmptyCall", wiregauge.Unary, false, &testing_.Empty{}), ok)
	if len(got) != 1 || len(got[0]) != 0 {
		t.Errorf("got %d replies %x, want one empty message", len(got), got)
	}
}

func stackLargeUnary(t *testing.T, c wiregauge.Client) {
	_, got := do(t, c, request(t, "UnaryCall", wiregauge.Unary, false, largeQuestion()), ok)
	if n := sizes(t, got, newReply); !slices.Equal(n, []int{largeReply}) {
		t.Errorf("reply sizes %v, want [%d]", n, largeReply)
	}
}

func largeQuestion() *testing_.SimpleRequest {
	return &testing_.SimpleRequest{ResponseSize: largeReply, Payload: payload(largeRequest)}
}

func stackClientStreaming(t *testing.T, c wiregauge.Client) {
	var messages []proto.Message
	want := 0
	for _, size := range requestSizes {
		messages = append(messages, &testing_.StreamingInputCallRequest{Payload: payload(size)})
		want += size
	}
	_, got := do(t, c, request(t, "StreamingInputCall", wiregauge.ClientStream, false, messages...), ok)
	sum := &testing_.StreamingInputCallResponse{}
	if len(got) != 1 || proto.Unmarshal(got[0], sum) != nil || sum.GetAggregatedPayloadSize() != int32(want) {
		t.Errorf("%d replies, aggregated size %d, want one of %d", len(got), sum.GetAggregatedPayloadSize(), want)
	}
}

func stackServerStreaming(t *testing.T, c wiregauge.Client) {
	_, got := do(t, c, request(t, "StreamingOutputCall", wiregauge.ServerStream, false, outputOf(0, replySizes...)), ok)
	if n := sizes(t, got, newStreamReply); !slices.Equal(n, replySizes) {
		t.Errorf("reply sizes %v, want %v", n, replySizes)
	}
}

func stackBothWays(t *testing.T, c wiregauge.Client) {
	var messages []proto.Message
	for i, size := range replySizes {
		messages = append(messages, outputOf(requestSizes[i], size))
	}
	_, got := do(t, c, request(t, "FullDuplexCall", wiregauge.Bidi, false, messages...), ok)
	if n := sizes(t, got, newStreamReply); !slices.Equal(n, replySizes) {
		t.Errorf("reply sizes %v, want %v", n, replySizes)
	}
}

func stackEmptyStream(t *testing.T, c wiregauge.Client) {
	if _, got := do(t, c, request(t, "FullDuplexCall", wiregauge.Bidi, false), ok); len(got) != 0 {
		t.Errorf("%d replies, want none", len(got))
	}
}

func stackStatus(text string) func(*testing.T, wiregauge.Client) {
	return func(t *testing.T, c wiregauge.Client) {
		asked := &testing_.EchoStatus{Code: unknown, Message: text}
		one, _ := do(t, c, request(t, "UnaryCall", wiregauge.Unary, false, &testing_.SimpleRequest{ResponseStatus: asked}), unknown)
		both, _ := do(t, c, request(t, "FullDuplexCall", wiregauge.Bidi, false, &testing_.StreamingOutputCallRequest{ResponseStatus: asked}), unknown)
		if one.Text != text || both.Text != text {
			t.Errorf("messages %q and %q, want %q", one.Text, both.Text, text)
		}
	}
}

func stackMetadata(t *testing.T, c wiregauge.Client) {
	const initial, trailing = "x-grpc-test-echo-initial", "x-grpc-test-echo-trailing-bin"
	value := base64.RawStdEncoding.EncodeToString([]byte{0xab, 0xab, 0xab})
	for _, r := range []*wiregauge.Request{
		request(t, "UnaryCall", wiregauge.Unary, false, largeQuestion()),
		request(t, "FullDuplexCall", wiregauge.Bidi, false, outputOf(largeRequest, largeReply)),
	} {
		r.Header = []wiregauge.Field{{Name: initial, Value: "test_initial_metadata_value"}, {Name: trailing, Value: value}}
		call, _ := do(t, c, r, ok)
		if got := field(call.Detail.Header, initial); got != r.Header[0].Value {
			t.Errorf("%s: initial metadata %q, want %q", r.Method, got, r.Header[0].Value)
		}
		if got := strings.TrimRight(field(call.Detail.Trailer, trailing), "="); got != value {
			t.Errorf("%s: trailing metadata %q, want %q", r.Method, got, value)
		}
	}
}

func stackUnimplemented(method string) func(*testing.T, wiregauge.Client) {
	return func(t *testing.T, c wiregauge.Client) {
		r := request(t, "", wiregauge.Unary, false, &testing_.Empty{})
		r.Method = method
		do(t, c, r, unimplemented)
	}
}

// stackGzip accepts a refusal too: a server without gzip says UNIMPLEMENTED.
func stackGzip(t *testing.T, c wiregauge.Client) {
	r := request(t, "UnaryCall", wiregauge.Unary, false, largeQuestion())
	r.Encoding, r.Messages[0] = "gzip", deflate(t, r.Messages[0])
	call, got := &wiregauge.Call{}, &replies{}
	call.Reset(r)
	call.Explain = true
	c.Do(t.Context(), call, got)
	if call.Outcome == wiregauge.Failed && call.Status == unimplemented {
		return
	}
	if n := sizes(t, got.all, newReply); call.Outcome != wiregauge.OK || !slices.Equal(n, []int{largeReply}) {
		t.Errorf("ended %v, status %d %q, reply sizes %v", call.Outcome, call.Status, call.Text, n)
	}
}

// stackDeadline asks for replies that come a minute apart from one another, where the server can do that.
func stackDeadline(t *testing.T, c wiregauge.Client) {
	asked := outputOf(0, 1, 1)
	asked.ResponseParameters[1].IntervalUs = 60_000_000
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	call, got := &wiregauge.Call{}, &replies{}
	call.Reset(request(t, "FullDuplexCall", wiregauge.Bidi, false, asked))
	c.Do(ctx, call, got)
	if call.Outcome != wiregauge.Timeout && (call.Outcome != wiregauge.OK || len(got.all) != 2) {
		t.Errorf("ended %v with status %d and %d replies; want a timeout", call.Outcome, call.Status, len(got.all))
	}
}
