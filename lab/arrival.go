package lab

import (
	"context"
	"net"
	"time"

	"google.golang.org/grpc/peer"
)

// A stampedConn knows when the kernel received what was read from it last. Handlers find it in their context, or by
// its remote address, which is what grpc-go hands on.
type stampedConn struct {
	net.Conn
	stamps
}

// maxAge is how old a stamp may be: an older one tells of a clock that was set, not of a call that waited.
const maxAge = 10 * time.Second

// stampArrivals wraps a listener so that arrivals are stamped where the system can.
func stampArrivals(inner net.Listener) net.Listener {
	askForStamps(inner) // connections inherit it: the first bytes are stamped too
	return &stampingListener{inner}
}

type stampingListener struct{ net.Listener }

func (l *stampingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	s := &stampedConn{Conn: c}
	s.begin(c)
	return s, nil
}

// NetConn is the connection inside, as crypto/tls names it.
func (c *stampedConn) NetConn() net.Conn { return c.Conn }

// CloseWrite ends our side alone.
func (c *stampedConn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return net.ErrClosed
	}
	return half.CloseWrite()
}

// RemoteAddr is the peer's address, which also says whose it is.
func (c *stampedConn) RemoteAddr() net.Addr { return stampedAddr{c.Conn.RemoteAddr(), c} }

type stampedAddr struct {
	net.Addr
	conn *stampedConn
}

type stampKey struct{}

// withStamps puts the stamped layer of a connection, if there is one, into a context.
func withStamps(ctx context.Context, c net.Conn) context.Context {
	for {
		if s, ok := c.(*stampedConn); ok {
			return context.WithValue(ctx, stampKey{}, s)
		}
		layer, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return ctx
		}
		c = layer.NetConn()
	}
}

// arrived is when the call that ctx belongs to reached this machine, on the server's clock: by the kernel's stamp where
// there is one, else now. Where several calls share a connection the stamp is that of what was read last, which is
// never before the call arrived.
func (s *Server) arrived(ctx context.Context) time.Duration {
	now := s.clock.Now()
	if s.journal == nil {
		return now
	}
	c, _ := ctx.Value(stampKey{}).(*stampedConn)
	if c == nil {
		p, ok := peer.FromContext(ctx)
		if !ok {
			return now
		}
		a, ok := p.Addr.(stampedAddr)
		if !ok {
			return now
		}
		c = a.conn
	}
	if age, ok := c.age(); ok && age >= 0 && age < maxAge {
		return now - age
	}
	return now
}
