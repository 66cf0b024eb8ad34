//go:build external

package interop

import (
	"bytes"
	"context"
	"crypto/tls"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/proto"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/grpc"
	"wiregauge/wire"
)

const service = "/grpc.testing.TestService/"

// gRPC status codes that the cases expect.
const (
	ok               = 0
	unknown          = 2
	unimplemented    = 12
	deadlineExceeded = 4
)

// interopCases are the cases of grpc/grpc doc/interop-test-descriptions.md that need no cloud credentials.
var interopCases = []struct {
	name string
	run  func(t *testing.T, c *client)
}{
	{"empty_unary", emptyUnary},
	{"large_unary", largeUnary},
	{"client_streaming", clientStreaming},
	{"server_streaming", serverStreaming},
	{"ping_pong", pingPong},
	{"empty_stream", emptyStream},
	{"timeout_on_sleeping_server", timeoutOnSleepingServer},
	{"cancel_after_begin", cancelAfterBegin},
	{"cancel_after_first_response", cancelAfterFirstResponse},
	{"status_code_and_message", statusCodeAndMessage},
	{"special_status_message", specialStatusMessage},
	{"custom_metadata", customMetadata},
	{"unimplemented_method", unimplementedMethod},
	{"unimplemented_service", unimplementedService},
	{"gzip both ways", gzipBothWays},
	{"rpc_soak", rpcSoak},
	{"channel_soak", channelSoak},
}

// client is one connection to the server under test.
type client struct {
	*wire.Exchange
	again func(t *testing.T) *client // another connection
}

func dial(t *testing.T, address string, secure *tls.Config) *client {
	t.Helper()
	options := protocol.Options{Scheme: "http", Authority: address}
	if secure != nil {
		options.Scheme = "https"
	}
	conn, err := wire.Dialer{Network: "tcp", Address: address, TLS: secure}.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	x, err := wire.NewExchange(t.Context(), conn, func(ev wiregauge.Events) wiregauge.Session { return grpc.New(options, ev) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	return &client{x, func(t *testing.T) *client { return dial(t, address, secure) }}
}

// answers waits until the server answers a call.
func answers(t *testing.T, address string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		conn, err := wire.Dialer{Network: "tcp", Address: address}.Dial(ctx)
		if err == nil {
			conn.Close()
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s did not come up: %v", address, err)
		}
	}
}

// request is what one call sends; more may come through Send when open.
func request(t *testing.T, method string, shape wiregauge.Shape, open bool, messages ...proto.Message) *wiregauge.Request {
	t.Helper()
	r := &wiregauge.Request{Method: service + method, Shape: shape, Open: open, Keep: true, Accept: "gzip"}
	for _, m := range messages {
		r.Messages = append(r.Messages, marshal(t, m))
	}
	return r
}

// made is a call that was started, with what came back.
type made struct {
	*wiregauge.Call
	client  *client
	replies chan []byte
}

func (c *client) begin(t *testing.T, ctx context.Context, r *wiregauge.Request) *made {
	t.Helper()
	m := &made{Call: &wiregauge.Call{Detail: &wiregauge.Detail{}}, client: c, replies: make(chan []byte, 1<<10)}
	m.Reset(r)
	m.Explain = true
	if err := c.Start(ctx, m.Call, wire.Handler{Message: func(b []byte) { m.replies <- bytes.Clone(b) }}); err != nil {
		t.Fatal(err)
	}
	return m
}

// end waits for the status and checks it.
func (m *made) end(t *testing.T, ctx context.Context, code int) [][]byte {
	t.Helper()
	if err := m.client.Wait(ctx, m.Call); err != nil && m.Outcome == wiregauge.Unfinished {
		t.Fatal(err)
	}
	close(m.replies)
	var all [][]byte
	for r := range m.replies {
		all = append(all, r)
	}
	if (m.Outcome == wiregauge.OK) != (code == ok) || m.Outcome == wiregauge.Failed && m.Status != code {
		t.Fatalf("ended %v with status %d %q, want status %d", m.Outcome, m.Status, m.Text, code)
	}
	return all
}

func (m *made) send(t *testing.T, message proto.Message, last bool) {
	t.Helper()
	var raw []byte
	if message != nil {
		raw = marshal(t, message)
	}
	if err := m.client.Send(m.Call, raw, last); err != nil {
		t.Fatal(err)
	}
}

func (c *client) unary(t *testing.T, method string, in proto.Message, code int) (*made, [][]byte) {
	t.Helper()
	m := c.begin(t, t.Context(), request(t, method, wiregauge.Unary, false, in))
	return m, m.end(t, t.Context(), code)
}

func marshal(t *testing.T, m proto.Message) []byte {
	t.Helper()
	raw, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// sizes are the payload sizes of messages of the named type.
func sizes[M interface {
	proto.Message
	GetPayload() *grpc_testing.Payload
}](t *testing.T, replies [][]byte, empty func() M) []int {
	t.Helper()
	var out []int
	for _, raw := range replies {
		m := empty()
		if err := proto.Unmarshal(raw, m); err != nil {
			t.Fatal(err)
		}
		out = append(out, len(m.GetPayload().GetBody()))
	}
	return out
}

func field(fields []wiregauge.Field, name string) string {
	var values []string
	for _, f := range fields {
		if f.Name == name {
			values = append(values, f.Value)
		}
	}
	return strings.Join(values, ",")
}
