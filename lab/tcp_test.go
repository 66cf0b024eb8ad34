package lab

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

func TestPlantsOnTheFloor(t *testing.T) {
	frame := []byte{0, 0, 0, 2, 'h', 'i'}
	rows := []struct {
		name, plant string
		want        string // what comes back for two frames
		reset       bool
	}{
		{"nothing", "", "\x00\x00\x00\x02hi\x00\x00\x00\x02hi", false},
		{"a larger answer", "size=3", "\x00\x00\x00\x05hi\x00\x00\x00\x00\x00\x00\x05hi\x00\x00\x00", false},
		{"the second fails", "status=503/2", "\x00\x00\x00\x02hi", false},
		{"the second is reset", "reset=/2", "\x00\x00\x00\x02hi", true},
		{"the second breaks off", "cut=/2", "\x00\x00\x00\x02hi\x00\x00\x00", true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := serve(t, ServeConfig{Protocols: []string{"tcp"}, Plant: row.plant})
			c, err := net.Dial("tcp", hostOf(t, endpoint(t, s, "echo", "tcp")))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			got := make([]byte, 64)
			have := 0
			for i := range 2 {
				c.Write(frame)
				if i == 1 {
					c.(*net.TCPConn).CloseWrite()
				}
				if i == 0 {
					n, err := io.ReadAtLeast(c, got, len(frame))
					if err != nil {
						t.Fatal(err)
					}
					have = n
				}
			}
			var last error
			for last == nil {
				var n int
				n, last = c.Read(got[have:])
				have += n
			}
			// A reset may overtake the bytes that came before it.
			if row.reset {
				if errors.Is(last, io.EOF) || !strings.HasPrefix(row.want, string(got[:have])) {
					t.Errorf("got %q and %v, want a reset", got[:have], last)
				}
				return
			}
			if string(got[:have]) != row.want || !errors.Is(last, io.EOF) {
				t.Errorf("got %q and %v, want %q", got[:have], last, row.want)
			}
		})
	}
}

// A client that goes away ends a call that hangs on the floor.
func TestHangOnTheFloorIsGivenUp(t *testing.T) {
	s := serve(t, ServeConfig{Protocols: []string{"tcp"}, Plant: "hang"})
	c, err := net.Dial("tcp", hostOf(t, endpoint(t, s, "echo", "tcp")))
	if err != nil {
		t.Fatal(err)
	}
	c.Write([]byte{0, 0, 0, 0})
	until(t, func() bool { return s.Stats().Received > 0 }) // the call has to be inside
	c.Close()
	until(t, func() bool { return s.Stats().OpenConnections == 0 }) // the server learns of it a little later
}

// Delays on one connection run at the same time: all are asked for before the first is over.
func TestDelaysOnTheFloorOverlap(t *testing.T) {
	clock := &gate{entered: make(chan time.Duration), open: make(chan struct{})}
	s := serve(t, ServeConfig{Protocols: []string{"tcp"}, Plant: "delay=5ms", Clock: clock})
	c, err := net.Dial("tcp", hostOf(t, endpoint(t, s, "echo", "tcp")))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	frames := "\x00\x00\x00\x01a\x00\x00\x00\x01b\x00\x00\x00\x01c"
	io.WriteString(c, frames)
	for range 3 {
		<-clock.entered
	}
	close(clock.open)
	got := make([]byte, len(frames))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != frames {
		t.Errorf("got %q, %v; want them in order", got, err)
	}
}

// gate is a clock on which all who sleep wait for the same moment.
type gate struct {
	entered chan time.Duration
	open    chan struct{}
}

func (g *gate) Now() time.Duration { return 0 }
func (g *gate) Sleep(ctx context.Context, d time.Duration) error {
	g.entered <- d
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
