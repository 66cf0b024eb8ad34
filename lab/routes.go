package lab

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wiregauge"
	"wiregauge/lab/wgpb"
)

// A route is one method of a reference service as RSocket names it.
type route struct {
	shapes []wiregauge.Shape
	meter  *meter
	// answer is for one message in and one out. The answer may be the question's memory.
	answer func(c *codec, question []byte, filler int) ([]byte, error)
	// stream starts any other shape.
	stream func(d *desk, c *openCall) (source, error)
}

func (r *route) streams() bool { return r.stream != nil }

// reply is the answer to one message. It is never nil, which would be the end without a message.
func (r *route) reply(c *codec, question []byte, filler int) ([]byte, error) {
	answer, err := r.answer(c, question, filler)
	if answer == nil && err == nil {
		answer = []byte{}
	}
	return answer, err
}

func (r *route) takes(s wiregauge.Shape) bool { return slices.Contains(r.shapes, s) }

// routes lists what the chosen services answer: under their short names and under those that gRPC has for them.
func (s *Server) routes() map[string]*route {
	all := map[string]*route{}
	for _, m := range methods {
		if !slices.Contains(s.config.Services, m.service) || m.route == "" {
			continue
		}
		r := newRoute(m)
		r.meter = s.ledger.meter("rsocket " + m.route)
		all[m.route] = r
		all[strings.TrimPrefix(m.rpc, "/")] = r
	}
	return all
}

// The shapes of routes.
var (
	single  = []wiregauge.Shape{wiregauge.Unary, wiregauge.OneWay}
	streams = []wiregauge.Shape{wiregauge.ServerStream}
	channel = []wiregauge.Shape{wiregauge.Bidi}
)

func newRoute(m method) *route {
	switch m.route {
	case "hello":
		return &route{shapes: single, answer: helloRoute}
	case "random":
		return &route{shapes: single, answer: randomRoute}
	case "inventory.check":
		return &route{shapes: single, answer: checkRoute}
	case "echo":
		return &route{shapes: single, answer: echoRoute}
	case "echo.stream":
		return &route{shapes: streams, stream: echoStreamRoute}
	case "ticker":
		return &route{shapes: streams, stream: tickerRoute}
	}
	return &route{shapes: channel, stream: echoChannelRoute}
}

func helloRoute(c *codec, question []byte, filler int) ([]byte, error) {
	if c == protoCodec {
		q := &wgpb.HelloRequest{}
		if err := c.read(question, q); err != nil {
			return nil, err
		}
		return c.marshal(&wgpb.HelloReply{Reply: sayHello(q.Greeting), Filler: zeros(filler)})
	}
	var q helloQuestion
	if err := c.read(question, &q); err != nil {
		return nil, err
	}
	return c.marshal(&helloAnswer{Reply: sayHello(q.Greeting), Filler: zeros(filler)})
}

func randomRoute(c *codec, question []byte, filler int) ([]byte, error) {
	if c == protoCodec {
		q := &wgpb.RandomRequest{}
		if err := c.read(question, q); err != nil {
			return nil, err
		}
		return c.marshal(&wgpb.RandomReply{RandomString: q.RandomString, RandomInt: q.RandomInt, Filler: zeros(filler)})
	}
	var q randomMessage
	if err := c.read(question, &q); err != nil {
		return nil, err
	}
	q.Filler = zeros(filler)
	return c.marshal(&q)
}

func checkRoute(c *codec, question []byte, filler int) ([]byte, error) {
	if c == protoCodec {
		q := &wgpb.CheckRequest{}
		if err := c.read(question, q); err != nil {
			return nil, err
		}
		n, where := stock(q.Sku)
		return c.marshal(&wgpb.CheckReply{Sku: q.Sku, Available: n >= q.Quantity, InStock: n, Warehouse: where, Filler: zeros(filler)})
	}
	var q checkQuestion
	if err := c.read(question, &q); err != nil {
		return nil, err
	}
	n, where := stock(q.SKU)
	return c.marshal(&checkAnswer{SKU: q.SKU, Available: n >= q.Quantity, InStock: n, Warehouse: where, Filler: zeros(filler)})
}

