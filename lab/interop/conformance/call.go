package main

import (
	"bytes"
	stdgzip "compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"wiregauge"
	"wiregauge/contract"
	"wiregauge/protocol"
	"wiregauge/protocol/grpc"
	"wiregauge/wire"
)

// gRPC codes that the lane, not the peer, decides.
const (
	codeCanceled          = 1
	codeUnknown           = 2
	codeDeadlineExceeded  = 4
	codeResourceExhausted = 8
	codeUnavailable       = 14
)

// carryOut makes one call as asked, on a connection of its own. An error means that it could not be made at all.
func carryOut(ctx context.Context, methods *contract.Contract, r *request) (*response, error) {
	if r.version != http2 || r.protocol != protocolGRPC {
		return nil, errors.New("this client speaks gRPC over HTTP/2 only")
	}
	method, err := methods.Method(r.service + "/" + r.method)
	if err != nil {
		return nil, err
	}
	x, err := connect(ctx, r)
	if err != nil {
		return &response{code: codeUnavailable, message: err.Error(), unsent: len(r.messages)}, nil
	}
	defer x.Close()
	if r.timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, r.timeout)
		defer stop()
	}
	c := newCaller(x, r, method.Shape)
	return c.call(ctx)
}

func connect(ctx context.Context, r *request) (*wire.Exchange, error) {
	d := wire.Dialer{Network: "tcp", Address: r.address()}
	options := protocol.Options{Scheme: "http", Authority: r.address()}
	if len(r.certificate) > 0 {
		options.Scheme = "https"
		d.TLS = &tls.Config{RootCAs: x509.NewCertPool(), ServerName: r.host, NextProtos: []string{"h2"}}
		if !d.TLS.RootCAs.AppendCertsFromPEM(r.certificate) {
			return nil, errors.New("the server's certificate is not PEM")
		}
		if len(r.clientCert) > 0 {
			pair, err := tls.X509KeyPair(r.clientCert, r.clientKey)
			if err != nil {
				return nil, fmt.Errorf("client certificate: %w", err)
			}
			d.TLS.Certificates = []tls.Certificate{pair}
		}
	}
	conn, err := d.Dial(ctx)
	if err != nil {
		return nil, err
	}
	return wire.NewExchange(ctx, conn, func(ev wiregauge.Events) wiregauge.Session { return grpc.New(options, ev) })
}

// caller is one call being made.
type caller struct {
	*request
	exchange *wire.Exchange
	made     *wiregauge.Call
	got      chan []byte // messages of the answer, in order
	done     chan error  // the end of the call
	replies  [][]byte
	sent     int
}

func newCaller(x *wire.Exchange, r *request, shape wiregauge.Shape) *caller {
	sent := &wiregauge.Request{
		Method: "/" + r.service + "/" + r.method, Header: r.header, Shape: shape,
		Open: true, Keep: true, MaxReply: r.limit, Timeout: r.timeout, Accept: "gzip",
	}
	if r.compression == gzip {
		sent.Encoding = "gzip"
	}
	c := &wiregauge.Call{Detail: &wiregauge.Detail{}}
	c.Reset(sent)
	c.Explain = true
	// The answer may run far ahead of the reader of got; what a case sends fits this many messages.
	return &caller{request: r, exchange: x, made: c, got: make(chan []byte, 1<<12), done: make(chan error, 1)}
}

func (c *caller) call(ctx context.Context) (*response, error) {
	err := c.exchange.Start(ctx, c.made, wire.Handler{Message: func(body []byte) { c.got <- bytes.Clone(body) }})
	if err != nil {
		return nil, err
	}
	go func() {
		c.done <- c.exchange.Wait(ctx, c.made)
		close(c.got)
	}()
	c.send(ctx)
	if c.sent == len(c.messages) {
		c.close(ctx)
	}
	for body := range c.got {
		c.take(body)
	}
	<-c.done
	return c.result(), nil
}

// send sends the messages, in full duplex each after the answer to the one before.
func (c *caller) send(ctx context.Context) {
	for _, m := range c.messages {
		if !pause(ctx, c.delay) {
			return
		}
		if c.compression == gzip {
			m = deflate(m)
		}
		if err := c.exchange.Send(c.made, m, false); err != nil {
			return
		}
		c.sent++
		if c.stream == fullDuplex {
			body, ok := <-c.got
			if !ok {
				return
			}
			c.take(body)
		}
	}
}

// close ends our side, or cancels as the case asks.
func (c *caller) close(ctx context.Context) {
	if c.cancel != nil && c.cancel.beforeClose {
		c.exchange.Cancel(c.made)
		return
	}
	_ = c.exchange.Send(c.made, nil, true)
	if c.cancel != nil && c.cancel.after < 0 {
		pause(ctx, c.cancel.delay)
		c.exchange.Cancel(c.made)
	}
}

// take keeps one message of the answer and cancels after as many as the case says.
func (c *caller) take(body []byte) {
	if c.cancel != nil && c.cancel.after >= 0 && len(c.replies) >= c.cancel.after {
		return
	}
	c.replies = append(c.replies, body)
	if c.cancel != nil && len(c.replies) == c.cancel.after {
		c.exchange.Cancel(c.made)
	}
}

func (c *caller) result() *response {
	r := &response{header: metadata(c.made.Detail.Header), trailer: metadata(c.made.Detail.Trailer),
		unsent: len(c.messages) - c.sent}
	for _, m := range c.replies {
		var payload []byte // the first field of every reply of the suite; absent means empty
		_ = fields(m, func(n protowire.Number, _ uint64, b []byte) error {
			if n == 1 {
				payload = b
			}
			return nil
		})
		r.payloads = append(r.payloads, payload)
	}
	if c.made.Outcome == wiregauge.OK {
		return r
	}
	r.code, r.message = code(c.made), c.made.Text
	if !c.made.Shape.StreamsIn() {
		r.payloads = nil // a library hands out the one answer or the error
	}
	_ = fields(c.made.Detail.StatusDetails, func(n protowire.Number, _ uint64, b []byte) error {
		if n == 3 {
			r.details = append(r.details, b)
		}
		return nil
	})
	return r
}

// code is the status a gRPC library would report.
func code(c *wiregauge.Call) int {
	switch c.Outcome {
	case wiregauge.Timeout:
		return codeDeadlineExceeded
	case wiregauge.Canceled:
		return codeCanceled
	case wiregauge.TooLarge:
		return codeResourceExhausted
	case wiregauge.Closed, wiregauge.Unprocessed, wiregauge.Refused:
		return codeUnavailable
	}
	if c.Status == 0 {
		return codeUnknown
	}
	return c.Status
}

// metadata is the header without what HTTP/2 and gRPC themselves sent; binary values lose their padding.
func metadata(header []wiregauge.Field) []wiregauge.Field {
	var own []wiregauge.Field
	for _, f := range header {
		if strings.HasPrefix(f.Name, ":") {
			continue
		}
		if strings.HasSuffix(f.Name, "-bin") {
			f.Value = strings.TrimRight(f.Value, "=")
		}
		own = append(own, f)
	}
	return own
}

func deflate(m []byte) []byte {
	var b bytes.Buffer
	w := stdgzip.NewWriter(&b)
	_, _ = w.Write(m)
	_ = w.Close()
	return b.Bytes()
}

// pause waits as the case asks; false when the call's time is over.
func pause(ctx context.Context, d time.Duration) bool {
	if d == 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
