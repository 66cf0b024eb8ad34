package stack

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"wiregauge"
	"wiregauge/protocol"
)

// httpClient is one net/http Transport that keeps to one connection.
type httpClient struct {
	Conns
	transport *http.Transport
	options   protocol.Options
	first     atomic.Pointer[net.Conn] // opened before the clock starts, for the transport's first dial
	templates sync.Map                 // *wiregauge.Request → *http.Request
	pool      sync.Pool                // of *exchange
}

// NewHTTP makes a net/http client for HTTP/1.1 or, when two is set, HTTP/2. Its connection is opened at once.
func NewHTTP(o protocol.Options, dial protocol.Dial, two bool) (wiregauge.Client, error) {
	c := &httpClient{options: o}
	c.pool.New = func() any { return &exchange{buf: make([]byte, 32<<10)} }
	open := func(ctx context.Context) (net.Conn, error) { return c.open(ctx, dial, two) }
	ctx, cancel := context.WithTimeout(context.Background(), ConnectTime(o))
	defer cancel()
	conn, err := open(ctx)
	if err != nil {
		return nil, err
	}
	c.first.Store(&conn)
	take := func(ctx context.Context, _, _ string) (net.Conn, error) {
		if conn := c.first.Swap(nil); conn != nil {
			return *conn, nil
		}
		return open(ctx)
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!two)
	protocols.SetHTTP2(two && o.TLS != nil)
	protocols.SetUnencryptedHTTP2(two && o.TLS == nil)
	c.transport = &http.Transport{
		DialContext: take, DialTLSContext: take, Protocols: protocols,
		DisableCompression: true, DisableKeepAlives: o.OneCall, MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1,
		MaxResponseHeaderBytes: int64(MaxHeader(o)),
		HTTP2:                  &http.HTTP2Config{StrictMaxConcurrentRequests: true},
	}
	return c, nil
}

// ConnectTime is how long a library may take for its first connection.
func ConnectTime(o protocol.Options) time.Duration { return cmp.Or(o.ConnectTimeout, 5*time.Second) }

// MaxHeader is how many bytes of headers a library may take in for one answer.
func MaxHeader(o protocol.Options) int { return cmp.Or(o.MaxHeader, 1<<20) }

// open makes one connection, counted, under TLS handshaken, in clear HTTP/2 watched.
func (c *httpClient) open(ctx context.Context, dial protocol.Dial, two bool) (net.Conn, error) {
	plain, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	conn := c.Count(plain)
	if c.options.TLS == nil {
		if two {
			return c.Watch(conn), nil
		}
		return conn, nil
	}
	secure := tls.Client(conn, c.options.TLS)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	if two {
		return secure, nil // net/http speaks HTTP/2 on nothing else
	}
	return &secured{secure, under(conn)}, nil
}

// Stats says what the transport did.
func (c *httpClient) Stats() wiregauge.ClientStats { return c.Conns.Stats() }

// Close ends the connection.
func (c *httpClient) Close() error {
	if conn := c.first.Swap(nil); conn != nil {
		return (*conn).Close()
	}
	c.transport.CloseIdleConnections()
	return nil
}

// Do sends the request and reads the whole answer.
func (c *httpClient) Do(ctx context.Context, call *wiregauge.Call, ev wiregauge.Events) {
	x := c.pool.Get().(*exchange)
	defer c.pool.Put(x)
	x.call, x.ev, x.size = call, ev, 0
	tries := &tries{Hooks: NewHooks(call, ev)}
	defer tries.Done()
	template, err := c.template(call.Request)
	if err != nil {
		call.Outcome, call.Text = wiregauge.Local, err.Error()
		return
	}
	request := template.WithContext(httptrace.WithClientTrace(ctx, tries.trace()))
	if template.Body != nil {
		request.Body, _ = template.GetBody()
	}
	answer, err := c.transport.RoundTrip(request)
	if err == nil {
		if answer.Close && !c.options.OneCall {
			tries.closing()
		}
		err = x.read(answer)
	}
	c.Body(bodySize(call.Request), x.size)
	if err != nil {
		fail(ctx, call, err)
	}
	if conns, wrote := tries.count(); call.Outcome != wiregauge.Local {
		c.Tried(call, conns, wrote)
	}
}
