package prototest

import (
	"net"
	"sync"
)

// A PipeListener is a net.Listener without a network: Dial makes a net.Pipe whose other end Accept returns. A
// write on such a pipe blocks until the peer has read it, so a session that does not read while it writes is stuck.
type PipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// NewPipeListener makes a listener for any server that takes one.
func NewPipeListener() *PipeListener {
	return &PipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

// Dial connects to whoever accepts; nil when the listener is closed.
func (l *PipeListener) Dial() net.Conn {
	near, far := net.Pipe()
	select {
	case l.conns <- far:
		return near
	case <-l.done:
		return nil
	}
}

// Accept implements net.Listener.
func (l *PipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *PipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr implements net.Listener.
func (l *PipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

// slowConn reads a few bytes at a time, so that both directions of the peer are always full.
type slowConn struct{ net.Conn }

func (c slowConn) Read(p []byte) (int, error) { return c.Conn.Read(p[:min(len(p), 700)]) }
