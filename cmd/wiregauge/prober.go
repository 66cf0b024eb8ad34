package main

import (
	"context"

	"wiregauge"
	"wiregauge/wire"
)

// A prober makes the calls of the fair test one after the other, on a connection as the arm's own kind of client has it.
type prober interface {
	// do carries c out. message is called for each message of the answer, also from another goroutine, before it returns.
	do(ctx context.Context, c *wiregauge.Call, message func(body []byte)) error
	// carried is how many bytes the connection has carried, TLS included.
	carried() (sent, received int64)
	close()
}

// connect opens a connection within --connect-timeout, the peer's hello included.
func (r *readyArm) connect(ctx context.Context) (prober, *wire.Info, error) {
	if limit := r.target.Dialer.Timeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	conn, err := r.target.Dialer.Dial(ctx)
	if err != nil {
		return nil, nil, err
	}
	info := conn.Info()
	x, err := wire.NewExchange(ctx, conn, r.target.session)
	if err != nil || r.target.Client == "wire" {
		return wireProber{x}, &info, err
	}
	x.Close() // it was to see who is there, which a library does not tell: its errors come with the first call
	client, err := r.target.stack()
	return libraryProber{client}, &info, err
}

// hello sees who is there, on a connection of its own, before net/http makes calls on HTTP/2: of a server of another
// protocol that library tells with every call, and a load would measure nothing else.
func (p *prepared) hello(ctx context.Context) error {
	if p.Client != "stack" || p.Protocol.Name != "http2" {
		return nil
	}
	if limit := p.Dialer.Timeout; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	conn, err := p.Dialer.Dial(ctx)
	if err != nil {
		return err
	}
	x, err := wire.NewExchange(ctx, conn, p.session)
	if err == nil {
		x.Close()
	}
	return err
}

// A wireProber is our own client.
type wireProber struct{ x *wire.Exchange }

func (p wireProber) do(ctx context.Context, c *wiregauge.Call, message func([]byte)) error {
	return p.x.Do(ctx, c, wire.Handler{Message: message})
}

func (p wireProber) carried() (sent, received int64) {
	s, r, tlsSent, tlsReceived := p.x.Traffic()
	return s.Total() + tlsSent, r.Total() + tlsReceived
}

func (p wireProber) close() { p.x.Close() }

// A libraryProber is the library that a Go service would use.
type libraryProber struct{ client wiregauge.Client }

func (p libraryProber) do(ctx context.Context, c *wiregauge.Call, message func([]byte)) error {
	c.Permit = 0
	p.client.Do(ctx, c, messages(message))
	return nil
}

func (p libraryProber) carried() (sent, received int64) {
	s := p.client.Stats()
	return s.SentBytes, s.ReceivedBytes
}

func (p libraryProber) close() { _ = p.client.Close() }

// messages is Events of which only the messages are of interest.
type messages func(body []byte)

func (m messages) Message(_ *wiregauge.Call, body []byte) { m(body) }
func (messages) Sent(*wiregauge.Call)                     {}
func (messages) First(*wiregauge.Call)                    {}
func (messages) Room(*wiregauge.Call)                     {}
func (messages) Closing()                                 {}
func (messages) Done(*wiregauge.Call)                     {}

var (
	_ prober           = wireProber{}
	_ prober           = libraryProber{}
	_ wiregauge.Events = messages(nil)
)
