package http1

import (
	"bytes"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
)

// silent is Events that does nothing.
type silent struct{}

func (silent) Sent(*wiregauge.Call)            {}
func (silent) First(*wiregauge.Call)           {}
func (silent) Message(*wiregauge.Call, []byte) {}
func (silent) Room(*wiregauge.Call)            {}
func (silent) Closing()                        {}
func (silent) Done(*wiregauge.Call)            {}

// BenchmarkCall is the session's own share of a call: a head that repeats, and one that never does.
func BenchmarkCall(b *testing.B) {
	answer := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Mon, 02 Jan 2006 15:04:05 GMT\r\nContent-Length: 15\r\n\r\n{\"reply\":\"hey\"}")
	second := bytes.Index(answer, []byte("5 GMT"))
	r := &wiregauge.Request{Method: "POST /v1/hello", Messages: [][]byte{[]byte(`{"greeting":"you"}`)},
		Header: []wiregauge.Field{{Name: "Content-Type", Value: "application/json"}}}
	for name, changes := range map[string]int{"the same head": 0, "a new head": 1} {
		b.Run(name, func(b *testing.B) {
			s := New(protocol.Options{Authority: "localhost"}, silent{})
			c := new(wiregauge.Call)
			out := make([]byte, 0, 4096)
			b.ReportAllocs()
			for i := range b.N {
				c.Reset(r)
				answer[second] = byte('0' + i%10*changes)
				out, _ = s.Start(out[:0], c)
				out = s.Flush(out)
				if _, _, err := s.Receive(answer, out); err != nil || c.Outcome != wiregauge.OK {
					b.Fatal(err, c.Outcome)
				}
			}
		})
	}
}
