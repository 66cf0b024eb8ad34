package stack

import (
	"net"
	"runtime"
	"testing"
)

// What the kernel sent again is known of TCP connections, open or closed, and unknown once there was one that it does
// not know.
func TestSegmentsSentAgain(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var s Conns
	for range 2 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		counted := s.Count(c)
		if got := s.Stats(); got.Retransmits != 0 || got.Unread != (runtime.GOOS != "linux") {
			t.Errorf("%+v", got)
		}
		_ = counted.Close()
		_ = counted.Close()
	}
	if got := s.Stats(); got.Retransmits != 0 || got.Unread != (runtime.GOOS != "linux") || len(s.open) != 0 {
		t.Errorf("after they were closed: %+v, %d open", got, len(s.open))
	}
	memory, other := net.Pipe()
	defer other.Close()
	_ = s.Count(memory).Close()
	if got := s.Stats(); !got.Unread {
		t.Errorf("a connection in memory was read: %+v", got)
	}
}
