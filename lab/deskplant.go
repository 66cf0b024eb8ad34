package lab

import (
	"time"

	"wiregauge"
	"wiregauge/lab/plant"
)

// plan has a call wait for what is planted.
func (d *desk) plan(h *heard, p *plant.Planter, body []byte) {
	c := h.open
	if c == nil {
		id := h.id
		if h.oneWay {
			d.unheard++
			id = 1<<63 | d.unheard // its stream is over already, and may be used again
		}
		c = d.open(id, h.route, 1)
		c.input = [][]byte{append([]byte(nil), body...)}
	}
	h.route.meter.begin()
	oneWay := h.oneWay
	d.s.run(func() { d.wait(c, p, oneWay) })
}

// wait sits through it and carries it out.
func (d *desk) wait(c *openCall, p *plant.Planter, oneWay bool) {
	fate, err := p.Call(c.ctx, c.arrived)
	if err == nil && fate.Act == plant.Hang {
		<-c.ctx.Done()
		err = c.ctx.Err()
	}
	if err == nil && fate.Act == plant.Answer && fate.Body.Chunks > 0 {
		err = d.s.until(c.ctx, fate.End())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	c.fate = fate
	if err != nil || d.calls[c.id] != c {
		c.cancel()
		d.s.note(c.arrived, fate.End(), c.start, false)
		c.route.meter.end(time.Since(c.start), false)
		return
	}
	d.carryOut(c, oneWay)
	d.kick()
}

// carryOut gives a call what is planted for it.
func (d *desk) carryOut(c *openCall, oneWay bool) {
	var failure error
	switch c.fate.Act {
	case plant.Fail:
		failure = &wiregauge.Failure{Status: int(c.fate.Code.RSocket()), Text: plantedText}
	case plant.Reset:
		failure = &wiregauge.Failure{Status: canceled, Text: plantedText}
	case plant.Refuse:
		failure = &wiregauge.Failure{Status: rejected, Text: plantedText}
	}
	if failure == nil && c.route.streams() {
		d.begin(c)
		return
	}
	var message []byte
	if failure == nil {
		message, failure = c.route.reply(c.codec, c.input[0], c.fate.Size)
	}
	switch {
	case c.fate.Act == plant.Cut:
		d.cut(c, message)
		return
	case !oneWay:
		d.out, _ = d.r.Answer(d.out, c.id, message, true, failure)
	}
	d.finish(c, failure == nil)
}

// cut sends the first half of an answer's frame and resets the connection, which takes all other calls with it.
func (d *desk) cut(c *openCall, message []byte) {
	for d.writing && !d.over {
		d.drained.Wait()
	}
	part, _ := d.r.Answer(nil, c.id, message, true, nil)
	part = d.r.Flush(part)
	d.finish(c, false)
	if d.over {
		return
	}
	d.over = true
	d.conn.Write(append(d.out, part[:len(part)/2]...))
	resetConn(d.conn)
	d.drained.Broadcast()
}
