package stack_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/stack"
)

// told records what a client fires.
type told struct {
	sent, first int
	bodies      []string
}

func (t *told) Sent(*wiregauge.Call)                   { t.sent++ }
func (t *told) First(*wiregauge.Call)                  { t.first++ }
func (t *told) Message(_ *wiregauge.Call, body []byte) { t.bodies = append(t.bodies, string(body)) }
func (t *told) Room(*wiregauge.Call)                   {}
func (t *told) Closing()                               {}
func (t *told) Done(*wiregauge.Call)                   {}

func dialer(address string) protocol.Dial {
	return func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", address)
	}
}

func answering(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch r.URL.Path {
	case "/missing":
		http.Error(w, "nothing here", http.StatusNotFound)
	case "/moved":
		http.Redirect(w, r, "/echo", http.StatusFound)
	case "/abort":
		panic(http.ErrAbortHandler)
	default:
		w.Header().Set("X-Host", r.Host)
		_, _ = w.Write(body)
	}
}

// serve starts one of the three kinds of server and makes a client of it.
func serve(t *testing.T, two, secure bool) wiregauge.Client {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(answering))
	s.Config.ErrorLog = nil
	s.EnableHTTP2 = two && secure
	if two && !secure {
		s.Config.Protocols = new(http.Protocols)
		s.Config.Protocols.SetUnencryptedHTTP2(true)
	}
	o := protocol.Options{Scheme: "http", Authority: s.Listener.Addr().String()}
	if secure {
		s.StartTLS()
		alpn := "http/1.1"
		if two {
			alpn = "h2"
		}
		o.Scheme = "https"
		o.TLS = &tls.Config{RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, ServerName: "example.com", NextProtos: []string{alpn}}
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	c, err := stack.NewHTTP(o, dialer(o.Authority), two)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestHTTPClient(t *testing.T) {
	kinds := []struct {
		name        string
		two, secure bool
	}{{"HTTP/1.1", false, false}, {"HTTP/1.1 over TLS", false, true}, {"HTTP/2 in clear", true, false}, {"HTTP/2 over TLS", true, true}}
	calls := []struct {
		name, method, body string
		maxReply           int
		outcome            wiregauge.Outcome
		status             int
		text               string
	}{
		{"an echo", "POST /echo?x=1", "hello", 0, wiregauge.OK, 200, ""},
		{"an empty body", "POST /echo", "", 0, wiregauge.OK, 200, ""},
		{"a large echo", "POST /echo", strings.Repeat("x", 1<<20), 0, wiregauge.OK, 200, ""},
		{"an error with its body", "GET /missing", "", 0, wiregauge.Failed, 404, "nothing here\n"},
		{"a redirect is an answer", "GET /moved", "", 0, wiregauge.OK, 302, ""},
		{"an answer beyond the limit", "POST /echo", "0123456789", 5, wiregauge.TooLarge, 200, "the answer is larger than 5 bytes; --max-reply raises the limit"},
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			client := serve(t, k.two, k.secure)
			for _, row := range calls {
				t.Run(row.name, func(t *testing.T) {
					r := &wiregauge.Request{Method: row.method, Keep: true, MaxReply: row.maxReply}
					if strings.HasPrefix(row.method, "POST") {
						r.Messages = [][]byte{[]byte(row.body)}
					}
					ev, c := &told{}, &wiregauge.Call{Detail: &wiregauge.Detail{}}
					c.Reset(r)
					c.Explain = true
					client.Do(t.Context(), c, ev)
					if c.Outcome != row.outcome || c.Status != row.status || c.Text != row.text {
						t.Fatalf("got %v %d %q, want %v %d %q", c.Outcome, c.Status, c.Text, row.outcome, row.status, row.text)
					}
					if ev.sent != 1 || ev.first != 1 {
						t.Errorf("sent fired %d times and first %d times, want once each", ev.sent, ev.first)
					}
					if row.outcome == wiregauge.OK && row.status == 200 && strings.Join(ev.bodies, "") != row.body {
						t.Errorf("the echo came back with %d bytes, want %d", len(strings.Join(ev.bodies, "")), len(row.body))
					}
				})
			}
			s := client.Stats()
			if s.Opened != 1 || s.Retries != 0 || s.Resent != 0 {
				t.Errorf("%d connections, %d retries, %d resent; want one connection and no second try", s.Opened, s.Retries, s.Resent)
			}
			if s.SentBytes <= s.Sent.Body || s.ReceivedBytes <= s.Received.Body || s.Sent.Body < 1<<20 {
				t.Errorf("bytes: %+v", s)
			}
		})
	}
}

func TestAbandonedCalls(t *testing.T) {
	block := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-block:
		case <-r.Context().Done():
		}
	}))
	defer s.Close()
	defer close(block)
	address := s.Listener.Addr().String()
	client, err := stack.NewHTTP(protocol.Options{Scheme: "http", Authority: address}, dialer(address), false)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	canceled, cancel := context.WithCancel(t.Context())
	defer cancel()
	late, stop := context.WithDeadline(t.Context(), timeZero)
	defer stop()
	for _, row := range []struct {
		name string
		ctx  context.Context
		want wiregauge.Outcome
	}{{"canceled", canceled, wiregauge.Canceled}, {"past its deadline", late, wiregauge.Timeout}} {
		t.Run(row.name, func(t *testing.T) {
			cancel()
			c := &wiregauge.Call{}
			c.Reset(&wiregauge.Request{Method: "GET /"})
			if client.Do(row.ctx, c, &told{}); c.Outcome != row.want {
				t.Errorf("got %v, want %v", c.Outcome, row.want)
			}
		})
	}
}

func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	if _, err := stack.NewHTTP(protocol.Options{Scheme: "http", Authority: address}, dialer(address), false); err == nil {
		t.Error("a client of a closed port was made without an error")
	}
}
