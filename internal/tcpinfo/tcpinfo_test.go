package tcpinfo

import (
	"net"
	"path/filepath"
	"runtime"
	"testing"
)

func TestRetransmits(t *testing.T) {
	memory, other := net.Pipe()
	defer memory.Close()
	defer other.Close()
	for _, row := range []struct {
		name  string
		conn  net.Conn
		known bool
	}{
		{"a TCP connection", dial(t, "tcp", "127.0.0.1:0"), runtime.GOOS == "linux"},
		{"a unix socket has no segments", dial(t, "unix", filepath.Join(t.TempDir(), "s")), true},
		{"a connection in memory cannot be asked", memory, false},
	} {
		if n, known := Retransmits(row.conn); known != row.known || n != 0 {
			t.Errorf("%s: %d, known %v", row.name, n, known)
		}
	}
}

func TestRetransmitsOfAClosedConnection(t *testing.T) {
	c := dial(t, "tcp", "127.0.0.1:0")
	_ = c.Close()
	if n, known := Retransmits(c); known {
		t.Errorf("%d, known", n)
	}
}

func dial(t *testing.T, network, address string) net.Conn {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	c, err := net.Dial(network, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