// echoRoute sends the bytes back as they are, whatever they mean, unless they have to grow: then they are a message of
// the contract, whose payload does.
func echoRoute(c *codec, question []byte, filler int) ([]byte, error) {
	if filler == 0 || c == rawCodec {
		return append(question, zeros(filler)...), nil
	}
	q, err := readEcho(c, question)
	if err != nil {
		return nil, err
	}
	return writeEcho(c, echoMessage{Payload: append(q.Payload, zeros(filler)...), Count: q.Count})
}

// readEcho decodes a message of the echo; of bytes that no codec reads it is the payload.
func readEcho(c *codec, p []byte) (echoMessage, error) {
	var m echoMessage
	switch c {
	case rawCodec:
		m.Payload = p
		return m, nil
	case protoCodec:
		q := &wgpb.EchoMessage{}
		err := c.read(p, q)
		return echoMessage{Payload: q.Payload, Count: q.Count}, err
	}
	return m, c.read(p, &m)
}

func writeEcho(c *codec, m echoMessage) ([]byte, error) {
	switch c {
	case rawCodec:
		return m.Payload, nil
	case protoCodec:
		return c.marshal(&wgpb.EchoMessage{Payload: m.Payload, Count: m.Count})
	}
	return c.marshal(&m)
}

func echoStreamRoute(_ *desk, c *openCall) (source, error) {
	q, err := readEcho(c.codec, c.input[0])
	if err != nil {
		return nil, err
	}
	message, err := writeEcho(c.codec, echoMessage{Payload: append(q.Payload, zeros(c.fate.Size)...)})
	if message == nil {
		message = []byte{}
	}
	return &repeat{message: message, left: int(answers(q.Count))}, err
}

func echoChannelRoute(_ *desk, c *openCall) (source, error) {
	return mirror{filler: c.fate.Size}, nil
}

func zeros(n int) []byte {
	if n == 0 {
		return nil
	}
	return make([]byte, n)
}

func tickerRoute(d *desk, c *openCall) (source, error) {
	q, err := readTicks(c.codec, c.input[0])
	if err != nil {
		return nil, err
	}
	t := &ticks{}
	t.interval, t.left = ticking(q.EveryMS, q.Count)
	filler := zeros(c.fate.Size)
	t.encode = func(n int64, _ bool) []byte { return writeTick(c.codec, n, filler) }
	d.s.run(func() { t.run(d, c) })
	return t, nil
}

// readTicks decodes what a ticker is asked for; of bytes that no codec reads it is the interval as a number, as text.
func readTicks(c *codec, p []byte) (tickQuestion, error) {
	var q tickQuestion
	switch {
	case c == rawCodec && len(p) > 0:
		n, err := strconv.ParseInt(string(p), 10, 32)
		if err != nil {
			return q, fmt.Errorf("%q is no interval in milliseconds", p)
		}
		q.EveryMS = int32(n)
	case c == protoCodec:
		m := &wgpb.TickRequest{}
		err := c.read(p, m)
		return tickQuestion{EveryMS: m.EveryMs, Count: m.Count}, err
	case len(p) > 0:
		return q, c.read(p, &q)
	}
	return q, nil
}

// writeTick encodes one tick. What a codec of ours cannot say of a number is a mistake of ours.
func writeTick(c *codec, number int64, filler []byte) []byte {
	var p []byte
	var err error
	switch c {
	case rawCodec:
		return append(strconv.AppendInt(nil, number, 10), filler...)
	case protoCodec:
		p, err = c.marshal(&wgpb.Tick{Number: number, Filler: filler})
	default:
		p, err = c.marshal(&tick{Number: number, Filler: filler})
	}
	if err != nil {
		panic(err)
	}
	return p
}
