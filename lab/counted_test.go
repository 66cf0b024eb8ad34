package lab

import (
	"io"
	"net"
	"testing"
)

// A counted connection can end its own side and still read: a server that leaves with its last answers on the way
// would otherwise reset them.
func TestCountedConnectionsEndOneSideAlone(t *testing.T) {
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var counts ledger
	l := counts.count(plain)
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if err := server.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if p, err := io.ReadAll(client); err != nil || len(p) != 0 {
		t.Errorf("the client reads %q (%v), want the end", p, err)
	}
	if _, err := client.Write([]byte("late")); err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 4)
	if _, err := io.ReadFull(server, p); err != nil || string(p) != "late" {
		t.Errorf("the server reads %q (%v)", p, err)
	}
	if counts.accepted.Load() != 1 || counts.open.Load() != 1 {
		t.Errorf("%d accepted, %d open; want 1 and 1", counts.accepted.Load(), counts.open.Load())
	}
}
