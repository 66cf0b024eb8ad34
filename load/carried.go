package load

import (
	"wiregauge"
	"wiregauge/result"
)

// carried is what connections have carried, by kind, and as the socket saw it.
type carried struct {
	sent, received         wiregauge.Traffic
	wireSent, wireReceived int64
	secure                 bool
	library                bool // a stack client's: only bodies can be told from the rest
}

func addTraffic(a, b wiregauge.Traffic, sign int64) wiregauge.Traffic {
	return wiregauge.Traffic{
		Body:    a.Body + sign*b.Body,
		Framing: a.Framing + sign*b.Framing,
		Headers: a.Headers + sign*b.Headers,
		Control: a.Control + sign*b.Control,
	}
}

func (c *carried) add(o carried) { *c = c.plus(o, 1) }

func (c carried) plus(o carried, sign int64) carried {
	return carried{
		sent:         addTraffic(c.sent, o.sent, sign),
		received:     addTraffic(c.received, o.received, sign),
		wireSent:     c.wireSent + sign*o.wireSent,
		wireReceived: c.wireReceived + sign*o.wireReceived,
		secure:       c.secure || o.secure,
		library:      c.library || o.library,
	}
}

// carried is what the link has carried so far.
func (k *link) carried() carried {
	if k.client != nil {
		s := k.client.Stats()
		return carried{sent: s.Sent, received: s.Received, wireSent: s.SentBytes, wireReceived: s.ReceivedBytes, library: true}
	}
	var c carried
	c.wireSent, c.wireReceived = k.out.Conn.Bytes()
	c.secure = k.out.Conn.Secure()
	if n, ok := k.out.Session.(wiregauge.Counter); ok {
		c.sent, c.received = n.Traffic()
	}
	return c
}

// bytes tells one direction. Without TLS the socket carries what the session counts. Of what a library sends only the
// bodies are known, and the sum.
func (c carried) bytes(t wiregauge.Traffic, wire int64) result.Bytes {
	b := result.Bytes{Body: t.Body, Framing: t.Framing, Headers: t.Headers, Control: t.Control, Wire: wire}
	switch {
	case t.Total() == 0, c.library:
	case c.secure:
		b.TLS = max(wire-t.Total(), 0)
	default:
		b.Wire = t.Total()
	}
	return b
}

func (c carried) sentBytes() result.Bytes     { return c.bytes(c.sent, c.wireSent) }
func (c carried) receivedBytes() result.Bytes { return c.bytes(c.received, c.wireReceived) }

// carried is what all links of the lane have carried since it began.
func (l *lane) carried() carried {
	c := l.past
	for _, k := range l.links {
		c.add(k.carried())
	}
	return c
}
