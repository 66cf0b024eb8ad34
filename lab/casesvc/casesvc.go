// Package casesvc is the service t.Svc that tests of the whole tool call: methods that echo, wait, fail, hang and
// stream, over gRPC and, with the same behaviour, over HTTP. It records the exact bytes of each message it receives.
//
// Over HTTP the methods are POST /t.Svc/NAME. Bodies are JSON, or protobuf under the content type
// application/protobuf; streams have one JSON message a line. A failure is a 500 whose body is its text. Any other
// path is a 404.
package casesvc

import (
	"context"
	"crypto/tls"
	"net"
	"slices"
	"sync"
	"time"

	"wiregauge/internal/testcert"
	"wiregauge/lab/plant"
)

// FailureText is what Half and Fail fail with: a comma, quotes and two lines.
const FailureText = "bad, \"quoted\"\nsecond line"

// Options shape a Server. The zero value is a plain-text server with full reflection.
type Options struct {
	Reflection Reflection
	TLS        bool
	Clock      plant.Clock // nil: real time
	// Messages is how many answers Stream gives: 0 means 10, below 0 without end.
	Messages int
	// SlowFrom and SlowBy delay Echo from that call on (from 1; 0 never).
	SlowFrom int64
	SlowBy   time.Duration
	// Keep is how many messages are kept with their bytes: 0 means 10,000. Counts have no bound.
	Keep int
}

// Reflection is how much a Server tells about itself.
type Reflection int

// The kinds of reflection servers that are met.
const (
	ReflectBoth        Reflection = iota // v1 and v1alpha, both complete
	ReflectNone                          // no reflection service
	ReflectAlpha                         // v1alpha only
	ReflectServiceOnly                   // knows the symbol t.Svc, but says "Symbol not found" to t.Svc.Echo
	ReflectNames                         // lists services, and knows no symbol at all
)

// A Message is one message as it was received.
type Message struct {
	Protocol string // "grpc" or "http"
	Method   string // "Echo"
	Bytes    []byte
}

// A Server answers t.Svc until it is closed. It is safe for concurrent use.
type Server struct {
	options Options
	clock   plant.Clock
	ca      *testcert.CA
	grpc    net.Listener
	http    net.Listener
	ctx     context.Context
	cancel  context.CancelFunc
	close   []func()
	wg      sync.WaitGroup

	mu       sync.Mutex
	messages []Message
	calls    map[string]int64 // by method
	canceled map[string]int64
}

// Start opens the gRPC and the HTTP listener on free ports of loopback.
func Start(o Options) (*Server, error) {
	s := &Server{options: o, clock: o.Clock, calls: map[string]int64{}, canceled: map[string]int64{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if s.clock == nil {
		s.clock = plant.Real()
	}
	if s.options.Keep == 0 {
		s.options.Keep = 10_000
	}
	if err := s.start(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Server) start() (err error) {
	var secure *tls.Config
	if s.options.TLS {
		if s.ca, err = testcert.NewCA(); err != nil {
			return err
		}
		if secure, err = s.ca.Server(); err != nil {
			return err
		}
	}
	if s.grpc, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	s.serveGRPC(secure.Clone())
	if s.http, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	s.serveHTTP(secure.Clone())
	return nil
}

// GRPC is the address of the gRPC listener, host:port.
func (s *Server) GRPC() string { return s.grpc.Addr().String() }

// HTTP is the address of the HTTP listener, host:port, for HTTP/1.1 and HTTP/2.
func (s *Server) HTTP() string { return s.http.Addr().String() }

// URL is a target: scheme "grpc", "grpcs", "http", "https", "h2c" or "h2", method "Echo".
func (s *Server) URL(scheme, method string) string {
	at := s.HTTP()
	if scheme == "grpc" || scheme == "grpcs" {
		at = s.GRPC()
	}
	return scheme + "://" + at + "/t.Svc/" + method
}

// CA signed the server's certificate; nil without TLS.
func (s *Server) CA() *testcert.CA { return s.ca }

// Calls is how many calls of a method were received, unary ones once their message had come.
func (s *Server) Calls(method string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// Canceled is how many calls of a method the client gave up.
func (s *Server) Canceled(method string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.canceled[method]
}

// Messages lists what was received, in order, up to the number that is kept.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}

// Reset forgets what was counted and kept.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = nil
	clear(s.calls)
	clear(s.canceled)
}

// Close ends everything and returns when it has ended.
func (s *Server) Close() {
	s.cancel()
	for _, f := range slices.Backward(s.close) {
		f()
	}
	s.wg.Wait()
}

// called counts a call and returns its number among those of its method, from 1.
func (s *Server) called(method string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[method]++
	return s.calls[method]
}

// received keeps a message.
func (s *Server) received(protocol, method string, b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.messages) < s.options.Keep {
		s.messages = append(s.messages, Message{protocol, method, slices.Clone(b)})
	}
}

// gaveUp counts a call whose client went away.
func (s *Server) gaveUp(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.canceled[method]++
}

// streamed is whether Stream gives an answer after n of them.
func (s *Server) streamed(n int) bool {
	switch {
	case s.options.Messages < 0:
		return true
	case s.options.Messages == 0:
		return n < 10
	}
	return n < s.options.Messages
}

// unary is what a unary method does before it answers, on any protocol: it waits, and it may fail. A call that
// ends with ctx was given up.
func (s *Server) unary(ctx context.Context, method string) (ok bool, err error) {
	n := s.called(method)
	wait := time.Duration(0)
	ok = true
	switch method {
	case "Echo":
		if s.options.SlowFrom > 0 && n >= s.options.SlowFrom {
			wait = s.options.SlowBy
		}
	case "Slow":
		wait = 100 * time.Millisecond
	case "Half":
		if n%2 == 0 {
			wait, ok = 200*time.Millisecond, false
		}
	case "Fail":
		ok = false
	case "Hang":
		<-ctx.Done()
		err = ctx.Err()
	}
	if err == nil && wait > 0 {
		err = s.clock.Sleep(ctx, wait)
	}
	if err != nil {
		s.gaveUp(method)
	}
	return ok, err
}

var unaryMethods = []string{"Echo", "Slow", "Half", "Fail", "Hang"}
