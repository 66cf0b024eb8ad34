package stack

import (
	"net"
	"net/http/httptrace"
	"sync"
)

// tries follows what net/http does for one call: on how many connections it tried, and how often it wrote the request.
type tries struct {
	*Hooks
	mu    sync.Mutex
	conn  net.Conn // of the last try
	conns int
	wrote int
}

func (y *tries) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) {
			y.mu.Lock()
			defer y.mu.Unlock()
			y.conn, y.conns = i.Conn, y.conns+1
		},
		WroteHeaders: func() {
			y.mu.Lock()
			defer y.mu.Unlock()
			y.wrote++
		},
		WroteRequest: func(httptrace.WroteRequestInfo) { y.Sent() },
		GotFirstResponseByte: func() {
			y.Sent() // the hook above may come later than this one
			y.First()
		},
	}
}

func (y *tries) count() (conns, wrote int) {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.conns, y.wrote
}

// closing notes that the server has said that it closes the connection; the library does it then.
func (y *tries) closing() {
	y.mu.Lock()
	defer y.mu.Unlock()
	if c := under(y.conn); c != nil {
		c.end(byServer)
	}
}
