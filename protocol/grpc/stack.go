package grpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/gzip" // --compress and --accept with the stack client
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/stack"
)

// stackClient is one grpc-go ClientConn on one connection at a time.
type stackClient struct {
	stack.Conns
	conn      *grpc.ClientConn
	limit     time.Duration // of the first connection; later ones are the library's own affair
	broken    lastError     // of a connection, for grpc-go does not tell
	templates sync.Map      // *wiregauge.Request → *template
}

// A lastError is why the latest connection could not be had.
type lastError struct {
	mu  sync.Mutex
	err error
}

func (l *lastError) set(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

// get is that error; without one the connection stood and the server did not speak HTTP/2.
func (l *lastError) get() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		return errors.New("no answer to the hello")
	}
	return l.err
}

// NewStackClient makes a grpc-go client. Its connection is opened before it returns.
func NewStackClient(o protocol.Options, dial protocol.Dial) (wiregauge.Client, error) {
	c := &stackClient{limit: stack.ConnectTime(o)}
	userAgent := o.UserAgent
	if userAgent == "" {
		userAgent = defaultUserAgent
	}
	conn, err := grpc.NewClient("passthrough:///"+o.Authority,
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			plain, err := dial(ctx)
			c.broken.set(err)
			if err != nil {
				return nil, err
			}
			return c.Count(plain), nil
		}),
		grpc.WithTransportCredentials(watching{c.credentials(o.TLS), &c.Conns, &c.broken}),
		grpc.WithAuthority(o.Authority), grpc.WithUserAgent(userAgent), grpc.WithStatsHandler(watcher{}),
		grpc.WithDisableServiceConfig(), grpc.WithNoProxy(), grpc.WithMaxHeaderListSize(uint32(stack.MaxHeader(o))),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32)))
	if err != nil {
		return nil, err
	}
	c.conn = conn
	if err := c.connect(); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

func (c *stackClient) credentials(cfg *tls.Config) credentials.TransportCredentials {
	if cfg == nil {
		return insecure.NewCredentials()
	}
	return credentials.NewTLS(cfg)
}

// connect waits until the connection stands or is refused.
func (c *stackClient) connect() error {
	ctx, cancel := context.WithTimeout(context.Background(), c.limit)
	defer cancel()
	c.conn.Connect()
	for {
		switch s := c.conn.GetState(); s {
		case connectivity.Ready:
			return nil
		case connectivity.TransientFailure, connectivity.Shutdown:
			return fmt.Errorf("grpc-go: %w", c.broken.get())
		default:
			if !c.conn.WaitForStateChange(ctx, s) {
				return fmt.Errorf("grpc-go: no connection within %v: %w", c.limit, ctx.Err())
			}
		}
	}
}

// Close ends the connection.
func (c *stackClient) Close() error { return c.conn.Close() }

// Stats says what the library did.
func (c *stackClient) Stats() wiregauge.ClientStats { return c.Conns.Stats() }

// Do carries out one call: all its messages are sent, then the answer is read to its end.
func (c *stackClient) Do(ctx context.Context, call *wiregauge.Call, ev wiregauge.Events) {
	t, err := c.template(call.Request)
	if err != nil {
		call.Outcome, call.Text = wiregauge.Local, err.Error()
		return
	}
	a := &attempts{Hooks: stack.NewHooks(call, ev)}
	defer a.Done()
	ctx = context.WithValue(metadata.NewOutgoingContext(ctx, t.metadata), attemptsKey{}, a)
	c.Body(t.size, 0)
	err = c.exchange(ctx, call, ev, t)
	judge(ctx, call, err)
	c.Tried(call, int(a.begun.Load()), int(a.wrote.Load()))
}

func (c *stackClient) exchange(ctx context.Context, call *wiregauge.Call, ev wiregauge.Events, t *template) error {
	r := received{keep: call.Keep || call.Credit > 0}
	if call.Shape == wiregauge.Unary {
		var header, trailer metadata.MD
		options := t.options
		if call.Detail != nil {
			options = append(options[:len(options):len(options)], grpc.Header(&header), grpc.Trailer(&trailer))
		}
		err := c.conn.Invoke(ctx, call.Method, t.messages[0], &r, options...)
		if call.Detail != nil {
			call.Detail.Header, call.Detail.Trailer = fields(header), fields(trailer)
		}
		if err == nil {
			c.take(call, ev, &r)
		}
		return err
	}
	return c.stream(ctx, call, ev, t, &r)
}

// stream sends every message and reads every answer.
func (c *stackClient) stream(ctx context.Context, call *wiregauge.Call, ev wiregauge.Events, t *template, r *received) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	desc := &grpc.StreamDesc{ServerStreams: call.Shape.StreamsIn(), ClientStreams: call.Shape.StreamsOut()}
	s, err := c.conn.NewStream(ctx, desc, call.Method, t.options...)
	if err != nil {
		return err
	}
	go func() { // both directions at once: an echo fills both windows
		for _, m := range t.messages {
			if s.SendMsg(m) != nil {
				return // RecvMsg has the reason
			}
		}
		_ = s.CloseSend()
	}()
	for {
		if err = s.RecvMsg(r); err != nil {
			break
		}
		c.take(call, ev, r)
		if !desc.ServerStreams {
			break
		}
	}
	if call.Detail != nil {
		header, _ := s.Header()
		call.Detail.Header, call.Detail.Trailer = fields(header), fields(s.Trailer())
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (c *stackClient) take(call *wiregauge.Call, ev wiregauge.Events, r *received) {
	c.Body(0, r.size)
	call.Received++
	if r.keep {
		ev.Message(call, r.body)
	}
}

// received is one message of the answer: counted, and kept when asked.
type received struct {
	keep bool
	size int
	body []byte
}

// asIs is a codec that leaves messages as they are. Its empty name sends content-type application/grpc.
type asIs struct{}

func (asIs) Name() string { return "" }

func (asIs) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}

func (asIs) Unmarshal(data mem.BufferSlice, v any) error {
	r := v.(*received)
	r.size = data.Len()
	if r.keep {
		r.body = data.Materialize()
	}
	return nil
}

var (
	_ encoding.CodecV2 = asIs{}
	_ wiregauge.Client = (*stackClient)(nil)
)
