package stack_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/stack"
)

// ends are the calls of ClientStats that tell of connections.
type ends struct{ opened, ended, goAways, closes, resets int64 }

func endsOf(c wiregauge.Client) ends {
	s := c.Stats()
	return ends{s.Opened, s.Ended, s.GoAways, s.Closes, s.Resets}
}

// awaitEnds waits until n connections have ended: libraries close them in goroutines of their own.
func awaitEnds(t *testing.T, c wiregauge.Client, n int64) {
	t.Helper()
	late := time.After(10 * time.Second)
	for tick := time.NewTicker(time.Millisecond); endsOf(c).ended < n; {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%d connections ended, want %d", endsOf(c).ended, n)
		}
	}
}

// TestEnds: a library opens and closes connections on its own; each one is counted, with its reason where it is known.
func TestEnds(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/close" {
			w.Header().Set("Connection", "close")
		}
	}))
	defer server.Close()
	address := server.Listener.Addr().String()
	for _, tt := range []struct {
		name string
		path string
		once bool
		want ends
	}{
		{"the server says close", "/close", false, ends{opened: 3, ended: 3, closes: 3}},
		{"kept alive", "/", false, ends{opened: 1}},
		{"a connection per call", "/", true, ends{opened: 3, ended: 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := stack.NewHTTP(protocol.Options{Scheme: "http", Authority: address, OneCall: tt.once}, dialer(address), false)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			for range 3 {
				call := &wiregauge.Call{}
				call.Reset(&wiregauge.Request{Method: "GET " + tt.path})
				if c.Do(t.Context(), call, &told{}); call.Outcome != wiregauge.OK {
					t.Fatalf("%v %s", call.Outcome, call.Text)
				}
			}
			awaitEnds(t, c, tt.want.ended)
			if got := endsOf(c); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestEndsAfterGoAway: where the frames can be read the reason is the GOAWAY, not the end that follows it.
func TestEndsAfterGoAway(t *testing.T) {
	var received atomic.Int64
	address := hostile(t, goAwayBelow, 1, &received, false)
	c, err := stack.NewHTTP(protocol.Options{Scheme: "http", Authority: address}, dialer(address), true)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	call := &wiregauge.Call{}
	call.Reset(&wiregauge.Request{Method: "GET /"})
	if c.Do(t.Context(), call, &told{}); call.Outcome != wiregauge.OK || call.Resent != 1 {
		t.Fatalf("%v %s, resent %d", call.Outcome, call.Text, call.Resent)
	}
	awaitEnds(t, c, 1)
	if got, want := endsOf(c), (ends{opened: 2, ended: 1, goAways: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestEndsUnderTLS: a server that closes an idle connection says so inside TLS before it ends the one below.
func TestEndsUnderTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	address := server.Listener.Addr().String()
	trust := server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	trust.ServerName = "example.com" // as httptest's certificate says
	c, err := stack.NewHTTP(protocol.Options{Scheme: "https", Authority: address, TLS: trust}, dialer(address), false)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	call := &wiregauge.Call{}
	call.Reset(&wiregauge.Request{Method: "GET /"})
	if c.Do(t.Context(), call, &told{}); call.Status != http.StatusNotFound {
		t.Fatalf("%v %d %s", call.Outcome, call.Status, call.Text)
	}
	server.CloseClientConnections()
	awaitEnds(t, c, 1)
	if got, want := endsOf(c), (ends{opened: 1, ended: 1, closes: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
