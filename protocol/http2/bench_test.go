package http2

import (
	"testing"

	"wiregauge"
	"wiregauge/protocol"
)

// ignore is Events that does nothing.
type ignore struct{}

func (ignore) Sent(*wiregauge.Call)            {}
func (ignore) First(*wiregauge.Call)           {}
func (ignore) Message(*wiregauge.Call, []byte) {}
func (ignore) Room(*wiregauge.Call)            {}
func (ignore) Closing()                        {}
func (ignore) Done(*wiregauge.Call)            {}

// BenchmarkSession is the cost of one POST to the session alone, 50 in flight on one connection: Start and the
// Receive of an answer as net/http gives it.
func BenchmarkSession(b *testing.B) {
	const inFlight = 50
	s := NewHTTP(protocol.Options{Scheme: "http", Authority: "127.0.0.1:8080"}, ignore{})
	out := s.Flush(make([]byte, 0, 1<<16))
	// The server's hello, and what fills its table: content-type, content-length, date.
	if _, _, err := s.Receive(unhex(b, "000000 04 00 00000000 000000 04 01 00000000"), out[:0]); err != nil {
		b.Fatal(err)
	}
	first := unhex(b, "00003a 01 04 00000001 88 5f 10 6170706c69636174696f6e2f6a736f6e 5c 01 38"+
		"61 1d 4d6f6e2c203330204e6f7620323032362032323a34323a303020474d54 40 01 61 01 62"+
		"000008 00 01 00000001 7b2261223a317d0a")
	later := unhex(b, "000005 01 04 00000001 88c1c0bfbe 000008 00 01 00000001 7b2261223a317d0a")
	r := &wiregauge.Request{Method: "POST /v1/check", Messages: [][]byte{[]byte(`{"sku":"A1","qty":2}`)}}
	calls := make([]wiregauge.Call, inFlight)
	in := make([]byte, 0, 1<<16)
	round := func(answer []byte) {
		in, out = in[:0], out[:0]
		for i := range calls {
			c := &calls[i]
			c.Reset(r)
			var err error
			if out, err = s.Start(out, c); err != nil {
				b.Fatal(err)
			}
			from := len(in)
			in = append(in, answer...)
			for at := from; at < len(in); at += frameHeaderLen + int(in[at+2]) {
				in[at+5], in[at+6], in[at+7], in[at+8] = byte(c.ID>>24), byte(c.ID>>16), byte(c.ID>>8), byte(c.ID)
			}
			answer = later
		}
		used, reply, err := s.Receive(in, out)
		if err != nil || used != len(in) || calls[inFlight-1].Outcome != wiregauge.OK {
			b.Fatal(used, err, calls[inFlight-1].Outcome)
		}
		out = s.Flush(reply)
	}
	round(first)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += inFlight {
		round(later)
	}
}
