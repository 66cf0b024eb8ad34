package lab

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// webServer is a net/http server for the protocols given ("http", "h2c" or "https", "h2").
func (s *Server) webServer(protocols []string, secure *tls.Config) *http.Server {
	var p http.Protocols
	for _, name := range protocols {
		switch name {
		case "http", "https":
			p.SetHTTP1(true)
		case "h2c":
			p.SetUnencryptedHTTP2(true)
		case "h2":
			p.SetHTTP2(true)
		}
	}
	h := &http.Server{
		Handler:     s.aged(s.restHandler(s.counted)),
		Protocols:   &p,
		TLSConfig:   secure,
		IdleTimeout: s.plant.Idle,
		ErrorLog:    log.New(io.Discard, "", 0), // a client that hangs up is no news here
		BaseContext: func(net.Listener) context.Context { return s.ctx },
		ConnState:   s.ledger.connState,
	}
	if n := s.plant.Streams; n > 0 {
		h.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: n}
	}
	h.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if s.plant.Age > 0 || s.plant.Requests > 0 {
			ctx = context.WithValue(ctx, tenureKey{}, &tenure{born: s.clock.Now()})
		}
		return withStamps(ctx, c)
	}
	return h
}

// tenure is what ageing needs to know of a connection.
type tenure struct {
	born  time.Duration
	calls atomic.Int64
}

type tenureKey struct{}

// aged asks a connection to go away once it is old or has had its number of requests: net/http answers
// "Connection: close" on HTTP/1.1 and GOAWAY on HTTP/2.
func (s *Server) aged(next http.Handler) http.Handler {
	age, requests := s.plant.Age, int64(s.plant.Requests)
	if age == 0 && requests == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := r.Context().Value(tenureKey{}).(*tenure)
		n := t.calls.Add(1)
		if requests > 0 && n >= requests || age > 0 && s.clock.Now()-t.born >= age {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// abort resets a call: on HTTP/2 its stream, on HTTP/1.1 its connection. It does not return.
func abort(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor == 1 {
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			resetConn(c)
		}
	}
	panic(http.ErrAbortHandler)
}

// resetConn closes a connection so that its peer sees a reset, not an end.
func resetConn(c net.Conn) {
	if t, ok := inside(c).(*net.TCPConn); ok {
		t.SetLinger(0)
		t.Close()
	}
	c.Close()
}

// inside is the socket under the layers of a connection.
func inside(c net.Conn) net.Conn {
	for {
		layer, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return c
		}
		c = layer.NetConn()
	}
}

// serveWeb runs h on l until the Server is closed.
func (s *Server) serveWeb(h *http.Server, l net.Listener) {
	s.onClose(func() { h.Close() })
	s.run(func() {
		if h.TLSConfig != nil {
			h.ServeTLS(l, "", "")
			return
		}
		h.Serve(l)
	})
}

// connState counts connections as net/http tells of them.
func (l *ledger) connState(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		l.accepted.Add(1)
		l.open.Add(1)
	case http.StateClosed, http.StateHijacked:
		l.open.Add(-1)
	}
}

// count wraps a listener so that its connections are counted.
func (l *ledger) count(inner net.Listener) net.Listener { return &countingListener{inner, l} }

type countingListener struct {
	net.Listener
	ledger *ledger
}

func (l *countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.ledger.accepted.Add(1)
	l.ledger.open.Add(1)
	return &countedConn{Conn: c, ledger: l.ledger}, nil
}

type countedConn struct {
	net.Conn
	ledger *ledger
	closed atomic.Bool
}

func (c *countedConn) Close() error {
	if !c.closed.Swap(true) {
		c.ledger.open.Add(-1)
	}
	return c.Conn.Close()
}

// NetConn is the connection inside, as crypto/tls names it.
func (c *countedConn) NetConn() net.Conn { return c.Conn }

// CloseWrite ends our side alone, so that a server can leave without a reset that overtakes its last answers.
func (c *countedConn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

// admin answers GET /stats and POST /reset.
func (s *Server) admin() *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /stats", func(w http.ResponseWriter, r *http.Request) {
		reset := r.URL.Query().Has("reset")
		writeJSON(w, s.ledger.read(reset))
	})
	mux.HandleFunc("POST /reset", func(w http.ResponseWriter, _ *http.Request) {
		if s.journal != nil {
			s.journal.Read(true)
		}
		writeJSON(w, s.ledger.read(true))
	})
	s.serveTruth(mux)
	return &http.Server{Handler: mux, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: 10 * time.Second}
}

func hostPort(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }
