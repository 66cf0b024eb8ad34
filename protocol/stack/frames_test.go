package stack

import (
	"bytes"
	"net"
	"testing"

	"golang.org/x/net/http2"
)

// wire is a connection that reads what is put into in and drops what is written.
type wire struct {
	net.Conn
	in bytes.Buffer
}

func (w *wire) Write(p []byte) (int, error) { return len(p), nil }
func (w *wire) Read(p []byte) (int, error)  { return w.in.Read(p) }

// Streams above the last id of a GOAWAY are proven unprocessed, those too that were on their way when it came.
func TestUnprocessedStreams(t *testing.T) {
	var s Conns
	below := &wire{}
	conn := s.Watch(below)
	out, in := http2.NewFramer(conn, nil), http2.NewFramer(&below.in, nil)
	open := func(id uint32) {
		if err := out.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x82}, EndHeaders: true}); err != nil {
			t.Fatal(err)
		}
	}
	away := func(last uint32) {
		if err := in.WriteGoAway(last, http2.ErrCodeNo, []byte("because")); err != nil {
			t.Fatal(err)
		}
		for below.in.Len() > 0 {
			if _, err := conn.Read(make([]byte, 7)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, step := range []struct {
		do   func()
		want int64
	}{
		{func() { open(1); open(3) }, 0},
		{func() { away(1<<31 - 1) }, 0},
		{func() { open(5); open(5) }, 0}, // and its trailers
		{func() { away(3) }, 1},          // 5
		{func() { open(7); open(9) }, 3}, // too late
		{func() { away(3) }, 3},          // nothing new
		{func() { away(1) }, 4},          // 3 as well
	} {
		step.do()
		if got := s.unprocessed.Load(); got != step.want {
			t.Errorf("step %d: %d streams are proven unprocessed, want %d", i, got, step.want)
		}
	}
}
