package grpc

import (
	"encoding/hex"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	var digits []byte
	for i := range len(s) {
		if s[i] != ' ' && s[i] != '\n' && s[i] != '\t' {
			digits = append(digits, s[i])
		}
	}
	p, err := hex.DecodeString(string(digits))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ignore is Events that does nothing.
type ignore struct{}

func (ignore) Sent(*wiregauge.Call)            {}
func (ignore) First(*wiregauge.Call)           {}
func (ignore) Message(*wiregauge.Call, []byte) {}
func (ignore) Room(*wiregauge.Call)            {}
func (ignore) Closing()                        {}
func (ignore) Done(*wiregauge.Call)            {}

// BenchmarkSession is the cost of one unary call to the session alone, 50 in flight on one connection: Start and
// the Receive of the answer that grpc-go gives.
func BenchmarkSession(b *testing.B) {
	const inFlight = 50
	s := New(protocol.Options{Scheme: "http", Authority: "127.0.0.1:50077"}, ignore{})
	out := s.Flush(make([]byte, 0, 1<<16))
	hello := unhex(b, "000006 04 00 00000000 000500004000  000000 04 01 00000000")
	if _, _, err := s.Receive(hello, out[:0]); err != nil {
		b.Fatal(err)
	}
	first := unhex(b, "00000e 01 04 00000001 885f8b1d75d0620d263d4c4d6564   000005 00 00 00000001 0000000000"+
		"000018 01 05 00000001 40889acac8b21234da8f013040899acac8b5254207317f00")
	later := unhex(b, "000002 01 04 00000003 88c0   000005 00 00 00000003 0000000000   000002 01 05 00000003 bfbe")
	r := &wiregauge.Request{Method: "/grpc.testing.TestService/EmptyCall", Messages: [][]byte{[]byte("hello!")}}
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
			for at := from; at < len(in); at += 9 + int(in[at+2]) {
				in[at+5], in[at+6], in[at+7], in[at+8] = byte(c.ID>>24), byte(c.ID>>16), byte(c.ID>>8), byte(c.ID)
			}
			if answer[2] == 0x0e {
				answer = later
			}
		}
		used, reply, err := s.Receive(in, out)
		if err != nil || used != len(in) {
			b.Fatal(used, err)
		}
		out = s.Flush(reply)
	}
	round(first)
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += inFlight {
		round(later)
	}
	if calls[0].Outcome != wiregauge.OK {
		b.Fatal(calls[0].Outcome, calls[0].Status)
	}
}
