package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"wiregauge"
	"wiregauge/compare"
	"wiregauge/contract"
	"wiregauge/wire"
)

// probeTimeout bounds the call that shows whether an arm is ready and answers what it should.
const probeTimeout = 5 * time.Second

// probe makes two equal calls of the arm and tells what came back in a form that can be compared across protocols.
func (a *arm) probe(ctx context.Context, at compare.Running) (compare.Sample, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	r, err := a.ready(ctx, a.at(at))
	var e *exitError
	if errors.As(err, &e) && e.code == exitUsage { // it was asked, and has no such method
		err = compare.Answered(err)
	}
	if err != nil {
		return compare.Sample{}, err
	}
	x, info, err := r.connect(ctx)
	if err != nil {
		return compare.Sample{}, r.target.dialError(err)
	}
	defer x.close()
	first, err := r.ask(ctx, x, a.o.Take)
	if err != nil {
		return compare.Sample{}, r.target.dialError(err)
	}
	s := r.sample(first, info)
	s.Own = a.own
	s.SentBytes, s.RecvBytes = x.carried()
	if s.Failure != "" {
		return s, nil
	}
	second, err := r.ask(ctx, x, a.o.Take)
	if err != nil || r.failure(second) != "" {
		second = nil // the server closes after one answer: nothing to compare with
	}
	a.messages(r, &s, first, second)
	return s, nil
}

// An answer is one finished call and the messages it brought.
type answer struct {
	call     wiregauge.Call
	messages [][]byte
	taken    bool // ended by us after --take messages
}

// ask makes one call.
func (r *readyArm) ask(ctx context.Context, x prober, take int) (*answer, error) {
	request := *r.sent.Requests[0]
	request.Keep = true
	a := &answer{}
	a.call.Reset(&request)
	a.call.Explain, a.call.Detail = true, &wiregauge.Detail{}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(r.plan.load.Timeout, probeTimeout))
	defer cancel()
	return a, x.do(ctx, &a.call, func(body []byte) {
		if a.taken {
			return // what was on its way when enough had come
		}
		a.messages = append(a.messages, bytes.Clone(body))
		if take > 0 && len(a.messages) >= take {
			a.taken = true
			cancel()
		}
	})
}

// failure says in words why an answer is no success, "" when it is one.
func (r *readyArm) failure(a *answer) string {
	c := &a.call
	if a.taken {
		return ""
	}
	if expected := r.plan.load.Expected; len(expected) > 0 && (c.Outcome == wiregauge.OK || c.Outcome == wiregauge.Failed) {
		if expected[c.Status] {
			return ""
		}
		return fmt.Sprintf("status %d, which --expect-status does not list", c.Status)
	}
	if c.Outcome != wiregauge.OK {
		return r.failed(c)
	}
	if check := r.plan.load.Check; check != nil && !a.pass(check) {
		return "what --expect does not"
	}
	return ""
}

// pass reports whether every message is what is expected, or nothing at all is.
func (a *answer) pass(check func(*wiregauge.Call, []byte) bool) bool {
	for _, m := range a.messages {
		if !check(&a.call, m) {
			return false
		}
	}
	return len(a.messages) > 0 || check(&a.call, nil)
}

func (r *readyArm) failed(c *wiregauge.Call) string {
	text := c.Outcome.String()
	if c.Outcome == wiregauge.Failed {
		text = fmt.Sprintf("status %d", c.Status)
	}
	if class := r.target.Protocol.Class; class != nil {
		if name := class(c.Outcome, c.Status); name != "" {
			text = name
		}
	}
	if c.Text != "" {
		text += fmt.Sprintf(" %.80q", c.Text)
	}
	return text
}

// sample is everything but the messages.
func (r *readyArm) sample(a *answer, info *wire.Info) compare.Sample {
	l := &r.plan.load
	s := compare.Sample{
		Failure: r.failure(a), TLS: info.TLS, ALPN: info.ALPN, Codec: r.sent.Codec,
		Encoding: r.sent.Requests[0].Encoding, InFlight: l.Concurrency,
		Connections: l.Connections, Streams: l.Streams, Stream: r.sent.Requests[0].Shape.StreamsIn(),
	}
	for name := range a.call.Detail.Encodings {
		if name != "identity" {
			s.Answered = name
		}
	}
	if r.plan.open {
		s.InFlight, s.Rate = l.MaxInflight, l.Pacer.String()
	}
	return s
}

// messages fills in the request and the replies, decoded by the contract where there is one.
func (a *arm) messages(r *readyArm, s *compare.Sample, first, second *answer) {
	method := a.contractFor(r)
	read := canonicalOf(method, r.sent.Codec)
	var err error
	if s.Request, s.Kind, err = a.request(r, method, read); err != nil {
		s.Request = nil
	}
	if s.Reply, s.Kind, err = read(first.messages, true); err != nil {
		s.Failure = fmt.Sprintf("what is no %s: %v", method.Output.FullName(), err)
		return
	}
	if second != nil {
		s.Again, _, _ = read(second.messages, true) // nil when it cannot be read: then nothing is known of it
	}
}

// request is the message that is sent, in canonical form: where the path carries fields it is not the body.
func (a *arm) request(r *readyArm, method *contract.Method, read canonical) ([]byte, string, error) {
	if r.sent.Method == nil {
		messages := r.sent.Requests[0].Messages
		if len(messages) == 0 && method != nil {
			return nil, "", fmt.Errorf("no body")
		}
		return read(messages, false)
	}
	raw, given, err := a.of.app.readData(&a.o.DataOptions)
	if err != nil || a.o.Binary != "" {
		return read(r.sent.Requests[0].Messages, false)
	}
	list, err := r.sent.split(raw, given)
	if err != nil {
		return nil, "", err
	}
	messages := make([][]byte, len(list))
	for i := range list {
		messages[i] = list[i]
	}
	if !method.Shape.StreamsOut() {
		messages = messages[:1]
	}
	return canonicalOf(method, "json")(messages, false)
}

// A canonical puts messages into one form and names the form.
type canonical func(messages [][]byte, reply bool) ([]byte, string, error)

// canonicalOf reads messages of a codec: by a contract into deterministic protobuf, else JSON into JSON with sorted
// keys, else bytes as they are.
func canonicalOf(method *contract.Method, codec string) canonical {
	return func(messages [][]byte, reply bool) ([]byte, string, error) {
		out, kind := []byte{}, "message"
		for _, m := range messages {
			body, word := m, "bytes"
			if method != nil {
				var err error
				if body, err = method.Canonical(codec, m, reply); err != nil {
					return nil, kind, err
				}
				word = kind
			} else if sorted, ok := sortedJSON(plainJSON(codec, m)); ok {
				body, word = sorted, "json"
			}
			kind = word
			if len(messages) > 1 {
				out = binary.AppendUvarint(out, uint64(len(body)))
			}
			out = append(out, body...)
		}
		return out, kind, nil
	}
}

// plainJSON is a message as JSON where its codec tells how, else as it is.
func plainJSON(codec string, m []byte) []byte {
	if codec == "cbor" {
		if text, _, err := contract.DecodeFree(codec, m, contract.DecodeOptions{Compact: true}); err == nil {
			return text
		}
	}
	return m
}

// sortedJSON is JSON without white space and with sorted keys; numbers stay as they were written.
func sortedJSON(text []byte) ([]byte, bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || d.More() {
		return nil, false
	}
	out, err := json.Marshal(v)
	return out, err == nil
}
