package stack

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"wiregauge"
	"wiregauge/protocol"
)

// maxText is how much of an error's body is kept.
const maxText = 1 << 10

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
	conn, err := open(context.Background())
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
		HTTP2: &http.HTTP2Config{StrictMaxConcurrentRequests: true},
	}
	return c, nil
}

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
	return secure, nil
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
	if conns, wrote := tries.count(); conns > 1 && call.Outcome != wiregauge.Local {
		c.SecondTry(call, wrote <= 1)
	}
}

// template is the request without its context and body reader, made once.
func (c *httpClient) template(r *wiregauge.Request) (*http.Request, error) {
	if t, ok := c.templates.Load(r); ok {
		return t.(*http.Request), nil
	}
	verb, path, _ := strings.Cut(r.Method, " ")
	u, err := url.Parse(c.options.Scheme + "://" + c.options.Authority + path)
	if err != nil {
		return nil, fmt.Errorf("path %q: %w", path, err)
	}
	t, err := http.NewRequest(verb, u.String(), nil)
	if err != nil {
		return nil, err
	}
	if len(r.Messages) > 0 {
		body := bytes.Join(r.Messages, nil)
		t.ContentLength = int64(len(body))
		t.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		t.Body = http.NoBody
	}
	t.Header.Set("User-Agent", cmp.Or(c.options.UserAgent, "wiregauge/1"))
	for i, f := range r.Header {
		if i == 0 || !strings.EqualFold(r.Header[i-1].Name, f.Name) {
			t.Header.Del(f.Name)
		}
		t.Header.Add(f.Name, f.Value)
	}
	c.templates.Store(r, t)
	return t, nil
}

func bodySize(r *wiregauge.Request) (n int) {
	for _, m := range r.Messages {
		n += len(m)
	}
	return n
}

// exchange is one call's state, reused.
type exchange struct {
	call *wiregauge.Call
	ev   wiregauge.Events
	size int
	buf  []byte
	kept []byte
}

// read takes the answer: its status, and its body to the end.
func (x *exchange) read(answer *http.Response) error {
	defer answer.Body.Close()
	c := x.call
	c.Status, c.Outcome = answer.StatusCode, wiregauge.OK
	if answer.StatusCode >= 400 {
		c.Outcome = wiregauge.Failed
	}
	if c.Detail != nil {
		c.Detail.StatusLine = answer.Proto + " " + answer.Status
		c.Detail.Header = fields(answer.Header)
	}
	keep := c.Keep || c.Credit > 0
	x.kept, x.size = x.kept[:0], 0
	for {
		n, err := answer.Body.Read(x.buf)
		x.size += n
		if keep || c.Outcome == wiregauge.Failed && c.Explain && len(x.kept) < maxText {
			x.kept = append(x.kept, x.buf[:n]...)
		}
		if c.MaxReply > 0 && x.size > c.MaxReply {
			c.Outcome = wiregauge.TooLarge
			c.Text = "the answer is larger than " + strconv.Itoa(c.MaxReply) + " bytes"
			return nil
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if c.Detail != nil {
		c.Detail.Trailer = fields(answer.Trailer)
	}
	c.Received = 1
	if c.Outcome == wiregauge.Failed && c.Explain {
		c.Text = string(x.kept[:min(len(x.kept), maxText)])
	}
	if keep {
		x.ev.Message(c, x.kept)
	}
	return nil
}

func fields(h http.Header) (out []wiregauge.Field) {
	for name, values := range h {
		for _, v := range values {
			out = append(out, wiregauge.Field{Name: strings.ToLower(name), Value: v})
		}
	}
	return out
}
