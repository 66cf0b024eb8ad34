package wire

import (
	"wiregauge"
)

// exchangeOwner and exchangeEvents are the Exchange as its Outbox and its session see it.
type (
	exchangeOwner  Exchange
	exchangeEvents Exchange
)

// Fill starts waiting calls and pulls what is queued.
func (o *exchangeOwner) Fill() {
	x := (*Exchange)(o)
	if x.ended {
		return
	}
	x.start()
	before := len(x.out.buf)
	x.out.Flush()
	x.tap.pass(x.out.buf[before:], true)
	x.settle()
	for _, p := range x.calls { // the buffer has room again
		p.wake()
	}
}

// Sending is of no use here: single calls are stamped when they are appended.
func (o *exchangeOwner) Sending(bool) {}

// settle tells the callers of finished calls.
func (x *Exchange) settle() {
	for _, p := range x.finished {
		close(p.done)
	}
	x.finished = x.finished[:0]
}

func (p *pending) wake() {
	select {
	case p.room <- struct{}{}:
	default:
	}
}

// Sent stamps the call.
func (e *exchangeEvents) Sent(c *wiregauge.Call) {
	if p := e.calls[c]; p != nil {
		p.sent(e.now)
	}
}

// First stamps the call.
func (e *exchangeEvents) First(c *wiregauge.Call) {
	c.First = e.now
	if p := e.calls[c]; p != nil && p.h.First != nil {
		p.h.First()
	}
}

// Message passes one body on.
func (e *exchangeEvents) Message(c *wiregauge.Call, body []byte) {
	if p := e.calls[c]; p != nil && p.h.Message != nil {
		p.h.Message(body)
	}
}

// Room lets a blocked Send try again; waiting Starts are tried after every Receive anyway.
func (e *exchangeEvents) Room(c *wiregauge.Call) {
	if c == nil {
		return
	}
	if p := e.calls[c]; p != nil {
		p.wake()
	}
}

// Closing tells every open call that this connection takes no more.
func (e *exchangeEvents) Closing() {
	e.closing = true
	for _, p := range e.calls {
		if p.h.Closing != nil {
			p.h.Closing()
		}
	}
}

// Done stamps the call; its caller is told once the session has returned.
func (e *exchangeEvents) Done(c *wiregauge.Call) {
	c.Done = e.now
	c.Overdue(e.now)
	p := e.calls[c]
	if p == nil {
		return
	}
	delete(e.calls, c)
	e.finished = append(e.finished, p)
}

var _ wiregauge.Events = (*exchangeEvents)(nil)

// A tap passes the bytes of a connection to whom wants to see them, in order: the latest Handler that has a Bytes.
// Until the first one comes it keeps what has passed, at most 64 KiB.
type tap struct {
	to   func(p []byte, sent bool)
	kept []tapped
	size int
}

type tapped struct {
	p    []byte
	sent bool
}

func (t *tap) join(f func(p []byte, sent bool)) {
	if f == nil {
		return
	}
	for _, k := range t.kept {
		f(k.p, k.sent)
	}
	t.kept, t.to = nil, f
}

func (t *tap) pass(p []byte, sent bool) {
	switch {
	case len(p) == 0:
	case t.to != nil:
		t.to(p, sent)
	case t.size < wiregauge.Unsent:
		t.size += len(p)
		t.kept = append(t.kept, tapped{append([]byte(nil), p...), sent})
	}
}
