package lab

import (
	"fmt"
	"slices"
	"strings"

	"wiregauge"
)

// Failures as RSocket numbers them (Protocol.md, "Error codes").
const (
	applicationError = 0x201
	rejected         = 0x202
	canceled         = 0x203
	badRequest       = 0x204 // INVALID
)

// plantMIME is the name of the entry of composite metadata that plants something for one request.
const plantMIME = "application/x.wg-plant"

// Request is a call, or the opening of the connection, which every client may do.
func (d *desk) Request(id uint64, r *wiregauge.Incoming) error {
	switch {
	case r.Opening:
		d.codec = codecOf(r.Codec)
		return nil
	case r.Push:
		return nil
	}
	route, err := d.find(r)
	if err != nil {
		return err
	}
	d.taken++
	h := heard{id: id, route: route, plant: plantOf(r.Header), oneWay: r.Shape == wiregauge.OneWay}
	if len(r.Data) > wiregauge.Unsent || route.streams() {
		h.body = d.copied(r.Data)
	} else {
		h.from = len(d.arena)
		d.arena = append(d.arena, r.Data...)
		h.to = len(d.arena)
	}
	if route.streams() {
		h.open = d.open(id, route, r.Credit)
		h.open.message(h.body, r.Last)
	}
	d.heard = append(d.heard, h)
	return nil
}

// find is the route of a call. The words are Spring's, as a client may look for them.
func (d *desk) find(r *wiregauge.Incoming) (*route, error) {
	route := d.routes[r.Method]
	switch {
	case route == nil:
		return nil, &wiregauge.Failure{Status: applicationError, Text: fmt.Sprintf("No handler for destination '%s'", r.Method)}
	case !slices.Contains(route.shapes, r.Shape):
		names := make([]string, len(route.shapes))
		for i, shape := range route.shapes {
			names[i] = interaction(shape)
		}
		return nil, &wiregauge.Failure{Status: applicationError, Text: fmt.Sprintf("Destination '%s' does not support %s. Supported interaction(s): [%s]",
			r.Method, interaction(r.Shape), strings.Join(names, ", "))}
	}
	return route, nil
}

// interaction is what RSocket calls a shape.
func interaction(s wiregauge.Shape) string {
	switch s {
	case wiregauge.OneWay:
		return "REQUEST_FNF"
	case wiregauge.ServerStream:
		return "REQUEST_STREAM"
	case wiregauge.Bidi:
		return "REQUEST_CHANNEL"
	}
	return "REQUEST_RESPONSE"
}

// plantOf is what a request asks for of its own.
func plantOf(header []wiregauge.Field) string {
	for _, f := range header {
		if f.Name == plantMIME || f.Name == plantHeaderName {
			return f.Value
		}
	}
	return ""
}

// Message is one more message of a channel.
func (d *desk) Message(id uint64, body []byte, last bool) {
	c := d.calls[id]
	if c == nil {
		return
	}
	if body != nil {
		body = d.copied(body)
	}
	c.message(body, last)
	d.ready.push(c)
}

// Room is credit for a stream.
func (d *desk) Room(id uint64, credit int64) {
	if c := d.calls[id]; c != nil {
		c.credit(credit)
		d.ready.push(c)
	}
}

// Cancel is a call that its client gave up.
func (d *desk) Cancel(id uint64) {
	for i := range d.heard {
		if d.heard[i].id == id && !d.heard[i].answered && d.heard[i].open == nil {
			d.heard[i].oneWay = true // it came and went in one read: counted, not answered
		}
	}
	d.drop(id)
}
