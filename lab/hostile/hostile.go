// Package hostile plays servers that no library can be made to play: they refuse streams, reset after reading,
// send GOAWAY below what they have received, end without trailers, send garbage, endless headers, giant frames and
// bombs. Tests of every client and the reference services use them.
//
// A Play is what happens on one connection. Listen runs one on a port; Plays lists those that need nothing to be
// told. HTTP2 is a small HTTP/2 server on x/net/http2's Framer that obeys the protocol except where it is told
// otherwise. Nothing here is fit to serve anything else.
package hostile

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A Play is what a server does with one connection; it may leave the closing to its caller. It returns when ctx
// ends, for then the connection is closed.
type Play func(ctx context.Context, c net.Conn)

// A Server runs a Play for each connection.
type Server struct {
	listener net.Listener
	play     Play
	secure   *tls.Config
	accepted atomic.Int64
	ctx      context.Context
	cancel   context.CancelFunc
	wg       sync.WaitGroup
}

// Listen runs play on a free port of loopback, over TLS when secure is not nil.
func Listen(play Play, secure *tls.Config) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return Serve(l, play, secure), nil
}

// Serve runs play on the connections of l until Close.
func Serve(l net.Listener, play Play, secure *tls.Config) *Server {
	s := &Server{listener: l, play: play, secure: secure}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.wg.Go(s.accept)
	return s
}

func (s *Server) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.accepted.Add(1)
		s.wg.Go(func() { s.run(c) })
	}
}

func (s *Server) run(c net.Conn) {
	defer c.Close()
	defer context.AfterFunc(s.ctx, func() { c.Close() })()
	if s.secure != nil {
		t := tls.Server(c, s.secure)
		if t.HandshakeContext(s.ctx) != nil {
			return
		}
		c = t
		defer t.Close()
	}
	s.play(s.ctx, c)
}

// Address is where it listens, host:port.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Accepted is how many connections there were.
func (s *Server) Accepted() int { return int(s.accepted.Load()) }

// Close ends the listener and all connections and returns when they have ended.
func (s *Server) Close() {
	s.cancel()
	s.listener.Close()
	s.wg.Wait()
}

// leave ends a connection so that the peer reads everything that was sent before it learns of the end: what it
// still sends is read, for unread bytes would turn the end into a reset.
func leave(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		c.SetReadDeadline(time.Now().Add(5 * time.Second))
		swallow(c)
	}
	c.Close()
}

// swallow reads to the end.
func swallow(c net.Conn) {
	buf := make([]byte, 16<<10)
	for {
		if _, err := c.Read(buf); err != nil {
			return
		}
	}
}

// reset ends a connection so that the peer sees a reset.
func reset(c net.Conn) {
	raw := c
	for {
		layer, ok := raw.(interface{ NetConn() net.Conn })
		if !ok {
			break
		}
		raw = layer.NetConn()
	}
	if t, ok := raw.(*net.TCPConn); ok {
		t.SetLinger(0)
	}
	raw.Close()
}
