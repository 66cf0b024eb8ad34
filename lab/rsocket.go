package lab

import (
	"crypto/tls"
	"net"
	"strings"
	"time"

	"wiregauge"
	"wiregauge/protocol/rsocket"
)

// rsocketNames are the protocols of RSocket, each on a listener of its own.
var rsocketNames = []string{"rsocket+tcp", "rsocket+ws", "rsocket+tls", "rsocket+wss"}

// isRSocket reports whether the protocol is one of them.
func isRSocket(protocol string) bool { return strings.HasPrefix(protocol, "rsocket+") }

// overWebSocket reports whether it is carried by WebSocket.
func overWebSocket(protocol string) bool { return strings.HasPrefix(protocol, "rsocket+ws") }

// A counter serves one listener of a protocol for which there is no library that a service would use: our own
// responders answer, and what is planted is applied here, once for all of them.
type counter struct {
	s      *Server
	routes map[string]*route
	make   func(wiregauge.Handler) wiregauge.Responder
}

// serveRSocket answers RSocket on l until the Server is closed.
func (s *Server) serveRSocket(l net.Listener, secure *tls.Config, protocol string) {
	s.newCounter(protocol).serve(l, secure)
}

func (s *Server) newCounter(protocol string) *counter {
	serving := rsocket.Serving{WebSocket: overWebSocket(protocol)}
	if p := s.plant; p.Lease > 0 {
		serving.Lease = rsocket.Lease{Requests: p.Lease, TimeToLive: p.LeaseFor, Every: p.LeaseEvery}
	}
	return &counter{s: s, routes: s.routes(), make: func(h wiregauge.Handler) wiregauge.Responder {
		return rsocket.NewResponder(serving, h)
	}}
}

// serve accepts connections until the Server is closed.
func (c *counter) serve(l net.Listener, secure *tls.Config) {
	l = c.s.ledger.count(l)
	c.s.onClose(func() { l.Close() })
	c.s.run(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if secure != nil {
				conn = tls.Server(conn, secure)
			}
			c.s.run(func() { c.newDesk(conn).serve() })
		}
	})
}

// lingering is how long a peer that was asked to go may take, and how long a connection that we end is read on, so that
// no reset overtakes the last answers.
const lingering = 2 * time.Second
